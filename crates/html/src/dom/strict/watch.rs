//! What html5ever's tokenizer costs, which the sink does not see: it compares every attribute of a tag with those before,
//! and keeps the names that it does not know in chains of which there are 4,096 for the whole program.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use html5ever::LocalName;
use html5ever::buffer_queue::BufferQueue;
use html5ever::tokenizer::{Tag, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;

use super::super::parse::Attributes;
use super::PIECE;
use super::tree::{Handle, Tree};

/// Names up to this length stand in no chain.
const SHORT: usize = 7;

/// Stands between tokenizer and tree builder.
pub(super) struct Watch {
    pub builder: TreeBuilder<Rc<Handle>, Tree>,
    input: Rc<BufferQueue>,
    /// How many bytes of the page the tokenizer was given.
    pub given: Cell<usize>,
    /// Where the last token ended.
    ended: Cell<usize>,
    names: RefCell<HashSet<LocalName>>,
}

impl Watch {
    pub(super) fn new(builder: TreeBuilder<Rc<Handle>, Tree>, input: Rc<BufferQueue>) -> Self {
        Watch {
            builder,
            input,
            given: Cell::new(0),
            ended: Cell::new(0),
            names: RefCell::default(),
        }
    }

    fn charge(&self, tag: &Tag) {
        let attributes = tag.attrs.len() as u64;
        let mut steps = attributes * attributes / 8;
        let mut names = self.names.borrow_mut();
        for name in tag.attrs.iter().map(|a| &a.name.local).chain([&tag.name]) {
            if name.len() > SHORT {
                // The chains may all be one: their hash is the same on every machine.
                steps += names.len() as u64 / 4;
                names.insert(name.clone());
            }
        }
        self.builder.sink.charge(steps);
    }
}

impl TokenSink for Watch {
    type Handle = Rc<Handle>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Rc<Handle>> {
        // Errors come in the midst of tags.
        if !matches!(token, Token::ParseError(_)) {
            self.ended.set(self.given.get() - waiting(&self.input));
        }
        if let Token::TagToken(tag) = &token {
            self.charge(tag);
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Bytes that wait in a queue, which holds a piece of the page and seldom something that was put back before it.
fn waiting(queue: &BufferQueue) -> usize {
    queue.pop_front().map_or(0, |first| {
        let bytes = first.len() + waiting(queue);
        queue.push_front(first);
        bytes
    })
}

/// A tag whose end the tokenizer has not reached, so that it has told nothing of it.
pub(super) struct OpenTag {
    from: usize,
    /// The length at which it is looked at next; lengths grow by a factor, so that all looks together are linear.
    next: usize,
    /// Steps charged for it so far.
    charged: u64,
}

impl Default for OpenTag {
    fn default() -> Self {
        OpenTag {
            from: 0,
            next: 2 * PIECE,
            charged: 0,
        }
    }
}

impl OpenTag {
    /// Charges for the tag in which what was given of the page ends, if it is a long one.
    pub(super) fn charge(&mut self, given: &str, watch: &Watch) {
        let from = watch.ended.get();
        if from != self.from {
            *self = OpenTag {
                from,
                ..OpenTag::default()
            };
        }
        let length = given.len() - from;
        if length < self.next {
            return;
        }
        self.next = length + length / 4;
        let Some(attributes) = tag_at(given, from) else {
            return;
        };
        let (mut all, mut names) = (0u64, HashSet::new());
        for (name, _) in Attributes::new(attributes) {
            all += 1;
            names.insert(name);
        }
        let known = names.len() + watch.names.borrow().len();
        let steps = all * known as u64 / 8;
        watch.builder.sink.charge(steps.saturating_sub(self.charged));
        self.charged = steps;
    }
}

/// What stands behind the name of the tag that starts here, or right before: the tokenizer may hold a `<` already.
fn tag_at(page: &str, at: usize) -> Option<&str> {
    let bytes = page.as_bytes();
    let start = match bytes.get(at) {
        Some(b'<') => at + 1,
        _ if at > 0 && bytes[at - 1] == b'<' => at,
        _ => return None,
    };
    let name = page[start..].strip_prefix('/').unwrap_or(&page[start..]);
    let end = name.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))?;
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        .then(|| &name[end..])
}
