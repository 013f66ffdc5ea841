//! Distinguishes tables of data from tables that place content on the page.

use super::hints::{self, Hints};
use super::inline;
use super::role::Role;
use super::source::source_end;
use crate::dom::tag::Tag;
use crate::dom::{Dom, NodeId};

/// An open table.
pub(super) struct Table {
    pub(super) id: NodeId,
    pub(super) form: TableForm,
    /// A row has text.
    pub(super) has_text: bool,
    /// The current row has a cell.
    pub(super) has_cell: bool,
}

/// How a table is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableForm {
    /// Data: a row is a line.
    Data,
    /// Data in a cell of another table of data: all on the line of that cell.
    Inner,
    /// A row is a paragraph; its cells are words.
    Words,
    /// Every cell is a paragraph or several.
    Blocks,
    /// Lines of code, perhaps with their numbers.
    Code,
}

/// The most words of a cell, if no label marks the table as one of data, and if one does.
const MOST_WORDS: [u32; 2] = [40, 100];

/// The most words of cells that are written side by side.
const MOST_WORDS_OF_LAYOUT: u32 = 20;

/// Figures of a table, without the tables in it.
#[derive(Default)]
struct TableFacts {
    rows: usize,
    /// Rows of at least two cells.
    wide_rows: usize,
    /// Rows that only part others.
    rules: usize,
    columns: usize,
    /// The most words of a cell.
    words: u32,
    /// A cell is of several blocks.
    blocks: bool,
    /// A cell has what no line can hold: headings, lists, forms, code.
    structure: bool,
    /// A line ends within a cell.
    breaks: bool,
    /// Headers or a caption.
    labels: bool,
    /// Cells with text, and those that have a table of data.
    cells: usize,
    cells_with_tables: usize,
    /// Another table, or text outside of the cells.
    mixed: bool,
}

/// The form of a table. Looks at each node of the table, except for those in tables of inner tables.
pub(super) fn form(dom: &Dom<'_>, id: NodeId, hints: &Hints) -> TableForm {
    if hints.is_viewer(dom, id) || hints::is_code_table(dom, id) {
        return TableForm::Code;
    }
    let seen = TableFacts::new(dom, id, Some(hints));
    if seen.is_data(dom, id) {
        return TableForm::Data;
    }
    let is_blocks = seen.mixed || seen.structure || seen.blocks || seen.breaks || seen.words > MOST_WORDS_OF_LAYOUT;
    if is_blocks || seen.cells_with_tables > 0 {
        TableForm::Blocks
    } else {
        TableForm::Words
    }
}

/// Whether a table in a cell is of data. The tables in it are not.
fn is_inner_data(dom: &Dom<'_>, id: NodeId, hints: &Hints) -> bool {
    !hints.is_viewer(dom, id) && !hints::is_code_table(dom, id) && TableFacts::new(dom, id, None).is_data(dom, id)
}

