//! The numbers and markers of lists.

use std::borrow::Cow;

use super::inline;
use super::role::Role;
use crate::dom::tag::Tag;
use crate::dom::{Children, Dom, Node, NodeId};

/// An open list.
pub(super) struct List {
    id: NodeId,
    /// How items are numbered; `None` in a list without numbers.
    numbers: Option<Numbers>,
    /// Whether items have markers. A list of whole sections has none.
    pub(super) is_drawn: bool,
}

struct Numbers {
    next: i64,
    step: i64,
    style: Style,
    /// The first child that is not counted yet.
    at: NodeId,
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    Decimal,
    Letters { upper: bool },
    Roman { upper: bool },
}

impl List {
    pub(super) fn new(dom: &Dom<'_>, id: NodeId) -> Self {
        Self {
            id,
            numbers: (dom.node(id).tag == Tag::Ol).then(|| Numbers::new(dom, id)),
            is_drawn: !inline::has_heading(dom.nodes(), id),
        }
    }

    /// The number of an item, which becomes the current one.
    pub(super) fn number(&mut self, dom: &Dom<'_>, item: NodeId) -> Option<i64> {
        let numbers = self.numbers.as_mut()?;
        if dom.node(item).parent == self.id {
            // Items that are left out count.
            let nodes = dom.nodes();
            for child in (Children {
                nodes,
                next: numbers.at,
                end: item,
            }) {
                if Role::from_tag(nodes[child as usize].tag) == Role::Item {
                    numbers.take(dom, child);
                }
            }
            numbers.at = dom.node(item).end;
        }
        Some(numbers.take(dom, item))
    }

    pub(super) fn marker(&self, number: Option<i64>) -> Cow<'static, str> {
        match (&self.numbers, number) {
            (Some(numbers), Some(number)) => (numbers.style.format(number) + ".").into(),
            _ => "-".into(),
        }
    }
}

impl Numbers {
    fn new(dom: &Dom<'_>, id: NodeId) -> Self {
        let is_reversed = dom.attribute(id, "reversed").is_some();
        let start = dom.attribute(id, "start").and_then(|start| integer(&start));
        let first = start.unwrap_or_else(|| {
            if is_reversed {
                dom.children(id).filter(|child| dom.node(*child).tag == Tag::Li).count() as i64
            } else {
                1
            }
        });
        Self {
            next: first,
            step: if is_reversed { -1 } else { 1 },
            style: match dom.attribute(id, "type").as_deref() {
                Some("a") => Style::Letters { upper: false },
                Some("A") => Style::Letters { upper: true },
                Some("i") => Style::Roman { upper: false },
                Some("I") => Style::Roman { upper: true },
                _ => Style::Decimal,
            },
            at: id + 1,
        }
    }

    fn take(&mut self, dom: &Dom<'_>, item: NodeId) -> i64 {
        if let Some(value) = dom.attribute(item, "value").and_then(|value| integer(&value)) {
            self.next = value;
        }
        let number = self.next;
        self.next += self.step;
        number
    }
}

/// The end of an item with the lists that follow it right inside its own list, where only items are allowed. They
/// belong to it.
pub(super) fn end_of_item(nodes: &[Node], item: &Node) -> NodeId {
    let mut end = item.end;
    if Role::from_tag(nodes[item.parent as usize].tag) != Role::List {
        return end;
    }
    while let Some(next) = nodes.get(end as usize)
        && next.parent == item.parent
        && Role::from_tag(next.tag) == Role::List
    {
        end = next.end;
    }
    end
}

/// An integer by the rules of HTML. `None` if it needs more than 32 bits.
fn integer(value: &str) -> Option<i64> {
    let value = value.trim_ascii_start();
    let (sign, digits) = match value.as_bytes().first()? {
        b'-' => (-1, &value[1..]),
        b'+' => (1, &value[1..]),
        _ => (1, value),
    };
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    let number: i32 = digits.parse().ok()?;
    Some(sign * i64::from(number))
}

impl Style {
    /// The text of a number. Numbers that the style cannot write are decimal, as in browsers.
    fn format(self, number: i64) -> String {
        match self {
            Style::Letters { upper } if number > 0 => {
                let mut letters = Vec::new();
                let mut rest = number;
                while rest > 0 {
                    rest -= 1;
                    letters.push(if upper { b'A' } else { b'a' } + (rest % 26) as u8);
                    rest /= 26;
                }
                letters.iter().rev().map(|letter| char::from(*letter)).collect()
            }
            Style::Roman { upper } if (1..4000).contains(&number) => {
                let mut rest = number;
                let mut written = String::new();
                for (value, numeral) in ROMAN {
                    while rest >= value {
                        written.push_str(numeral);
                        rest -= value;
                    }
                }
                if upper { written.to_ascii_uppercase() } else { written }
            }
            _ => number.to_string(),
        }
    }
}

const ROMAN: [(i64, &str); 13] = [
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
    (4, "iv"),
    (1, "i"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_in_browsers() {
        for (value, expected) in [
            ("7", Some(7)),
            (" -5x", Some(-5)),
            ("+3", Some(3)),
            ("2.9", Some(2)),
            ("9999999999", None),
            ("", None),
            ("x", None),
            ("-", None),
        ] {
            assert_eq!(integer(value), expected, "{value:?}");
        }
    }

    #[test]
    fn numbers_are_written_in_their_style() {
        let letters = Style::Letters { upper: false };
        assert_eq!([1, 26, 27, 703].map(|n| letters.format(n)), ["a", "z", "aa", "aaa"]);
        let roman = Style::Roman { upper: true };
        assert_eq!(
            [4, 1999, 0, 4000].map(|n| roman.format(n)),
            ["IV", "MCMXCIX", "0", "4000"]
        );
        assert_eq!(Style::Decimal.format(-5), "-5");
    }
}
