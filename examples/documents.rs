//! Iterates over the documents of archives: `cargo run --release --example documents -- crawl.warc.gz ...`.

use dehusk::Config;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // All cores work in the background. The documents come in the order of the archives' records.
    let mut documents = dehusk::documents(&Config::default(), std::env::args().skip(1))?;
    for document in &mut documents {
        match document {
            Ok(document) => println!("{:>7} words  {}", document.metadata.words, document.metadata.url),
            Err(error) => eprintln!("{error}"),
        }
    }
    for archive in documents.outcomes() {
        let ledger = &archive.ledger;
        eprintln!("{} of {} records became documents", ledger.emitted, ledger.framed);
    }
    Ok(())
}
