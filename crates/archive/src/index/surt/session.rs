//! Ids of sessions in URLs, by which one page would have many keys.

/// Length of an id in a path of ASP.NET.
const PATH_ID: usize = 24;

/// A path without `(id)/` or `(s(id)a(id))/` before a page of ASP.NET.
pub(super) fn without_path_id(path: &[u8]) -> Vec<u8> {
    let mut path = path.to_vec();
    for length in [ids_with_letters as fn(&[u8]) -> Option<usize>, bare_id] {
        let starts = memchr::memrchr_iter(b'/', &path).map(|at| at + 1);
        let found = starts.into_iter().find_map(|start| {
            let end = start + length(&path[start..])?;
            let rest = &path[end..];
            let page = memchr::memmem::rfind(
                &rest[..rest.iter().position(|b| *b == b'?').unwrap_or(rest.len())],
                b".aspx",
            );
            page.filter(|at| *at > 0).map(|_| start..end)
        });
        if let Some(range) = found {
            path.drain(range);
        }
    }
    path
}

fn is_id(text: &[u8]) -> bool {
    text.len() == PATH_ID && text.iter().all(u8::is_ascii_alphanumeric)
}

/// Length of `(id)/` at the start of a text.
fn bare_id(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"(")?;
    let is_one = is_id(rest.get(..PATH_ID)?) && rest[PATH_ID..].starts_with(b")/");
    is_one.then_some(1 + PATH_ID + 2)
}

/// Length of `(x(id)y(id))/` at the start of a text.
fn ids_with_letters(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    text.strip_prefix(b"(")?;
    loop {
        let rest = &text[at..];
        let is_one = rest.first().is_some_and(u8::is_ascii_alphabetic)
            && rest.get(1) == Some(&b'(')
            && rest.get(2..2 + PATH_ID).is_some_and(is_id)
            && rest.get(2 + PATH_ID) == Some(&b')');
        if !is_one {
            return (at > 1 && rest.starts_with(b")/")).then_some(at + 2);
        }
        at += 3 + PATH_ID;
    }
}

/// A query without the ids of Java, PHP, ASP and ColdFusion.
pub(super) fn without_query_id(query: Vec<u8>) -> Vec<u8> {
    type End = fn(&[u8]) -> Option<usize>;
    const RULES: [(&[u8], End); 5] = [
        (b"jsessionid=", |text| run(text, 32, u8::is_ascii_alphanumeric)),
        (b"phpsessid=", |text| run(text, 32, u8::is_ascii_alphanumeric)),
        (b"sid=", |text| run(text, 32, u8::is_ascii_alphanumeric)),
        (b"aspsessionid", |text| {
            run(text, 8, u8::is_ascii_alphabetic)?;
            let rest = text[8..].strip_prefix(b"=")?;
            run(rest, 24, u8::is_ascii_alphabetic).map(|length| 9 + length)
        }),
        (b"cfid=", |text| {
            let id = text.iter().position(|b| *b == b'&').filter(|at| *at > 0)?;
            let rest = &text[id + 1..];
            let token = rest
                .get(..8)
                .filter(|name| name.eq_ignore_ascii_case(b"cftoken="))?
                .len();
            let value = rest[token..]
                .iter()
                .position(|b| *b == b'&')
                .unwrap_or(rest.len() - token);
            (value > 0).then_some(id + 1 + token + value)
        }),
    ];
    let mut query = query;
    for (name, length) in RULES {
        let lower = query.to_ascii_lowercase();
        let found = memchr::memmem::rfind_iter(&lower, name).find_map(|at| {
            let start = at + name.len();
            let end = start + length(&query[start..])?;
            matches!(query.get(end), None | Some(b'&')).then_some(at..query.len().min(end + 1))
        });
        if let Some(range) = found {
            query.drain(range);
        }
    }
    query
}

/// The length, if a text starts with this many bytes of a kind.
fn run(text: &[u8], length: usize, is_of: fn(&u8) -> bool) -> Option<usize> {
    text.get(..length)?.iter().all(is_of).then_some(length)
}
