//! Any number of varied documents, of which three in ten are near-copies of an earlier one.
//!
//!     cargo study varied DOCUMENTS TRUTH... ARCHIVE.warc.wet
//!
//! A document is three to nine paragraphs of the true texts, with a third of their words replaced. A copy has 2 % of an
//! earlier document's words replaced. `ARCHIVE.warc.wet.tsv` has each document's id and the number of the document
//! that it is a copy of, as `dehusk eval --clusters` reads them. The documents are of the days of a month, in order. With
//! `copies` before the number, all documents are equal. With `brief`, a document is the first forty words of one paragraph,
//! half of them replaced, and a copy has 1 % of its words replaced.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

use dehusk_eval::Truth;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::shared::Outcome;

/// Shorter paragraphs are headings and captions.
const LEAST_WORDS: usize = 12;

/// Longer words are sentences without spaces, which would stay whole.
const MOST_BYTES: usize = 30;

/// How many earlier documents can be copied, so that memory does not grow.
const KEPT: usize = 20_000;

/// The properties of documents.
struct Kind {
    are_equal: bool,
    /// How many paragraphs a document has: so many, and fewer than so many more.
    paragraphs: (usize, usize),
    /// Shorter paragraphs are left out.
    least_words: usize,
    /// How many words of a paragraph are taken.
    most_words: usize,
    /// The percentage of replaced words, of a new document and of a copy.
    new: u64,
    copy: u64,
}

const LONG: Kind = Kind {
    are_equal: false,
    paragraphs: (3, 7),
    least_words: LEAST_WORDS,
    most_words: usize::MAX,
    new: 35,
    copy: 2,
};

const EQUAL: Kind = Kind {
    are_equal: true,
    ..LONG
};

const BRIEF: Kind = Kind {
    paragraphs: (1, 1),
    least_words: 40,
    most_words: 40,
    new: 50,
    copy: 1,
    ..LONG
};

pub fn main(arguments: &[String]) -> Outcome {
    let (kind, arguments) = match arguments {
        [flag, rest @ ..] if flag == "copies" => (&EQUAL, rest),
        [flag, rest @ ..] if flag == "brief" => (&BRIEF, rest),
        all => (&LONG, all),
    };
    match arguments {
        [documents, truth @ .., archive] if !truth.is_empty() => make(documents.parse()?, kind, truth, archive),
        _ => Err("varied takes [copies | brief] DOCUMENTS TRUTH... ARCHIVE.warc.wet".into()),
    }
}

/// Numbers that look random.
struct Random {
    seed: u64,
    at: u64,
}

impl Random {
    fn next(&mut self) -> u64 {
        self.at += 1;
        xxh3_64_with_seed(&self.at.to_le_bytes(), self.seed)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn make(documents: usize, kind: &Kind, truth: &[String], archive: &str) -> Outcome {
    let paths: Vec<_> = truth.iter().map(Into::into).collect();
    let truth = Truth::read(&paths)?;
    let lines = truth.lines.iter().flat_map(|line| line.text.lines());
    let paragraphs: Vec<Vec<&str>> = lines
        .map(|line| line.split(' ').filter(|word| !word.is_empty()).collect())
        .filter(|words: &Vec<&str>| {
            words.len() >= kind.least_words && words.iter().all(|word| word.len() <= MOST_BYTES)
        })
        .collect();
    if paragraphs.is_empty() {
        return Err(format!("the truth has no paragraph of {} words", kind.least_words).into());
    }
    let words: Vec<&str> = paragraphs.iter().flatten().step_by(7).copied().collect();
    let mut random = Random {
        seed: documents as u64,
        at: 0,
    };
    let mut out = BufWriter::with_capacity(1 << 20, File::create(archive)?);
    let mut groups = BufWriter::new(File::create(format!("{archive}.tsv"))?);
    // The numbers and texts of documents that can be copied.
    let mut earlier: Vec<(usize, String)> = Vec::new();
    let mut text = String::new();
    for number in 0..documents {
        text.clear();
        let copied = (number > 0 && (kind.are_equal || random.below(10) < 3)).then(|| random.below(earlier.len()));
        let group = match copied {
            Some(at) if kind.are_equal => {
                text.push_str(&earlier[at].1);
                earlier[at].0
            }
            Some(at) => {
                let (group, original) = &earlier[at];
                for line in original.lines() {
                    vary(line.split(' '), kind.copy, &words, &mut random, &mut text);
                }
                *group
            }
            None => {
                let (least, more) = kind.paragraphs;
                for _ in 0..least + random.below(more) {
                    let paragraph = &paragraphs[random.below(paragraphs.len())];
                    vary(
                        paragraph.iter().copied().take(kind.most_words),
                        kind.new,
                        &words,
                        &mut random,
                        &mut text,
                    );
                }
                keep(&mut earlier, (number, text.clone()), &mut random);
                number
            }
        };
        let id = format!("urn:uuid:00000000-0000-4000-8000-{number:012x}");
        writeln!(groups, "{id}\t{group}")?;
        write!(
            out,
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Record-ID: <{id}>\r\nWARC-Date: 2026-01-{:02}T00:00:00Z\r\n\
             WARC-Target-URI: https://h{}.example/{number}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            1 + 30 * number / documents,
            number % 5000,
            text.len()
        )?;
    }
    out.flush()?;
    groups.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Adds a paragraph to a text, with some of its words replaced.
fn vary<'w>(
    paragraph: impl Iterator<Item = &'w str>,
    percent: u64,
    words: &[&str],
    random: &mut Random,
    text: &mut String,
) {
    if !text.is_empty() {
        text.push('\n');
    }
    for (at, word) in paragraph.enumerate() {
        if at > 0 {
            text.push(' ');
        }
        let chance = random.next();
        let is_replaced = chance % 100 < percent;
        text.push_str(if is_replaced {
            words[(chance >> 32) as usize % words.len()]
        } else {
            word
        });
    }
}

fn keep(earlier: &mut Vec<(usize, String)>, document: (usize, String), random: &mut Random) {
    if earlier.len() < KEPT {
        earlier.push(document);
    } else {
        earlier[random.below(KEPT)] = document;
    }
}
