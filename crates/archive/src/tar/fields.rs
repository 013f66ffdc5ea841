//! The path of a file as fields of WARC.

/// The type by the ending of a file's name, with or without the ending of a compression; `""` for an ending of no known
/// type. Then the bytes have to decide.
pub(crate) fn mime_of(path: &[u8]) -> &'static str {
    let lower = path[path.len().saturating_sub(16)..].to_ascii_lowercase();
    let inner = [&b".gz"[..], b".zst"]
        .into_iter()
        .find_map(|ending| lower.strip_suffix(ending));
    let name = inner.unwrap_or(&lower);
    match name {
        _ if name.ends_with(b".html") || name.ends_with(b".htm") => "text/html",
        _ if name.ends_with(b".xhtml") => "application/xhtml+xml",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_come_from_names() {
        for (name, mime) in [
            ("a/page.HTML", "text/html"),
            ("page.htm.gz", "text/html"),
            ("page.xhtml.zst", "application/xhtml+xml"),
            ("page.gz", ""),
            ("html", ""),
        ] {
            assert_eq!(mime_of(name.as_bytes()), mime);
        }
    }
}
