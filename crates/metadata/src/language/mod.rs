//! The language of a text, from its letters, its words and what its page claims.
//!
//! Only a sample of the text is looked at, so the cost does not grow with the text. The evidence, from the
//! cheapest on:
//!
//! 1. The script (`script`). Most scripts are of one language, and then that is the answer.
//! 2. The stop words of each language (`stop_words`). They decide most texts in Latin or Cyrillic letters.
//! 3. The stop words of rarer languages, where those of the others do not decide clearly. Of a language that whatlang
//!    knows, they count if its trigrams agree.
//! 4. The crate `whatlang`, by its trigrams, for the others.
//! 5. The claim (`claim`): it decides between languages that are alike, it is taken where the text does not decide, and
//!    it is ignored where the text is in a script in which the claimed language is not written.
//!
//! `docs/measurements.md` has the measurements.
//!
//! [`labelled`] takes a label that another detector gave, and [`Model`] asks a model of fastText.

mod claim;
mod fasttext;
mod sample;
mod script;
mod stop_words;

use dehusk_similarity::for_each_word;

use claim::LanguageClaim;
pub use fasttext::{Model, ModelError};
use script::{Script, Tally};
pub use stop_words::{SLOTS, StopWords};

/// The score of a language that is only claimed: the text does not decide.
const CLAIMED: f64 = 0.2;

/// The score of a claimed language that is like the one that the text seems to be in.
const ALIKE: f64 = 0.5;

/// A detected language with a lower score is not better than a claim.
const UNSURE: f64 = 0.5;

/// A detected language with a lower score may be one that the detector does not know.
const SURE: f64 = 0.9;

/// A detected language with a lower score is none.
const GUESS: f64 = 0.2;

/// Fewest letters that identify a language.
const LETTERS: u32 = 20;

/// Fewest stop words of a language that decide, and their smallest share of all words.
const DECIDING_WORDS: u32 = 6;
const DECIDING_SHARE: f64 = 0.15;

/// A language that leads clearly with at least this share of stop words is no rarer one that is like it.
const CERTAIN_SHARE: f64 = 0.3;

/// The smallest share for rarer languages in a script of few languages, whose words have many endings.
const DECIDING_SHARE_OF_FEW: f64 = 0.06;

/// Fewest stop words of a rarer language that the one like it has not, and how many times as many they must be as those
/// that only the other has.
const EXCLUSIVE_WORDS: u32 = 5;
const EXCLUSIVE_LEAD: u32 = 3;

/// By how much a language must lead to be decided by its words: a share of them, or a smaller share of some words.
const CLEAR_LEAD: f64 = 0.5;
const LEAD: f64 = 0.2;
const WORDS_AHEAD: f64 = 4.0;

/// Smallest share of stop words that backs the result of the trigrams, and what is left of their score without it.
const BACKING_SHARE: f64 = 0.05;
const UNBACKED: f64 = 0.45;

/// Languages whose tag names the script, because each is written in several.
const SEVERAL_SCRIPTS: [&str; 3] = ["sr", "uz", "az"];

/// The language of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Language {
    /// A tag by BCP 47: the primary subtag, and a script where the language is written in several. `""` if unknown.
    pub tag: String,
    /// How certain it is, 0 to 1.
    pub score: f64,
}

