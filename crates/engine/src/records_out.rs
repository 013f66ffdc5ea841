//! Rules by which records are written out beside the documents: `output.records`.
//!
//! An item is `NAME:RULE`, or `NAME` alone for the records of all documents. The records of all rules with one name are
//! one set, which has an archive of its own for each archive that is read.

use regex::{Regex, RegexBuilder};

use crate::config::Wish;
use crate::page::Dropped;
use crate::reason::{Failed, Filtered, Named};
use dehusk_archive::http;
use dehusk_archive::{Container, Formats, Record};
use dehusk_documents::condition::Condition;
use dehusk_documents::document::{Document, FieldSet};
use dehusk_documents::suggestion::nearest;

/// The most sets: each has two files open for each archive that is read.
const MOST: usize = 16;

/// Memory that a regular expression may take, in bytes.
const REGEX_LIMIT: usize = 10 << 20;

/// The longest name, in bytes.
const LONGEST: usize = 40;

/// The sets of a configuration, each with its name.
#[derive(Clone, Debug, Default)]
pub struct RecordSets(Vec<RecordSet>);

/// Records that are written to one archive.
#[derive(Clone, Debug)]
struct RecordSet {
    name: String,
    /// The rules as they were given. A record of any of them belongs to the set.
    texts: Vec<String>,
    rules: Vec<RecordRule>,
}

/// One rule.
#[derive(Clone, Debug)]
enum RecordRule {
    /// Records whose document meets a condition.
    Document(Condition),
    /// Records with an outcome, and with a reason and a rule if they are not `""`.
    Outcome {
        outcome: &'static str,
        reason: String,
        rule: String,
    },
    /// Records whose URL matches a regular expression, whatever their outcome.
    Url(Regex),
    /// Records of a type, such as `image/`. With `is_start`, of all types that begin so.
    Type { mime: String, is_start: bool },
}

/// Numbers of sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Chosen(u32);

impl Chosen {
    fn add(&mut self, set: usize) {
        self.0 |= 1 << set;
    }

    /// Those of one of the two.
    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The numbers, in order.
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        (0..MOST).filter(move |set| self.0 & (1 << set) != 0)
    }
}

impl RecordSets {
    /// The sets that items name. `fields` are the fields that documents have, `rules` the names of the rules of a reason
    /// that leave pages out.
    ///
    /// # Errors
    /// A message about the faulty item.
    pub(crate) fn parse(
        items: &[String],
        fields: FieldSet,
        rules: &dyn Fn(Filtered) -> Vec<String>,
    ) -> Result<Self, String> {
        let mut sets: Vec<RecordSet> = Vec::new();
        for item in items {
            let (name, text) = item.split_once(':').unwrap_or((item, "emitted"));
            let (name, text) = (name.trim(), text.trim());
            let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            if name.is_empty() || name.len() > LONGEST || !name.bytes().all(is_of_name) {
                return Err(format!(
                    "“{item}” does not begin with a name of letters, digits, - and _; write NAME or NAME:RULE, such as \
                     low:score < 0.6. The records are written to DIR/records/ARCHIVE.NAME.warc.gz"
                ));
            }
            let rule = RecordRule::parse(text, fields, rules).map_err(|e| format!("“{item}”: {e}"))?;
            let at = match sets.iter().position(|set| set.name == name) {
                Some(at) => at,
                None if sets.len() == MOST => return Err(format!("has more than {MOST} names")),
                None => {
                    sets.push(RecordSet {
                        name: name.to_owned(),
                        texts: Vec::new(),
                        rules: Vec::new(),
                    });
                    sets.len() - 1
                }
            };
            let set = &mut sets[at];
            set.texts.push(text.to_owned());
            set.rules.push(rule);
        }
        Ok(Self(sets))
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name and the rules of each set.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0.iter().map(|set| (set.name.as_str(), set.texts.as_slice()))
    }

    /// The sets that a document's record belongs to because of the document.
    pub(crate) fn of_document(&self, document: &Document) -> Chosen {
        self.chosen(|rule| matches!(rule, RecordRule::Document(condition) if condition.holds(document)))
    }

    /// The sets that a record belongs to because of its outcome or its type.
    pub(crate) fn of_record(&self, record: &Record<'_>, made: Result<(), &Dropped>) -> Chosen {
        let mime = std::cell::OnceCell::new();
        self.chosen(|rule| match rule {
            RecordRule::Document(_) => false,
            RecordRule::Url(pattern) => pattern.is_match(&record.header.url()),
            RecordRule::Outcome { outcome, reason, rule } => match made {
                Ok(()) => *outcome == "emitted",
                Err(dropped) => {
                    *outcome == dropped.outcome()
                        && (reason.is_empty() || reason == dropped.reason())
                        && (rule.is_empty() || dropped.rule().as_ref() == Some(rule))
                }
            },
            RecordRule::Type { mime: wanted, is_start } => {
                let mime = mime.get_or_init(|| media_type(record));
                mime == wanted || *is_start && mime.starts_with(wanted.as_str())
            }
        })
    }

