//! The key by which indexes of crawls sort URLs: SURT, the Sort-friendly URI Reordering Transform, of a URL in the
//! Internet Archive's canonical form.
//!
//! `https://www.Example.org:443/A/../b/?b=2&a=1#c` becomes `org,example)/b?a=1&b=2`. The rules are those of the Python
//! package `surt` with its defaults, which pywb and cdxj-indexer use:
//!
//! - Escapes are undone until none is left, and those made anew that a URL needs.
//! - The scheme, the user, the port of the scheme, `www.` and the fragment go.
//! - Dot segments, doubled slashes and the slash at the end go; everything is in lower case.
//! - Ids of sessions go; the parameters of the query are sorted.

mod host;
mod session;

/// Returns the key of a URL; `-` if it is empty.
pub fn surt(url: &str) -> String {
    let Some(key) = key_of(url.as_bytes()) else {
        // With an invalid port, the host cannot be found.
        return url.to_owned();
    };
    // Characters other than ASCII were escaped, unless the URL was left as it is.
    String::from_utf8(key).unwrap_or_else(|_| url.to_owned())
}

/// The parts of a URL.
struct Parts {
    scheme: Vec<u8>,
    host: Vec<u8>,
    port: Option<u16>,
    path: Option<Vec<u8>>,
    query: Vec<u8>,
}

fn key_of(url: &[u8]) -> Option<Vec<u8>> {
    if url.is_empty() {
        return Some(b"-".to_vec());
    }
    if url.starts_with(b"filedesc") {
        return Some(url.to_vec());
    }
    let mut parts = split(url)?;
    if !parts.host.is_empty() {
        parts.host = host::canonical(&parts.host, &parts.scheme);
    }
    let path = parts.path.as_deref().map(unescaped);
    let path = if parts.host.is_empty() {
        path
    } else {
        Some(normal_path(path.as_deref().unwrap_or_default()))
    };
    let path = path.map(|path| trimmed(session::without_path_id(&escaped(&path).to_ascii_lowercase())));
    let query = escaped(&unescaped(&parts.query));
    let query = sorted(session::without_query_id(query).to_ascii_lowercase());
    let mut key = Vec::with_capacity(url.len());
    if parts.host.is_empty() {
        key.extend_from_slice(&parts.scheme);
        key.push(b':');
    } else {
        let labels: Vec<&[u8]> = parts.host.split(|b| *b == b'.').rev().collect();
        key.extend(labels.join(&b','));
        if let Some(port) = parts.port.filter(|port| *port != default_port(&parts.scheme)) {
            key.extend(format!(":{port}").into_bytes());
        }
        key.push(b')');
    }
    match path {
        Some(path) if !path.is_empty() => key.extend(path),
        _ if !query.is_empty() => key.push(b'/'),
        _ => {}
    }
    if !query.is_empty() {
        key.push(b'?');
        key.extend(query);
    }
    Some(key)
}

fn default_port(scheme: &[u8]) -> u16 {
    match scheme.to_ascii_lowercase().as_slice() {
        b"http" => 80,
        b"https" => 443,
        _ => 0,
    }
}

/// Splits a URL into its parts; `None` if its port is none. A URL without a scheme is one of HTTP.
fn split(url: &[u8]) -> Option<Parts> {
    let mut text: Vec<u8> = url.trim_ascii().to_vec();
    text.retain(|b| !matches!(b, b'\n' | b'\r' | b'\t'));
    if scheme_end(&text).is_none() {
        text.splice(0..0, *b"http://");
    }
    let text = without_repeated_scheme(&text);
    let end = scheme_end(text)?;
    let (scheme, rest) = (&text[..end], &text[end + 1..]);
    let rest = &rest[..find(rest, b"#")];
    let at = find(rest, b"?");
    let (rest, query) = (&rest[..at], rest.get(at + 1..).unwrap_or_default());
    let (authority, path) = match rest.strip_prefix(b"//") {
        Some(rest) => rest.split_at(find(rest, b"/")),
        None => (&b""[..], rest),
    };
    let (host, port) = host::of_authority(authority)?;
    let mut parts = Parts {
        scheme: scheme.to_vec(),
        host,
        port,
        path: (!path.is_empty()).then(|| path.to_vec()),
        query: query.to_vec(),
    };
    // Too many slashes before the host.
    if scheme.starts_with(b"http") && parts.host.is_empty() && !path.is_empty() {
        let start = path.iter().take_while(|b| **b == b'/').count();
        let (host, path) = path[start..].split_at(find(&path[start..], b"/"));
        parts.host = host.to_vec();
        parts.path = Some([b"/", path.get(1..).unwrap_or_default()].concat());
    }
    Some(parts)
}

/// Where the first of some bytes is, or the end.
fn find(text: &[u8], any_of: &[u8]) -> usize {
    text.iter().position(|b| any_of.contains(b)).unwrap_or(text.len())
}

