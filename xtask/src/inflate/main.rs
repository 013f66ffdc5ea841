//! What inflating an archive's gzip members with libdeflate alone takes, in CPU seconds: `inflate ARCHIVE`.
//!
//! `benches/scaling.py` sets the CPU time of a run against it.
#![allow(clippy::unwrap_used)]

mod members;

use members::Members;

fn main() {
    let path = std::env::args_os().nth(1).expect("usage: inflate ARCHIVE");
    let mut members = Members::of(path);
    let before = cpu_seconds();
    let decoded = members.inflate();
    let seconds = cpu_seconds() - before;
    println!("{decoded} bytes in seconds: {seconds:.6}");
}

/// What this thread has worked, without what others did on the same core.
fn cpu_seconds() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    told.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
