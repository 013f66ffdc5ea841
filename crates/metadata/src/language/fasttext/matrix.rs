//! A matrix of a model: its numbers as they are, or quantised by products.

use std::io::Read;

use super::read::{Input, ModelError};

/// Values of a code, which is a byte.
const CODES: usize = 256;

pub(super) struct Matrix {
    rows: usize,
    columns: usize,
    values: Values,
}

enum Values {
    Plain(Vec<f32>),
    Quantized {
        quantizer: Quantizer,
        codes: Vec<u8>,
        /// Lengths of the rows, quantised, if the rows are scaled to length 1.
        lengths: Option<(Quantizer, Vec<u8>)>,
    },
}

impl Matrix {
    pub(super) fn read<R: Read>(input: &mut Input<R>, is_quantized: bool) -> Result<Self, ModelError> {
        let wrong = ModelError::Invalid("the size of a matrix");
        let has_lengths = is_quantized && input.flag()?;
        let (rows, columns) = (input.long_count()?, input.long_count()?);
        let Some(size) = rows.checked_mul(columns) else {
            return Err(wrong);
        };
        if !is_quantized {
            return Ok(Self {
                rows,
                columns,
                values: Values::Plain(input.floats(size)?),
            });
        }
        let code_count = input.count()?;
        let codes = input.bytes(code_count)?;
        let quantizer = Quantizer::read(input)?;
        if quantizer.dimensions != columns || rows.checked_mul(quantizer.parts) != Some(codes.len()) {
            return Err(wrong);
        }
        let mut lengths = None;
        if has_lengths {
            let codes = input.bytes(rows)?;
            let quantizer = Quantizer::read(input)?;
            if (quantizer.dimensions, quantizer.parts) != (1, 1) {
                return Err(ModelError::Invalid("the lengths of rows"));
            }
            lengths = Some((quantizer, codes));
        }
        Ok(Self {
            rows,
            columns,
            values: Values::Quantized {
                quantizer,
                codes,
                lengths,
            },
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// Adds a row to a vector. Returns false if there is none of this number.
    pub(super) fn add_row(&self, row: usize, to: &mut [f32]) -> bool {
        if row >= self.rows {
            return false;
        }
        self.for_each_piece(row, |at, values, scale| {
            for (sum, value) in to[at..].iter_mut().zip(values) {
                *sum += scale * value;
            }
        });
        true
    }

    /// The product of a row and a vector. The row is one of the matrix.
    pub(super) fn dot_row(&self, row: usize, vector: &[f32]) -> f32 {
        let mut product = 0.0;
        self.for_each_piece(row, |at, values, scale| {
            let sum: f32 = vector[at..].iter().zip(values).map(|(a, b)| a * b).sum();
            product += scale * sum;
        });
        product
    }

    /// Passes the pieces of a row on: where each begins, its values, and what they are to be multiplied by.
    fn for_each_piece(&self, row: usize, mut take: impl FnMut(usize, &[f32], f32)) {
        match &self.values {
            Values::Plain(values) => take(0, &values[row * self.columns..][..self.columns], 1.0),
            Values::Quantized {
                quantizer,
                codes,
                lengths,
            } => {
                let scale = match lengths {
                    Some((quantizer, codes)) => quantizer.values(0, codes[row])[0],
                    None => 1.0,
                };
                let codes = &codes[row * quantizer.parts..][..quantizer.parts];
                for (part, code) in codes.iter().enumerate() {
                    take(part * quantizer.width, quantizer.values(part, *code), scale);
                }
            }
        }
    }
}

/// The values of the codes: a vector is cut into parts, and each is the nearest of 256.
struct Quantizer {
    dimensions: usize,
    parts: usize,
    /// Width of a part, and of the last one.
    width: usize,
    last: usize,
    centroids: Vec<f32>,
}

impl Quantizer {
    fn read<R: Read>(input: &mut Input<R>) -> Result<Self, ModelError> {
        let wrong = ModelError::Invalid("the values of a quantised matrix");
        let (dimensions, parts, width, last) = (input.count()?, input.count()?, input.count()?, input.count()?);
        let is_whole = parts > 0 && (1..=width).contains(&last);
        let sum = parts
            .checked_sub(1)
            .and_then(|others| others.checked_mul(width)?.checked_add(last));
        let (true, Some(size)) = (is_whole && sum == Some(dimensions), dimensions.checked_mul(CODES)) else {
            return Err(wrong);
        };
        Ok(Self {
            dimensions,
            parts,
            width,
            last,
            centroids: input.floats(size)?,
        })
    }

    /// The values of a code of a part.
    fn values(&self, part: usize, code: u8) -> &[f32] {
        let code = usize::from(code);
        if part + 1 == self.parts {
            return &self.centroids[part * CODES * self.width + code * self.last..][..self.last];
        }
        &self.centroids[(part * CODES + code) * self.width..][..self.width]
    }
}