    fn chosen(&self, belongs: impl Fn(&RecordRule) -> bool) -> Chosen {
        let mut chosen = Chosen::default();
        for (number, set) in self.0.iter().enumerate() {
            if set.rules.iter().any(&belongs) {
                chosen.add(number);
            }
        }
        chosen
    }
}

impl RecordRule {
    fn parse(text: &str, fields: FieldSet, rules: &dyn Fn(Filtered) -> Vec<String>) -> Result<Self, String> {
        let mut parts = text.splitn(3, ':').map(str::trim);
        let (first, second, third) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
        match first {
            "type" => {
                let mime = second.unwrap_or_default().to_ascii_lowercase();
                let start = mime.strip_suffix('*').map(str::to_owned);
                let (kind, of_kind) = mime.split_once('/').unwrap_or_default();
                let is_of_type = |c: char| c.is_ascii_alphanumeric() || "!#$&^_.+-".contains(c);
                let named = of_kind.strip_suffix('*').unwrap_or(of_kind);
                let is_type = kind.chars().all(is_of_type) && named.chars().all(is_of_type);
                if kind.is_empty() || of_kind.is_empty() || third.is_some() || !is_type {
                    return Err("a type is one such as application/pdf or image/*".to_owned());
                }
                return Ok(Self::Type {
                    is_start: start.is_some(),
                    mime: start.unwrap_or(mime),
                });
            }
            "url" => {
                let pattern = text.split_once(':').map_or("", |(_, pattern)| pattern).trim();
                let built = RegexBuilder::new(pattern).size_limit(REGEX_LIMIT).build();
                return built.map(Self::Url).map_err(|e| e.to_string());
            }
            "emitted" if second.is_none() => return Ok(outcome("emitted", "", None)),
            "filtered" => {
                let reason = second.unwrap_or_default();
                known(reason, Filtered::ALL.iter().map(|reason| reason.name()))?;
                let with_rules = [Filtered::Quality, Filtered::Host];
                let has_rules = with_rules.into_iter().find(|r| r.name() == reason);
                match (third, has_rules) {
                    (Some(wish), _) if reason == Filtered::Wish.name() => known_wish(wish)?,
                    (Some(rule), Some(reason)) => known_rule(rule, reason, &rules(reason))?,
                    (Some(_), None) => {
                        return Err(format!(
                            "the reason “{reason}” has no rules; leave out what is after it"
                        ));
                    }
                    (None, _) => {}
                }
                return Ok(outcome("filtered", reason, third));
            }
            "failed" => {
                let reason = second.unwrap_or_default();
                let all = Failed::all().map(Named::name);
                if third.is_some() {
                    return Err("failures have no rules; leave out what is after the reason".to_owned());
                }
                return known(reason, all).map(|()| outcome("failed", reason, None));
            }
            _ => {}
        }
        let condition = Condition::parse(text).map_err(|e| {
            format!("{e}; a rule can also be emitted, filtered, filtered: REASON, failed, failed: REASON, type: TYPE, url: REGEX")
        })?;
        let mut document = Document::default();
        document.set_fields(fields);
        match condition.absence(&document) {
            Some(absence) => Err(absence),
            None => Ok(Self::Document(condition)),
        }
    }
}

fn outcome(outcome: &'static str, reason: &str, rule: Option<&str>) -> RecordRule {
    RecordRule::Outcome {
        outcome,
        reason: reason.to_owned(),
        rule: rule.unwrap_or_default().to_owned(),
    }
}

/// Checks that a reason is one of these, or `""`.
fn known(reason: &str, all: impl Iterator<Item = &'static str>) -> Result<(), String> {
    let all: Vec<&str> = all.collect();
    if reason.is_empty() || all.contains(&reason) {
        return Ok(());
    }
    Err(format!("no record has the reason “{reason}”{}", nearest(reason, all)))
}

fn known_wish(wish: &str) -> Result<(), String> {
    let all: Vec<&str> = Wish::ALL.iter().map(|wish| wish.name()).collect();
    if all.contains(&wish) {
        return Ok(());
    }
    Err(format!("no page asks for “{wish}”{}", nearest(wish, all)))
}

/// Checks that a rule is one of those of the configuration, by the name that the ledger gives it.
fn known_rule(rule: &str, reason: Filtered, all: &[String]) -> Result<(), String> {
    if all.iter().any(|known| known == rule) {
        return Ok(());
    }
    let known = match all {
        [] => "there is none".to_owned(),
        all => format!(
            "there is “{}”{}",
            all.join("”, “"),
            nearest(rule, all.iter().map(String::as_str))
        ),
    };
    Err(format!("no rule of “{}” is “{rule}”; {known}", reason.name()))
}

/// The type of a record's payload, or of its block, in lower case and without parameters.
pub fn media_type(record: &Record<'_>) -> String {
    let of_payload = http::parse_head(&record.block).and_then(|(head, _)| head.mime());
    of_payload.unwrap_or_else(|| {
        let mime = record.header.content_type();
        mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    })
}

