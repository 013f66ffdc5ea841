//! Tables, their rows and their cells.

use super::super::inline;
use super::super::role::Gap;
use super::super::table::{self, Span, Table, TableForm};
use super::super::writer::{Close, Open, Writer};
use super::{End, Walk};
use crate::dom::tag::Tag;
use crate::dom::{Node, NodeId};

/// Between two rows of a table in a cell, and between the table and other text of the cell.
const INNER_ROW: &str = "; ";

/// Between two items of a list in a cell.
const INNER_ITEM: &str = "; ";

/// Between two cells of a table in a cell.
const INNER_CELL: &str = ", ";

impl<W: Writer> Walk<'_, W> {
    pub(super) fn open_table(&mut self, id: NodeId, node: &Node) {
        let form = table::form(self.dom, id, &self.hints);
        if form == TableForm::Code {
            return self.open_code(id, node, true);
        }
        self.require(Gap::Paragraph);
        self.push_table(id, node, form);
    }

    /// Opens a table in a cell. The whole cell is one line.
    pub(super) fn open_inner_table(&mut self, id: NodeId, node: &Node) {
        self.push_table(id, node, TableForm::Inner);
    }

    fn push_table(&mut self, id: NodeId, node: &Node, form: TableForm) {
        if matches!(form, TableForm::Data | TableForm::Inner) {
            self.writer.open(Open::Table);
        }
        self.tables.push(Table {
            id,
            form,
            has_text: false,
            has_cell: false,
        });
        self.ends.push((node.end, End::Table));
    }

    /// Whether the innermost table is one of data.
    pub(super) fn is_in_data(&self) -> bool {
        self.tables.last().is_some_and(|table| table.form == TableForm::Data)
    }

    /// The form of the table that the row or the section belongs to.
    pub(super) fn table_form(&self, id: NodeId) -> Option<TableForm> {
        let table = self.tables.last()?;
        let parent = self.nodes[id as usize].parent;
        let is_own = parent == table.id || self.nodes[parent as usize].parent == table.id;
        is_own.then_some(table.form)
    }

    pub(super) fn open_row(&mut self, id: NodeId, node: &Node) {
        match self.table_form(id) {
            Some(TableForm::Data) if self.most == Gap::Paragraph => {
                self.require(Gap::Line);
                if self.tables.last().is_some_and(|table| table.has_text) {
                    // Whatever is between two rows, they are of one table.
                    self.gap = Gap::Line;
                }
                self.writer.open(Open::Row(node.parent));
                self.ends.push((node.end, End::Row));
            }
            Some(TableForm::Inner) => {
                self.begin_inner_row();
                self.writer.open(Open::Row(node.parent));
                self.ends.push((node.end, End::Row));
            }
            _ => self.border(id, node, Gap::Paragraph),
        }
    }

    /// Separates what follows from the text of the cell so far.
    fn begin_inner_row(&mut self) {
        self.gap = self.gap.max(Gap::InnerCell);
        self.inner_borders.clear();
        self.inner_borders.push_str(INNER_ROW);
        if let Some(table) = self.tables.last_mut() {
            table.has_cell = false;
        }
    }

    /// Opens an item of a list in a cell. The whole cell is one line.
    pub(super) fn open_inner_item(&mut self, id: NodeId, node: &Node) {
        if inline::before(self.nodes, id).tag == Tag::Li {
            self.gap = self.gap.max(Gap::InnerCell);
            self.inner_borders.clear();
            self.inner_borders.push_str(INNER_ITEM);
        }
        self.border(id, node, Gap::Space);
    }

    pub(super) fn open_cell(&mut self, id: NodeId, node: &Node) {
        match self.table_form(node.parent) {
            Some(TableForm::Data) if self.nodes[node.parent as usize].tag == Tag::Tr => {
                // A cell is on the line of its row, whatever is around it.
                self.gap = self.gap.max(Gap::Cell);
                self.inner_borders.clear();
                self.push_cell(id, node);
                self.most = Gap::Space;
            }
            Some(TableForm::Inner) if self.nodes[node.parent as usize].tag == Tag::Tr => {
                self.gap = self.gap.max(Gap::InnerCell);
                if self
                    .tables
                    .last_mut()
                    .is_some_and(|table| std::mem::replace(&mut table.has_cell, true))
                {
                    self.inner_borders.push_str(INNER_CELL);
                }
                self.push_cell(id, node);
            }
            Some(TableForm::Blocks) => self.border(id, node, Gap::Paragraph),
            _ => self.border(id, node, Gap::Space),
        }
    }

    fn push_cell(&mut self, id: NodeId, node: &Node) {
        let span = if W::INLINE { Span::new(self.dom, id) } else { Span::ONE };
        self.writer.open(Open::Cell(span));
        self.ends.push((node.end, End::Cell(self.most)));
    }

    pub(super) fn close_table(&mut self) {
        match self.tables.pop().map(|table| (table.form, table.has_text)) {
            Some((TableForm::Data, _)) => self.writer.close(Close::Table),
            Some((TableForm::Inner, has_text)) => {
                self.writer.close(Close::Table);
                if has_text {
                    self.begin_inner_row();
                }
            }
            _ => {}
        }
        self.require(Gap::Paragraph);
    }

    pub(super) fn close_row(&mut self) {
        if let Some(table) = self.tables.last_mut() {
            let before_text = if table.form == TableForm::Inner {
                Gap::InnerCell
            } else {
                Gap::Line
            };
            table.has_text |= self.gap < before_text;
            if table.form == TableForm::Data {
                self.inner_borders.clear();
            }
        }
        self.writer.close(Close::Row);
        self.require(Gap::Line);
    }

    pub(super) fn close_cell(&mut self, most: Gap) {
        self.writer.close(Close::Cell);
        self.most = most;
        self.breaks = 0;
        self.require(Gap::Space);
    }
}
