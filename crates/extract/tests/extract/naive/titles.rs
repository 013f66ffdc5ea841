//! CoreEx, section 6.1: the two repairs that add a title.

use super::pages;
use super::tree::Tree;
use dehusk_extract::titles::TitleMatch;
use dehusk_html::{Dom, text_of};
use proptest::prelude::*;

/// First repair: the nearest heading with text before the parent of the selected set, among its siblings.
pub fn sibling_header(tree: &Tree, parent: Option<usize>) -> Option<usize> {
    let parent = parent?;
    let siblings = &tree.node(tree.node(parent).parent?).children;
    let before = siblings.iter().copied().filter(|sibling| *sibling < parent);
    before
        .filter(|sibling| tree.node(*sibling).tag.is_heading() && tree.words(*sibling) > 0)
        .max()
}

/// The marks between the title of a page and the name of its site.
const SEPARATORS: &str = "|»«•·—–-:_/><";

/// Lower case, white space collapsed.
fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Second repair: the node that has the text of the page's title, or a part of it, unless one is selected. Of several
/// the longest, then a heading, then the last before the selection, then the last.
pub fn title(dom: &Dom<'_>, tree: &Tree, roots: &[usize], rule: TitleMatch) -> Option<usize> {
    let title = normal(&dom.title()?);
    if rule == TitleMatch::None || roots.is_empty() || title.is_empty() || title.len() > 1000 {
        return None;
    }
    let is_part = |text: &str| {
        let rest = title.strip_prefix(text);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
            || title.split(|c| SEPARATORS.contains(c)).any(|part| part.trim() == text)
    };
    let fits = |at: &usize| {
        let text = normal(&text_of(dom, tree.node(*at).id));
        let words = tree.words(*at);
        match rule {
            TitleMatch::Part => words >= 3 && (text == title || is_part(&text)),
            _ => words >= 1 && text == title,
        }
    };
    let fitting: Vec<usize> = (0..tree.0.len()).filter(fits).collect();
    let selected = |at: &usize| roots.iter().any(|root| tree.subtree(*root).contains(at));
    if fitting.iter().any(selected) {
        return None;
    }
    let start = roots.iter().min().copied();
    let rank = |at: &usize| (tree.chars(*at), tree.node(*at).tag.is_heading(), Some(*at) < start, *at);
    fitting.into_iter().max_by_key(rank)
}

const TITLES: [&str; 4] = ["Fire in the old harbour", "Two words", "The Daily of Selwick", "Fire"];

/// A page whose title is in its text, whole or in part, once or more often.
pub fn titled_page() -> impl Strategy<Value = String> {
    let title = || prop::sample::select(TITLES.to_vec());
    let separator = prop::sample::select(vec![" | ", " - ", ": ", " ", "&amp;"]);
    let written = prop_oneof![
        Just("<h1>TITLE</h1>"),
        Just("<h2><b>TITLE</b></h2>"),
        Just("<div><h3>TITLE</h3></div>"),
        Just("<p>START<i>END</i></p>"),
        Just("<p>…<b>TITLE</b></p>"),
        Just("<a href=x>TITLE</a>"),
        Just("<div hidden>TITLE</div>"),
        Just("TITLE"),
    ];
    let heading = (written, title()).prop_map(|(written, title)| {
        let (start, end) = title.split_at(title.find(' ').unwrap_or(0));
        let written = written.replace("TITLE", title);
        written.replace("START", start).replace("END", end)
    });
    let piece = prop_oneof![2 => heading, 3 => pages::piece()];
    let body = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
    (title(), separator, title(), body)
        .prop_map(|(title, separator, site, body)| format!("<title>{title}{separator}{site}</title><body>{body}"))
}
