//! The features of a page's blocks as columns of 16-bit integers.

/// Blocks that are scored side by side. Columns are padded to a multiple of it.
pub(crate) const LANES: usize = 64;

/// The features of a page: a column a feature, a row a block.
///
/// Columns lie one after the other, each padded with zeros to a multiple of 64 rows, so that code that reads a
/// column needs no case for its end. The memory is kept from page to page.
#[derive(Debug, Default)]
pub struct Matrix {
    values: Vec<i16>,
    blocks: usize,
    stride: usize,
    columns: usize,
}

impl Matrix {
    /// Makes room for a page. All values are 0 then.
    pub fn reset(&mut self, blocks: usize, columns: usize) {
        self.values.clear();
        self.reset_columns(blocks, columns);
    }

    /// Makes room for a page, and leaves any values in the columns. A column may be read only after
    /// [`fill`](Self::fill).
    pub(super) fn reset_columns(&mut self, blocks: usize, columns: usize) {
        self.blocks = blocks;
        self.columns = columns;
        self.stride = blocks.next_multiple_of(LANES);
        // It never shrinks, so that a small page between large ones costs nothing.
        let size = self.stride * columns;
        if self.values.len() < size {
            self.values.resize(size, 0);
        }
    }

    /// Sets a column, and its padding to 0.
    #[inline(always)]
    pub(super) fn fill(&mut self, feature: usize, of_blocks: impl Iterator<Item = i16>) {
        let blocks = self.blocks;
        let (values, padding) = self.column_mut(feature).split_at_mut(blocks);
        for (value, of_block) in values.iter_mut().zip(of_blocks) {
            *value = of_block;
        }
        padding.fill(0);
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The length of a column: the number of blocks, rounded up to a multiple of 64.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// The values of a feature, padded to the stride. The padding is 0.
    pub fn column(&self, feature: usize) -> &[i16] {
        &self.values[feature * self.stride..][..self.stride]
    }

    /// All values, 64 blocks at a time: those of the first feature, then those of the second, and so on.
    pub(super) fn chunks(&self) -> &[[i16; LANES]] {
        self.values.as_chunks().0
    }

    /// The values of a feature, for writing. Leave the padding 0.
    pub fn column_mut(&mut self, feature: usize) -> &mut [i16] {
        &mut self.values[feature * self.stride..][..self.stride]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_long_as_the_stride_and_zero_at_first() {
        let mut matrix = Matrix::default();
        for blocks in [0, 1, 63, 64, 65, 292] {
            matrix.reset(blocks, 3);
            assert_eq!(matrix.stride(), blocks.div_ceil(64) * 64);
            for f in 0..3 {
                assert!(matrix.column(f).iter().all(|&v| v == 0));
                assert_eq!(matrix.column(f).len(), matrix.stride());
                matrix.column_mut(f).fill(f as i16 + 1);
            }
            for f in 0..3 {
                assert!(matrix.column(f).iter().all(|&v| v == f as i16 + 1), "columns are apart");
            }
        }
    }
}
