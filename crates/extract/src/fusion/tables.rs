//! Distinguishes tables that hold data from tables that lay out a page.
//!
//! A table **holds data** if no other table is in it, and if of its rows at least two, and at least half, have two
//! cells or more. Rows and cells without text do not count.

use dehusk_html::Tag;

use crate::blocks::{Blocks, NONE};

/// The tables of a page. The memory is kept from page to page.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// In document order.
    tables: Vec<Table>,
    /// For each element the index of the innermost table around it, itself included; [`NONE`] for none. Empty if the
    /// page has no table.
    table_of: Vec<u32>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Table {
    rows: u32,
    /// Rows with two cells or more.
    rows_of_cells: u32,
    /// Cells of the last row.
    cells: u32,
    has_table: bool,
}

impl Tables {
    /// Looks at all tables of a page, in one pass over its elements: parents come first.
    pub(super) fn find(&mut self, blocks: &Blocks) {
        self.tables.clear();
        self.table_of.clear();
        if blocks.elements.iter().all(|element| element.tag != Tag::Table) {
            return;
        }
        for element in &blocks.elements {
            let mut around = self.table_of.get(element.parent as usize).copied().unwrap_or(NONE);
            if let Some(table) = self.tables.get_mut(around as usize) {
                match element.tag {
                    Tag::Table => table.has_table = true,
                    Tag::Tr => {
                        table.rows += 1;
                        table.cells = 0;
                    }
                    Tag::Td | Tag::Th => {
                        table.cells += 1;
                        table.rows_of_cells += u32::from(table.cells == 2);
                    }
                    _ => {}
                }
            }
            if element.tag == Tag::Table {
                around = self.tables.len() as u32;
                self.tables.push(Table::default());
            }
            self.table_of.push(around);
        }
    }

    /// Whether the innermost table around an element, itself included, holds data.
    pub(super) fn is_in_data(&self, element: u32) -> bool {
        let table = self
            .table_of
            .get(element as usize)
            .and_then(|at| self.tables.get(*at as usize));
        table.is_some_and(|table| table.holds_data())
    }
}

impl Table {
    fn holds_data(self) -> bool {
        !self.has_table && self.rows_of_cells >= 2 && 2 * self.rows_of_cells >= self.rows
    }
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};

    use super::*;

    fn data(page: &str) -> usize {
        let mut blocks = Blocks::default();
        blocks.cut(&parse(page, Buffers::default()));
        let mut tables = Tables::default();
        tables.find(&blocks);
        let is_data = |number: &usize| blocks.elements[*number].tag == Tag::Table && tables.is_in_data(*number as u32);
        (0..blocks.elements.len()).filter(is_data).count()
    }

    #[test]
    fn tables_of_two_rows_of_two_cells_hold_data() {
        assert_eq!(data("<table><tr><th>a<th>b<tr><td>c<td>d</table>"), 1);
        assert_eq!(data("<table><tr><td>a<td>b<tr><td>c</table>"), 0);
        assert_eq!(data("<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<tr><td>f</table>"), 1);
        assert_eq!(
            data("<table><tr><td>a<td>b<tr><td>c<td>d<tr><td>e<tr><td>f<tr><td>g</table>"),
            0
        );
        assert_eq!(data("<table><tr><td>a<td><img><tr><td>c<td>d</table>"), 0);
    }

    #[test]
    fn tables_around_tables_lay_out_a_page() {
        let inner = "<table><tr><td>a<td>b<tr><td>c<td>d</table>";
        assert_eq!(
            data(&format!("<table><tr><td>{inner}<td>e<tr><td>f<td>g</table>{inner}")),
            2
        );
        assert_eq!(
            data("<table><tr><td>a<table><tr><td>b</table><td>c<tr><td>d<td>e</table>"),
            0
        );
    }
}
