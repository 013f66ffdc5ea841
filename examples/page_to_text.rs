//! Prints the main content of a page: `cargo run --example page_to_text -- page.html [URL]`.

use dehusk::{Config, Processor};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("usage: page_to_text PAGE [URL]")?;
    let url = arguments.next().unwrap_or_default();

    // A processor is made once and used for any number of pages.
    let mut processor = Processor::new(&Config::default())?;
    match processor.page(&std::fs::read(path)?, &url) {
        Ok(document) => println!("{}\n\n{}", document.metadata.title, document.text),
        Err(reason) => eprintln!("no document: {reason}"),
    }
    Ok(())
}