/// Detects the language of a text whose page claims to be in `claimed`, which may be anything.
pub fn detect(text: &str, claimed: &str) -> Language {
    let claim = LanguageClaim::parse(claimed);
    let sample = sample::sample(text);
    let tally = Tally::new(&sample);
    let (script, share) = match tally.main() {
        Some(main) => main,
        None => {
            return claim
                .map(|claim| Language::new(claim.language, CLAIMED))
                .unwrap_or_default();
        }
    };
    let mut claim = claim.filter(|claim| script.writes(claim.language));
    let found = match script.languages() {
        Some([only]) => Some((*only, 1.0)),
        Some(languages @ [first, ..]) if matches!(script, Script::Han | Script::Few(_)) => {
            // The script itself cannot distinguish these languages. Japanese without kana and Korean without Hangul are
            // rare.
            let claimed = claim.filter(|claim| languages.contains(&claim.language) && script != Script::Han);
            Some((claimed.map_or(*first, |claim| claim.language), 1.0))
        }
        _ if tally.letters() < LETTERS => None,
        _ => {
            let votes = Votes::new(StopWords::built_in(), &sample, script);
            claim = claim.filter(|claim| !votes.contradict(claim.language));
            let rare = by_rare_words(&sample, script, &votes).and_then(|found| confirmed(&sample, found));
            rare.or_else(|| votes.decision())
                .or_else(|| by_trigrams(&sample, script, &votes))
        }
    };
    let enough = (f64::from(tally.letters()) / f64::from(LETTERS)).min(1.0);
    let Some((language, score)) = with_claim(found.map(|(language, score)| (language, score * enough)), claim) else {
        return Language::default();
    };
    Language::new(with_script(language, script, &tally, claim), score * share)
}

/// The tag of a language, with the script where it is written in several.
fn with_script(language: &str, script: Script, tally: &Tally, claim: Option<LanguageClaim>) -> String {
    let script = match (language, script) {
        ("zh", _) => match tally.is_traditional().or(claim.and_then(|claim| claim.is_traditional)) {
            Some(true) => "-Hant",
            Some(false) => "-Hans",
            None => "",
        },
        (_, Script::Latin) if SEVERAL_SCRIPTS.contains(&language) => "-Latn",
        (_, Script::Cyrillic) if SEVERAL_SCRIPTS.contains(&language) => "-Cyrl",
        (_, Script::Arabic) if SEVERAL_SCRIPTS.contains(&language) => "-Arab",
        _ => "",
    };
    format!("{language}{script}")
}

/// The language of a text to which another detector gave a label: a code of ISO 639 or a tag, alone or as the first of
/// several (`isl`, `eng,isl`, `zh-TW`, `rus_Cyrl`). Chinese, Serbian, Uzbek and Azerbaijani get the script of the text.
/// `None` if the label names no language, as `und` and `zxx` do not.
pub fn labelled(text: &str, label: &str, score: f64) -> Option<Language> {
    let claim = LanguageClaim::parse(label);
    let code = match claim {
        Some(claim) => claim.language.to_owned(),
        None => unlisted(label)?,
    };
    let tally = Tally::new(&sample::sample(text));
    Some(match tally.main() {
        Some((script, _)) => Language::new(with_script(&code, script, &tally, claim), score),
        None => Language::new(code, score),
    })
}

/// The code of three letters that begins a label, in lower case, whether or not it is known: labels of other detectors
/// have codes of many thousand languages. The tag of a known one may be another: see [`normalized`].
pub fn unlisted(label: &str) -> Option<String> {
    let first = label.split([',', ';', ' ', '-', '_']).find(|part| !part.is_empty())?;
    let is_code = first.len() == 3 && first.bytes().all(|byte| byte.is_ascii_alphabetic());
    let code = first.to_ascii_lowercase();
    (is_code && !matches!(&*code, "und" | "zxx" | "mul" | "mis" | "unk")).then_some(code)
}

/// Whether a language, as a document has it, is one of a list: `zh` means every script, `zh-Hant` for one.
pub fn is_among(tag: &str, list: &[String]) -> bool {
    let primary = tag.split('-').next().unwrap_or_default();
    list.iter()
        .any(|one| one.eq_ignore_ascii_case(tag) || one.eq_ignore_ascii_case(primary))
}

