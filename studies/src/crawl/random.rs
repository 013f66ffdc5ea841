//! Numbers that look random and are the same for a seed.

use std::f64::consts::TAU;

use xxhash_rust::xxh3::xxh3_64_with_seed;

#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    at: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { seed, at: 0 }
    }

    /// Numbers of a thing's own.
    pub fn of(&self, thing: u64, time: u64) -> Self {
        let bytes = [thing.to_le_bytes(), time.to_le_bytes()].concat();
        Self::new(xxh3_64_with_seed(&bytes, self.seed))
    }

    /// Above 0 and at most 1.
    pub fn uniform(&mut self) -> f64 {
        self.at += 1;
        let bits = xxh3_64_with_seed(&self.at.to_le_bytes(), self.seed) >> 11;
        (bits + 1) as f64 / (1_u64 << 53) as f64
    }

    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.uniform().ln()
    }

    /// Of mean 0 and deviation 1 (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    pub fn lognormal(&mut self, median: f64, spread: f64) -> f64 {
        median * (spread * self.normal()).exp()
    }

    /// How many of `n` events of this probability happen: by the normal distribution where that is close.
    pub fn binomial(&mut self, n: f64, probability: f64) -> f64 {
        if n * probability < 20.0 {
            return (0..n as u32).filter(|_| self.uniform() <= probability).count() as f64;
        }
        let (mean, deviation) = (n * probability, (n * probability * (1.0 - probability)).sqrt());
        (mean + deviation * self.normal()).round().clamp(0.0, n)
    }
}