impl TableFacts {
    /// Looks at a table. With `hints`, it may have tables of data in its cells.
    fn new(dom: &Dom<'_>, table: NodeId, hints: Option<&Hints>) -> Self {
        let nodes = dom.nodes();
        let mut seen = TableFacts::default();
        let (mut cells, mut words, mut blocks) = (0, 0, 0);
        // The ends of the current cell, and of the current cell or caption.
        let (mut own_end, mut cell_end) = (0, 0);
        let mut has_table = false;
        let mut id = table + 1;
        while id < nodes[table as usize].end {
            let node = &nodes[id as usize];
            let role = Role::from_tag(node.tag);
            match role {
                Role::Text => {
                    seen.mixed |= id >= cell_end;
                    seen.cells += usize::from(words == 0 && id < own_end);
                    words += dom.counts()[id as usize].words;
                    seen.words = seen.words.max(words);
                }
                Role::Table => {
                    if !seen.mixed && id < own_end && hints.is_some_and(|hints| is_inner_data(dom, id, hints)) {
                        seen.cells += usize::from(words == 0);
                        seen.cells_with_tables += usize::from(!std::mem::replace(&mut has_table, true));
                        words += dom.words(id);
                        seen.words = seen.words.max(words);
                    } else {
                        seen.mixed = true;
                    }
                    id = node.end;
                    continue;
                }
                Role::Row => {
                    seen.rows += 1;
                    cells = 0;
                }
                Role::Cell => {
                    cells += 1;
                    seen.columns = seen.columns.max(cells);
                    seen.wide_rows += usize::from(cells == 2);
                    seen.labels |= node.tag == Tag::Th;
                    (words, blocks, own_end, cell_end) = (0, 0, node.end, node.end);
                    has_table = false;
                }
                Role::Hidden => {
                    id = node.end;
                    continue;
                }
                Role::Preformatted if is_short_code(dom, id) => seen.breaks = true,
                Role::Heading | Role::Preformatted | Role::Quote => seen.structure = true,
                // A rule alone in its row parts the rows, and is none.
                Role::Rule if words == 0 && cells == 1 => {
                    seen.rows = seen.rows.saturating_sub(1);
                    seen.rules += 1;
                }
                Role::Rule => seen.structure = true,
                Role::List | Role::Item | Role::Term => seen.blocks = true,
                Role::Break => seen.breaks = true,
                Role::Block if node.tag == Tag::Caption => {
                    seen.labels = true;
                    seen.mixed |= seen.rows > 0;
                    cell_end = cell_end.max(node.end);
                    (words, blocks) = (0, 0);
                }
                Role::Block => {
                    seen.structure |= node.tag == Tag::Form;
                    if id < cell_end {
                        // A text before it is a block, too.
                        blocks += 1 + u32::from(blocks == 0 && words > 0);
                        seen.blocks |= blocks > 1;
                    }
                }
                Role::Section => seen.labels |= node.tag == Tag::Thead,
                _ => {}
            }
            id += 1;
        }
        seen
    }

    fn is_data(&self, dom: &Dom<'_>, table: NodeId) -> bool {
        let role = dom.attribute(table, "role");
        let is_layout = matches!(role.as_deref(), Some("presentation" | "none"));
        self.rows >= 2
            && self.columns >= 2
            && self.wide_rows * 2 >= self.rows
            // The post of a forum can have a rule below its head.
            && (self.rules == 0 || self.labels || self.wide_rows > 2)
            && !self.mixed
            // Pages were laid out by tables in tables.
            && (self.cells_with_tables == 0 || self.labels && self.cells_with_tables * 2 <= self.cells)
            && !is_layout
            && self.words <= MOST_WORDS[usize::from(self.labels)]
            && (self.labels || !self.blocks)
            && !self.structure
    }
}

/// Whether code in a cell may be written in its line: it has at most two lines, and no other blocks.
fn is_short_code(dom: &Dom<'_>, id: NodeId) -> bool {
    const MOST_BYTES: usize = 100;
    if !inline::is_inline(dom.nodes(), id) {
        return false;
    }
    let (from, to) = (source_end(dom, id), dom.node(dom.node(id).end - 1).to as usize);
    let code = dom.source().get(from..to).unwrap_or_default().trim();
    let texts = dom.subtree(id).filter(|id| dom.node(*id).tag == Tag::Text);
    texts.map(|id| dom.raw(id).len()).sum::<usize>() <= MOST_BYTES && code.lines().count() <= 2
}

/// The number of columns and rows that a cell covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) columns: usize,
    pub(super) rows: usize,
}

impl Span {
    pub(super) const ONE: Span = Span { columns: 1, rows: 1 };

    /// The span that a cell's attributes give, by the rules of HTML.
    pub(super) fn new(dom: &Dom<'_>, cell: NodeId) -> Self {
        /// The largest that HTML allows.
        const MOST: [usize; 2] = [1000, 65534];
        let number = |name, most| {
            let value = dom.attribute(cell, name)?.trim().parse::<usize>().ok()?;
            Some(value.min(most))
        };
        Span {
            columns: number("colspan", MOST[0]).unwrap_or(1).max(1),
            // 0 is every row that follows.
            rows: number("rowspan", MOST[1]).map_or(1, |rows| if rows == 0 { MOST[1] } else { rows }),
        }
    }
}