/// The tag of a list of languages in the form that documents have: `zh-hant` is `zh-Hant`, `eng` is `en`. `None` if it
/// is not a language that the built-in detector or a page can name.
pub fn normalized(tag: &str) -> Option<String> {
    let (primary, script) = match tag.split_once('-') {
        Some((primary, script)) => (primary, Some(script)),
        None => (tag, None),
    };
    let primary = claim::code(&primary.to_ascii_lowercase())?;
    let Some(script) = script else {
        return Some(primary.to_owned());
    };
    let scripts: &[&str] = match primary {
        "zh" => &["Hans", "Hant"],
        _ if SEVERAL_SCRIPTS.contains(&primary) => &["Latn", "Cyrl", "Arab"],
        _ => &[],
    };
    let script = scripts.iter().find(|known| known.eq_ignore_ascii_case(script))?;
    Some(format!("{primary}-{script}"))
}

impl Language {
    fn new(tag: impl Into<String>, score: f64) -> Self {
        Self {
            tag: tag.into(),
            score: score.clamp(0.0, 1.0),
        }
    }
}

/// How many words of a text are stop words of each language.
struct Votes {
    lists: &'static StopWords,
    counts: [u32; stop_words::MOST_LANGUAGES],
    words: u32,
    /// The language with the most, and how many.
    best: (&'static str, u32),
    /// By how much it leads, as a share of its own.
    lead: f64,
}

impl Votes {
    fn new(lists: &'static StopWords, sample: &str, script: Script) -> Self {
        let written = lists.languages_in(script);
        let mut counts = [0_u32; stop_words::MOST_LANGUAGES];
        let mut words = 0_u32;
        for_each_word(sample, |word| {
            words += 1;
            let mut languages = lists.languages_of(word) & written;
            while languages != 0 {
                counts[languages.trailing_zeros() as usize] += 1;
                languages &= languages - 1;
            }
        });
        let (mut best, mut second) = (("", 0), 0);
        for (language, count) in lists.languages().iter().zip(counts) {
            if count > second {
                if count > best.1 {
                    second = best.1;
                    best = (*language, count);
                } else {
                    second = count;
                }
            }
        }
        let lead = f64::from(best.1 - second) / f64::from(best.1.max(1));
        Self {
            lists,
            counts,
            words,
            best,
            lead,
        }
    }

    /// The count of a language; `None` if it has no list.
    fn count(&self, language: &str) -> Option<u32> {
        let place = self.lists.languages().iter().position(|l| *l == language)?;
        self.counts.get(place).copied()
    }

    /// Whether the best language has as many stop words as a text in it has.
    fn are_enough(&self) -> bool {
        let count = self.best.1;
        count >= DECIDING_WORDS && f64::from(count) >= DECIDING_SHARE * f64::from(self.words)
    }

    /// Whether there are some stop words of the language, and not much more of another one. Nothing is known against a
    /// language that has no list.
    fn support(&self, language: &str) -> bool {
        let back = |own: u32| 2 * own >= self.best.1 && f64::from(own) >= BACKING_SHARE * f64::from(self.words);
        self.count(language).is_none_or(back)
    }

    /// Whether the words contradict the language: there are few of its own, and enough of another language.
    fn contradict(&self, language: &str) -> bool {
        self.are_enough() && self.count(language).is_some_and(|own| 2 * own < self.best.1)
    }

    /// Whether no rarer language can have as many stop words in the text.
    fn are_certain(&self) -> bool {
        self.lead >= CLEAR_LEAD && f64::from(self.best.1) >= CERTAIN_SHARE * f64::from(self.words)
    }

