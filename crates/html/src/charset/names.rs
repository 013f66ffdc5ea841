//! The names of encodings in lower case, as documents have them.

use encoding_rs::Encoding;

/// The encodings of the Encoding standard (section 4.2), `replacement` included.
const NAMES: [&str; 40] = [
    "utf-8",
    "windows-1252",
    "ibm866",
    "iso-8859-2",
    "iso-8859-3",
    "iso-8859-4",
    "iso-8859-5",
    "iso-8859-6",
    "iso-8859-7",
    "iso-8859-8",
    "iso-8859-8-i",
    "iso-8859-10",
    "iso-8859-13",
    "iso-8859-14",
    "iso-8859-15",
    "iso-8859-16",
    "koi8-r",
    "koi8-u",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "gbk",
    "gb18030",
    "big5",
    "euc-jp",
    "iso-2022-jp",
    "shift_jis",
    "euc-kr",
    "replacement",
    "utf-16be",
    "utf-16le",
    "x-user-defined",
];

/// The name of an encoding in lower case.
pub(super) fn lower_case(encoding: &'static Encoding) -> &'static str {
    let name = encoding.name();
    let found = NAMES.iter().find(|n| n.eq_ignore_ascii_case(name));
    found.copied().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_the_lower_case_of_its_encoding() {
        for name in NAMES {
            let encoding = Encoding::for_label(name.as_bytes()).unwrap_or(encoding_rs::REPLACEMENT);
            assert_eq!(lower_case(encoding), name);
            assert_eq!(encoding.name().to_ascii_lowercase(), name);
        }
    }
}
