//! The meaning of charset labels (Encoding standard, section 4.2, "get an encoding").

use encoding_rs::{Encoding, REPLACEMENT, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// The meaning of a charset label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CharsetLabel {
    /// There is no label.
    None,
    /// A label that no standard knows.
    Unknown,
    /// An encoding in which ASCII bytes are ASCII, at least until an escape sequence.
    Known(&'static Encoding),
    /// UTF-16 of either byte order. A page whose label is readable as ASCII is not UTF-16.
    Utf16,
    /// UTF-7.
    Utf7,
    /// An EBCDIC code page. If the bytes are ASCII, the label is treated as unknown.
    Ebcdic,
    /// A label that the standard forbids to decode (`hz-gb-2312`, `iso-2022-kr` and others), because of attacks through
    /// scripts.
    Replacement,
}

impl CharsetLabel {
    /// The meaning of a label from an HTTP header. Servers leave quotes and commas of their configuration around it.
    pub(super) fn from_http(label: &str) -> Self {
        Self::parse(label.trim_matches(|c: char| c.is_ascii_whitespace() || matches!(c, '"' | '\'' | ';' | ',')))
    }

    /// The meaning of a label. A stray quote makes it unknown, as in browsers.
    pub(super) fn parse(label: &str) -> Self {
        let label = label.trim_ascii();
        if label.is_empty() {
            return CharsetLabel::None;
        }
        match Encoding::for_label(label.as_bytes()) {
            Some(e) if e == UTF_16LE || e == UTF_16BE => CharsetLabel::Utf16,
            Some(e) if e == REPLACEMENT => CharsetLabel::Replacement,
            // Its private-use characters are no text. The standard, too, reads it as windows-1252 if a `meta` names it.
            Some(e) if e == X_USER_DEFINED => CharsetLabel::Known(WINDOWS_1252),
            Some(e) => CharsetLabel::Known(e),
            None => Self::parse_nonstandard(&label.to_ascii_lowercase()),
        }
    }

    /// Labels that are not in the standard: encodings that browsers must not decode, and common misspellings.
    fn parse_nonstandard(label: &str) -> Self {
        if matches!(
            label,
            "utf-7" | "utf7" | "x-utf-7" | "unicode-1-1-utf-7" | "csunicode11utf7" | "unicode-2-0-utf-7"
        ) {
            return CharsetLabel::Utf7;
        }
        let code_page = ["ibm-", "ibm", "cp-", "cp", "ccsid"]
            .iter()
            .find_map(|prefix| label.strip_prefix(prefix));
        const EBCDIC: [&str; 21] = [
            "037", "273", "277", "278", "280", "284", "285", "290", "297", "420", "423", "424", "500", "870", "871",
            "875", "1025", "1026", "1047", "1140", "1141",
        ];
        if label.contains("ebcdic") || code_page.is_some_and(|page| EBCDIC.contains(&page)) {
            return CharsetLabel::Ebcdic;
        }
        if matches!(
            label,
            "utf16" | "utf-16-le" | "utf-16-be" | "utf-32" | "utf-32le" | "utf-32be" | "ucs-4"
        ) {
            return CharsetLabel::Utf16;
        }
        let meant = match label {
            "utf" | "utf_8" | "utf-8-mb4" | "utf8mb4" | "utf-8859-1" => "utf-8",
            "windows1250" | "win-1250" | "win1250" | "cp-1250" => "windows-1250",
            "windows1251" | "win-1251" | "win1251" | "cp-1251" => "windows-1251",
            "windows1252" | "win-1252" | "win1252" | "cp-1252" => "windows-1252",
            "windows1253" | "win-1253" | "win1253" | "cp-1253" => "windows-1253",
            "windows1254" | "win-1254" | "win1254" | "cp-1254" => "windows-1254",
            "iso-8859" | "iso8859" | "iso" => "iso-8859-1",
            "cp936" | "ms936" | "gb18030-2000" => "gbk",
            "cp932" | "windows-932" => "shift_jis",
            "cp950" | "ms950" => "big5",
            "cp949" | "ms949" => "euc-kr",
            _ => return CharsetLabel::Unknown,
        };
        Encoding::for_label(meant.as_bytes()).map_or(CharsetLabel::Unknown, CharsetLabel::Known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::{GBK, UTF_8, WINDOWS_1251};

    #[test]
    fn labels_are_those_of_the_web() {
        for (label, meaning) in [
            ("UTF-8", CharsetLabel::Known(UTF_8)),
            (" iso-8859-1\n", CharsetLabel::Known(WINDOWS_1252)),
            ("iso-8859-1\"", CharsetLabel::Unknown),
            ("gb2312", CharsetLabel::Known(GBK)),
            ("win-1251", CharsetLabel::Known(WINDOWS_1251)),
            ("utf-16", CharsetLabel::Utf16),
            ("hz-gb-2312", CharsetLabel::Replacement),
            ("x-user-defined", CharsetLabel::Known(WINDOWS_1252)),
            ("UTF-7", CharsetLabel::Utf7),
            ("IBM037", CharsetLabel::Ebcdic),
            ("cp1047", CharsetLabel::Ebcdic),
            ("ibm866", CharsetLabel::Known(encoding_rs::IBM866)),
            ("klingon", CharsetLabel::Unknown),
            ("", CharsetLabel::None),
        ] {
            assert_eq!(CharsetLabel::parse(label), meaning, "{label}");
        }
    }

    #[test]
    fn http_labels_may_have_quotes_and_commas() {
        for label in [" 'iso-8859-1' ", "iso-8859-1\"", "iso-8859-1;,"] {
            assert_eq!(
                CharsetLabel::from_http(label),
                CharsetLabel::Known(WINDOWS_1252),
                "{label}"
            );
        }
    }
}