    /// The language, if the words alone decide, with its score.
    fn decision(&self) -> Option<(&'static str, f64)> {
        let words_ahead = self.lead * f64::from(self.best.1);
        let is_ahead = self.lead >= CLEAR_LEAD || (self.lead >= LEAD && words_ahead >= WORDS_AHEAD);
        (self.are_enough() && is_ahead).then_some((self.best.0, f64::midpoint(1.0, self.lead)))
    }
}

/// The rarer language that has clearly more stop words in the text than each of the others, with its score.
fn by_rare_words(sample: &str, script: Script, votes: &Votes) -> Option<(&'static str, f64)> {
    if votes.are_certain() {
        return None;
    }
    let rare = Votes::new(StopWords::rare(), sample, script);
    let (language, count) = rare.best;
    let least_share = if script == Script::Latin {
        DECIDING_SHARE
    } else {
        DECIDING_SHARE_OF_FEW
    };
    if count < DECIDING_WORDS || f64::from(count) < least_share * f64::from(rare.words) {
        return None;
    }
    let ahead = f64::from(count) - f64::from(votes.best.1);
    let lead = ahead / f64::from(count);
    if lead >= LEAD && ahead >= WORDS_AHEAD {
        return Some((language, f64::midpoint(1.0, lead.min(rare.lead))));
    }
    // Languages that are alike share most of their stop words. Those that only one of them has decide.
    let (own, other) = exclusive_words(sample, language, votes.best.0);
    let decide = own >= EXCLUSIVE_WORDS && own >= EXCLUSIVE_LEAD * other;
    decide.then(|| (language, f64::midpoint(UNSURE, SURE)))
}

/// A rarer language as the trigrams confirm it, with the larger of both scores. `None` if the trigrams know the language
/// and find another one.
fn confirmed(sample: &str, (language, score): (&'static str, f64)) -> Option<(&'static str, f64)> {
    let is = |known: whatlang::Lang| claim::code(known.code()) == Some(language);
    if !whatlang::Lang::all().iter().copied().any(is) {
        return Some((language, score));
    }
    let found = whatlang::detect(sample).filter(|found| is(found.lang()))?;
    Some((language, score.max(found.confidence())))
}

/// How many words of a text are stop words of a rarer language alone, and how many are of another one alone.
fn exclusive_words(sample: &str, rare: &str, other: &str) -> (u32, u32) {
    let lists = [StopWords::rare(), StopWords::built_in()];
    let bits = [lists[0].language(rare), lists[1].language(other)];
    let (mut of_rare, mut of_other) = (0, 0);
    for_each_word(sample, |word| {
        let [is_rare, is_other] = [0, 1].map(|i| lists[i].languages_of(word) & bits[i] != 0);
        of_rare += u32::from(is_rare && !is_other);
        of_other += u32::from(is_other && !is_rare);
    });
    (of_rare, of_other)
}

/// The language by its trigrams, unless the words contradict it, with its score.
fn by_trigrams(sample: &str, script: Script, votes: &Votes) -> Option<(&'static str, f64)> {
    let found = whatlang::detect(sample)?;
    let language = claim::code(found.lang().code()).filter(|language| script.writes(language))?;
    let (confidence, (best, count)) = (found.confidence(), votes.best);
    Some(if count > 0 && votes.count(language) == Some(count) {
        (language, confidence.max(votes.lead))
    } else if votes.contradict(language) || (confidence < GUESS && votes.are_enough()) {
        (best, votes.lead.max(GUESS))
    } else if votes.support(language) {
        (language, confidence)
    } else {
        // Names of products, scores of games: trigrams are sure of these as of sentences.
        (language, confidence * UNBACKED)
    })
}

/// Weighs the detected language against the claimed one, both with the text's script.
fn with_claim(found: Option<(&'static str, f64)>, claim: Option<LanguageClaim>) -> Option<(&'static str, f64)> {
    let (Some((language, score)), Some(claim)) = (found, claim) else {
        let guess = found.filter(|(_, score)| *score >= GUESS);
        return guess.or(claim.map(|claim| (claim.language, CLAIMED)));
    };
    if claim.language == language {
        return Some((language, score.max(ALIKE)));
    }
    let is_known = StopWords::built_in().languages().contains(&claim.language);
    if claim.is_like(language) && (score < SURE || !is_known) {
        return Some((claim.language, ALIKE));
    }
    if score < UNSURE || (score < SURE && !is_known) {
        return Some((claim.language, CLAIMED));
    }
    Some((language, score))
}

#[cfg(test)]
mod tests;
