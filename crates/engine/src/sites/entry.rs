//! The form of a host's pages in the store.
//!
//! ```text
//! number of pages (1 byte), then of each: hash of the URL (5 bytes), day (2 bytes), shape (16 bytes)
//! number of texts
//! in bits, of each text in the order of the hashes:
//!     difference of its hash from the next that it could be, as a Rice code
//!     if there are several pages: 0 and the number of the one page that holds it, or 1 and a bit for each page
//! number of beginnings, then of each: the texts between it and the one before, a length, and the bytes
//! ```
//!
//! Numbers without a size have 7 bits a byte. Bits fill bytes from the lowest on.

use dehusk_extract::site::{HASH_BITS, HASHES, MOST_PAGES, Shape, TextHash};

/// The pages of a host as an entry has them.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) pages: Vec<EntryPage>,
    /// Each text with the pages that hold it, a bit each. They are in the order of the hashes.
    pub(super) texts: Vec<(TextHash, u32)>,
    /// How texts begin, by their places in `texts`.
    pub(super) begins: Vec<(usize, String)>,
}

/// A page of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryPage {
    /// A hash of the URL; its lowest 24 bits are 0.
    pub(super) url: u64,
    pub(super) day: u16,
    pub(super) shape: Shape,
}

impl Entry {
    /// The bytes of the entry.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = vec![self.pages.len() as u8];
        for page in &self.pages {
            out.extend(&page.url.to_le_bytes()[3..]);
            out.extend(page.day.to_le_bytes());
            out.extend(page.shape.to_bytes());
        }
        put(&mut out, self.texts.len() as u64);
        let mut bits = BitWriter::new(&mut out);
        let (rice, pages) = (rice_bits(self.texts.len()), self.pages.len() as u32);
        let mut next = 0;
        for (hash, holders) in &self.texts {
            let gap = hash - next;
            next = hash + 1;
            let (mut ones, low) = (gap >> rice, gap & ((1 << rice) - 1));
            while ones > ONES {
                bits.put((1 << ONES) - 1, ONES);
                ones -= ONES;
            }
            // The ones, and the zero that ends them.
            bits.put((1 << ones) - 1, ones + 1);
            bits.put(low, rice);
            if pages < 2 {
                continue;
            }
            if holders.count_ones() == 1 {
                bits.put(0, 1);
                bits.put(holders.trailing_zeros(), number_bits(pages));
            } else {
                bits.put(1, 1);
                bits.put(*holders, pages);
            }
        }
        bits.finish();
        put(&mut out, self.begins.len() as u64);
        let mut next = 0;
        for (at, begin) in &self.begins {
            put(&mut out, (at - next) as u64);
            next = at + 1;
            out.push(begin.len() as u8);
            out.extend(begin.as_bytes());
        }
        out
    }

    /// Reads an entry; `None` if it is none.
    pub(super) fn read(entry: &[u8]) -> Option<Self> {
        let mut rest = Input(entry);
        let pages = usize::from(rest.take(1)?[0]);
        if pages > MOST_PAGES {
            return None;
        }
        let mut read = Self::default();
        for _ in 0..pages {
            let mut url = [0; 8];
            url[3..].copy_from_slice(rest.take(5)?);
            read.pages.push(EntryPage {
                url: u64::from_le_bytes(url),
                day: u16::from_le_bytes(*rest.take(2)?.first_chunk()?),
                shape: Shape::from_bytes(*rest.take(16)?.first_chunk()?),
            });
        }
        read.read_texts(&mut rest)?;
        let mut next = 0;
        for _ in 0..rest.number()? {
            let at = usize::try_from(rest.number()?).ok()?.checked_add(next)?;
            if at >= read.texts.len() {
                return None;
            }
            next = at + 1;
            let length = usize::from(rest.take(1)?[0]);
            read.begins
                .push((at, String::from_utf8(rest.take(length)?.to_vec()).ok()?));
        }
        rest.0.is_empty().then_some(read)
    }

    fn read_texts(&mut self, rest: &mut Input<'_>) -> Option<()> {
        let count = usize::try_from(rest.number()?).ok()?;
        // Each has a bit at least, so a wrong number cannot ask for much memory.
        if count > 8 * rest.0.len() {
            return None;
        }
        self.texts.reserve(count);
        let (rice, pages) = (rice_bits(count), self.pages.len() as u32);
        let all = ((1u64 << pages) - 1) as u32;
        let mut bits = BitReader::new(rest);
        let mut next = 0;
        for _ in 0..count {
            let mut high: TextHash = 0;
            while bits.take(1)? == 1 {
                high += 1;
            }
            let gap = high.checked_shl(rice)? | bits.take(rice)?;
            let hash = gap.checked_add(next).filter(|hash| *hash < HASHES)?;
            next = hash + 1;
            let holders = if pages < 2 {
                all
            } else if bits.take(1)? == 0 {
                1u32.checked_shl(bits.take(number_bits(pages))?)?
            } else {
                bits.take(pages)?
            };
            if holders == 0 || holders & !all != 0 {
                return None;
            }
            self.texts.push((hash, holders));
        }
        Some(())
    }
}

/// The bits that a Rice code writes of each difference as they are, for this many texts.
fn rice_bits(texts: usize) -> u32 {
    let mean = HASHES / (texts.min(HASHES as usize - 1) as u32 + 1);
    (mean * 7 / 10).max(1).ilog2().min(HASH_BITS)
}

/// So many ones are written at a time.
const ONES: u32 = 24;

/// The bits of a number below `count`.
fn number_bits(count: u32) -> u32 {
    32 - (count - 1).leading_zeros()
}

/// Appends bits to bytes.
struct BitWriter<'o> {
    out: &'o mut Vec<u8>,
    held: u64,
    count: u32,
}

impl<'o> BitWriter<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, held: 0, count: 0 }
    }

    /// Appends the lowest `count` bits, 32 at most.
    fn put(&mut self, bits: u32, count: u32) {
        self.held |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held as u8);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    fn finish(self) {
        if self.count > 0 {
            self.out.push(self.held as u8);
        }
    }
}

/// Reads bits of bytes. The rest of the last byte that it read is dropped.
struct BitReader<'r, 'i> {
    input: &'r mut Input<'i>,
    held: u64,
    count: u32,
}

impl<'r, 'i> BitReader<'r, 'i> {
    fn new(input: &'r mut Input<'i>) -> Self {
        Self {
            input,
            held: 0,
            count: 0,
        }
    }

    fn take(&mut self, count: u32) -> Option<u32> {
        while self.count < count {
            self.held |= u64::from(self.input.take(1)?[0]) << self.count;
            self.count += 8;
        }
        let bits = self.held & ((1 << count) - 1);
        self.held >>= count;
        self.count -= count;
        Some(bits as u32)
    }
}

/// Appends a number, 7 bits a byte, the lowest first.
pub(super) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Bytes that are still to be read.
pub(super) struct Input<'i>(pub(super) &'i [u8]);

impl<'i> Input<'i> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'i [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for place in 0..10 {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7F).checked_shl(7 * place)?;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
