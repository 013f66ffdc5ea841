//! Writes the documents of archives as compressed JSONL: `cargo run --release --example archive_to_jsonl -- OUT
//! ARCHIVE...`.

use dehusk::Config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().ok_or("usage: archive_to_jsonl OUT ARCHIVE...")?;

    // Settings are those of `pipeline.toml`; every other one keeps its default.
    let config = Config::from_toml("extract.extractors = ['coreex-modern']\noutput.compression = 'gzip'")?;
    let report = dehusk::run(&config, arguments, &out)?;

    println!("{} documents in {out}/documents", report.totals.ledger.emitted);
    for (reason, count) in report.totals.ledger.filtered.iter() {
        println!("{count} records filtered: {}", reason.name());
    }
    Ok(())
}
