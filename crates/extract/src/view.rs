//! A DOM under one strip, with prefix sums of its counts. All extractors read it.
//!
//! One pass over the nodes makes the sums. Then the count of any subtree is the difference of two sums. Extractors with
//! the same strip share one view, and intermediate results of each other.

use std::any::Any;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;

use crate::links::{Links, is_button};
use dehusk_html::counting::count_literal;
use dehusk_html::{Counts, Dom, Node, NodeId, Tag};

/// Counts of a range of nodes, without masked ones. Linked text is in an `a` that the view takes for a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sums {
    /// Counts of all text.
    pub text: Counts,
    /// Words of the linked text.
    pub linked_words: u32,
    /// Characters of the linked text.
    pub linked_chars: u32,
    /// Linked terminals (texts and images): CoreEx's link nodes.
    pub link_terminals: u32,
    /// Links that are in no other link.
    pub anchors: u32,
    /// Links, `button` and `select` elements, and each `input` that is a button: CETD's hyperlinks.
    pub controls: u32,
    /// Characters of the text in those.
    pub control_chars: u32,
    /// Elements.
    pub tags: u32,
}

impl Sums {
    fn minus(self, earlier: Sums) -> Sums {
        Sums {
            text: Counts {
                words: self.text.words - earlier.text.words,
                chars: self.text.chars - earlier.text.chars,
                cjk: self.text.cjk - earlier.text.cjk,
                punctuation: self.text.punctuation - earlier.text.punctuation,
            },
            linked_words: self.linked_words - earlier.linked_words,
            linked_chars: self.linked_chars - earlier.linked_chars,
            link_terminals: self.link_terminals - earlier.link_terminals,
            anchors: self.anchors - earlier.anchors,
            controls: self.controls - earlier.controls,
            control_chars: self.control_chars - earlier.control_chars,
            tags: self.tags - earlier.tags,
        }
    }
}

/// The arrays of a view, which are reused from page to page.
#[derive(Debug, Default)]
pub struct ViewBuffers {
    sums: Vec<Sums>,
    masked: Vec<Range<NodeId>>,
}

/// A DOM with some subtrees masked, and its counts.
#[derive(Debug)]
pub struct View<'v> {
    dom: &'v Dom<'v>,
    /// `sums[i]` counts the unmasked nodes before `i`. Made when a count is first asked for.
    sums: OnceCell<Vec<Sums>>,
    /// Memory for the sums.
    spare: RefCell<Vec<Sums>>,
    masked: Vec<Range<NodeId>>,
    links: Links,
    /// Intermediate results by key.
    shared: RefCell<Vec<Box<dyn Any>>>,
}

impl<'v> View<'v> {
    /// Makes the view of a DOM without two kinds of subtrees: those of elements for which `masks` is true, and those of
    /// `found`, which are in order and disjoint. `links` defines which elements are links.
    pub fn new(
        dom: &'v Dom<'v>,
        masks: impl Fn(NodeId) -> bool,
        found: &[Range<NodeId>],
        links: Links,
        buffers: ViewBuffers,
    ) -> Self {
        let ViewBuffers { sums, mut masked } = buffers;
        masked.clear();
        let mut found = found.iter().peekable();
        let nodes = dom.nodes();
        let mut id = 0;
        while id < dom.len() {
            while found.next_if(|range| range.start < id).is_some() {}
            let node = &nodes[id as usize];
            let range = match found.next_if(|range| range.start == id) {
                Some(range) => range.clone(),
                None if !node.tag.is_text() && masks(id) => id..node.end,
                None => {
                    id += 1;
                    continue;
                }
            };
            id = range.end;
            masked.push(range);
        }
        Self {
            dom,
            sums: OnceCell::new(),
            spare: RefCell::new(sums),
            masked,
            links,
            shared: RefCell::default(),
        }
    }

    /// The prefix sums.
    #[inline]
    fn sums(&self) -> &[Sums] {
        self.sums.get_or_init(|| self.sum_up())
    }

    fn sum_up(&self) -> Vec<Sums> {
        let dom = self.dom;
        let mut sums = self.spare.take();
        sums.clear();
        sums.reserve(dom.nodes().len() + 1);
        let mut running = RunningSums::default();
        let end = dom.len()..dom.len();
        let mut from = 0;
        for masked in self.masked.iter().chain([&end]) {
            let unmasked = from as usize..masked.start as usize;
            let nodes = dom.nodes()[unmasked.clone()].iter().zip(&dom.counts()[unmasked]);
            sums.extend((from..).zip(nodes).map(|(id, (node, counts))| {
                let before = running.sums;
                running.add(dom, self.links, id, node, *counts);
                before
            }));
            sums.resize(masked.end as usize, running.sums);
            from = masked.end;
        }
        sums.push(running.sums);
        sums
    }

    /// The number of words in a range of nodes.
    pub fn words(&self, range: Range<NodeId>) -> u32 {
        if self.sums.get().is_some() {
            return self.range(range).text.words;
        }
        // The sums of a whole page cost more than to count once.
        let first = self.masked.partition_point(|masked| masked.end <= range.start);
        let mut masked = self.masked[first..].iter();
        let mut words = 0;
        let mut id = range.start;
        while id < range.end {
            let next = masked.next().map_or(range.end..range.end, Range::clone);
            for id in id..next.start.min(range.end) {
                words += match self.dom.node(id).tag {
                    Tag::Text => self.dom.counts()[id as usize].words,
                    Tag::RawText => count_literal(self.dom.raw(id)).counts.words,
                    _ => 0,
                };
            }
            id = next.end.max(id);
        }
        words
    }

