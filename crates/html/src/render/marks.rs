//! The places of lists, tables, code and posts in a plain text.

use super::posts::Post;

/// The beginning or the end of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The place in the text, in bytes.
    pub at: usize,
    /// The element that begins; `None` if the innermost one ends.
    pub begins: Option<Element>,
}

/// An element of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A list.
    List,
    /// An item of a list.
    Item,
    /// The marker of an item.
    Label,
    /// A table of data.
    Table,
    /// A row of a table.
    Row,
    /// A cell of a row.
    Cell,
    /// Code in this language, or `""`.
    Code(String),
    /// A post begins here. The element is empty. A value that the page does not state is `""`.
    Post {
        /// Who wrote it.
        author: String,
        /// When, as the page writes it.
        date: String,
    },
}

/// Collects marks. An element begins with its first text, so one without text leaves no mark, except for cells.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    /// Elements that have begun on the page but not in the text.
    pending: Vec<Pending>,
}

#[derive(Debug)]
enum Pending {
    Open(Element),
    EmptyCell,
}

impl Marks {
    pub(super) fn open(&mut self, element: Element) {
        self.pending.push(Pending::Open(element));
    }

    /// Begins everything up to the next item.
    pub(super) fn begin(&mut self, at: usize) {
        let mut begun = 0;
        for pending in &mut self.pending {
            begun += 1;
            match pending {
                Pending::Open(element) => {
                    let is_item = *element == Element::Item;
                    self.marks.push(Mark {
                        at,
                        begins: Some(element.clone()),
                    });
                    if is_item {
                        break;
                    }
                }
                Pending::EmptyCell => {
                    self.marks.push(Mark {
                        at,
                        begins: Some(Element::Cell),
                    });
                    self.marks.push(Mark { at, begins: None });
                }
            }
        }
        self.pending.drain(..begun);
    }

    /// Marks the marker of the item that has just begun.
    pub(super) fn label(&mut self, from: usize, to: usize) {
        self.marks.push(Mark {
            at: from,
            begins: Some(Element::Label),
        });
        self.marks.push(Mark { at: to, begins: None });
    }

    pub(super) fn post(&mut self, at: usize, post: Post) {
        let (author, date) = (post.author.value, post.date.value);
        self.marks.push(Mark {
            at,
            begins: Some(Element::Post { author, date }),
        });
        self.marks.push(Mark { at, begins: None });
    }

    pub(super) fn close(&mut self, at: usize) {
        // Empty cells come after what is open.
        let last = self
            .pending
            .iter()
            .rposition(|pending| matches!(pending, Pending::Open(_)));
        match last {
            Some(last) => {
                let is_cell = matches!(self.pending[last], Pending::Open(Element::Cell));
                self.pending.truncate(last);
                if is_cell {
                    self.pending.push(Pending::EmptyCell);
                }
            }
            None => {
                self.begin(at);
                self.marks.push(Mark { at, begins: None });
            }
        }
    }

    pub(super) fn finish(self) -> Vec<Mark> {
        self.marks
    }
}
