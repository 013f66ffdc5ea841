//! Takes credentials out of names before they are shown or stored.
//!
//! A name that a user gives may be an address with a user, a password or a signature in it, whether or not this program
//! reads such addresses, and whether or not the address is well formed. So nothing here relies on a parser: what might
//! be a credential is left out, and a name that is no address stays as it is.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The sign in the place of a part that is not shown.
const HIDDEN: &str = "…";

/// Schemes that are taken for such without a slash after their colon. Other words before a colon may begin a file's
/// name.
const SCHEMES: [&str; 21] = [
    "http", "https", "ftp", "ftps", "sftp", "ssh", "scp", "s3", "s3a", "s3n", "gs", "az", "abfs", "abfss", "wasb",
    "wasbs", "hdfs", "webhdfs", "dav", "davs", "swift",
];

/// Schemes of clouds. Their keys may hold `?` and `#`.
const CLOUDS: [&str; 3] = ["s3", "gs", "az"];

/// Names in a query that must not be shown, though it follows the name of an object of a cloud.
const SECRETS: [&str; 7] = [
    "sig=",
    "signature=",
    "token=",
    "credential=",
    "password=",
    "secret=",
    "key=",
];

/// How the keys of a signature's parts end in a query.
const SIGNATURES: [&str; 4] = ["sig", "signature", "credential", "security-token"];

/// Parts of file names. They distinguish a name with an `@` and without a folder from a server's.
const FILES: [&str; 9] = [".warc", ".arc", ".gz", ".zst", ".tar", ".tgz", ".wacz", ".zip", ".htm"];

/// A name without credentials: users, passwords, queries and fragments of addresses. What may be a password, but also
/// something else, goes. Anything that is no address stays as it is, and so does what this function has given.
pub fn redacted(path: &Path) -> Cow<'_, Path> {
    match path.to_str() {
        Some(text) => match name(text) {
            Cow::Borrowed(_) => Cow::Borrowed(path),
            Cow::Owned(text) => Cow::Owned(PathBuf::from(text)),
        },
        None => {
            let text = path.to_string_lossy();
            match name(&text) {
                Cow::Owned(shown) if shown != text => Cow::Owned(PathBuf::from(shown)),
                _ => Cow::Borrowed(path),
            }
        }
    }
}

/// A name without credentials, as text. See [`redacted`].
pub fn name(text: &str) -> Cow<'_, str> {
    let shown = address(text);
    if shown == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(shown)
    }
}

/// A message whose words may be names: each of them without credentials.
pub fn message(text: &str) -> Cow<'_, str> {
    let ends_word = |c: char| c.is_whitespace() || matches!(c, '“' | '”' | '‘' | '’' | '"' | '\'' | '`' | ',');
    let shown: String = text.split_inclusive(ends_word).map(address).collect();
    if shown == text {
        Cow::Borrowed(text)
    } else {
        Cow::Owned(shown)
    }
}

/// Whether a whole name is an address, and none of a file here: it begins with a scheme and two slashes, or with a
/// scheme that is known and one. Returns the scheme.
pub fn scheme(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    let found = Address::find(text).filter(|found| found.before.chars().all(is_blank))?;
    let is_known = SCHEMES.iter().any(|known| found.scheme.eq_ignore_ascii_case(known));
    let slashes = found.separator.chars().filter(|c| is_slash(*c)).count();
    (slashes > usize::from(!is_known)).then_some(found.scheme)
}

/// Finds the first address in a name, and redacts what comes before it, the address and what comes after it.
fn address(text: &str) -> String {
    let Some(found) = Address::find(text) else {
        return match encoded(text) {
            Some(at) => format!("{}{HIDDEN}", &text[..at]),
            None => without_users(without_signature(text)),
        };
    };
    let head = without_users(found.before);
    let is_cloud = CLOUDS.iter().any(|cloud| found.scheme.eq_ignore_ascii_case(cloud));
    let end = if is_cloud {
        found.rest.find('/')
    } else {
        found.rest.find(['/', '?', '#'])
    };
    let (authority, tail) = found.rest.split_at(end.unwrap_or(found.rest.len()));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let start = format!("{head}{}{}", found.scheme, found.separator);
    if is_unclear(is_cloud, authority, host, tail) {
        return format!("{start}{HIDDEN}");
    }
    format!("{start}{host}{}", address(without_query(is_cloud, tail)))
}

