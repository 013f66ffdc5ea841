//! Archives with careless headers and damaged bytes, in every form.

use super::Random;
use super::damage::{cut, delete, flip, insert, zero};
use super::make::{self, Entry, Form, Warc, http};

/// A damaged archive.
#[derive(Clone, Debug)]
pub struct Damaged {
    /// A file name with its form, its number and its damage.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// `n` damaged archives, the same every time: WARC and ARC, of every [`Form`], with a flipped bit, an end cut off,
/// bytes put in, taken out or zeroed.
pub fn damaged(n: usize) -> Vec<Damaged> {
    (0..n).map(one).collect()
}

fn one(number: usize) -> Damaged {
    let mut random = Random(number as u64 * 7919 + 13);
    let form = Form::ALL[number % Form::ALL.len()];
    let is_arc = number % 7 == 3;
    let entries = if is_arc {
        make::arcs(8, 900, number as u64 + 1)
    } else {
        careless(number)
    };
    let whole = make::archive(form, &entries).bytes;
    // The first bytes decide what the archive is; damage there is a test of its own.
    let at = whole.len() / 10 + random.below(whole.len() * 8 / 10);
    let length = 1 + random.below(60);
    let (damage, bytes) = match number % 5 {
        0 => ("flip", flip(&whole, at, 1 << random.below(8))),
        1 => ("cut", cut(&whole, at)),
        2 => ("insert", insert(&whole, at, &random.bytes(length))),
        3 => ("delete", delete(&whole, at..whole.len().min(at + length))),
        _ => ("zero", zero(&whole, at..whole.len().min(at + length))),
    };
    let kind = if is_arc { "arc" } else { "warc" };
    let ending = match form {
        Form::Plain => String::new(),
        form if format!("{form:?}").starts_with("Gzip") => ".gz".to_owned(),
        _ => ".zst".to_owned(),
    };
    Damaged {
        name: format!("{number:03}-{form:?}-{damage}.{kind}{ending}"),
        bytes,
    }
}

/// WARC records, half of which have a header that breaks a rule of the standard.
fn careless(seed: usize) -> Vec<Entry> {
    let mut random = Random(seed as u64 + 1);
    let record = |i: usize| {
        let size = 400 + random.below(1000);
        let warc = Warc::new(&format!("s{seed}r{i}"), http(&random.text(size)));
        let length = warc.block.len();
        match i + seed % 9 {
            1 => warc.field("WARC-Date", "2024-05-06").field("WARC-Filename", "not-here"),
            2 => warc.field("WARC-Target-URI", &format!("http://s{seed}.example/a b {i}")),
            3 => warc.length(length + 3),
            4 => Warc {
                line_end: "\n",
                tail: "\n",
                ..warc
            },
            5 => warc
                .field("A line without", "a name")
                .field("WARC-Date", "2008-10-294T00:00:00Z"),
            6 => warc.field("WARC-Block-Digest", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
            7 => without(warc, "WARC-Record-ID"),
            8 => without(warc, "WARC-Date").field("WARC-IP-Address", "somewhere"),
            9 => warc.length(length.saturating_sub(2)),
            10 => Warc { version: "1.2", ..warc },
            _ => warc,
        }
    };
    (0..10).map(record).map(|warc| warc.entry()).collect()
}

fn without(mut warc: Warc, name: &str) -> Warc {
    warc.fields.retain(|(known, _)| known != name);
    warc
}
