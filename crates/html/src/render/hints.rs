//! Hints in attributes about the form of an element: `white-space`, the classes of code viewers.
//!
//! Reading the attributes of every element would cost more than all the rest. Therefore the part of the page that is
//! rendered is searched once for the few words that matter, and attributes are read only if one was found.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::packed::Searcher;
use memchr::memmem;

use super::inline::MOST_OF_TAG;
use super::math;
use super::role::Role;
use super::text_of;
use crate::dom::tag::Tag;
use crate::dom::{Children, Dom, NodeId};

/// The hints that a page may have in its attributes.
#[derive(Clone, Copy, Default)]
pub(super) struct Hints {
    white_space: bool,
    viewer: bool,
    mathjax: bool,
    /// Headings that are recognised by their role.
    levels: bool,
    side_texts: bool,
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

/// The strings that the page is searched for: words of their own, and parts of the viewers' classes. None of them can
/// begin within another, so one search by vectors finds all of them.
const WORDS: [&str; 11] = [
    "white-space",
    "MathJax",
    "aria-level",
    "doc-noteref",
    "footnote-ref",
    "sidenote",
    "marginnote",
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
        levels: false,
        side_texts: false,
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

    /// Adds the hint of one of the words.
    fn add(&mut self, word: usize) {
        match word {
            0 => self.white_space = true,
            1 => self.mathjax = true,
            2 => self.levels = true,
            3..=6 => self.side_texts = true,
            _ => self.viewer = true,
        }
    }

    #[inline]
    pub(super) fn any(&self) -> bool {
        self.white_space
            || self.viewer
            || self.mathjax
            || self.levels
            || self.side_texts
            || self.posts
            || self.footnotes
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

    /// The level of an element that is a heading by its role.
    pub(super) fn heading_level(&self, dom: &Dom<'_>, id: NodeId) -> Option<u8> {
        if !self.levels || dom.attribute(id, "role")?.trim() != "heading" {
            return None;
        }
        let level = dom.attribute(id, "aria-level")?.trim().parse::<u8>().ok()?;
        (level > 0).then_some(level.min(6))
    }

    /// Whether the page may have references to footnotes without `sup`.
    pub(super) fn may_have_references(&self) -> bool {
        self.side_texts
    }

    /// The part of a note in its paragraph that an element is.
    pub(super) fn side_text(&self, dom: &Dom<'_>, id: NodeId, role: Role) -> Option<SideText> {
        if !self.side_texts {
            return None;
        }
        match role {
            Role::Link if is_note_reference(dom, id) => {
                /// The most nodes of a link that are searched.
                const MOST: usize = 8;
                let mut inside = dom.subtree(id).take(MOST);
                // A superscript has its brackets already.
                let has_superscript =
                    dom.node(dom.node(id).parent).tag == Tag::Sup || inside.any(|id| dom.node(id).tag == Tag::Sup);
                let text = text_of(dom, id);
                let has_brackets = text.trim_start().starts_with(['[', '(']);
                (!has_superscript && !has_brackets).then_some(SideText::Reference)
            }
            Role::Inline if has_class(dom, id, |class| matches!(class, "sidenote" | "marginnote")) => {
                Some(SideText::Note)
            }
            _ => None,
        }
    }

    /// Whether the children of an element are lines of code.
    pub(super) fn is_viewer(&self, dom: &Dom<'_>, id: NodeId) -> bool {
        self.viewer && has_class(dom, id, |class| VIEWERS.contains(&class))
    }

    /// Whether an element shows, or is a placeholder for, the formula of a script of MathJax 2 that follows it.
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

/// The part of a note in its paragraph that an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SideText {
    /// A reference to a footnote that is no superscript.
    Reference,
    /// A note beside the text.
    Note,
}

/// Whether a link refers to a footnote, by its role or class.
pub(super) fn is_note_reference(dom: &Dom<'_>, id: NodeId) -> bool {
    dom.raw(id).len() <= MOST_OF_TAG
        && (dom.attribute(id, "role").as_deref() == Some("doc-noteref")
            || has_class(dom, id, |class| matches!(class, "footnote-ref" | "footnote-reference")))
}

/// The part of a callout that an element is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Callout {
    /// A callout of this kind.
    Alert(String),
    /// A title that only names the kind of this callout around it.
    Kind(NodeId),
    /// Another title.
    Title,
}

/// The part of a callout that an element is, by its class.
pub(super) fn callout(dom: &Dom<'_>, id: NodeId) -> Option<Callout> {
    const TITLES: [&str; 5] = [
        "admonition-title",
        "callout-title-inner",
        "custom-block-title",
        "alert-heading",
        "alert-title",
    ];
    let classes = dom
        .attribute(id, "class")
        .filter(|_| dom.raw(id).len() <= MOST_OF_TAG)?;
    let is_title = |class: &str| TITLES.contains(&class) || class.starts_with("admonitionHeading");
    classes.split_ascii_whitespace().find_map(|class| match class {
        "markdown-alert-title" => {
            let around = callout_around(dom, id);
            Some(around.map_or(Callout::Title, |(callout, _)| Callout::Kind(callout)))
        }
        class if is_title(class) => {
            let around = callout_around(dom, id).filter(|(_, kind)| is_kind(dom, id, kind));
            Some(around.map_or(Callout::Title, |(callout, _)| Callout::Kind(callout)))
        }
        class => callout_kind(dom, id, class, &classes).map(Callout::Alert),
    })
}

/// The kind of the callout that an element is, by one of its classes: GitHub's, Obsidian's, those of Sphinx, MkDocs,
/// Docusaurus and VuePress.
fn callout_kind(dom: &Dom<'_>, id: NodeId, class: &str, classes: &str) -> Option<String> {
    /// Kinds that are a class of their own.
    const KINDS: [&str; 22] = [
        "note",
        "abstract",
        "summary",
        "info",
        "todo",
        "tip",
        "hint",
        "important",
        "success",
        "question",
        "help",
        "warning",
        "caution",
        "attention",
        "failure",
        "danger",
        "error",
        "bug",
        "example",
        "quote",
        "details",
        "seealso",
    ];
    let is_name = |kind: &&str| !kind.is_empty() && kind.len() <= 24 && kind.bytes().all(|b| b.is_ascii_alphabetic());
    match class {
        "callout" => {
            let kind = dom.attribute(id, "data-callout")?;
            is_name(&&*kind).then(|| kind.into_owned())
        }
        "admonition" | "custom-block" => {
            let mut names = classes
                .split_ascii_whitespace()
                .map(|class| class.strip_prefix("admonition-").unwrap_or(class));
            // Pages without callouts use the other class, too.
            let usual = (class == "admonition").then_some("note");
            names.find(|name| KINDS.contains(name)).or(usual).map(str::to_owned)
        }
        class => ["markdown-alert-", "theme-admonition-"]
            .iter()
            .find_map(|prefix| class.strip_prefix(prefix))
            .filter(is_name)
            .map(str::to_owned),
    }
}

/// Whether an element is a callout by its class. Its kind may be unknown.
pub fn is_callout(dom: &Dom<'_>, id: NodeId) -> bool {
    let classes = dom.attribute(id, "class").filter(|_| dom.raw(id).len() <= MOST_OF_TAG);
    classes.is_some_and(|classes| {
        let is_one =
            |class: &str| matches!(class, "alert" | "callout") || callout_kind(dom, id, class, &classes).is_some();
        classes.split_ascii_whitespace().any(is_one)
    })
}

/// The callout that a title is in, and its kind.
fn callout_around(dom: &Dom<'_>, title: NodeId) -> Option<(NodeId, String)> {
    let parent = dom.node(title).parent;
    let with_kind = |id| {
        let classes = dom.attribute(id, "class")?;
        let mut all = classes.split_ascii_whitespace();
        let kind = all.find_map(|class| callout_kind(dom, id, class, &classes))?;
        Some((id, kind))
    };
    let around = [parent, dom.node(parent).parent];
    around
        .into_iter()
        .filter(|id| dom.raw(*id).len() <= MOST_OF_TAG)
        .find_map(with_kind)
}

/// Whether a title only names this kind.
fn is_kind(dom: &Dom<'_>, title: NodeId, kind: &str) -> bool {
    dom.node(title).end - title <= 16
        && text_of(dom, title)
            .trim()
            .trim_end_matches(':')
            .eq_ignore_ascii_case(kind)
}

/// Whether an element in code holds the numbers of lines: its class marks it, and it has no other text.
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
    // All but one have one of these pairs of letters, and most classes have none.
    let is_pair = |pair: &[u8]| matches!([pair[0] | 0x20, pair[1] | 0x20], [b'g' | b'n', b'u'] | [b'n', b'o']);
    if !class.as_bytes().windows(2).any(is_pair) {
        // Both cells of a table of Hugo have one class, and only this one is on the numbers alone.
        return class == "lnt";
    }
    let class = class.to_ascii_lowercase();
    GUTTERS.iter().any(|gutter| class.contains(gutter))
}

/// Whether a table holds lines of code: a cell of its first row is a gutter with numbers, or is marked as code.
pub fn is_code_table(dom: &Dom<'_>, id: NodeId) -> bool {
    /// The cells of the first row are among the first nodes.
    const MOST: NodeId = 16;
    let end = dom.node(id).end.min(id + MOST);
    let is_code = |class: &str| {
        matches!(
            class,
            "blob-code" | "js-file-line" | "hljs-ln-code" | "crayon-code" | "rouge-code" | "lntd"
        )
    };
    (id + 1..end)
        .filter(|id| matches!(dom.node(*id).tag, Tag::Td | Tag::Th) && dom.raw(*id).len() <= MOST_OF_TAG)
        // Templates of mail have gutters without numbers.
        .any(|id| has_class(dom, id, is_code) || is_gutter(dom, id) && dom.words(id) > 0)
}
