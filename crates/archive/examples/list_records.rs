//! Lists the records of an archive: `cargo run -p dehusk-archive --example list_records -- crawl.warc.gz`.

use dehusk_archive::{Archive, Event};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("usage: list_records ARCHIVE")?;
    let archive = Archive::open(path)?;
    let mut records = archive.records();
    while let Some(event) = records.next_event() {
        match event {
            Event::Record(record) => {
                let fault = record.failure.map_or("", |fault| fault.name());
                let (header, offset) = (&record.header, record.offset);
                println!("{offset:>12} {:<12} {} {fault}", header.record_type, header.url());
            }
            Event::Skipped(range) => println!(
                "{:>12} skipped      {} bytes: {}",
                range.offset,
                range.length(),
                range.reason
            ),
        }
    }
    let bytes = records.bytes();
    println!(
        "bytes: {} in records, {} padding, {} skipped",
        bytes.framed, bytes.padding, bytes.skipped
    );
    records.take_error().map_or(Ok(()), |error| Err(error.into()))
}
