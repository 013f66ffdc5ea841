//! Meters the cost of html5ever's tokenizer, which the sink does not see. The tokenizer compares every attribute of a
//! tag with all previous ones. It also interns unknown names in a hash table with 4,096 buckets for the whole program.

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

/// Names up to this length are stored inline, not in the hash table.
const INLINE_NAME: usize = 7;

/// A token sink between the tokenizer and the tree builder.
pub(super) struct CostMeter {
    pub builder: TreeBuilder<Rc<Handle>, Tree>,
    input: Rc<BufferQueue>,
    /// The number of bytes of the page that were fed to the tokenizer.
    pub fed: Cell<usize>,
    /// The end of the last token.
    token_end: Cell<usize>,
    /// The unknown names so far.
    names: RefCell<HashSet<LocalName>>,
}

impl CostMeter {
    pub(super) fn new(builder: TreeBuilder<Rc<Handle>, Tree>, input: Rc<BufferQueue>) -> Self {
        CostMeter {
            builder,
            input,
            fed: Cell::new(0),
            token_end: Cell::new(0),
            names: RefCell::default(),
        }
    }

    fn charge(&self, tag: &Tag) {
        let attributes = tag.attrs.len() as u64;
        let mut steps = attributes * attributes / 8;
        let mut names = self.names.borrow_mut();
        for name in tag.attrs.iter().map(|a| &a.name.local).chain([&tag.name]) {
            if name.len() > INLINE_NAME {
                // All names may be in one bucket: the hash function is the same on every machine.
                steps += names.len() as u64 / 4;
                names.insert(name.clone());
            }
        }
        self.builder.sink.charge(steps);
    }
}

impl TokenSink for CostMeter {
    type Handle = Rc<Handle>;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Rc<Handle>> {
        // Errors are reported in the middle of tags.
        if !matches!(token, Token::ParseError(_)) {
            self.token_end.set(self.fed.get() - queued(&self.input));
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

/// The number of bytes in a queue. It has a piece of the page, and rarely something that was put back before it.
fn queued(queue: &BufferQueue) -> usize {
    queue.pop_front().map_or(0, |first| {
        let bytes = first.len() + queued(queue);
        queue.push_front(first);
        bytes
    })
}

/// A tag whose end the tokenizer has not reached, so that it has sent no token for it.
pub(super) struct OpenTag {
    from: usize,
    /// The length at which the tag is examined next. It grows by a factor, so that all examinations together are
    /// linear.
    next: usize,
    /// The steps charged for the tag so far.
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
    /// Charges for a long tag at the end of the part of the page that was fed so far.
    pub(super) fn charge(&mut self, fed: &str, meter: &CostMeter) {
        let from = meter.token_end.get();
        if from != self.from {
            *self = OpenTag {
                from,
                ..OpenTag::default()
            };
        }
        let length = fed.len() - from;
        if length < self.next {
            return;
        }
        self.next = length + length / 4;
        let Some(attributes) = tag_at(fed, from) else {
            return;
        };
        let (mut all, mut names) = (0u64, HashSet::new());
        for (name, _) in Attributes::new(attributes) {
            all += 1;
            names.insert(name);
        }
        let known = names.len() + meter.names.borrow().len();
        let steps = all * known as u64 / 8;
        meter.builder.sink.charge(steps.saturating_sub(self.charged));
        self.charged = steps;
    }
}

/// The text after the name of the tag that starts at `at`, or one byte before: the tokenizer may have read the `<`
/// already.
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