/// A scheme and what is around it.
struct Address<'t> {
    before: &'t str,
    scheme: &'t str,
    /// The colon, the slashes, and blanks among them.
    separator: &'t str,
    rest: &'t str,
}

impl<'t> Address<'t> {
    /// Finds a colon with a slash after it, or with a known scheme before it. Blanks may surround it.
    fn find(text: &'t str) -> Option<Self> {
        text.match_indices(':').find_map(|(colon, _)| {
            let named = text[..colon].trim_end_matches(is_blank);
            let in_scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
            let scheme = &named[named.trim_end_matches(in_scheme).len()..];
            let after = &text[colon + 1..];
            let rest = after.trim_start_matches(|c| is_blank(c) || is_slash(c));
            let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
            let has_slash = after[..after.len() - rest.len()].contains(is_slash);
            // One letter is a drive.
            if !(is_known || has_slash && scheme.len() != 1) {
                return None;
            }
            let start = named.len() - scheme.len();
            Some(Self {
                before: &text[..start],
                scheme,
                separator: &text[start + scheme.len()..text.len() - rest.len()],
                rest,
            })
        })
    }
}

fn is_slash(c: char) -> bool {
    matches!(c, '/' | '\\')
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Whether a part of user and password may follow the first `/`, `?` or `#`, or before an `@` in the rest. `authority`
/// ends before that, and its end is `host`.
pub fn is_unclear(is_cloud: bool, authority: &str, host: &str, rest: &str) -> bool {
    let has_user = authority.len() > host.len();
    // The colons in brackets are those of an address.
    let port = host.rsplit_once(']').map_or(host, |(_, port)| port).split_once(':');
    match port {
        // An @ in disguise.
        _ if host.contains(['＠', '﹫', '：']) || host.contains("%40") => true,
        // No bucket has a colon in its name.
        Some(_) if is_cloud => true,
        Some((_, port)) if !port.bytes().all(|byte| byte.is_ascii_digit()) => true,
        // It may be a user and the start of a password.
        port => (has_user || port.is_some()) && rest.contains('@'),
    }
}

/// The part after the host, up to its query, which may be a signature.
fn without_query(is_cloud: bool, tail: &str) -> &str {
    let end = if is_cloud {
        tail.find('?').filter(|at| {
            let query = tail[*at..].to_ascii_lowercase();
            SECRETS.iter().any(|secret| query.contains(secret))
        })
    } else {
        tail.find(['?', '#'])
    };
    &tail[..end.unwrap_or(tail.len())]
}

/// A name without a scheme, up to a query that holds a signature.
fn without_signature(text: &str) -> &str {
    let Some((name, query)) = text.split_once('?') else {
        return text;
    };
    let is_signature = |parameter: &str| {
        let key = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
        SIGNATURES.iter().any(|signature| key.ends_with(signature))
    };
    if query.split(['&', ';', '?']).any(is_signature) {
        name
    } else {
        text
    }
}

/// A name without a scheme: what is before the `@` of `user:password@server` goes, and of `//user@server` at its start
/// or after what may be a scheme.
fn without_users(text: &str) -> String {
    let start = text.trim_start_matches(is_blank);
    let has_server = start.split_once("//").is_some_and(|(before, _)| may_be_scheme(before));
    let mut shown = String::with_capacity(text.len());
    let mut is_server = false;
    for part in text.split_inclusive(is_slash) {
        let is_last = !part.ends_with(is_slash);
        let at = |sign: &&str| part.rfind(*sign).map(|at| (at, at + sign.len()));
        let signs = ["@", "＠", "﹫", "%40"];
        let user = signs.iter().filter_map(at).max().filter(|(user_end, server)| {
            let is_file = is_last && FILES.iter().any(|file| part[*server..].contains(file));
            (is_server || part[..*user_end].contains([':', '：'])) && !is_file
        });
        let port = part.trim_end_matches(is_slash).split_once([':', '：']);
        let is_port = port.is_none_or(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        match user {
            Some((_, server)) => shown.extend([HIDDEN, "@", &part[server..]]),
            // It may be a user and the start of a password.
            None if is_server && !is_port && text.contains('@') => return shown + HIDDEN,
            None => shown.push_str(part),
        }
        // After the second slash, and any more.
        is_server = has_server && part.len() == 1 && !is_last;
    }
    shown
}

/// Whether a word before two slashes may be a misspelt scheme with its colon.
fn may_be_scheme(word: &str) -> bool {
    let scheme = word.trim_end_matches([':', '：', ';', '.', ',']);
    let is_known = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    word.is_empty() || is_known || word.ends_with([':', '：', ';'])
}

/// The place of the encoded colon of an address, whether its `@` is encoded or not.
fn encoded(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let colon = ["%3a", "%253a"].iter().filter_map(|colon| lower.find(colon)).min()?;
    ["@", "%40", "%2540"]
        .iter()
        .any(|at| lower[colon..].contains(at))
        .then_some(colon)
}

#[cfg(test)]
mod tests {
    use super::{message, name};

    #[test]
    fn what_is_no_address_stays() {
        for same in [
            "x.warc.gz",
            "a/b@c/x.warc.gz",
            "12:30@host.warc.gz",
            "crawl/a:b@c.warc.gz",
            r"C:\crawls\a@b\x.warc",
            "/data//job@host/x.warc.gz",
            "ftp://host/x",
            "hdfs://name:8020/x",
            "http://[::1]:8080/x",
            "s3://bucket/a?b#c/x.warc.gz",
            "https://host/@user/x",
            "2026-11-22T10:00:00/x@y/z.warc",
            ".//job@host/x.warc.gz",
            "x.warc.gz?design=1&page=2",
            "-",
            "",
        ] {
            assert_eq!(name(same), same);
        }
    }

    #[test]
    fn addresses_are_distinguished_from_files() {
        let scheme = |name: &str| super::scheme(std::path::Path::new(name)).map(str::to_owned);
        for (address, known) in [
            ("s3://b/out", "s3"),
            ("S3:/b", "S3"),
            (" x.y+z-1://b", "x.y+z-1"),
            ("s3://", "s3"),
        ] {
            assert_eq!(scheme(address).as_deref(), Some(known));
        }
        for file in [
            "out",
            "./s3://b/out",
            "a:/b",
            r"C:\out",
            "log:/x",
            "s3:",
            "s3:b",
            "/data/http://x",
        ] {
            assert_eq!(scheme(file), None, "{file}");
        }
    }

    #[test]
    fn servers_and_paths_are_still_shown() {
        for (whole, shown) in [
            ("ftp://u:p@host/x", "ftp://host/x"),
            ("http:/u:p@host/x", "http:/host/x"),
            (" http://u:p@host/x?y", " http://host/x"),
            ("@http://u:p@host/x", "@http://host/x"),
            ("s3a://key:sec/ret@bucket/x", "s3a://…"),
            ("u:p@host/x", "…@host/x"),
            ("//u@host/x", "//…@host/x"),
            ("http//u@host/x", "http//…@host/x"),
            ("scp u:p@host:/x", "…@host:/x"),
            ("s3://b/x?X-Amz-Signature=p", "s3://b/x"),
            ("http://proxy/http://u:p@host/x", "http://proxy/http://host/x"),
            ("http%3A%2F%2Fu%3Ap%40host", "http…"),
            ("u:p%40host/x", "…@host/x"),
            ("u:p＠host/x", "…@host/x"),
            ("https;//p@host/x", "https;//…@host/x"),
            ("ftp.//p@host/x", "ftp.//…@host/x"),
            ("s3：//u:a/p@host/x", "s3：//…"),
            ("//u:a/p@host/x", "//…"),
            ("//host:80/x@y", "//host:80/x@y"),
            ("host/x.warc.gz?a=b&X-Amz-Signature=p", "host/x.warc.gz"),
        ] {
            assert_eq!(name(whole), shown);
            assert_eq!(name(shown), shown, "it stays as it is");
        }
        let said = message("“model” is no model file: ftp://u:p@h/x: no such file; valid: 12:30, a@b");
        assert_eq!(
            said,
            "“model” is no model file: ftp://h/x: no such file; valid: 12:30, a@b"
        );
    }
}