/// The kind of a file of an office program, by its type: `pdf`, `word` and so on. `None` for other types.
pub(crate) fn office_kind(mime: &str) -> Option<&'static str> {
    let of_vendor = |kind: &str| {
        Some(match kind {
            "msword" | "ms-word.document.macroenabled.12" => "word",
            "ms-excel" | "ms-excel.sheet.macroenabled.12" => "excel",
            "ms-powerpoint" | "ms-powerpoint.presentation.macroenabled.12" => "powerpoint",
            _ if kind.starts_with("openxmlformats-officedocument.wordprocessingml") => "word",
            _ if kind.starts_with("openxmlformats-officedocument.spreadsheetml") => "excel",
            _ if kind.starts_with("openxmlformats-officedocument.presentationml") => "powerpoint",
            _ if kind.starts_with("oasis.opendocument.") => "opendocument",
            _ => return None,
        })
    };
    match mime.strip_prefix("application/").unwrap_or(mime) {
        "pdf" | "x-pdf" => Some("pdf"),
        "epub+zip" => Some("epub"),
        "rtf" | "text/rtf" => Some("rtf"),
        "msword" => Some("word"),
        kind => of_vendor(kind.strip_prefix("vnd.")?),
    }
}

/// How the records of an archive are packed that is written: as those that are read, or as gzip members.
pub(crate) fn container_for(formats: &Formats) -> Container {
    match formats.first().map(|format| format.container) {
        Some(Container::Zstd) => Container::Zstd,
        _ => Container::Gzip,
    }
}

/// The file name of the archive for a set. `shard` is the name of the archive that is read, without endings.
pub(crate) fn file_name(shard: &str, set: &str, container: Container) -> String {
    let ending = match container {
        Container::Zstd => "zst",
        _ => "gz",
    };
    format!("{shard}.{set}.warc.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(items: &[&str]) -> Result<RecordSets, String> {
        let items: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
        let rules = |reason| match reason {
            Filtered::Host => vec!["hosts_from".to_owned(), "drop_hosts_from[0]".to_owned()],
            _ => Vec::new(),
        };
        RecordSets::parse(&items, FieldSet::with_groups(&[]), &rules)
    }

    #[test]
    fn rules_of_one_name_are_one_set() {
        let sets = sets(&[
            "low: score < 0.6",
            "other",
            "low:filtered: empty",
            "pdf:type: application/pdf",
        ])
        .expect("sets");
        let names: Vec<_> = sets.iter().map(|(name, rules)| (name, rules.join("|"))).collect();
        let expected = [
            ("low", "score < 0.6|filtered: empty"),
            ("other", "emitted"),
            ("pdf", "type: application/pdf"),
        ];
        assert_eq!(names, expected.map(|(name, rules)| (name, rules.to_owned())));
        let mut document = Document::default();
        document.metadata.score = 0.5;
        assert_eq!(sets.of_document(&document), Chosen(1));
    }

    #[test]
    fn files_of_office_programs_have_a_kind() {
        for (mime, kind) in [
            ("application/pdf", Some("pdf")),
            ("application/msword", Some("word")),
            (
                "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                Some("word"),
            ),
            ("application/vnd.ms-excel", Some("excel")),
            ("application/vnd.oasis.opendocument.text", Some("opendocument")),
            ("text/rtf", Some("rtf")),
            ("application/json", None),
            ("image/png", None),
        ] {
            assert_eq!(office_kind(mime), kind, "{mime}");
        }
    }

    #[test]
    fn what_is_no_rule_is_explained() {
        for (item, message) in [
            ("/tmp/x:words > 3", "does not begin with a name"),
            ("", "does not begin with a name"),
            ("a:", "a condition is missing"),
            ("a:filtered: emtpy", "did you mean “empty”?"),
            ("a:failed: gzip", "no record has the reason “gzip”"),
            ("a:type: pdf", "such as application/pdf"),
            ("a:type: */*", "such as application/pdf"),
            ("a:type: image/", "such as application/pdf"),
            ("a:type: image/p ng", "such as application/pdf"),
            ("a:filtered:wish:zzz", "no page asks for “zzz”"),
            ("a:filtered:wish:noaii", "did you mean “noai”?"),
            (
                "a:filtered:host:drop_hosts_from[1]",
                "did you mean “drop_hosts_from[0]”?",
            ),
            (
                "a:filtered:quality:words >= 5",
                "no rule of “quality” is “words >= 5”; there is none",
            ),
            ("a:filtered:status:404", "the reason “status” has no rules"),
            ("a:failed:charset_unsupported:x", "failures have no rules"),
            ("a:url: (", "unclosed group"),
            ("a:wrods > 3", "did you mean “words”?"),
            ("a:quality_sentences > 3", "output.quality"),
        ] {
            let error = sets(&[item]).expect_err(item);
            assert!(error.contains(message), "{item}: {error}");
        }
        let many: Vec<String> = (0..=MOST).map(|i| format!("n{i}")).collect();
        assert!(RecordSets::parse(&many, FieldSet::ALL, &|_| Vec::new()).is_err());
    }
}
