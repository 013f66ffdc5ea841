//! Tables of GFM.

use super::super::role::Gap;
use super::Markdown;
use super::escape::LineSoFar;

/// An open table.
pub(super) struct OpenTable {
    pub(super) columns: usize,
    /// Whether the first row has begun, and whether it has ended.
    pub(super) has_rows: bool,
    pub(super) header_is_done: bool,
    pub(super) row: Option<OpenRow>,
}

/// An open row.
pub(super) struct OpenRow {
    pub(super) is_header: bool,
    pub(super) cells: usize,
    /// The cells since the last text.
    pub(super) cells_since: usize,
    pub(super) has_text: bool,
}

impl Markdown<'_> {
    /// Writes a gap within a table. Returns whether it was one.
    pub(super) fn row_gap(&mut self, gap: Gap) -> bool {
        let Some(table) = &mut self.table else { return false };
        let Some(row) = &mut table.row else { return false };
        let cells = std::mem::take(&mut row.cells_since);
        if gap == Gap::Cell {
            self.out.extend(std::iter::repeat_n(" |", cells.max(1)));
            self.out.push(' ');
            self.line = LineSoFar::Inside;
            return true;
        }
        let (is_first, is_header, columns) = (!table.has_rows, row.is_header, table.columns);
        (table.has_rows, row.has_text) = (true, true);
        match gap {
            Gap::Start => {}
            Gap::Paragraph => self.blank_line(),
            _ if is_first => self.blank_line(),
            _ => self.out.push('\n'),
        }
        self.prefix();
        self.begin_containers();
        if is_first && !is_header {
            // GFM has no tables without headers.
            self.out.extend(std::iter::repeat_n("|  ", columns));
            self.out.push('|');
            self.delimiters(columns);
            self.out.push('\n');
            self.prefix();
        }
        self.out.push_str("| ");
        self.out.extend(std::iter::repeat_n("| ", cells.saturating_sub(1)));
        self.line = LineSoFar::Inside;
        true
    }

    fn delimiters(&mut self, columns: usize) {
        self.out.push('\n');
        self.prefix();
        self.out.extend(std::iter::repeat_n("| --- ", columns));
        self.out.push('|');
    }

    pub(super) fn end_row(&mut self) {
        let Some(table) = &mut self.table else { return };
        let Some(row) = table.row.take() else { return };
        if !row.has_text {
            return;
        }
        let columns = table.columns.max(row.cells);
        self.out.extend(std::iter::repeat_n(" |", row.cells_since + 1));
        let is_first = !std::mem::replace(&mut table.header_is_done, true);
        if row.is_header && is_first {
            self.out.extend(std::iter::repeat_n("  |", columns - row.cells));
            self.delimiters(columns);
        }
    }
}
