//! Scripts, such as Latin and Cyrillic: the script of a text, and the languages that use it.

use std::sync::LazyLock;

use crate::words;

/// A script that the detector distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Devanagari,
    Hebrew,
    /// Ideographs, as in Chinese.
    Han,
    /// Hiragana and Katakana.
    Kana,
    Hangul,
    /// A script that is known by the languages in this place of [`FEW`].
    Few(u8),
}

/// Scripts of few languages: the first and the last character, and the languages, the most common one first.
const FEW: [(char, char, &[&str]); 19] = [
    ('\u{370}', '\u{3FF}', &["el"]),
    ('\u{530}', '\u{58F}', &["hy"]),
    ('\u{780}', '\u{7BF}', &["dv"]),
    ('\u{980}', '\u{9FF}', &["bn", "as"]),
    ('\u{A00}', '\u{A7F}', &["pa"]),
    ('\u{A80}', '\u{AFF}', &["gu"]),
    ('\u{B00}', '\u{B7F}', &["or"]),
    ('\u{B80}', '\u{BFF}', &["ta"]),
    ('\u{C00}', '\u{C7F}', &["te"]),
    ('\u{C80}', '\u{CFF}', &["kn"]),
    ('\u{D00}', '\u{D7F}', &["ml"]),
    ('\u{D80}', '\u{DFF}', &["si"]),
    ('\u{E00}', '\u{E7F}', &["th"]),
    ('\u{E80}', '\u{EFF}', &["lo"]),
    ('\u{F00}', '\u{FFF}', &["bo", "dz"]),
    ('\u{1000}', '\u{109F}', &["my"]),
    ('\u{10A0}', '\u{10FF}', &["ka"]),
    ('\u{1200}', '\u{137F}', &["am", "ti"]),
    ('\u{1780}', '\u{17FF}', &["km"]),
];

/// The languages of scripts that many languages have, from `words/scripts.txt`, the most common one first.
struct ScriptLanguages {
    cyrillic: Vec<&'static str>,
    arabic: Vec<&'static str>,
    devanagari: Vec<&'static str>,
    hebrew: Vec<&'static str>,
    /// The languages of other scripts that are written in Latin letters, too.
    latin: Vec<&'static str>,
}

static LANGUAGES: LazyLock<ScriptLanguages> = LazyLock::new(|| {
    let list = |script| {
        words::items_under(words::SCRIPTS, script)
            .map(|(_, item)| item)
            .collect()
    };
    ScriptLanguages {
        cyrillic: list("cyrillic"),
        arabic: list("arabic"),
        devanagari: list("devanagari"),
        hebrew: list("hebrew"),
        latin: list("latin"),
    }
});

/// How many scripts there are.
pub const KINDS: usize = 8 + FEW.len();

impl Script {
    /// The script of a letter. `None` for other characters.
    fn of_letter(c: char) -> Option<Self> {
        Some(match c {
            '\0'..='\u{7F}' => return c.is_ascii_alphabetic().then_some(Self::Latin),
            '\u{C0}'..='\u{24F}' | '\u{1E00}'..='\u{1EFF}' => Self::Latin,
            '\u{400}'..='\u{52F}' => Self::Cyrillic,
            '\u{590}'..='\u{5FF}' => Self::Hebrew,
            '\u{600}'..='\u{6FF}' | '\u{750}'..='\u{77F}' | '\u{FB50}'..='\u{FEFC}' => Self::Arabic,
            '\u{900}'..='\u{97F}' => Self::Devanagari,
            '\u{3041}'..='\u{30FF}' => Self::Kana,
            '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' => {
                Self::Han
            }
            '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7AF}' => Self::Hangul,
            '\u{1F00}'..='\u{1FFF}' => Self::Few(0),
            _ => {
                let place = FEW.partition_point(|(_, last, _)| *last < c);
                let (first, ..) = FEW.get(place)?;
                (*first <= c).then_some(Self::Few(place as u8))?
            }
        })
    }

    /// A number of its own, less than [`KINDS`].
    pub fn place(self) -> usize {
        match self {
            Self::Latin => 0,
            Self::Cyrillic => 1,
            Self::Arabic => 2,
            Self::Devanagari => 3,
            Self::Hebrew => 4,
            Self::Han => 5,
            Self::Kana => 6,
            Self::Hangul => 7,
            Self::Few(i) => 8 + usize::from(i),
        }
    }

