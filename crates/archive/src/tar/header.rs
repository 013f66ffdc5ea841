//! Header blocks of tar, and the extended headers in front of them.

use std::borrow::Cow;

use crate::fault::Fault;

/// Size of a block.
pub(super) const BLOCK: usize = 512;

/// Where the magic of ustar and GNU is in a header block.
const MAGIC_AT: usize = 257;
const MAGIC: &[u8] = b"ustar";

/// The key of a pax header with the reason why the entry's bytes could not be read. A directory of pages that is read
/// as a tar file has such entries.
const FAULT_KEY: &[u8] = b"DEHUSK.fault";

/// The fields of a header block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block<'b> {
    kind: u8,
    size: u64,
    time: u64,
    prefix: &'b [u8],
    name: &'b [u8],
}

/// An entry, from its header block and the extended headers before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry<'h> {
    /// Whether it is a regular file.
    pub(crate) is_file: bool,
    pub(crate) path: Cow<'h, [u8]>,
    pub(crate) size: u64,
    /// When the file was changed, in seconds since 1970; 0 if unknown.
    pub(crate) time: u64,
    /// Why its bytes could not be read, if the header states it.
    pub(crate) fault: Option<Fault>,
}

/// Whether `data` starts with a header block: its checksum is right, and its numbers are numbers.
pub(crate) fn starts(data: &[u8]) -> bool {
    data.first_chunk().is_some_and(|block| parse(block).is_some())
}

/// Whether `data` could start with a header block if more bytes followed it.
pub(crate) fn may_start(data: &[u8]) -> bool {
    starts(data) || data.len() < BLOCK && data.first().is_some_and(|byte| *byte != 0)
}

/// Position of the first header block with a magic at or after `from`.
pub(crate) fn find(data: &[u8], from: usize) -> Option<usize> {
    let search = data.get(from + MAGIC_AT..)?;
    memchr::memmem::find_iter(search, MAGIC)
        .map(|at| from + at)
        .find(|&at| starts(&data[at..]))
}

/// A number of bytes with the zeros after them.
pub(super) fn rounded(size: u64) -> u64 {
    size.checked_next_multiple_of(BLOCK as u64).unwrap_or(u64::MAX)
}

/// Whether a kind of entry describes the next entry.
fn is_extension(kind: u8) -> bool {
    matches!(kind, b'x' | b'X' | b'L' | b'K')
}

/// The result of reading the start of some bytes as a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// A whole header of this length.
    Whole(usize),
    /// Extended headers of this length, and something else than a header after them.
    Broken(usize),
    /// Extended headers. The one that ends them may follow.
    Unfinished,
}

/// Goes through the extended headers that start `data`, up to the header block of the entry that they describe.
pub(super) fn scan(data: &[u8]) -> Scan {
    let mut at = 0usize;
    while let Some(chunk) = data.get(at..).and_then(<[u8]>::first_chunk) {
        let Some(block) = parse(chunk) else {
            return Scan::Broken(at);
        };
        at = at.saturating_add(BLOCK);
        if !is_extension(block.kind) {
            return Scan::Whole(at);
        }
        at = at.saturating_add(usize::try_from(rounded(block.size)).unwrap_or(usize::MAX));
    }
    Scan::Unfinished
}

/// Where the header that starts `data` ends: after the header block of the entry that the extended headers describe.
pub(crate) fn header_end(data: &[u8]) -> Option<usize> {
    match scan(data) {
        Scan::Whole(end) => Some(end),
        Scan::Broken(_) | Scan::Unfinished => None,
    }
}

impl<'h> Entry<'h> {
    /// Reads a whole header, as [`header_end`] has found it.
    pub(crate) fn parse(header: &'h [u8]) -> Self {
        let mut entry = Self::default();
        let mut long_path: Option<&[u8]> = None;
        let (mut size, mut time) = (None, None);
        let mut at = 0;
        while let Some(block) = header.get(at..).and_then(<[u8]>::first_chunk).and_then(parse) {
            at += BLOCK;
            let length = usize::try_from(block.size).unwrap_or(usize::MAX);
            let data = header.get(at..).map_or(&[][..], |rest| &rest[..rest.len().min(length)]);
            match block.kind {
                b'L' => long_path = Some(until_zero(data)),
                b'x' | b'X' => {
                    for (key, value) in pax_records(data) {
                        let number = || std::str::from_utf8(value).ok()?.split('.').next()?.parse().ok();
                        match key {
                            b"path" => long_path = Some(value),
                            b"size" => size = number(),
                            b"mtime" => time = number(),
                            FAULT_KEY => entry.fault = Some(fault_of(value)),
                            _ => {}
                        }
                    }
                }
                b'K' => {}
                kind => {
                    entry.is_file = matches!(kind, b'0' | 0 | b'7');
                    entry.size = size.unwrap_or(block.size);
                    entry.time = time.unwrap_or(block.time);
                    entry.path = match long_path {
                        Some(path) => path.into(),
                        None if block.prefix.is_empty() => block.name.into(),
                        None => [block.prefix, b"/", block.name].concat().into(),
                    };
                    // Before ustar, a name with a slash at its end was a directory.
                    entry.is_file &= !entry.path.ends_with(b"/");
                    break;
                }
            }
            at = at.saturating_add(usize::try_from(rounded(block.size)).unwrap_or(usize::MAX));
        }
        entry
    }
}

fn fault_of(name: &[u8]) -> Fault {
    let known = Fault::ALL.iter().find(|fault| fault.name().as_bytes() == name);
    known.copied().unwrap_or(Fault::Unreadable)
}

