//! Hints in attributes about the form of an element: `white-space`, the classes of code viewers, the language of code.
//!
//! Reading the attributes of every element would cost more than all the rest. Therefore the part of the page that is
//! rendered is searched once for the few words that matter, and attributes are read only if one was found.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::inline::MOST_OF_TAG;
use super::math;
use crate::dom::tag::Tag;
use crate::dom::{Attributes, Children, Dom, NodeId};

/// The hints that a page may have in its attributes.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    white_space: bool,
    viewer: bool,
    mathjax: bool,
    /// The page has posts.
    pub(super) posts: bool,
    /// The selection has footnotes.
    pub(super) footnotes: bool,
}

/// The value of `white-space`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WhiteSpace {
    Collapsed,
    /// Spaces and lines are kept.
    Preserved,
    /// Lines are kept.
    Lines,
}

/// Classes of elements whose children are lines of code.
const VIEWERS: [&str; 6] = [
    "CodeMirror-code",
    "CodeMirror-lines",
    "ace_text-layer",
    "dp-highlighter",
    "syntaxhighlighter",
    "view-lines",
];

/// What the page is searched for: two words of their own, and what one of the viewers has in its class. None of them
/// can begin within another, so one search by vectors finds all of them.
const WORDS: [&str; 6] = [
    "white-space",
    "MathJax",
    "CodeMirror-",
    "ace_text-layer",
    "ghlighter",
    "view-lines",
];

/// `None` on processors without the vectors that it needs.
static SEARCHER: LazyLock<Option<Searcher>> = LazyLock::new(|| Searcher::new(WORDS));

/// Parts of class names for the numbers of lines and the tools of a viewer.
const GUTTERS: [&str; 12] = [
    "gutter",
    "line-num",
    "line_num",
    "linenum",
    "linenos",
    "lineno",
    "ln-num",
    "lnum",
    "blob-num",
    "crayon-num",
    "line-no",
    "rowno",
];

impl Hints {
    pub(super) const NONE: Hints = Hints {
        white_space: false,
        viewer: false,
        mathjax: false,
        posts: false,
        footnotes: false,
    };

    /// Searches the source of the ranges, and the elements around them.
    pub(super) fn find(dom: &Dom<'_>, ranges: &[Range<NodeId>]) -> Self {
        let mut hints = Hints::NONE;
        let (Some(first), Some(last)) = (ranges.first(), ranges.last()) else {
            return hints;
        };
        let node = dom.node(first.start);
        let from = (node.from as usize - usize::from(node.name_len)).min(node.to as usize);
        let to = dom.node(last.end - 1).to as usize;
        if from < to {
            hints.search(&dom.source().as_bytes()[from..to]);
        }
        let mut id = first.start;
        while id > 0 {
            id = dom.node(id).parent;
            hints.search(dom.raw(id).as_bytes());
        }
        hints
    }

    fn search(&mut self, source: &[u8]) {
        match &*SEARCHER {
            Some(searcher) => searcher
                .find_iter(source)
                .for_each(|found| self.add(found.pattern().as_usize())),
            None => (0..WORDS.len())
                .filter(|word| memmem::find(source, WORDS[*word].as_bytes()).is_some())
                .for_each(|word| self.add(word)),
        }
    }

    /// Adds what one of the words tells.
    fn add(&mut self, word: usize) {
        match word {
            0 => self.white_space = true,
            1 => self.mathjax = true,
            _ => self.viewer = true,
        }
    }

    #[inline]
    pub(super) fn any(&self) -> bool {
        self.white_space || self.viewer || self.mathjax || self.posts || self.footnotes
    }

