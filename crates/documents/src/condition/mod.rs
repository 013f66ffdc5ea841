//! Conditions on a document's fields: `words >= 50`, `language = en and not (url ~ ^https://blog[.] or truncated =
//! true)`.
//!
//! - `value`: one field of a document, by its name
//! - `comparison`: one of them compared with a value, such as `words >= 50`
//! - `column`: a comparison with a column of a table that is not ours
//! - This file joins comparisons by `and`, `or` and `not`.

mod column;
mod comparison;
mod value;

use crate::document::Document;
pub use column::{ColumnCondition, ColumnTest};
use comparison::{Comparison, Sign};
pub use value::Value;

/// How deep parentheses and `not` may be nested. The parser and the conditions recurse.
const DEEPEST: usize = 64;

/// A condition that a document meets or does not.
#[derive(Clone, Debug)]
pub struct Condition(Node);

#[derive(Clone, Debug)]
enum Node {
    Comparison(Comparison),
    Not(Box<Node>),
    All(Vec<Node>),
    Any(Vec<Node>),
}

impl Condition {
    /// The condition that a text states: comparisons `FIELD SIGN VALUE`, joined by `not`, `and`, `or` and parentheses.
    /// `not` binds the closest, then `and`.
    ///
    /// # Errors
    /// A message about the mistake in the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { rest: text, depth: 0 };
        let node = parser.any().and_then(|node| parser.end().map(|()| node));
        node.map(Self).map_err(|problem| match problem {
            Problem::Form(part) if part == text.trim() => no_condition(part),
            Problem::Form(part) => format!("“{text}”: {}; {QUOTES}", no_condition(part)),
            Problem::Field(message) => message,
            Problem::Other(message) => format!("“{text}”: {message}"),
        })
    }

    /// Why a document does not have a field of the condition, if its run did not compute it.
    pub fn absence(&self, document: &Document) -> Option<String> {
        self.0.absence(document)
    }

    /// Whether a document meets the condition. A comparison with a text that the document does not have is false.
    pub fn holds(&self, document: &Document) -> bool {
        self.0.holds(document)
    }
}

impl Node {
    fn absence(&self, document: &Document) -> Option<String> {
        match self {
            Self::Comparison(comparison) => comparison.absence(document),
            Self::Not(node) => node.absence(document),
            Self::All(nodes) | Self::Any(nodes) => nodes.iter().find_map(|node| node.absence(document)),
        }
    }

    fn holds(&self, document: &Document) -> bool {
        match self {
            Self::Comparison(comparison) => comparison.holds(document),
            Self::Not(node) => !node.holds(document),
            Self::All(nodes) => nodes.iter().all(|node| node.holds(document)),
            Self::Any(nodes) => nodes.iter().any(|node| node.holds(document)),
        }
    }
}

/// The advice if a value was taken for something else.
const QUOTES: &str = "put a value that has “and”, “or” or parentheses in it in double quotes";

fn no_condition(part: &str) -> String {
    match part {
        "" => "a condition is missing, such as “words >= 50”".to_owned(),
        part => format!("“{part}” is not a condition such as “words >= 50” or “language = en”"),
    }
}

/// A mistake in the text of a condition.
enum Problem<'t> {
    /// A part of it is no condition.
    Form(&'t str),
    /// It names no field.
    Field(String),
    Other(String),
}

