//! Plain text.

use std::borrow::Cow;

use super::marks::{Element, Mark, Marks};
use super::posts::Post;
use super::role::Gap;
use super::writer::{Close, Open, Writer, without_first};

/// Deeper lists are not indented any further.
const MOST_LEVELS: usize = 10;

/// Writes plain text.
pub(super) struct Plain<'o> {
    out: &'o mut String,
    /// Whether lists and tables have markers.
    has_markers: bool,
    /// The items around the text, outermost first.
    items: Vec<ListItem>,
    /// The number of items at the start of `items` whose markers are written.
    written: usize,
    /// The width of the indentation by these.
    indent: usize,
    in_code: bool,
    /// The cells since the last text of the row, and whether the row has text.
    cells: usize,
    row_has_text: bool,
    /// The number of open tables: one, or two if one is in a cell of the other.
    tables: usize,
    /// The borders in the next gap of the rows and cells of a table in a cell.
    inner_borders: String,
    marks: Option<Marks>,
}

struct ListItem {
    marker: Cow<'static, str>,
    /// The width of its indentation.
    width: usize,
}

impl<'o> Plain<'o> {
    pub(super) fn new(out: &'o mut String, has_markers: bool) -> Self {
        Self {
            out,
            has_markers,
            items: Vec::new(),
            written: 0,
            indent: 0,
            in_code: false,
            cells: 0,
            row_has_text: false,
            tables: 0,
            inner_borders: String::new(),
            marks: None,
        }
    }

    pub(super) fn with_marks(self, marks: Marks) -> Self {
        Self {
            marks: Some(marks),
            ..self
        }
    }

    pub(super) fn into_marks(self) -> Vec<Mark> {
        self.marks.map(Marks::finish).unwrap_or_default()
    }

    /// Begins the elements that opened since the last text, up to the next item.
    fn begin_elements(&mut self) {
        if let Some(marks) = &mut self.marks {
            marks.begin(self.out.len());
        }
    }

    fn open_element(&mut self, element: Element) {
        if let Some(marks) = &mut self.marks {
            marks.open(element);
        }
    }

    /// Writes the beginning of a line.
    fn begin_line(&mut self) {
        if !self.in_code || self.written < self.items.len() {
            self.out.extend(std::iter::repeat_n(' ', self.indent));
        }
        let all = self.items.len();
        while let Some(item) = self.items.get_mut(self.written) {
            self.written += 1;
            if let Some(marks) = &mut self.marks {
                marks.begin(self.out.len());
            }
            if item.marker == "-" && self.written < all {
                // The item begins with an inner list, whose marker is enough.
                item.width = 0;
                continue;
            }
            let from = self.out.len();
            self.out.push_str(&item.marker);
            if let Some(marks) = &mut self.marks {
                marks.label(from, self.out.len());
            }
            self.out.push(' ');
            self.indent += item.width;
        }
    }
}

impl Writer for Plain<'_> {
    const INLINE: bool = false;

    fn wants_language(&self) -> bool {
        self.marks.is_some()
    }

    #[inline]
    fn space(&mut self) {
        self.out.push(' ');
    }

    fn gap(&mut self, gap: Gap) {
        match gap {
            Gap::None | Gap::Start => {}
            Gap::Space => self.out.push(' '),
            Gap::Cell | Gap::InnerCell if !self.has_markers => self.out.push(' '),
            Gap::InnerCell => self.out.push_str(&self.inner_borders),
            Gap::Cell => {
                let borders = self.cells.max(1);
                self.out.extend(std::iter::repeat_n(" |", borders));
                self.out.push(' ');
            }
            Gap::Line => self.out.push('\n'),
            Gap::Paragraph => self.out.push_str("\n\n"),
        }
        if gap > Gap::Cell {
            self.begin_line();
            if self.has_markers && !self.row_has_text {
                // The cells before the first with text.
                self.out.extend(std::iter::repeat_n("| ", self.cells.saturating_sub(1)));
            }
        }
        if gap > Gap::InnerCell && self.has_markers {
            self.out.push_str(without_first(&self.inner_borders));
        }
        self.inner_borders.clear();
        self.begin_elements();
        self.cells = 0;
        self.row_has_text = true;
    }

    fn inner_borders(&mut self, borders: &str) {
        self.inner_borders.push_str(borders);
    }

    fn post(&mut self, gap: Gap, post: Post) {
        self.gap(gap);
        if let Some(marks) = &mut self.marks {
            marks.post(self.out.len(), post);
        }
    }

    #[inline]
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn code(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn open(&mut self, element: Open<'_>) {
        match element {
            Open::List => self.open_element(Element::List),
            Open::Table => {
                self.tables += 1;
                self.open_element(Element::Table);
            }
            Open::Item { marker, .. } if self.has_markers => {
                self.open_element(Element::Item);
                let width = if self.items.len() < MOST_LEVELS {
                    marker.len() + 1
                } else {
                    0
                };
                self.items.push(ListItem { marker, width });
            }
            Open::Row(_) => {
                if self.tables < 2 {
                    (self.cells, self.row_has_text) = (0, false);
                }
                self.open_element(Element::Row);
            }
            Open::Cell(_) => {
                self.cells += usize::from(self.tables < 2);
                self.open_element(Element::Cell);
            }
            Open::Code(language) => {
                self.in_code = true;
                self.open_element(Element::Code(language.to_owned()));
            }
            _ => {}
        }
    }

    fn close(&mut self, element: Close) {
        if let Some(marks) = &mut self.marks
            && matches!(
                element,
                Close::List | Close::Item | Close::Table | Close::Row | Close::Cell | Close::Code
            )
        {
            marks.close(self.out.len());
        }
        match element {
            Close::Item => {
                if let Some(item) = self.items.pop()
                    && self.written > self.items.len()
                {
                    self.written = self.items.len();
                    self.indent -= item.width;
                }
            }
            Close::Table => self.tables -= 1,
            Close::Row if self.tables < 2 => (self.cells, self.row_has_text) = (0, false),
            Close::Code => self.in_code = false,
            _ => {}
        }
    }

    fn math(&mut self, tex: &str, _is_display: bool) {
        self.out.push_str(tex);
    }

    fn tail(&self) -> &str {
        self.out
    }
}