    pub(super) fn white_space(&self, dom: &Dom<'_>, id: NodeId) -> WhiteSpace {
        if !self.white_space || memmem::find(dom.raw(id).as_bytes(), b"white-space").is_none() {
            return WhiteSpace::Collapsed;
        }
        let style = dom.attribute(id, "style").unwrap_or_default();
        let value = style
            .split(';')
            .filter_map(|declaration| declaration.split_once(':'))
            .filter(|(name, _)| name.trim().eq_ignore_ascii_case("white-space"))
            .map(|(_, value)| value.split('!').next().unwrap_or(value).trim().to_ascii_lowercase())
            .next_back();
        match value.as_deref() {
            Some("pre") => WhiteSpace::Preserved,
            Some("pre-wrap" | "pre-line" | "break-spaces" | "preserve") => WhiteSpace::Lines,
            _ => WhiteSpace::Collapsed,
        }
    }

    /// Whether the children of an element are lines of code.
    pub(super) fn is_viewer(&self, dom: &Dom<'_>, id: NodeId) -> bool {
        self.viewer && has_class(dom, id, |class| VIEWERS.contains(&class))
    }

    /// Whether an element shows, or stands for, the formula of a script of MathJax 2 that follows it.
    pub(super) fn is_mathjax_copy(&self, dom: &Dom<'_>, id: NodeId) -> bool {
        /// A preview, the formula, and the script follow each other.
        const MOST: usize = 3;
        if !self.mathjax || !has_class(dom, id, |class| class.starts_with("MathJax")) {
            return false;
        }
        let node = dom.node(id);
        let rest = Children {
            nodes: dom.nodes(),
            next: node.end,
            end: dom.node(node.parent).end,
        };
        let mut near = rest.take(MOST).take_while(|id| !dom.node(*id).tag.is_text());
        near.any(|id| math::of_script(dom, id).is_some())
    }
}

fn has_class(dom: &Dom<'_>, id: NodeId, is: impl Fn(&str) -> bool) -> bool {
    dom.attribute(id, "class")
        .is_some_and(|classes| classes.split_ascii_whitespace().any(is))
}

/// The part of a callout that an element is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Callout {
    /// A callout that was written in Markdown, and its kind.
    Alert(String),
    /// The title of such a callout, which only names its kind.
    Kind,
    /// Another title.
    Title,
}

/// The part of a callout that an element is, by its class.
pub(super) fn callout(dom: &Dom<'_>, id: NodeId) -> Option<Callout> {
    const TITLES: [&str; 4] = [
        "admonition-title",
        "callout-title-inner",
        "alert-heading",
        "alert-title",
    ];
    let classes = dom.attribute(id, "class")?;
    let is_name = |kind: &&str| !kind.is_empty() && kind.len() <= 24 && kind.bytes().all(|b| b.is_ascii_alphabetic());
    classes.split_ascii_whitespace().find_map(|class| match class {
        "markdown-alert-title" => Some(Callout::Kind),
        "callout" => {
            let kind = dom.attribute(id, "data-callout")?;
            is_name(&&*kind).then(|| Callout::Alert(kind.into_owned()))
        }
        class if TITLES.contains(&class) => Some(Callout::Title),
        class => {
            let kind = class.strip_prefix("markdown-alert-").filter(is_name)?;
            Some(Callout::Alert(kind.to_owned()))
        }
    })
}

/// Whether an element in code holds the numbers of lines: its class says so, and it has no other text.
pub(super) fn is_gutter(dom: &Dom<'_>, id: NodeId) -> bool {
    let raw = dom.raw(id);
    if raw.len() < 4 || !has_class(dom, id, is_gutter_class) {
        return false;
    }
    dom.subtree(id).filter(|id| dom.node(*id).tag == Tag::Text).all(|id| {
        dom.raw(id)
            .bytes()
            .all(|b| b.is_ascii_digit() || b.is_ascii_whitespace() || b".:|".contains(&b))
    })
}

/// Whether an element in code and the one right before it are lines, by their class.
pub(super) fn follows_line(dom: &Dom<'_>, id: NodeId) -> bool {
    let is_line = |id| has_class(dom, id, |class| matches!(class, "line" | "code-line" | "token-line"));
    let node = dom.node(id);
    let before = dom.node(id - 1);
    // A line has text: its parent, or that of an element in it.
    dom.raw(id).len() >= 4 && is_line(id) && {
        let mut line = id - 1;
        let mut parent = before.parent;
        while parent > node.parent {
            (line, parent) = (parent, dom.node(parent).parent);
        }
        parent == node.parent && line != id - 1 && is_line(line)
    }
}

