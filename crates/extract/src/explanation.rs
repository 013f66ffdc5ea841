//! Why an extractor chose, kept or left out a node, as data that text, JSON or HTML can show.

use std::fmt;

use dehusk_html::NodeId;
use serde::ser::{SerializeMap, SerializeStruct};
use serde::{Serialize, Serializer};

use crate::Selection;

/// Why one node was chosen, kept or left out.
///
/// Its [`Display`](fmt::Display) is the rule's sentence with the figures filled in.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The node.
    pub node: NodeId,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The part of the extractor's rule that decided.
    pub rule: &'static Rule,
    /// The figures that decided, by the names that the rule's sentence has for them.
    pub figures: Vec<(&'static str, Figure)>,
    /// The explanation of another node that this one follows from.
    pub cause: Option<Box<Explanation>>,
}

/// A part of an extractor's rule.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: the extractor's and its own, such as `coreex.low-ratio`. Names do not change from version to version.
    pub name: &'static str,
    /// A sentence that continues after “because”. `{name}` is replaced by a figure, `{cause}` for the cause.
    pub sentence: &'static str,
}

impl Rule {
    /// A rule with its sentence.
    pub const fn new(name: &'static str, sentence: &'static str) -> Self {
        Self { name, sentence }
    }
}

/// The verdict on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the node that won.
    Chosen,
    /// It is selected.
    Kept,
    /// It is not.
    LeftOut,
}

impl Verdict {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Chosen => "chosen",
            Verdict::Kept => "kept",
            Verdict::LeftOut => "left-out",
        }
    }

    /// The same for the beginning of a sentence that continues with “because”.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Verdict::Chosen => "chosen",
            Verdict::Kept => "kept",
            Verdict::LeftOut => "left out",
        }
    }
}

/// A figure of an explanation.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Figure {
    /// Names, as one text.
    Names(String),
    /// Another node.
    Node(NodeId),
    /// A number of things.
    Count(u64),
    /// A measured value.
    Measure(f64),
    /// The value of a parameter.
    Parameter(f64),
}

impl fmt::Display for Figure {
    /// A node as `#12`, a measured value to four digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Figure::Names(names) => f.write_str(names),
            Figure::Node(id) => write!(f, "#{id}"),
            Figure::Count(count) => write!(f, "{count}"),
            Figure::Measure(value) => write!(f, "{value:.4}"),
            Figure::Parameter(value) => write!(f, "{value}"),
        }
    }
}

/// As an object: `node`, `verdict`, `rule` (its name), `because` (its sentence with the figures), `figures` and
/// `cause`.
impl Serialize for Explanation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut explanation = serializer.serialize_struct("Explanation", 6)?;
        explanation.serialize_field("node", &self.node)?;
        explanation.serialize_field("verdict", self.verdict.name())?;
        explanation.serialize_field("rule", self.rule.name)?;
        explanation.serialize_field("because", &self.to_string())?;
        explanation.serialize_field("figures", &Figures(&self.figures))?;
        explanation.serialize_field("cause", &self.cause)?;
        explanation.end()
    }
}

struct Figures<'a>(&'a [(&'static str, Figure)]);

impl Serialize for Figures<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, figure) in self.0 {
            match figure {
                Figure::Names(names) => map.serialize_entry(name, names)?,
                Figure::Node(id) => map.serialize_entry(name, id)?,
                Figure::Count(count) => map.serialize_entry(name, count)?,
                Figure::Measure(value) | Figure::Parameter(value) => map.serialize_entry(name, value)?,
            }
        }
        map.end()
    }
}

impl Explanation {
    /// The explanation of a node by a rule. The verdict is read from the selection.
    pub fn new(node: NodeId, selection: &Selection, rule: &'static Rule) -> Self {
        let verdict = match () {
            () if selection.winner == Some(node) => Verdict::Chosen,
            () if selection.contains(node) => Verdict::Kept,
            () => Verdict::LeftOut,
        };
        Self {
            node,
            verdict,
            rule,
            figures: Vec::new(),
            cause: None,
        }
    }

    /// Adds a figure.
    #[must_use]
    pub fn with(mut self, name: &'static str, figure: Figure) -> Self {
        self.figures.push((name, figure));
        self
    }

    /// Adds a node as a figure.
    #[must_use]
    pub fn node(self, name: &'static str, node: NodeId) -> Self {
        self.with(name, Figure::Node(node))
    }

    /// Adds a number of things as a figure.
    #[must_use]
    pub fn count(self, name: &'static str, count: impl Into<u64>) -> Self {
        self.with(name, Figure::Count(count.into()))
    }

    /// Adds a measured value as a figure.
    #[must_use]
    pub fn measure(self, name: &'static str, value: f64) -> Self {
        self.with(name, Figure::Measure(value))
    }

    /// Adds the value of a parameter as a figure.
    #[must_use]
    pub fn parameter(self, name: &'static str, value: f64) -> Self {
        self.with(name, Figure::Parameter(value))
    }

    /// Adds names as a figure, separated by commas.
    #[must_use]
    pub fn names<'n>(self, name: &'static str, names: impl Iterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.collect();
        let names = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        };
        self.with(name, Figure::Names(names))
    }

    /// Sets the cause.
    #[must_use]
    pub fn follows_from(mut self, cause: Explanation) -> Self {
        self.cause = Some(Box::new(cause));
        self
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.rule.sentence;
        while let Some((before, name, after)) = next_figure(rest) {
            f.write_str(before)?;
            let figure = self.figures.iter().find(|(of, _)| *of == name);
            match (figure, &self.cause) {
                (Some((_, figure)), _) => figure.fmt(f)?,
                (None, Some(cause)) => write!(f, "#{}: {cause}", cause.node)?,
                (None, None) => f.write_str("?")?,
            }
            rest = after;
        }
        f.write_str(rest)
    }
}

/// The text before the next name in braces, the name, and the text after it.
fn next_figure(sentence: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = sentence.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    static OUTER: Rule = Rule::new("test.outer", "{times} were found; first {cause}");
    static INNER: Rule = Rule::new("test.inner", "{score} is below {least} of {parent}");

    #[test]
    fn sentences_are_filled_with_figures_and_causes() {
        let selection = Selection::default();
        let inner = Explanation::new(7, &selection, &INNER)
            .measure("score", 0.25)
            .parameter("least", 0.5)
            .node("parent", 3);
        let outer = Explanation::new(2, &selection, &OUTER)
            .count("times", 2u32)
            .follows_from(inner);
        assert_eq!(outer.to_string(), "2 were found; first #7: 0.2500 is below 0.5 of #3");
        assert_eq!(outer.verdict, Verdict::LeftOut);
    }
}
