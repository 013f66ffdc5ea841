//! Writes MathML without TeX as one line: `a/b`, `x^2 y`, `√(x+1)`.

use super::collapse::push_node;
use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId};

/// A larger formula is written as its characters, because each level of it is copied.
const MOST_NODES: NodeId = 2048;
const MOST_BYTES: usize = 1 << 16;

/// The character between a function and its argument, which is not shown.
const APPLICATION: char = '\u{2061}';

/// A formula in one line. `None` if it is too large, or only a sequence of characters.
pub(super) fn line(dom: &Dom<'_>, math: NodeId) -> Option<String> {
    let node = dom.node(math);
    let bytes = dom.node(node.end - 1).to.checked_sub(node.to)? as usize;
    if node.end - math > MOST_NODES || bytes > MOST_BYTES {
        return None;
    }
    let line = sequence(dom, math);
    let has_structure = line.contains(APPLICATION) || (math + 1..node.end).any(|id| is_structure(dom.name(id)));
    has_structure.then(|| {
        // `f(x)`, but `sin x`.
        let line = line.replace("\u{2061}(", "(").replace(APPLICATION, " ");
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    })
}

fn is_structure(name: &str) -> bool {
    let names = [
        "mfrac",
        "msup",
        "msub",
        "msubsup",
        "msqrt",
        "mroot",
        "munder",
        "mover",
        "munderover",
        "mtable",
        "mfenced",
    ];
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The children of a node, one after another. A space parts those that would be read as one: `2 1/2`, `e^x d`.
fn sequence(dom: &Dom<'_>, id: NodeId) -> String {
    let is_compound = |part: &str| part.contains(['/', '^', '_', '√']);
    let mut out = String::new();
    let mut was_compound = false;
    for next in dom.children(id).map(|child| part(dom, child)) {
        let (Some(last), Some(first)) = (out.chars().next_back(), next.chars().next()) else {
            was_compound = is_compound(&next);
            out.push_str(&next);
            continue;
        };
        let compound = is_compound(&next);
        let ends = last.is_alphanumeric() || was_compound && matches!(last, ')' | '∞' | '*' | '∗' | '†');
        let begins = first.is_alphanumeric() || was_compound && compound && matches!(first, '(' | '√');
        if ends && begins && (was_compound || compound) {
            out.push(' ');
        }
        was_compound = compound;
        out.push_str(&next);
    }
    out
}

fn part(dom: &Dom<'_>, id: NodeId) -> String {
    let node = dom.node(id);
    if node.tag == Tag::Text {
        let mut text = String::new();
        push_node(dom.source(), node, &mut text);
        text.retain(|c| !is_unseen(c));
        return text;
    }
    if node.tag.is_hidden() {
        return String::new();
    }
    let name = dom.name(id).to_ascii_lowercase();
    // The arguments of an element of a fixed number of them.
    let arguments: Vec<NodeId> = dom.children(id).filter(|id| !dom.node(*id).tag.is_text()).collect();
    let argument = |i: usize| arguments.get(i).map(|id| part(dom, *id)).unwrap_or_default();
    match &*name {
        "mfrac" => format!("{}/{}", grouped(argument(0)), grouped(argument(1))),
        "msup" | "mover" => scripted(argument(0), "", &argument(1)),
        "msub" | "munder" => scripted(argument(0), &argument(1), ""),
        "msubsup" | "munderover" => scripted(argument(0), &argument(1), &argument(2)),
        "msqrt" => format!("√{}", grouped(sequence(dom, id))),
        "mroot" => format!("{}^(1/{})", grouped(argument(0)), grouped(argument(1))),
        "mfenced" => {
            let attribute =
                |name, other: &str| dom.attribute(id, name).map_or(other.to_owned(), |own| own.into_owned());
            let parts: Vec<String> = arguments.iter().map(|id| part(dom, *id)).collect();
            let separator = attribute("separators", ",").chars().next().map(String::from);
            let inner = parts.join(&separator.unwrap_or_default());
            format!("{}{inner}{}", attribute("open", "("), attribute("close", ")"))
        }
        "mtable" => {
            let rows: Vec<String> = arguments.iter().map(|id| part(dom, *id)).collect();
            rows.join("; ")
        }
        "mtr" | "mlabeledtr" => {
            let cells: Vec<String> = arguments.iter().map(|id| part(dom, *id)).collect();
            cells.join(", ")
        }
        // The others are annotations.
        "semantics" => argument(0),
        "annotation" | "annotation-xml" | "mphantom" => String::new(),
        "mtext" => format!(" {} ", sequence(dom, id)),
        "mspace" => " ".to_owned(),
        _ => sequence(dom, id),
    }
}

/// Whether a character of a formula is not shown: invisible operators.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{2062}'..='\u{2064}' | '\u{200B}')
}

/// A base with what is below and above it. Accents and primes follow it.
fn scripted(base: String, below: &str, above: &str) -> String {
    let mut out = grouped(base);
    for (mark, script) in [('_', below), ('^', above)] {
        let script = script.trim();
        let mut chars = script.chars();
        let is_accent = |c: char| !c.is_alphanumeric() && !matches!(c, '+' | '-' | '−' | '*' | '∞' | '∗' | '†' | '±');
        let is_accent = chars.clone().all(is_accent) && chars.next().is_some();
        if is_accent {
            out.push_str(script);
        } else if !script.is_empty() {
            out.push(mark);
            out.push_str(&grouped(script.to_owned()));
        }
    }
    out
}

/// A part in parentheses, unless it is one number, name or character, or has some.
fn grouped(part: String) -> String {
    let part = part.trim_matches(|c: char| c.is_whitespace() || c == APPLICATION);
    let is_one = part.chars().all(|c| c.is_alphanumeric() || c == '.') || part.chars().nth(1).is_none();
    if is_one || is_enclosed(part) {
        part.to_owned()
    } else {
        format!("({part})")
    }
}

/// Whether a part begins with a parenthesis whose other one ends it.
fn is_enclosed(part: &str) -> bool {
    let mut depth = 0;
    for (at, c) in part.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at > 0 && at + c.len_utf8() == part.len();
        }
    }
    false
}
