//! The host of a URL, in the form that a key has.

use super::{escaped, unescaped};

/// The host and the port of an authority; `None` if the port is no number.
pub(super) fn of_authority(authority: &[u8]) -> Option<(Vec<u8>, Option<u16>)> {
    let end = authority.iter().rposition(|b| *b != b':').map_or(0, |at| at + 1);
    let host = &authority[..end];
    let host = &host[memchr::memrchr(b'@', host).map_or(0, |at| at + 1)..];
    let (host, port) = match host.strip_prefix(b"[") {
        Some(rest) => {
            let end = memchr::memchr(b']', rest).unwrap_or(rest.len());
            (&rest[..end], rest.get(end + 1..).unwrap_or_default())
        }
        None => host.split_at(memchr::memchr(b':', host).unwrap_or(host.len())),
    };
    let port = match port.strip_prefix(b":") {
        None | Some(b"") => None,
        Some(digits) => {
            let digits = std::str::from_utf8(digits)
                .ok()
                .filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
            digits.parse().ok().map(Some)?
        }
    };
    Some((host.to_ascii_lowercase(), port.filter(|port| *port != 0)))
}

/// A host without escapes, dots around it and `www.`, in lower case; an address in the usual form.
pub(super) fn canonical(host: &[u8], scheme: &[u8]) -> Vec<u8> {
    let host = unescaped(host);
    let host = if host.is_ascii() { host } else { in_ascii(&host) };
    let host = without_double_dots(&host);
    let start = host.iter().take_while(|b| **b == b'.').count();
    let end = host.iter().rposition(|b| *b != b'.').map_or(start, |at| at + 1);
    let host = &host[start..end];
    let host = address(host).unwrap_or_else(|| escaped(&host.to_ascii_lowercase()).to_ascii_lowercase());
    if scheme == b"dns" { host } else { without_www(host) }
}

fn without_double_dots(host: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(host.len());
    let mut at = 0;
    while at < host.len() {
        out.push(host[at]);
        at += if host[at..].starts_with(b"..") { 2 } else { 1 };
    }
    out
}

/// A host without `www.`, `www2.` and so on.
fn without_www(host: Vec<u8>) -> Vec<u8> {
    let Some(rest) = host.strip_prefix(b"www") else {
        return host;
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    match rest[digits..].strip_prefix(b".") {
        Some(rest) => rest.to_vec(),
        None => host,
    }
}

/// The address that a host of numbers means, as in `inet_aton`: up to four parts, octal after a zero, and the last
/// part fills what is left. `None` if the host is a name.
fn address(host: &[u8]) -> Option<Vec<u8>> {
    if host.is_empty() || !host.iter().all(|b| b.is_ascii_digit() || *b == b'.') {
        return None;
    }
    let dotted = |n: u32| n.to_be_bytes().map(|byte| byte.to_string()).join(".").into_bytes();
    if host.iter().all(u8::is_ascii_digit) {
        // Only the last 32 bits count, however long the number is.
        let n = host.iter().fold(0_u32, |n, digit| {
            n.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'))
        });
        return Some(dotted(n));
    }
    let parts = std::str::from_utf8(host).ok()?.split('.').map(|part| {
        let is_octal = part.len() > 1 && part.starts_with('0');
        u32::from_str_radix(part, if is_octal { 8 } else { 10 }).ok()
    });
    let parts: Vec<u32> = parts.collect::<Option<_>>()?;
    let (last, before) = parts.split_last()?;
    if before.len() > 3 || before.iter().any(|part| *part > 255) {
        return None;
    }
    let room = 8 * (4 - before.len() as u32);
    if room < 32 && *last >= 1 << room {
        return None;
    }
    let high = before
        .iter()
        .zip([24, 16, 8])
        .fold(0, |n, (part, shift)| n | part << shift);
    Some(dotted(high | last))
}

/// The labels of a host in ASCII (RFC 3490); the host itself if it is not UTF-8.
fn in_ascii(host: &[u8]) -> Vec<u8> {
    let host = String::from_utf8_lossy(host)
        .replace('\u{fffd}', "")
        .to_lowercase()
        .replace('ß', "ss");
    let labels = host.split(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}']).map(|label| {
        if label.is_ascii() {
            label.to_owned()
        } else {
            // A label that is too long for Punycode is no host's.
            format!("xn--{}", idna::punycode::encode_str(label).unwrap_or_default())
        }
    });
    labels.collect::<Vec<_>>().join(".").into_bytes()
}
