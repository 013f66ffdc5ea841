//! Runs the program: a place to run it in, a watchdog, and the law of accounts, which is checked on every account that
//! a test reads.

mod account;
pub mod digests;
pub mod eval;
pub mod make;
mod place;
mod process;

use std::fs;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

pub use self::account::Run;
pub use self::place::{EXTRACTOR, Place, program, with_extractor};
pub use self::process::{Ended, Running};

/// The sample archive of the repository.
pub const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/sample/sample.warc.gz");

/// Runs a single archive and reads its account.
pub fn run_one(name: &str, bytes: &[u8]) -> Run {
    run_one_with(name, bytes, &[])
}

/// The same, with more arguments.
pub fn run_one_with(name: &str, bytes: &[u8], arguments: &[&str]) -> Run {
    let place = Place::new();
    place.write(name, bytes);
    place.run(&[&[name], arguments].concat())
}

/// A run that must be refused with this message.
#[track_caller]
pub fn refused(place: &Place, arguments: &[&str], message: &str) {
    let ended = place.dehusk(&[&["run"], arguments].concat());
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}

/// Reads a file of any compression.
pub fn unpack(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    match path.extension().and_then(|e| e.to_str()) {
        Some("zst") => zstd::decode_all(&bytes[..]).unwrap(),
        Some("gz") => {
            let mut out = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..])
                .read_to_end(&mut out)
                .unwrap();
            out
        }
        _ => bytes,
    }
}

pub fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(bytes).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every document's flags; panics where the XML is not well-formed.
pub fn xml_flags(bytes: &[u8]) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(bytes).unwrap());
    let mut flags = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == "document" => {
                let flag = tag.try_get_attribute("flags").unwrap();
                flags.push(flag.map_or(String::new(), |f| f.value.into_owned()));
            }
            quick_xml::events::Event::Eof => return flags,
            _ => {}
        }
    }
}

/// The records of the sample that can be inflated, one each.
pub fn sample_records() -> Vec<Vec<u8>> {
    make::members(&fs::read(SAMPLE).unwrap())
}
