//! Tables of GFM.
//!
//! GFM has no tables without headers, so the first row is that of the headers. A cell that covers several columns or
//! rows has its text in the first of them, and the others are empty.

use super::super::role::Gap;
use super::super::table::Span;
use super::super::writer::without_first;
use super::Markdown;
use super::escape::LineSoFar;
use crate::dom::NodeId;

/// The most empty cells in the place of those that others cover: for each cell of the table, and besides.
const COVERED: usize = 4;
const LEAST_COVERED: usize = 64;

/// An open table.
#[derive(Default)]
pub(super) struct OpenTable {
    /// The ends of the first row and of the line below it in the output. `None` before the first row has ended.
    header: Option<Header>,
    /// The most cells of a row.
    widest: usize,
    /// The element of the rows, which ends the cells that cover rows.
    group: NodeId,
    /// The number of the row, and for each column the first row that no cell above covers.
    row_number: usize,
    covered: Vec<usize>,
    /// The number of cells that the page has, and of those that others cover.
    cells: usize,
    empty: usize,
    has_rows: bool,
    pub(super) row: Option<OpenRow>,
}

#[derive(Clone, Copy)]
struct Header {
    end: usize,
    delimiters_end: usize,
    cells: usize,
}

/// An open row.
#[derive(Default)]
pub(super) struct OpenRow {
    cells: usize,
    /// The cells since the last text.
    cells_since: usize,
    /// The columns that the last cell covers besides its own.
    more_columns: usize,
    has_text: bool,
}

impl OpenTable {
    /// Opens a row of a `thead`, `tbody`, `tfoot` or `table`.
    pub(super) fn open_row(&mut self, group: NodeId) {
        if std::mem::replace(&mut self.group, group) != group {
            self.covered.clear();
        }
        self.row = Some(OpenRow::default());
        self.row_number += 1;
    }

    pub(super) fn open_cell(&mut self, span: Span) {
        let Some(row) = &mut self.row else { return };
        row.cells += row.more_columns;
        row.cells_since += row.more_columns;
        self.cells += 1;
        let room = (LEAST_COVERED + COVERED * self.cells).saturating_sub(self.empty);
        let covered = self.covered.get(row.cells..).unwrap_or_default().iter();
        let above = covered.take(room).take_while(|until| **until > self.row_number).count();
        row.more_columns = (span.columns - 1).min(room - above);
        self.empty += above + row.more_columns;
        let column = row.cells + above;
        if span.rows > 1 {
            let end = column + 1 + row.more_columns;
            self.covered.resize(self.covered.len().max(end), 0);
            self.covered[column..end].fill(self.row_number + span.rows);
        }
        row.cells += above + 1;
        row.cells_since += above + 1;
    }
}

impl Markdown<'_> {
    /// Writes a gap within a table. Returns whether it was one.
    pub(super) fn row_gap(&mut self, gap: Gap) -> bool {
        let Some(table) = &mut self.table else { return false };
        let Some(row) = &mut table.row else { return false };
        if gap == Gap::InnerCell {
            return true;
        }
        let cells = std::mem::take(&mut row.cells_since);
        if gap == Gap::Cell {
            self.out.extend(std::iter::repeat_n(" |", cells.max(1)));
            self.out.push(' ');
            self.line = LineSoFar::Inside;
            return true;
        }
        let is_first = !std::mem::replace(&mut table.has_rows, true);
        row.has_text = true;
        match gap {
            Gap::Start => {}
            Gap::Paragraph => self.blank_line(),
            _ if is_first => self.blank_line(),
            _ => self.out.push('\n'),
        }
        self.prefix();
        self.begin_containers();
        self.out.push_str("| ");
        self.out.extend(std::iter::repeat_n("| ", cells.saturating_sub(1)));
        self.line = LineSoFar::Inside;
        true
    }

    /// Writes the borders within a table in a cell.
    pub(super) fn write_inner_borders(&mut self, gap: Gap) {
        let borders = std::mem::take(&mut self.inner_borders);
        let is_first = gap != Gap::InnerCell;
        self.out
            .push_str(if is_first { without_first(&borders) } else { &borders });
    }

    pub(super) fn end_row(&mut self) {
        let Some(table) = &mut self.table else { return };
        let Some(mut row) = table.row.take() else { return };
        if !row.has_text {
            return;
        }
        // Columns in which no cell begins are none.
        let more = row.more_columns.min(table.widest.saturating_sub(row.cells));
        row.cells += more;
        row.cells_since += more;
        table.widest = table.widest.max(row.cells);
        let is_first = table.header.is_none();
        self.out.extend(std::iter::repeat_n(" |", row.cells_since + 1));
        if is_first {
            let end = self.out.len();
            self.out.push('\n');
            self.prefix();
            self.out.push('|');
            self.out.extend(std::iter::repeat_n(" --- |", row.cells));
            let header = Header {
                end,
                delimiters_end: self.out.len(),
                cells: row.cells,
            };
            if let Some(table) = &mut self.table {
                table.header = Some(header);
            }
        }
    }

    /// Ends the table. Its header gets as many cells as the widest row has, because readers drop cells beyond them.
    pub(super) fn end_table(&mut self) {
        if let Some(table) = self.table.take()
            && let Some(header) = table.header
            && header.cells < table.widest
        {
            let missing = table.widest - header.cells;
            self.out.insert_str(header.delimiters_end, &" --- |".repeat(missing));
            self.out.insert_str(header.end, &" |".repeat(missing));
        }
    }
}
