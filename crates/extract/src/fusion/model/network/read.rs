//! Reads a network, and refuses one whose sums could leave 32 bits.

use super::super::reader::ModelBytes;
use super::dense::{Dense, LARGEST, pair};
use super::winograd::Winograd;
use super::{Input, LARGEST_INPUT, LARGEST_NORMED, Layer, MAX_LAYERS, Network};

impl Network {
    /// Reads the section. `features` is the number of columns of a matrix.
    pub fn read(reader: ModelBytes<'_>, features: usize) -> Result<Self, &'static str> {
        const CUT: &str = "ends too early";
        let mut reader = reader;
        let width = usize::from(reader.u8().ok_or(CUT)?);
        if !(8..=64).contains(&width) || !width.is_multiple_of(8) {
            return Err("has a width other than 8, 16 … 64");
        }
        let count = usize::from(reader.u8().ok_or(CUT)?);
        if !(1..=MAX_LAYERS).contains(&count) {
            return Err("has a number of layers other than 1 to 6");
        }
        let input_count = usize::from(reader.u16().ok_or(CUT)?);
        let normed = match reader.u8().ok_or(CUT)? {
            0 => false,
            1 => true,
            _ => return Err("has an unknown norm"),
        };
        let mut inputs = Vec::new();
        for _ in 0..input_count {
            let input = Input {
                feature: reader.u16().ok_or(CUT)?,
                mean: reader.i16().ok_or(CUT)?,
                scale: reader.u16().ok_or(CUT)?,
            };
            if usize::from(input.feature) >= features {
                return Err("names a feature that does not exist");
            }
            inputs.push(input);
        }
        if inputs.is_empty() {
            return Err("has no inputs");
        }
        let z = if normed { LARGEST_NORMED } else { LARGEST };
        let weights = reader.i16s(width * input_count).ok_or(CUT)?;
        let biases = reader.i32s(width).ok_or(CUT)?;
        check(&weights, LARGEST_INPUT, &biases)?;
        let first = Dense::new(&weights, &biases, |group, i| 4 * group + i);
        let mut layers = Vec::new();
        for number in 0..count {
            let taps = reader.i16s(2 * width * 3 * width).ok_or(CUT)?;
            let biases = reader.i32s(2 * width).ok_or(CUT)?;
            let page = reader.i16s(2 * width * 2 * width).ok_or(CUT)?;
            let rows = taps.chunks(3 * width).zip(page.chunks(2 * width));
            let both: Vec<i16> = rows.flat_map(|(taps, page)| [taps, page].concat()).collect();
            let largest = check(&both, z, &biases)?;
            let back = reader.i16s(width * width).ok_or(CUT)?;
            let none = vec![0; width];
            check(&back, LARGEST, &none)?;
            let output = |group, i| 2 * group + i % 2 + i / 2 * width;
            layers.push(Layer {
                distance: 1 << number,
                gated: Dense::new(&taps, &biases, output),
                winograd: Winograd::new(&taps, 2 * width, largest, 1 << number, output),
                page,
                back: Dense::new(&back, &none, |group, i| 4 * group + i),
            });
        }
        let weights = reader.i16s(width * 2 * width).ok_or(CUT)?;
        let biases = reader.i32s(width).ok_or(CUT)?;
        check(&weights, LARGEST, &biases)?;
        let logit = reader.i16s(width).ok_or(CUT)?;
        let logit_bias = reader.i32().ok_or(CUT)?;
        check(&logit, LARGEST, &[logit_bias])?;
        if !reader.0.is_empty() {
            return Err("is too long");
        }
        Ok(Self {
            width,
            normed,
            inputs,
            first,
            layers,
            last: Dense::new(&weights, &biases, |group, i| 4 * group + i),
            logit: logit.chunks(2).map(|w| pair(w[0].into(), w[1].into())).collect(),
            logit_bias,
        })
    }
}

/// Checks that no sum of a row leaves 32 bits where inputs are up to `bound`. Returns the largest that can be.
fn check(weights: &[i16], bound: i32, biases: &[i32]) -> Result<i64, &'static str> {
    let inputs = weights.len() / biases.len();
    let mut largest = 0;
    for (weights, bias) in weights.chunks(inputs).zip(biases) {
        let sum: i64 = weights.iter().map(|&w| i64::from(w).abs()).sum();
        largest = largest.max(sum * i64::from(bound) + i64::from(*bias).abs() + 2048);
    }
    if largest > i32::MAX.into() {
        return Err("has weights whose sums could be too large");
    }
    Ok(largest)
}