struct Parser<'t> {
    rest: &'t str,
    /// How many parentheses and `not` are open around what comes next.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn any(&mut self) -> Result<Node, Problem<'t>> {
        let mut nodes = vec![self.conjunction()?];
        while self.word("or") {
            nodes.push(self.conjunction()?);
        }
        Ok(single(nodes, Node::Any))
    }

    fn conjunction(&mut self) -> Result<Node, Problem<'t>> {
        let mut nodes = vec![self.factor()?];
        while self.word("and") {
            nodes.push(self.factor()?);
        }
        Ok(single(nodes, Node::All))
    }

    /// A comparison, or what `not` or parentheses hold.
    fn factor(&mut self) -> Result<Node, Problem<'t>> {
        let is_not = self.word("not");
        if !is_not && !self.sign('(') {
            return self.comparison();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            let message = format!("it is nested deeper than {DEEPEST} levels");
            return Err(Problem::Other(message));
        }
        let node = if is_not {
            Node::Not(Box::new(self.factor()?))
        } else {
            let node = self.any()?;
            if self.sign(')') {
                node
            } else if self.rest.is_empty() {
                return Err(Problem::Other("“(” is not closed".to_owned()));
            } else {
                return Err(self.unexpected("“)”"));
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn comparison(&mut self) -> Result<Node, Problem<'t>> {
        if ["and", "or"].iter().any(|word| after_word(self.rest, word).is_some()) {
            return Err(Problem::Form(""));
        }
        let end = self.rest.find(['(', ')']).unwrap_or(self.rest.len());
        let at = self.rest.find(Sign::STARTS).filter(|at| *at < end);
        let form = Problem::Form(self.rest[..end].trim());
        let Some((sign, rest)) = at.and_then(|at| Sign::split(&self.rest[at..])) else {
            return Err(form);
        };
        let value = Value::named(self.rest[..at.unwrap_or_default()].trim()).map_err(Problem::Field)?;
        self.rest = rest.trim_start();
        let operand = match self.rest.chars().next() {
            Some(quote @ ('"' | '\'')) => self.quoted(quote)?,
            _ => self.bare(sign)?.to_owned(),
        };
        let comparison = Comparison::new(value, sign, &operand);
        comparison.map(Node::Comparison).map_err(Problem::Other)
    }

    /// A value in double or, as in SQL, single quotes. Only the quote is written with a backslash: in a regular
    /// expression the others have their meaning.
    fn quoted(&mut self, quote: char) -> Result<String, Problem<'t>> {
        let mut value = String::new();
        let mut chars = self.rest.char_indices().skip(1).peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                c if c == quote => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(value);
                }
                '\\' if chars.next_if(|(_, next)| *next == quote).is_some() => value.push(quote),
                c => value.push(c),
            }
        }
        let message = match quote {
            '"' => "a double quote is not closed",
            _ => "a single quote is not closed; put a value that begins with one in double quotes",
        };
        Err(Problem::Other(message.to_owned()))
    }

    /// A value without quotes. It ends before `and` and `or`, and before the parenthesis that closes the condition.
    /// Parentheses of its own belong to it, as regular expressions have them.
    fn bare(&mut self, sign: Sign) -> Result<&'t str, Problem<'t>> {
        let text = self.rest;
        let (mut at, mut open) = (0, 0);
        while let Some(c) = text[at..].chars().next() {
            let rest = &text[at..];
            match c {
                // The next character means itself.
                '\\' if sign.is_pattern() => at += rest.chars().nth(1).map_or(0, char::len_utf8),
                // A class of characters, in which parentheses mean themselves.
                '[' if sign.is_pattern() => at += rest.find(']').unwrap_or(0),
                '&' | '|' if let Some(message) = foreign_joint(text, at, sign) => {
                    return Err(Problem::Other(message));
                }
                '(' => open += 1,
                ')' if open > 0 => open -= 1,
                ')' if self.depth > 0 => break,
                _ if open == 0
                    && (at == 0 || text[..at].ends_with(char::is_whitespace))
                    && ["and", "or"].iter().any(|word| after_word(rest, word).is_some()) =>
                {
                    break;
                }
                _ => {}
            }
            at += text[at..].chars().next().map_or(0, char::len_utf8);
        }
        let value = text[..at].trim_end();
        self.rest = &text[at..];
        if value.is_empty() {
            return Err(Problem::Other("a value is missing; an empty one is \"\"".to_owned()));
        }
        // The parser of regular expressions reports better what is wrong.
        if open > 0 && !sign.is_pattern() {
            return Err(Problem::Other(format!("“(” is not closed; {QUOTES}")));
        }
        Ok(value)
    }

    /// Takes a word, if it comes next.
    fn word(&mut self, word: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = after_word(self.rest, word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Takes a parenthesis, if it comes next.
    fn sign(&mut self, sign: char) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(sign);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn end(&mut self) -> Result<(), Problem<'t>> {
        match self.rest.trim() {
            "" => Ok(()),
            _ => Err(self.unexpected("the end")),
        }
    }

    fn unexpected(&self, expected: &str) -> Problem<'t> {
        let found = self.rest.trim();
        Problem::Other(format!("found “{found}” where “and”, “or” or {expected} is expected"))
    }
}

/// The message about a `&&` or `||` at this place of a value without quotes, with the word to write instead. In a
/// regular expression they may mean themselves, if there is no space beside them.
fn foreign_joint(text: &str, at: usize, sign: Sign) -> Option<String> {
    let (joint, word) = [("&&", "and"), ("||", "or")]
        .into_iter()
        .find(|(joint, _)| text[at..].starts_with(joint))?;
    let is_apart = text[..at].ends_with(char::is_whitespace) || text[at + 2..].starts_with(char::is_whitespace);
    (is_apart || !sign.is_pattern()).then(|| {
        let quotes = format!("put a value that has “{joint}” in it in double quotes");
        format!("conditions are joined with `{word}`, not with `{joint}`; {quotes}")
    })
}

/// The one node, or several as one.
fn single(mut nodes: Vec<Node>, several: fn(Vec<Node>) -> Node) -> Node {
    match nodes.len() {
        1 => nodes.remove(0),
        _ => several(nodes),
    }
}

