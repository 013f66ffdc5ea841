//! Times the extractors, and those that the papers compare with, on ordinary pages that are made long.
//!
//!     cargo study linear [PRESET...]
//!
//! CPU time of the strip and the extraction, in milliseconds for each MiB of source: the mean over three pages of each
//! size. The last column is the growth from the smallest size to the largest: 1 is linear. The status is 1 if it is
//! greater than 1.5.

use std::process::ExitCode;

use crate::hostile::ordinary;
use crate::shared::Outcome;
use crate::shared::cpu_time::seconds;

use dehusk_extract::{PageContext, Preset, registry};
use dehusk_html::{Buffers, Dom, parse};

/// The pages whose bodies are repeated.
const PAGES: [&str; 3] = [
    "ordinary: an article in elements of HTML 5",
    "ordinary: a thread in tables",
    "ordinary: a listing",
];

/// Sizes in MiB.
const SIZES: [usize; 3] = [1, 4, 16];

/// The most that the time for a MiB may grow. Larger pages do not fit into the caches.
const MOST: f64 = 1.5;

/// Source that each preset reads of each page at each size, in MiB. The system counts CPU time in steps of
/// milliseconds.
const READ: usize = 32;

/// Rounds, of which the least counts.
const ROUNDS: usize = 2;

pub fn main(arguments: &[String]) -> Outcome {
    let names = registry::all().filter(|name| arguments.is_empty() || arguments.iter().any(|of| of == name));
    let presets: Vec<Preset> = names.filter_map(registry::preset).collect();
    if let Some(unknown) = arguments.iter().find(|name| registry::built_in(name).is_none()) {
        return Err(format!("there is no preset {unknown}").into());
    }
    let mut times = vec![[0.0; SIZES.len()]; presets.len()];
    for (kind, make) in ordinary::kinds()? {
        for (place, size) in SIZES.iter().enumerate().filter(|_| PAGES.contains(&kind)) {
            let html = make(size << 20);
            let dom = parse(&html, Buffers::default());
            for (of, preset) in times.iter_mut().zip(&presets) {
                let round = |_| time(&dom, preset, READ / size) / READ as f64;
                of[place] += (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min) / PAGES.len() as f64;
            }
        }
    }
    let sizes = SIZES.map(|size| format!("{:>10}", format!("{size} MiB"))).concat();
    println!("{:<18}{sizes}{:>8}", "ms for a MiB", "growth");
    let mut most: f64 = 0.0;
    for (preset, times) in presets.iter().zip(times) {
        let growth = times[SIZES.len() - 1] / times[0];
        most = most.max(growth);
        let shown = times.map(|time| format!("{:>10.2}", time * 1e3)).concat();
        println!("{:<18}{shown}{growth:>8.2}", preset.name);
    }
    Ok(ExitCode::from(u8::from(most > MOST)))
}

/// Seconds of some extractions.
fn time(dom: &Dom<'_>, preset: &Preset, runs: usize) -> f64 {
    let started = seconds();
    for _ in 0..runs {
        let _selection = PageContext::new(dom, "").selection(preset);
    }
    seconds() - started
}