fn is_gutter_class(class: &str) -> bool {
    // Each of them has one of these pairs of letters, and most classes have none.
    let is_pair = |pair: &[u8]| matches!([pair[0] | 0x20, pair[1] | 0x20], [b'g' | b'n', b'u'] | [b'n', b'o']);
    if !class.as_bytes().windows(2).any(is_pair) {
        return false;
    }
    let class = class.to_ascii_lowercase();
    GUTTERS.iter().any(|gutter| class.contains(gutter))
}

/// Whether a table holds lines of code: a cell of its first row is a gutter, or says that it is code.
pub(super) fn is_code_table(dom: &Dom<'_>, id: NodeId, hints: &Hints) -> bool {
    /// The cells of the first row are among the first nodes.
    const MOST: NodeId = 16;
    if hints.is_viewer(dom, id) {
        return true;
    }
    let end = dom.node(id).end.min(id + MOST);
    let is_code = |class: &str| {
        is_gutter_class(class) || matches!(class, "blob-code" | "js-file-line" | "hljs-ln-code" | "crayon-code")
    };
    (id + 1..end)
        .filter(|id| matches!(dom.node(*id).tag, Tag::Td | Tag::Th))
        .any(|id| has_class(dom, id, is_code))
}

/// The language of code, in lower case, or `""`: by the classes and attributes of the element, its only child, and the
/// elements right around it.
pub(super) fn language(dom: &Dom<'_>, id: NodeId) -> String {
    let mut places = vec![id];
    let end = dom.node(id).end;
    if id + 1 < end && dom.node(id + 1).tag == Tag::Code {
        places.push(id + 1);
    }
    let mut around = id;
    for _ in 0..2 {
        around = dom.node(around).parent;
        let is_place = matches!(dom.node(around).tag, Tag::Div | Tag::Figure | Tag::Pre | Tag::Td);
        if is_place && dom.raw(around).len() <= MOST_OF_TAG {
            places.push(around);
        }
    }
    let of = |id| Attributes::new(dom.raw(id)).find_map(|(name, value)| of_attribute(name, value));
    places.into_iter().find_map(of).unwrap_or_default()
}

/// The prefixes of the language in classes.
const PREFIXES: [&str; 6] = [
    "language-",
    "lang-",
    "highlight-source-",
    "brush:",
    "sourcecode-",
    "src-",
];

fn of_attribute(name: &str, value: &str) -> Option<String> {
    let is_name = |language: &&str| {
        !language.is_empty()
            && language.len() <= 24
            && language
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+#-_.".contains(&b))
            && !matches!(*language, "none" | "plaintext" | "plain" | "text" | "default")
    };
    let name = name.to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    if matches!(&*name, "data-lang" | "data-language" | "data-enlighter-language") {
        return Some(value.trim()).filter(is_name).map(str::to_owned);
    }
    if name != "class" {
        return None;
    }
    let classes: Vec<&str> = value
        .split([' ', '\t', '\n', ';'])
        .filter(|class| !class.is_empty())
        .collect();
    // Others, such as `highlight-box`, are no languages.
    let is_last = |i: usize| matches!(classes[i + 1..], [] | ["notranslate"]);
    let mut languages = classes.iter().enumerate().filter_map(|(i, class)| match *class {
        // The language is the class after it.
        "brush:" | "sourcecode" => classes.get(i + 1).copied(),
        // Of two classes, the other one is the language.
        "hljs" if classes.len() == 2 => Some(classes[1 - i]).filter(|class| !class.contains('-')),
        class => {
            let of_sphinx = || class.strip_prefix("highlight-").filter(|_| is_last(i));
            PREFIXES
                .iter()
                .find_map(|prefix| class.strip_prefix(prefix))
                .or_else(of_sphinx)
        }
    });
    languages.find(is_name).map(str::to_owned)
}
