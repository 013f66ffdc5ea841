//! The options and limits of a server.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Where a server listens, and what bounds it. Sizes of bodies and pages are bounded by the section `limits` of the
/// configuration, and the number of workers by `run.threads`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ServeOptions {
    /// The inputs of the inspector: archives as arguments name them (see [`from_arguments`]), and run directories,
    /// which mean the archives of these runs. Nothing else can be read through the server.
    ///
    /// [`from_arguments`]: dehusk_engine::input::from_arguments
    pub inputs: Vec<OsString>,
    /// The address to listen on. With port 0, the system chooses one.
    pub address: SocketAddr,
    /// Truth files, by which comparisons are measured.
    pub truth: Vec<PathBuf>,
    /// The truth file to which marks are written. Without one, the server writes nothing.
    pub truth_out: Option<PathBuf>,
    /// From so many marked pages on, the inspector measures extractors by them.
    pub measure_from: usize,
    /// Host names by which clients may ask, beside `localhost` and addresses.
    pub hosts: Vec<String>,
    /// Most requests for work at a time, those that wait for a worker included. Further ones are refused at once.
    pub requests: usize,
    /// Most connections at a time. Further ones are refused at once.
    pub connections: usize,
    /// How long a request may take to arrive, and how long its work may take. Waiting for a worker does not count.
    pub timeout: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            truth: Vec::new(),
            truth_out: None,
            measure_from: 50,
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8070),
            hosts: Vec::new(),
            requests: 256,
            connections: 512,
            timeout: Duration::from_secs(30),
        }
    }
}
