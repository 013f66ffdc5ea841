//! The signals of a text.
//!
//! A line is a line of the text with at least one word. A word is a run of characters between white space; markers of
//! lists, headings tables and code are none. Lengths are in characters.

use dehusk_similarity::for_each_word;
use xxhash_rust::xxh3::xxh3_64;

use dehusk_metadata::language::{SLOTS, StopWords};

/// Words and lines of a text among which repetitions are looked for. Longer texts are judged by their beginning, so
/// that the memory is bounded. Gopher drops texts with more words.
const COMPARED: usize = 100_000;

/// A line with at most this many characters is short (FineWeb).
const SHORT_LINE: usize = 30;

/// The first byte of `…` in UTF-8.
const ELLIPSIS: u8 = 0xE2;

/// Signals of a text. A share of nothing is 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Signals {
    /// Different stop words.
    pub stop_words: u32,
    /// Share of the words, as runs of letters, that are stop words.
    pub stop_word_share: f64,
    /// Number signs and ellipses for each word.
    pub symbol_share: f64,
    /// Share of the words that have a letter.
    pub alphabetic_share: f64,
    /// Mean length of a word.
    pub mean_word_length: f64,
    /// Sentences: words that end with terminal punctuation.
    pub sentences: u32,
    /// Curly brackets.
    pub curly_brackets: u32,
    /// Share of the lines that end with terminal punctuation.
    pub punctuated_line_share: f64,
    /// Share of the lines that are short.
    pub short_line_share: f64,
    /// Share of the lines that end with an ellipsis.
    pub ellipsis_line_share: f64,
    /// Share of the lines that are items of lists without numbers.
    pub bullet_line_share: f64,
    /// Share of the lines that are equal to an earlier one.
    pub duplicate_line_share: f64,
    /// Share of the characters that are in duplicate lines.
    pub duplicate_line_character_share: f64,
    /// Share of the characters that are in the most frequent pair of words.
    pub top_2gram_share: f64,
    /// Share of the characters that are in repeated sequences of five words.
    pub duplicate_5gram_share: f64,
}

/// Computes the signals of a text in a language: a primary subtag, with or without a script.
pub fn measure(text: &str, language: &str) -> Signals {
    let mut counter = Counter::new(language);
    for line in text.lines() {
        counter.line(line);
    }
    counter.signals()
}

/// A word or a line for comparisons: a hash, and its length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Word {
    hash: u64,
    length: u32,
}

struct Counter {
    lists: &'static StopWords,
    /// The language as a bit. All languages, if it has no list.
    language: u64,
    /// Which stop words were met, as bits by their numbers.
    stop_words: [u64; SLOTS / 64],
    letter_words: u64,
    stop_word_count: u64,
    words: u64,
    characters: u64,
    alphabetic: u64,
    symbols: u64,
    sentences: u64,
    curly_brackets: u64,
    lines: u64,
    punctuated_lines: u64,
    short_lines: u64,
    ellipsis_lines: u64,
    bullet_lines: u64,
    /// The first lines, as words that are compared.
    compared_lines: Vec<Word>,
    compared: Vec<Word>,
}

impl Counter {
    fn new(language: &str) -> Self {
        let lists = StopWords::built_in();
        let primary = language.split('-').next().unwrap_or_default();
        let place = lists.languages().iter().position(|known| *known == primary);
        Self {
            lists,
            language: place.map_or(u64::MAX, |place| 1 << place),
            stop_words: [0; SLOTS / 64],
            letter_words: 0,
            stop_word_count: 0,
            words: 0,
            characters: 0,
            alphabetic: 0,
            symbols: 0,
            sentences: 0,
            curly_brackets: 0,
            lines: 0,
            punctuated_lines: 0,
            short_lines: 0,
            ellipsis_lines: 0,
            bullet_lines: 0,
            compared_lines: Vec::new(),
            compared: Vec::new(),
        }
    }

