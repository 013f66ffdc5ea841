//! The memory that the program uses, as the system reports it.

/// Resident memory in bytes: now, and the most so far. `None` if the system does not report it.
pub fn resident() -> Option<(u64, u64)> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = |key: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    Some((kilobytes("VmRSS:")? * 1024, kilobytes("VmHWM:")? * 1024))
}