/// The rest of a text after a word, if the text begins with it.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(word.len())?;
    let is_whole = rest.is_empty() || rest.starts_with(|c: char| c.is_whitespace() || c == '(');
    (is_whole && start.eq_ignore_ascii_case(word)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let mut document = Document {
            created: "2024-05-06T07:08:09Z".into(),
            ..Document::default()
        };
        document.metadata.url = "https://blog.example/walk".into();
        document.metadata.title = "Salt (and pepper)".into();
        document.metadata.words = 120;
        document.metadata.score = 0.5;
        document.metadata.language = "zh-Hans".into();
        document
    }

    #[test]
    fn conditions_compare_by_the_type_of_the_field() {
        for (text, holds) in [
            ("words >= 120", true),
            ("words>120", false),
            ("words < 120.5", true),
            ("metadata.score <= 1", true),
            ("score != 0.5", false),
            ("truncated = false", true),
            ("created >= 2024-05-01", true),
            ("created < 2024-05-01", false),
            ("url ~ ^https://blog[.]", true),
            ("url !~ walk$", false),
            ("author = \"\"", true),
            ("url == https://blog.example/walk", true),
            ("text_coreex = x", false),
            ("language = zh", true),
            ("language = zh-hans", true),
            ("language != zh", false),
            ("language = zh-Hant", false),
            ("language = z", false),
            ("language != en", true),
        ] {
            let condition = Condition::parse(text).expect(text);
            assert_eq!(condition.holds(&document()), holds, "{text}");
        }
    }

    #[test]
    fn conditions_are_joined() {
        for (text, holds) in [
            ("words > 100 and score > 0.4", true),
            ("words > 100 and score > 0.6", false),
            ("words > 200 or score > 0.4", true),
            ("not words > 200", true),
            ("not not words > 200", false),
            // `and` binds closer than `or`, and `not` closer than both.
            ("words > 1 or words > 1 and words > 200", true),
            ("(words > 1 or words > 1) and words > 200", false),
            ("not words > 200 or words > 1", true),
            ("not (words > 200 or words > 1)", false),
            ("words > 1 AND(words < 9 OR(words > 100))", true),
            // Values end before these words and before the parenthesis that closes; parentheses of their own belong to
            // them.
            ("(url ~ (walk|run)$ and words > 1) and score = 0.5", true),
            ("(url ~ blog[.)](example) or words < 1)", true),
            (r"(url ~ e(x)\S*walk\)?) and words > 1", true),
            ("title = Salt (and pepper)", true),
            ("(title = Salt (and pepper)) and words > 1", true),
            ("title ~ \"(and|or) pepper\" and words > 1", true),
            ("title = \"Salt (and pepper)\" and words > 200", false),
            (r#"title != "a \" quote" and title ~ "\bpepper\b""#, true),
            // Quotes may be those of SQL.
            ("title = 'Salt (and pepper)' and words > 1", true),
            (r"(title != 'Salt\'s' and title ~ 'pepper')", true),
            ("title = \"'Salt'\"", false),
            ("title != \"a && b\" and url ~ x||walk$", true),
            ("words > 1\tand\nscore = 0.5", true),
        ] {
            let condition = Condition::parse(text).expect(text);
            assert_eq!(condition.holds(&document()), holds, "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_explained() {
        let deep = format!("{}words > 1{}", "(".repeat(DEEPEST + 1), ")".repeat(DEEPEST + 1));
        for (text, message) in [
            ("words", "“words” is not a condition such as"),
            ("words ! 3", "is not a condition such as"),
            ("wrods >= 3", "did you mean “words”?"),
            ("words >= 3 and wrods >= 3", "did you mean “words”?"),
            ("words >= many", "“many” is not a number"),
            ("words ~ 3", "only texts can be matched"),
            ("truncated > true", "a boolean is"),
            ("url ~ (", "unclosed group"),
            ("url ~ (\\w{1000}){1000}", "size limit"),
            (
                "title = salt and pepper",
                "“pepper” is not a condition such as “words >= 50” or “language = en”; put a value that",
            ),
            ("words > 3 and", "a condition is missing"),
            ("or words > 3", "a condition is missing"),
            ("not", "a condition is missing"),
            ("", "a condition is missing"),
            ("()", "a condition is missing"),
            ("title = ", "a value is missing"),
            ("title = and words > 3", "a value is missing"),
            ("title = \"salt", "a double quote is not closed"),
            (
                "title = \"salt\" pepper",
                "found “pepper” where “and”, “or” or the end is expected",
            ),
            (
                "title = 'tis",
                "a single quote is not closed; put a value that begins with one in double quotes",
            ),
            ("(words > 3", "“(” is not closed"),
            ("(words > 3) words < 9", "found “words < 9” where"),
            ("words > 3)", "“3)” is not a number"),
            ("title = salt (and words > 3", "“(” is not closed; put a value"),
            (
                "language = en && words > 3",
                "joined with `and`, not with `&&`; put a value that has “&&”",
            ),
            ("language = en&&words > 3", "joined with `and`, not with `&&`"),
            ("(url ~ walk || words > 3)", "joined with `or`, not with `||`"),
            ("words > 3 || words < 2", "joined with `or`, not with `||`"),
            (&deep, "deeper than 64 levels"),
        ] {
            let error = Condition::parse(text).expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