    fn line(&mut self, line: &str) {
        let (content, is_bullet) = without_markers(line);
        let (mut last, mut characters) = (None, 0);
        let mut visit = |word| {
            if !is_mark(word) {
                characters += self.word(word);
                last = Some(word);
            }
        };
        if content.is_ascii() {
            content.split_ascii_whitespace().for_each(&mut visit)
        } else {
            content.split_whitespace().for_each(&mut visit)
        }
        let Some(last) = last else { return };
        self.lines += 1;
        self.bullet_lines += u64::from(is_bullet);
        self.punctuated_lines += u64::from(ends_sentence(last));
        self.ellipsis_lines += u64::from(last.ends_with('…') || last.ends_with("..."));
        // Not all characters of a long line need be counted.
        self.short_lines += u64::from(content.chars().nth(SHORT_LINE).is_none());
        if self.compared_lines.len() < COMPARED {
            let hash = xxh3_64(content.as_bytes());
            let length = u32::try_from(characters).unwrap_or(u32::MAX);
            self.compared_lines.push(Word { hash, length });
        }
    }

    /// Counts a word and returns its length.
    fn word(&mut self, word: &str) -> u64 {
        let (length, has_letter) = if word.is_ascii() {
            (word.len(), word.bytes().any(|b| b.is_ascii_alphabetic()))
        } else {
            (word.chars().count(), word.chars().any(char::is_alphabetic))
        };
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        if word.bytes().any(|b| matches!(b, b'#' | b'.' | b'{' | b'}' | ELLIPSIS)) {
            self.symbols += word.matches(['#', '…']).count() as u64 + word.matches("...").count() as u64;
            self.curly_brackets += word.matches(['{', '}']).count() as u64;
        }
        self.words += 1;
        self.characters += u64::from(length);
        self.alphabetic += u64::from(has_letter);
        self.sentences += u64::from(ends_sentence(word));
        for_each_word(word, |letters| {
            self.letter_words += 1;
            let (number, languages) = self.lists.find(letters);
            if languages & self.language != 0 {
                self.stop_word_count += 1;
                self.stop_words[number / 64] |= 1 << (number % 64);
            }
        });
        if self.compared.len() < COMPARED {
            let hash = xxh3_64(word.as_bytes());
            self.compared.push(Word { hash, length });
        }
        u64::from(length)
    }

    fn signals(self) -> Signals {
        let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
        let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let length = |words: &[Word]| -> u64 { words.iter().map(|word| u64::from(word.length)).sum() };
        let (compared, compared_lines) = (length(&self.compared), self.compared_lines.len() as u64);
        let line_characters = length(&self.compared_lines);
        let (duplicate_lines, duplicate_line_characters) = duplicates(self.compared_lines);
        Signals {
            stop_words: self.stop_words.iter().map(|bits| bits.count_ones()).sum(),
            stop_word_share: share(self.stop_word_count, self.letter_words),
            // Every third character of a long row of dots is one, so there can be more symbols than words.
            symbol_share: share(self.symbols, self.words).min(1.0),
            alphabetic_share: share(self.alphabetic, self.words),
            mean_word_length: share(self.characters, self.words),
            sentences: count(self.sentences),
            curly_brackets: count(self.curly_brackets),
            punctuated_line_share: share(self.punctuated_lines, self.lines),
            short_line_share: share(self.short_lines, self.lines),
            ellipsis_line_share: share(self.ellipsis_lines, self.lines),
            bullet_line_share: share(self.bullet_lines, self.lines),
            duplicate_line_share: share(duplicate_lines, compared_lines),
            duplicate_line_character_share: share(duplicate_line_characters, line_characters),
            top_2gram_share: share(most_frequent_pair(&self.compared), compared).min(1.0),
            duplicate_5gram_share: share(repeated(&self.compared), compared),
        }
    }
}

/// A line without its indentation and the markers at its beginning (`- `, `1. `, `## `, `> `), and whether it is an
/// item of a list without numbers.
fn without_markers(line: &str) -> (&str, bool) {
    let mut rest = line.trim();
    let mut is_bullet = false;
    while let Some((marker, content)) = rest.split_once(' ') {
        let number = marker.trim_end_matches(['.', ')']);
        let is_number = number.len() < marker.len() && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let is_item = is_bullet_marker(marker);
        if !is_item && !is_number && marker != ">" && !marker.trim_start_matches('#').is_empty() {
            break;
        }
        is_bullet |= is_item;
        rest = content.trim_start();
    }
    // An item can be empty.
    (if is_bullet_marker(rest) { "" } else { rest }, is_bullet)
}