    /// The DOM.
    pub fn dom(&self) -> &'v Dom<'v> {
        self.dom
    }

    /// Counts of a subtree.
    #[inline]
    pub fn subtree(&self, id: NodeId) -> Sums {
        self.range(id..self.dom.node(id).end)
    }

    /// Counts of a range of nodes.
    #[inline]
    pub fn range(&self, range: Range<NodeId>) -> Sums {
        let sums = self.sums();
        sums[range.end as usize].minus(sums[range.start as usize])
    }

    /// The masked subtrees, in order.
    pub fn masked(&self) -> &[Range<NodeId>] {
        &self.masked
    }

    /// Whether a node is masked.
    pub fn is_masked(&self, id: NodeId) -> bool {
        let after = self.masked.partition_point(|r| r.start <= id);
        after > 0 && id < self.masked[after - 1].end
    }

    /// The result of `make`, which is computed once for all callers with an equal key. The types of key and result are
    /// a part of the key, so callers with types of their own never meet.
    pub fn shared<K: PartialEq + 'static, T: 'static>(&self, key: K, make: impl FnOnce() -> T) -> Rc<T> {
        let found = self.shared.borrow().iter().find_map(|entry| {
            let (of, made) = entry.downcast_ref::<(K, Rc<T>)>()?;
            (*of == key).then(|| Rc::clone(made))
        });
        found.unwrap_or_else(|| {
            let made = Rc::new(make());
            self.shared.borrow_mut().push(Box::new((key, Rc::clone(&made))));
            made
        })
    }

    /// Returns the arrays for the next page.
    pub fn into_buffers(self) -> ViewBuffers {
        ViewBuffers {
            sums: self.sums.into_inner().unwrap_or_else(|| self.spare.take()),
            masked: self.masked,
        }
    }
}

/// The sums of the nodes so far.
#[derive(Default)]
struct RunningSums {
    sums: Sums,
    /// A node before one of these ends is in a link, or in a control.
    link_end: NodeId,
    control_end: NodeId,
}

impl RunningSums {
    /// Adds the next node.
    #[inline]
    fn add(&mut self, dom: &Dom<'_>, links: Links, id: NodeId, node: &Node, counts: Counts) {
        match node.tag {
            Tag::Text => self.add_text(id, counts),
            // The strip keeps scripts as text.
            Tag::RawText => self.add_text(id, count_literal(dom.raw(id)).counts),
            tag => {
                self.sums.tags += 1;
                match tag {
                    Tag::A if links.has(dom, id) => {
                        // A link inside a link is part of that one.
                        self.sums.anchors += u32::from(id >= self.link_end);
                        self.sums.controls += 1;
                        self.link_end = self.link_end.max(node.end);
                        self.control_end = self.control_end.max(node.end);
                    }
                    Tag::Button | Tag::Select => {
                        self.sums.controls += 1;
                        self.control_end = self.control_end.max(node.end);
                    }
                    Tag::Input if is_button(dom, id) => self.sums.controls += 1,
                    Tag::Img if id < self.link_end => self.sums.link_terminals += 1,
                    _ => {}
                }
            }
        }
    }

    #[inline]
    fn add_text(&mut self, id: NodeId, counts: Counts) {
        let sums = &mut self.sums;
        sums.text.words += counts.words;
        sums.text.chars += counts.chars;
        sums.text.cjk += counts.cjk;
        sums.text.punctuation += counts.punctuation;
        if id < self.link_end {
            sums.linked_words += counts.words;
            sums.linked_chars += counts.chars;
            sums.link_terminals += 1;
        }
        if id < self.control_end {
            sums.control_chars += counts.chars;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dehusk_html::{Buffers, parse};

    #[test]
    fn words_are_the_same_with_and_without_sums() {
        let page = "<p>one <a>two</a><script>three four</script><style>five</style><form>six <b>seven</b></form>eight";
        let dom = parse(page, Buffers::default());
        let masks = |id| matches!(dom.node(id).tag, Tag::Form | Tag::Style);
        for range in (0..=dom.len()).flat_map(|end| (0..=end).map(move |start| start..end)) {
            let view = View::new(&dom, masks, &[], Links::Anchors, ViewBuffers::default());
            let counted = view.words(range.clone());
            assert_eq!(counted, view.range(range.clone()).text.words, "{range:?}");
            assert_eq!(counted, view.words(range));
        }
    }

    #[test]
    fn found_ranges_are_masked_unless_they_lie_in_others() {
        let dom = parse("<div><p>one<p>two</div><p>three", Buffers::default());
        let paragraphs: Vec<_> = (0..dom.len())
            .filter(|id| dom.node(*id).tag == Tag::P)
            .map(|id| dom.subtree(id))
            .collect();
        let is_div = |id| dom.node(id).tag == Tag::Div;
        let view = View::new(&dom, is_div, &paragraphs, Links::Anchors, ViewBuffers::default());
        let div = (0..dom.len()).find(|id| is_div(*id)).expect("the element");
        assert_eq!(view.masked(), [dom.subtree(div), paragraphs[2].clone()]);
    }
}