/// Where the colon after the scheme is.
fn scheme_end(url: &[u8]) -> Option<usize> {
    let end = memchr::memchr(b':', url)?;
    let is_scheme = url[..end].first().is_some_and(u8::is_ascii_alphabetic)
        && url[..end]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    is_scheme.then_some(end)
}

/// `http://https://host` is what becomes of links without care. The last scheme counts.
fn without_repeated_scheme(url: &[u8]) -> &[u8] {
    let next = |text: &[u8]| {
        [&b"http://"[..], b"https://"]
            .into_iter()
            .find(|scheme| text.starts_with(scheme))
            .map(<[u8]>::len)
    };
    let mut text = url;
    while let Some(length) = next(text).filter(|length| next(&text[*length..]).is_some()) {
        text = &text[length..];
    }
    text
}

/// Undoes all escapes, also those of escapes.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut text = text.to_vec();
    loop {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            match escape_at(&text[at..]) {
                Some(byte) => {
                    out.push(byte);
                    at += 3;
                }
                None => {
                    out.push(text[at]);
                    at += 1;
                }
            }
        }
        if out.len() == text.len() {
            return out;
        }
        text = out;
    }
}

/// The byte of the escape that starts a text.
fn escape_at(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else { return None };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    Some((digit(high)? * 16 + digit(low)?) as u8)
}

/// Escapes what a URL cannot hold, `%` and `#`.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if byte.is_ascii_graphic() && !matches!(byte, b'%' | b'#') {
            out.push(*byte);
        } else {
            out.extend(format!("%{byte:02X}").into_bytes());
        }
    }
    out
}

/// A path without dot segments and doubled slashes. The part before its first slash goes.
fn normal_path(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|b| *b == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut out = b"/".to_vec();
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            out.extend_from_slice(segment);
            out.push(b'/');
        }
        out.extend_from_slice(last);
    }
    out
}

/// A path without the slash at its end, unless it is all of it.
fn trimmed(mut path: Vec<u8>) -> Vec<u8> {
    if path.len() > 1 && path.ends_with(b"/") {
        path.pop();
    }
    path
}

/// A query with its parameters in order: a name alone is before one with a value.
fn sorted(query: Vec<u8>) -> Vec<u8> {
    if query.len() <= 1 {
        return query;
    }
    let mut parameters: Vec<(&[u8], Option<&[u8]>)> = query
        .split(|b| *b == b'&')
        .map(|parameter| match memchr::memchr(b'=', parameter) {
            Some(at) => (&parameter[..at], Some(&parameter[at + 1..])),
            None => (parameter, None),
        })
        .collect();
    parameters.sort();
    let written = parameters.into_iter().map(|(name, value)| match value {
        Some(value) => [name, b"=", value].concat(),
        None => name.to_vec(),
    });
    written.collect::<Vec<_>>().join(&b'&')
}

#[cfg(test)]
mod tests {
    use super::surt;

    #[test]
    fn keys_are_those_of_the_package_surt() {
        for (url, key) in [
            ("", "-"),
            ("filedesc:crawl.arc", "filedesc:crawl.arc"),
            ("http://www.archive.org/", "org,archive)/"),
            ("http://archive.org", "org,archive)/"),
            (
                "https://WWW2.Example.org:443/A/../b//c/?b=2&a=1#x",
                "org,example)/b/c?a=1&b=2",
            ),
            ("http://example.org:8080/x", "org,example:8080)/x"),
            ("http://user:pass@example.org/", "org,example)/"),
            ("http://example.org/?", "org,example)/"),
            ("http://example.org/a%2520b", "org,example)/a%20b"),
            ("http://example.org/%C3%BC", "org,example)/%c3%bc"),
            ("http://bücher.example/", "example,xn--bcher-kva)/"),
            ("http://1.2.3.4/", "4,3,2,1)/"),
            ("http://2130706433/", "1,0,0,127)/"),
            ("dns:www.example.org", "dns:www.example.org"),
            ("urn:pageinfo:http://a.example/X", "urn:pageinfo:http://a.example/x"),
            ("http://https/order.example.com", "https)/order.example.com"),
            ("http://https://order.example.com/", "com,example,order)/"),
            ("example.org/x", "org,example)/x"),
            (
                "http://example.org/x;jsessionid=1?jsessionid=0123456789abcdef0123456789abcdef&b=1&a",
                "org,example)/x;jsessionid=1?a&b=1",
            ),
            (
                "http://example.org/(S(abcdefghijklmnopqrstuvwx))/a.aspx",
                "org,example)/a.aspx",
            ),
            ("http://example.org:port/", "http://example.org:port/"),
        ] {
            assert_eq!(surt(url), key, "{url}");
        }
    }
}
