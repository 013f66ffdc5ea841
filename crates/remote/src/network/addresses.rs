//! Servers that only another server has named (by a redirect or in a list) must have public addresses.
//!
//! A name that is an argument, or is in a local file, is asked for wherever it leads. A redirect, or a line of a remote
//! list, is the word of a server, which may mean to reach what only this machine can: its own services, those of its
//! network, and the addresses where clouds hand out credentials. Names are looked up for every connection, so a name
//! that leads to such an address counts as the address.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{LazyLock, Mutex};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use super::lock;

/// Which servers a request may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All.
    Any,
    /// Those with a public address.
    Public,
}

/// Whether a host that was asked has ever had a public address. There are as many as the inputs of the process name.
static HOSTS: LazyLock<Mutex<HashMap<String, bool>>> = LazyLock::new(Mutex::default);

/// Looks names up, and leaves out the addresses that are out of reach.
#[derive(Debug)]
pub(super) struct Lookup {
    system: DefaultResolver,
    reach: Reach,
}

impl Lookup {
    pub(super) fn new(reach: Reach) -> Self {
        Self {
            system: DefaultResolver::default(),
            reach,
        }
    }
}

impl Resolver for Lookup {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let found = self.system.resolve(uri, config, timeout)?;
        // The environment names the proxy, which looks names up itself.
        if config
            .proxy()
            .is_some_and(|proxy| proxy.uri().authority() == uri.authority())
        {
            return Ok(found);
        }
        let mut public = self.empty();
        for address in found.iter().filter(|address| is_public(address.ip())) {
            public.push(*address);
        }
        let host = uri.host().unwrap_or_default();
        remember(host, !public.is_empty());
        match (self.reach, public.is_empty()) {
            (Reach::Any, _) => Ok(found),
            (Reach::Public, false) => Ok(public),
            (Reach::Public, true) => Err(Error::Other(Box::new(OutOfReach::new(host, found.first())))),
        }
    }
}

/// Why a server is not asked.
#[derive(Debug)]
pub(super) struct OutOfReach {
    host: String,
    address: Option<IpAddr>,
}

impl OutOfReach {
    fn new(host: &str, address: Option<&SocketAddr>) -> Self {
        Self {
            host: host.to_owned(),
            address: address.map(SocketAddr::ip),
        }
    }

    /// Checks whether a target is out of reach by the name of its host alone, without a look-up.
    ///
    /// # Errors
    /// It is.
    pub(super) fn check(reach: Reach, host: &str) -> Result<(), Self> {
        let name = name_of(host);
        if reach == Reach::Public && is_private_name(&name) {
            Err(Self::new(&name, None))
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", dehusk_archive::escape::terminal(&self.host))?;
        if let Some(address) = self
            .address
            .filter(|address| address.to_string() != name_of(&self.host))
        {
            write!(f, " ({address})")?;
        }
        f.write_str(
            " is no public address, and only a server has named it, by a redirect or in a list; with remote.private = \
             true it is asked",
        )
    }
}

impl std::error::Error for OutOfReach {}

/// Whether a host, which may have a port, is known to have private addresses only: it was asked, or its name shows it.
pub(super) fn is_private_host(host: &str) -> bool {
    let name = name_of(host);
    let hosts = lock(&HOSTS);
    hosts
        .get(&name)
        .map_or_else(|| is_private_name(&name), |has_public| !has_public)
}

/// The name of a host without its port, and without the brackets of an address.
pub(super) fn name_of(host: &str) -> String {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next(),
        None => host.split(':').next(),
    };
    name.unwrap_or_default().trim_end_matches('.').to_ascii_lowercase()
}

fn remember(host: &str, has_public: bool) {
    let mut hosts = lock(&HOSTS);
    // Who has led to a public address once does not become private by leading elsewhere.
    *hosts.entry(name_of(host)).or_default() |= has_public;
}

/// Whether a name is a private address, or one of this machine. What only looks like a number may be an address, too:
/// the system reads 127.1 and 0x7f000001 as addresses.
fn is_private_name(name: &str) -> bool {
    if let Ok(address) = name.parse() {
        return !is_public(address);
    }
    let last = name.rsplit('.').next().unwrap_or_default();
    name == "localhost" || name.ends_with(".localhost") || last.starts_with(|c: char| c.is_ascii_digit())
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let reserved = match address.octets() {
        // This network; shared by providers, where a cloud has its metadata, too; protocols; tests of devices.
        [0, ..] | [100, 64..=127, ..] | [192, 0, 0, _] | [198, 18..=19, ..] => true,
        // Azure's own services.
        [168, 63, 129, 16] => true,
        // Groups, and what is not assigned.
        [224..=255, ..] => true,
        _ => false,
    };
    !(reserved
        || address.is_loopback()
        || address.is_private()
        || address.is_link_local()
        || address.is_documentation())
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, c, d, .., g, h] = address.segments();
    let within = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d) {
        // An address of the other version: mapped, translated, or a tunnel's.
        (0, 0, 0, 0) if !address.is_loopback() && !address.is_unspecified() => within(g, h),
        (0x64, 0xff9b, 0, 0) => within(g, h),
        (0x2002, ..) => within(b, c),
        // All that is assigned for the public; of that, not the tunnel Teredo, whose addresses lead elsewhere, and no
        // documentation.
        (0x2001, 0 | 0xdb8, ..) => false,
        _ => a & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_ones_own_network_are_not_public() {
        for private in [
            "127.0.0.1",
            "127.8.9.1",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.192",
            "198.18.0.1",
            "168.63.129.16",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::",
            "::127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2001::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
        ] {
            assert!(!is_public(private.parse().expect("an address")), "{private}");
            assert!(is_private_name(private), "{private}");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.128.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "168.63.129.17",
            "::ffff:8.8.8.8",
            "64:ff9b::808:808",
            "2606:4700::1111",
            "2a00:1450::1",
            "2002:808:808::",
        ] {
            assert!(is_public(public.parse().expect("an address")), "{public}");
        }
    }

    #[test]
    fn names_that_are_numbers_are_addresses() {
        for private in [
            "localhost",
            "a.localhost",
            "127.1",
            "2130706433",
            "0x7f000001",
            "0x7f.1",
            "0177.0.0.1",
        ] {
            assert!(is_private_name(private), "{private}");
            assert!(OutOfReach::check(Reach::Public, &format!("{private}:80")).is_err());
            assert!(OutOfReach::check(Reach::Any, private).is_ok());
        }
        for name in ["host.example", "1.example", "localhost.example", "8.8.8.8"] {
            assert!(!is_private_name(name), "{name}");
        }
        assert_eq!(name_of("[::1]:80"), "::1");
        assert_eq!(name_of("Host.Example.:80"), "host.example");
    }

    #[test]
    fn a_name_is_refused_by_the_address_that_it_leads_to() {
        for private in ["http://localhost:1/", "http://127.1:1/", "http://[::1]:1/"] {
            let uri: Uri = private.parse().expect("a URL");
            let look_up = |reach| Lookup::new(reach).resolve(&uri, &Config::default(), NextTimeout::default());
            match look_up(Reach::Public) {
                Err(Error::Other(error)) => assert!(error.is::<OutOfReach>(), "{private}"),
                other => panic!("{private}: {other:?}"),
            }
            assert!(look_up(Reach::Any).is_ok(), "{private}");
        }
    }

    #[test]
    fn a_host_that_was_public_once_stays_so() {
        remember("flips.test", false);
        assert!(is_private_host("flips.test:8080"));
        remember("FLIPS.test", true);
        remember("flips.test", false);
        assert!(!is_private_host("flips.test"));
    }
}
