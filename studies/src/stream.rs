//! A stream of news whose stories are labelled. `dehusk eval --topics LABELS.jsonl` scores topics against it.
//!
//!     cargo study stream TRUTH LABELS.jsonl
//!
//! It labels the pages of daniel-dev by their true texts, so the labels do not depend on any extraction. Two pages
//! of one language, at most [`DAYS`] days apart, are of the same story if
//!
//! - their texts share [`SIMILAR`] of their sequences of five words (in Chinese, characters), or
//! - their beginnings have at least [`COMMON`] rare names in common. The beginning is the first [`PARAGRAPHS`]
//!   paragraphs. Names are words with a capital letter that do not begin a sentence, by their first six letters. In
//!   Chinese, which has no capitals, the beginning is the headline, and names are pairs of characters, of which those
//!   that overlap count once. A name is rare if at most [`RARE`] of the language's pages have it.
//!
//! Stories are the connected components.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::process::ExitCode;

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::shared::Outcome;

/// How far apart the pages of a story may be.
const DAYS: i64 = 7;
const SIMILAR: f64 = 0.2;
const COMMON: usize = 3;
const PARAGRAPHS: usize = 4;
const RARE: f64 = 0.05;

pub fn main(arguments: &[String]) -> Outcome {
    match arguments {
        [truth, labels] => make(truth, labels),
        _ => Err("stream takes TRUTH LABELS.jsonl".into()),
    }
}

/// A page with what it is compared by.
struct Page {
    id: String,
    language: String,
    day: i64,
    shingles: HashSet<String>,
    /// The names of its beginning, in their order.
    names: Vec<String>,
    /// The names of the whole text.
    all_names: HashSet<String>,
}

fn make(truth: &str, labels: &str) -> Outcome {
    let mut pages = Vec::new();
    let file = BufReader::new(MultiGzDecoder::new(File::open(truth)?));
    for line in file.lines() {
        let line: Value = serde_json::from_str(&line?)?;
        let field = |key: &str| line[key].as_str().unwrap_or_default();
        // The sources' ids begin with the day.
        let day = field("id").get(..8).and_then(day_of);
        let day = day.ok_or_else(|| format!("{}: does not begin with a day", field("id")))?;
        pages.push(page(field("record_id"), field("lang"), day, field("text")));
    }
    let rare = rare_names(&pages);
    for page in &mut pages {
        page.names
            .retain(|name| rare.contains(&(page.language.clone(), name.clone())));
    }
    let mut first: Vec<usize> = (0..pages.len()).collect();
    for b in 0..pages.len() {
        for a in 0..b {
            if are_of_one_story(&pages[a], &pages[b]) {
                let (from, to) = (first[a].max(first[b]), first[a].min(first[b]));
                first.iter_mut().filter(|f| **f == from).for_each(|f| *f = to);
            }
        }
    }
    let mut sizes: HashMap<usize, usize> = HashMap::new();
    first.iter().for_each(|story| *sizes.entry(*story).or_default() += 1);
    let mut out = String::new();
    for (page, story) in pages.iter().zip(&first) {
        let story = (sizes[story] > 1).then_some(story);
        out += &format!(
            "{}\n",
            json!({"id": page.id, "language": page.language, "topic": story})
        );
    }
    fs::write(labels, out)?;
    let stories = sizes.values().filter(|size| **size > 1);
    println!(
        "{} pages, {} stories of {} pages",
        pages.len(),
        stories.clone().count(),
        stories.sum::<usize>()
    );
    Ok(ExitCode::SUCCESS)
}

/// A number for `YYYYMMDD` that grows by one from day to day within a month, and by more between months that are short.
fn day_of(digits: &str) -> Option<i64> {
    let number: i64 = digits.parse().ok()?;
    Some(number / 10_000 * 372 + number / 100 % 100 * 31 + number % 100)
}

fn page(id: &str, language: &str, day: i64, text: &str) -> Page {
    let is_chinese = language == "Chinese";
    let paragraphs: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let beginning = paragraphs.len().min(if is_chinese { 1 } else { PARAGRAPHS });
    let units: Vec<String> = if is_chinese {
        text.chars().filter(|c| c.is_alphanumeric()).map(String::from).collect()
    } else {
        words(text).map(str::to_lowercase).collect()
    };
    let mut names = Vec::new();
    for name in names_of(&paragraphs[..beginning], is_chinese) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Page {
        id: id.trim_matches(['<', '>']).to_owned(),
        language: language.to_owned(),
        day,
        shingles: units.windows(5).map(|window| window.join(" ")).collect(),
        names,
        all_names: names_of(&paragraphs, is_chinese).into_iter().collect(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
}

fn names_of(paragraphs: &[&str], is_chinese: bool) -> Vec<String> {
    let mut names = Vec::new();
    for paragraph in paragraphs {
        if is_chinese {
            for run in paragraph.split(|c| !('\u{4E00}'..='\u{9FFF}').contains(&c)) {
                let characters: Vec<char> = run.chars().collect();
                names.extend(characters.windows(2).map(|pair| pair.iter().collect::<String>()));
            }
            continue;
        }
        for sentence in paragraph.split(['.', '!', '?', ':', ';', '"', '“', '”', '„', '«', '»']) {
            let capital = |word: &&str| word.starts_with(char::is_uppercase) && word.chars().nth(2).is_some();
            let capitals = words(sentence).skip(1).filter(capital);
            names.extend(capitals.map(|word| word.to_lowercase().chars().take(6).collect::<String>()));
        }
    }
    names
}

/// The rare names, with their languages.
fn rare_names(pages: &[Page]) -> HashSet<(String, String)> {
    let mut by_language: HashMap<&str, usize> = HashMap::new();
    let mut by_name: HashMap<(&str, &str), usize> = HashMap::new();
    for page in pages {
        *by_language.entry(&page.language).or_default() += 1;
        for name in &page.all_names {
            *by_name.entry((&page.language, name)).or_default() += 1;
        }
    }
    let most = |language: &str| (RARE * by_language[language] as f64).max(2.0);
    let rare = by_name
        .iter()
        .filter(|((language, _), count)| **count as f64 <= most(language));
    rare.map(|((language, name), _)| ((*language).to_owned(), (*name).to_owned()))
        .collect()
}

fn are_of_one_story(a: &Page, b: &Page) -> bool {
    if a.language != b.language || (a.day - b.day).abs() > DAYS {
        return false;
    }
    let shared = a.shingles.intersection(&b.shingles).count();
    let all = a.shingles.len() + b.shingles.len() - shared;
    if shared as f64 >= SIMILAR * all.max(1) as f64 {
        return true;
    }
    let mut common: Vec<&String> = Vec::new();
    for name in a.names.iter().filter(|name| b.names.contains(name)) {
        let overlaps = |other: &&String| a.language == "Chinese" && (follows(name, other) || follows(other, name));
        if !common.iter().any(overlaps) {
            common.push(name);
        }
    }
    common.len() >= COMMON
}

/// Whether a pair of characters begins with the end of another.
fn follows(pair: &str, before: &str) -> bool {
    pair.chars().next() == before.chars().last()
}