/// Whether a word of the text is a border of a table's cell, a rule under a table's head, or a fence of code.
fn is_mark(word: &str) -> bool {
    let is_rule = || word.len() >= 3 && word.bytes().all(|b| matches!(b, b'-' | b':'));
    word == "|" || is_rule() || word.starts_with("```")
}

fn is_bullet_marker(word: &str) -> bool {
    matches!(word, "-" | "*" | "•" | "+" | "‣" | "◦" | "–")
}

/// Whether a word ends with terminal punctuation, with or without a quote or a bracket after it.
fn ends_sentence(word: &str) -> bool {
    let closing = |c: char| {
        matches!(
            c,
            '"' | '\'' | ')' | ']' | '»' | '”' | '’' | '」' | '』' | '）' | '*' | '_'
        )
    };
    let end = word.trim_end_matches(closing);
    let is_terminal = |c| {
        matches!(
            c,
            '.' | '!' | '?' | '。' | '！' | '？' | '؟' | '۔' | '।' | '…' | ';' | '።'
        )
    };
    // C4 takes a quote for terminal punctuation, too. A semicolon ends a Greek question.
    end.ends_with(is_terminal) && !end.is_empty() && (!end.ends_with(';') || end.chars().any(is_greek))
}

fn is_greek(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3FF}')
}

/// How many lines are equal to an earlier one, and their characters.
fn duplicates(mut lines: Vec<Word>) -> (u64, u64) {
    lines.sort_unstable();
    let again = |pair: &[Word]| {
        if pair[0] == pair[1] {
            (1, u64::from(pair[1].length))
        } else {
            (0, 0)
        }
    };
    lines
        .windows(2)
        .map(again)
        .fold((0, 0), |sum, (n, characters)| (sum.0 + n, sum.1 + characters))
}

/// Characters in the pair of words that occurs most often. 0 if no pair occurs twice.
fn most_frequent_pair(words: &[Word]) -> u64 {
    // Sorting puts equal pairs side by side. Unlike a table of hashes, that takes no longer for a text that is made to.
    let mut pairs: Vec<Word> = words.windows(2).map(sequence).collect();
    pairs.sort_unstable();
    let groups = pairs.chunk_by(|a, b| a.hash == b.hash).filter(|group| group.len() > 1);
    let size = |group: &[Word]| (group.len(), group.iter().map(|pair| u64::from(pair.length)).sum());
    // Of equally frequent pairs the longest counts.
    groups.map(size).max().map_or(0, |(_, characters)| characters)
}

/// Characters in sequences of five words that occurred in the text before. A word is counted once.
fn repeated(words: &[Word]) -> u64 {
    const N: usize = 5;
    // By hash, and those of the same hash by their places.
    let mut sequences: Vec<(u64, u32)> = words.windows(N).map(|words| sequence(words).hash).zip(0..).collect();
    sequences.sort_unstable();
    let mut repetitions: Vec<u32> = Vec::new();
    repetitions.extend(
        sequences
            .windows(2)
            .filter(|pair| pair[0].0 == pair[1].0)
            .map(|pair| pair[1].1),
    );
    repetitions.sort_unstable();
    let (mut characters, mut counted) = (0, 0);
    for start in repetitions.into_iter().map(|start| start as usize) {
        let from = counted.max(start);
        characters += words[from..start + N]
            .iter()
            .map(|word| u64::from(word.length))
            .sum::<u64>();
        counted = start + N;
    }
    characters
}

/// A sequence of words as one.
fn sequence(words: &[Word]) -> Word {
    let join = |all: Word, word: &Word| Word {
        hash: (all.hash.rotate_left(5) ^ word.hash).wrapping_mul(0x9E37_79B9_7F4A_7C15),
        length: all.length.saturating_add(word.length),
    };
    words.iter().fold(Word { hash: 0, length: 0 }, join)
}
