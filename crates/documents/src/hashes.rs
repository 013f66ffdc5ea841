//! Sorts lists of 64-bit hashes, which are then searched by halves. Lists of millions are sorted here, because this
//! package is compiled for speed.

/// Sorts hashes, and leaves each once.
pub fn sort(hashes: &mut Vec<u64>) {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.shrink_to_fit();
}

/// The name in a line that is a host in lower case and in ASCII, as nearly all lines of long lists are. `None` for a line
/// that must be looked at more closely.
pub fn plain_host(line: &[u8]) -> Option<&[u8]> {
    let name = line.trim_ascii();
    let mut before = b'.';
    for &byte in name {
        let is_plain = matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_') || byte == b'.' && before != b'.';
        if !is_plain {
            return None;
        }
        before = byte;
    }
    (before != b'.').then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_names_need_no_closer_look() {
        assert_eq!(plain_host(b" a-b.example.org\r\n"), Some(&b"a-b.example.org"[..]));
        for line in [
            "",
            "\n",
            "a..b",
            ".a",
            "a.",
            "A.b",
            "a.b # c",
            "b\u{fc}cher.de",
            "*.a",
            "2001:db8::1",
        ] {
            assert_eq!(plain_host(line.as_bytes()), None, "{line}");
        }
    }
}
