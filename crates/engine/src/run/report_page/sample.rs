//! Samples of a run's progress.

/// A run at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    pub(super) documents: u64,
    /// Resident memory in bytes; 0 if the system does not report it.
    pub(super) memory: u64,
}
