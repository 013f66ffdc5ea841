//! Prints the text of a page: `cargo run -p dehusk-html --example page_text -- page.html`, or with the page on stdin.

use dehusk_html::{Buffers, decode, parse, render_text};
use std::io::Read;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => {
            let mut bytes = Vec::new();
            std::io::stdin().read_to_end(&mut bytes)?;
            bytes
        }
    };
    let page = decode(&bytes, None)?;
    let dom = parse(&page.text, Buffers::default());
    let mut text = String::new();
    render_text(&dom, &[dom.subtree(dom.body())], &[], &mut text);
    println!("{text}\n");
    println!("title: {}", dom.title().unwrap_or_default());
    println!("charset: {} ({})", page.encoding, page.source.name());
    println!("nodes: {}, words: {}", dom.len(), dom.words(dom.body()));
    Ok(())
}