    /// Every script.
    pub fn all() -> impl Iterator<Item = Self> + Clone {
        use Script::{Arabic, Cyrillic, Devanagari, Han, Hangul, Hebrew, Kana, Latin};
        let few = (0..FEW.len() as u8).map(Self::Few);
        [Latin, Cyrillic, Arabic, Devanagari, Hebrew, Han, Kana, Hangul]
            .into_iter()
            .chain(few)
    }

    /// Its languages, the most common one first. `None` for Latin, which has too many to list.
    pub fn languages(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Latin => None,
            Self::Cyrillic => Some(&LANGUAGES.cyrillic),
            Self::Arabic => Some(&LANGUAGES.arabic),
            Self::Devanagari => Some(&LANGUAGES.devanagari),
            Self::Hebrew => Some(&LANGUAGES.hebrew),
            Self::Han => Some(&["zh", "ja", "ko"]),
            Self::Kana => Some(&["ja"]),
            Self::Hangul => Some(&["ko"]),
            Self::Few(i) => FEW.get(usize::from(i)).map(|(.., languages)| *languages),
        }
    }

    /// Whether the language is written in this script.
    pub fn writes(self, language: &str) -> bool {
        match self.languages() {
            Some(languages) => languages.contains(&language),
            None => {
                let mut others = Self::all().filter_map(Self::languages);
                LANGUAGES.latin.contains(&language) || !others.any(|languages| languages.contains(&language))
            }
        }
    }
}

/// The letters of a text by script.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    counts: [u32; KINDS],
    /// Chinese characters that are only written in the simplified, and only in the traditional way.
    simplified: u32,
    traditional: u32,
}

impl Tally {
    /// Counts the letters of a text.
    pub fn new(text: &str) -> Self {
        let mut tally = Self::default();
        for c in text.chars() {
            let Some(script) = Script::of_letter(c) else { continue };
            tally.counts[script.place()] += 1;
            if script == Script::Han {
                let form = (c as usize).checked_sub(FIRST_IDEOGRAPH).and_then(|i| HAN_FORMS.get(i));
                tally.simplified += u32::from(form == Some(&HanForm::Simplified));
                tally.traditional += u32::from(form == Some(&HanForm::Traditional));
            }
        }
        tally
    }

    fn count(&self, script: Script) -> u32 {
        self.counts[script.place()]
    }

    /// How many letters there are.
    pub fn letters(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The main script and its share of the letters, 0 to 1. `None` without letters.
    ///
    /// An ideograph or a syllable means as much as several letters, so it counts as three. Kana are written between
    /// ideographs, so a text with a few of them is Japanese.
    pub fn main(&self) -> Option<(Script, f64)> {
        let weigh = |script: Script| match script {
            Script::Han | Script::Kana | Script::Hangul => 3 * self.count(script),
            _ => self.count(script),
        };
        use Script::{Han, Kana};
        let all: u32 = Script::all().map(weigh).sum();
        let (han, kana) = (weigh(Han), weigh(Kana));
        let (best, weight) = Script::all()
            .map(|script| match script {
                Han | Kana => (script, han + kana),
                _ => (script, weigh(script)),
            })
            .max_by_key(|(script, weight)| (*weight, *script == Han))?;
        let best = match best {
            Han | Kana if kana * 20 > han + kana => Kana,
            Kana => Han,
            other => other,
        };
        (weight > 0).then(|| (best, f64::from(weight) / f64::from(all)))
    }

    /// Whether a Chinese text is written in traditional characters. `None` if no character decides.
    pub fn is_traditional(&self) -> Option<bool> {
        (self.simplified != self.traditional).then_some(self.traditional > self.simplified)
    }
}

/// The form of Chinese that an ideograph belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HanForm {
    Both,
    Simplified,
    Traditional,
}

const FIRST_IDEOGRAPH: usize = 0x4E00;

/// The form of each character from [`FIRST_IDEOGRAPH`] on.
static HAN_FORMS: LazyLock<Vec<HanForm>> = LazyLock::new(|| {
    let mut forms = vec![HanForm::Both; 0xA000 - FIRST_IDEOGRAPH];
    for (key, characters) in words::lines(words::CHINESE) {
        let form = if key == "traditional" {
            HanForm::Traditional
        } else {
            HanForm::Simplified
        };
        for c in characters.chars() {
            if let Some(place) = forms.get_mut((c as usize).wrapping_sub(FIRST_IDEOGRAPH)) {
                *place = form;
            }
        }
    }
    forms
});