fn parse(block: &[u8; BLOCK]) -> Option<Block<'_>> {
    let stated = number(&block[148..156])?;
    let sum = |of: fn(u8) -> i64| -> i64 {
        let (before, rest) = block.split_at(148);
        let spaces = 8 * i64::from(b' ');
        spaces + before.iter().chain(&rest[8..]).map(|byte| of(*byte)).sum::<i64>()
    };
    let stated = i64::try_from(stated).ok()?;
    // Some old writers summed signed bytes.
    if stated != sum(i64::from) && stated != sum(|byte| i64::from(byte.cast_signed())) {
        return None;
    }
    let name = until_zero(&block[..100]);
    let is_posix = block[MAGIC_AT..].starts_with(b"ustar\0");
    let prefix = until_zero(&block[345..500]);
    let kind = block[156];
    if name.is_empty() && !is_extension(kind) {
        return None;
    }
    Some(Block {
        kind,
        size: number(&block[124..136])?,
        time: number(&block[136..148]).unwrap_or(0),
        prefix: if is_posix { prefix } else { &[] },
        name,
    })
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    &bytes[..memchr::memchr(0, bytes).unwrap_or(bytes.len())]
}

/// A number in octal digits, or in base 256 if its first bit is set.
fn number(field: &[u8]) -> Option<u64> {
    if let Some((0x80, rest)) = field.split_first() {
        let mut value = 0u64;
        for byte in rest {
            value = value.checked_mul(256)? + u64::from(*byte);
        }
        return Some(value);
    }
    let text = until_zero(field).trim_ascii();
    let mut value = 0u64;
    for byte in text {
        if !matches!(byte, b'0'..=b'7') {
            return None;
        }
        value = value.checked_mul(8)? + u64::from(byte - b'0');
    }
    Some(value)
}

/// The records of a pax header: `LENGTH KEY=VALUE` and a line end. They end at the first one that is none.
fn pax_records(mut data: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let space = memchr::memchr(b' ', &data[..data.len().min(20)])?;
        let length: usize = std::str::from_utf8(&data[..space]).ok()?.parse().ok()?;
        let record = data.get(space + 1..length)?.strip_suffix(b"\n")?;
        data = &data[length..];
        let equals = memchr::memchr(b'=', record)?;
        Some((&record[..equals], &record[equals + 1..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header block with a right checksum.
    fn block(name: &[u8], kind: u8, size: &[u8], magic: &[u8]) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        block[..name.len()].copy_from_slice(name);
        block[124..124 + size.len()].copy_from_slice(size);
        block[136..147].copy_from_slice(b"14561374651");
        block[156] = kind;
        block[MAGIC_AT..MAGIC_AT + magic.len()].copy_from_slice(magic);
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
        block[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        block
    }

    #[test]
    fn header_blocks_of_all_formats_are_recognised() {
        for magic in [&b"ustar\x0000"[..], b"ustar  \0", b""] {
            let block = block(b"a/page.html", b'0', b"00000000017\0", magic);
            assert!(starts(&block));
            let entry = Entry::parse(&block);
            assert_eq!(
                (&*entry.path, entry.size, entry.time),
                (&b"a/page.html"[..], 15, 1_707_473_321)
            );
            assert!(entry.is_file);
        }
        let mut wrong = block(b"a", b'0', b"0", b"ustar\0");
        wrong[0] = b'b';
        assert!(!starts(&wrong) && !starts(&wrong[..300]) && !starts(&[0; BLOCK]));
    }

    #[test]
    fn large_sizes_and_long_names_are_read() {
        let large = block(b"a", b'0', b"\x80\0\0\0\0\0\0\x02\0\0\0\0", b"ustar  \0");
        assert_eq!(Entry::parse(&large).size, 8 << 30);
        let long = "d/".repeat(90) + "page.html";
        let data_of = |text: &str| {
            let mut data = text.as_bytes().to_vec();
            data.resize(text.len().next_multiple_of(BLOCK), 0);
            data
        };
        let gnu = [
            &block(b"././@LongLink", b'L', b"275\0", b"ustar  \0")[..],
            &data_of(&long),
            &block(b"cut", b'0', b"5", b"ustar  \0"),
        ]
        .concat();
        assert_eq!(header_end(&gnu), Some(gnu.len()));
        assert_eq!(&*Entry::parse(&gnu).path, long.as_bytes());
        let records = "15 path=a/\u{e9}.xml\n".to_owned() + "18 size=123456789\n" + "22 mtime=1700000000.5\n";
        let records = records.replacen("15", "17", 1);
        let size = format!("{:o}\0", records.len());
        let pax = [
            &block(b"PaxHeaders/x", b'x', size.as_bytes(), b"ustar\0")[..],
            &data_of(&records),
            &block(b"cut", b'0', b"5", b"ustar\0"),
        ]
        .concat();
        let entry = Entry::parse(&pax);
        assert_eq!((&*entry.path, entry.time), ("a/\u{e9}.xml".as_bytes(), 1_700_000_000));
        assert_eq!(
            (scan(&pax[..600]), scan(&pax)),
            (Scan::Unfinished, Scan::Whole(pax.len()))
        );
        assert_eq!(scan(&[&pax[..1024], &[1; BLOCK]].concat()), Scan::Broken(1024));
    }

    #[test]
    fn pax_records_end_at_the_first_that_is_none() {
        for hostile in ["9999999999999999999 a=b\n", "0 a=b\n", "5 a=", "x a=b\n", "3 a=b\n", ""] {
            assert_eq!(pax_records(hostile.as_bytes()).count(), 0, "{hostile}");
        }
        assert_eq!(pax_records(b"6 a=b\n6 c=d\n7 e=f\n").count(), 2);
    }
}
