//! The section `remote`: how archives on servers are asked for.

use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// How archives on servers are asked for. Without the feature `network` nothing reads it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RemoteConfig {
    /// How many bytes a request asks for.
    pub part_bytes: u64,
    /// How many bytes between two ranges that are wanted are read with them, instead of a request for each.
    pub join_gap: u64,
    /// How many parts are asked for before they are needed.
    pub read_ahead: u64,
    /// How many requests a server is asked at a time.
    pub requests: u64,
    /// How many requests a server is asked in a second; 0 for no limit.
    pub requests_per_second: u64,
    /// How often a request is repeated that brought nothing.
    pub retries: u64,
    /// How long the first repetition waits, in milliseconds. Each further one waits twice as long, at most 30 seconds.
    pub retry_ms: u64,
    /// After how many milliseconds without a byte, or with less than 64 KiB of a body, a request is given up.
    pub timeout_ms: u64,
    /// Whether redirects and remote lists may lead to private, link-local and loopback addresses from servers with
    /// others.
    pub private: bool,
}

impl Default for RemoteConfig {
    fn default() -> Self {
        Self {
            part_bytes: 2 << 20,
            join_gap: 64 << 10,
            read_ahead: 4,
            requests: 4,
            requests_per_second: 10,
            retries: 6,
            retry_ms: 500,
            timeout_ms: 60_000,
            private: false,
        }
    }
}

impl RemoteConfig {
    /// The section of a configuration that is hashed: none, so that hashes are those of the versions before it.
    #[doc(hidden)]
    pub const LEFT_OUT: Self = Self {
        part_bytes: 0,
        join_gap: 0,
        read_ahead: 0,
        requests: 0,
        requests_per_second: 0,
        retries: 0,
        retry_ms: 0,
        timeout_ms: 0,
        private: false,
    };

    /// Whether it is that.
    #[doc(hidden)]
    pub fn is_left_out(&self) -> bool {
        *self == Self::LEFT_OUT
    }

    /// The first value outside of its bounds, which keep the memory bounded.
    #[doc(hidden)]
    pub fn out_of_bounds(&self) -> Option<OutOfBounds> {
        let bounds = [
            ("part_bytes", self.part_bytes, 1..=64 << 20),
            ("join_gap", self.join_gap, 0..=64 << 20),
            ("read_ahead", self.read_ahead, 0..=64),
            ("requests", self.requests, 1..=256),
            ("requests_per_second", self.requests_per_second, 0..=10_000),
            ("retries", self.retries, 0..=100),
            ("retry_ms", self.retry_ms, 1..=30_000),
            ("timeout_ms", self.timeout_ms, 1..=3_600_000),
        ];
        let (key, value, bounds) = bounds.into_iter().find(|(_, value, bounds)| !bounds.contains(value))?;
        Some(OutOfBounds { key, value, bounds })
    }
}

/// A value of [`RemoteConfig`] outside of its bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The name of the field.
    pub key: &'static str,
    /// Its value.
    pub value: u64,
    /// The least and the most that it can be.
    pub bounds: RangeInclusive<u64>,
}
