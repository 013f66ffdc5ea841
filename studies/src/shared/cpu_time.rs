//! CPU time of the current thread.

use std::sync::LazyLock;
use std::time::Instant;

/// Seconds that this thread has worked. The clock would also count what others do on a busy machine, so it is used only
/// if the system does not report CPU time.
pub fn seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let schedstat = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedstat.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| START.elapsed().as_secs_f64(), |n| n / 1e9)
}
