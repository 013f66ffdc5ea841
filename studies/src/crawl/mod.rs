//! How long a monthly Common Crawl takes: arithmetic, and a simulation by discrete events.
//!
//!     cargo study crawl [SEED]
//!
//! It prints the tables of `docs/scale.md`. `model` has what was measured, what others state and what is assumed;
//! `simulate` runs a fleet of machines over the archives.

mod model;
mod random;
mod simulate;

use std::process::ExitCode;

use crate::shared::Outcome;
use model::{Fleet, PRESETS, Reading, Spot, Store, Work};
use simulate::{Divide, Order, Outcome as Simulated, Plan, simulate};

const HOUR: f64 = 3600.0;

/// Cores of a machine in all tables.
const CORES: u32 = 8;

/// Simulations of a row, each with the next seed.
const RUNS: u64 = 20;

pub fn main(arguments: &[String]) -> Outcome {
    let seed = match arguments {
        [] => 1,
        [seed] => seed.parse()?,
        _ => return Err("crawl takes SEED".into()),
    };
    println!("{}", presets());
    println!("{}", bottlenecks());
    println!("{}", finishing(seed));
    println!("{}", large_archives(seed));
    Ok(ExitCode::SUCCESS)
}

/// Core hours, requests and cost of each preset.
fn presets() -> String {
    let mut out = String::from("| preset | ms a page | core hours | on demand | spot |\n|---|--:|--:|--:|--:|\n");
    for preset in PRESETS {
        let seconds = Work::crawl(preset).core_seconds();
        let machine_hours = seconds / HOUR / f64::from(CORES);
        out += &format!(
            "| `{}` | {:.2} | {:.0} | ${:.0} | ${:.0} |\n",
            preset.name,
            preset.page_seconds(model::PAGE_BYTES) * 1000.0,
            seconds / HOUR,
            machine_hours * model::ON_DEMAND,
            machine_hours * model::SPOT
        );
    }
    out
}

/// Limits of fleets of 1 to 1,000 machines, by settings of the remote source: the hours that each limit alone takes.
fn bottlenecks() -> String {
    let mut out = String::from(
        "| machines | settings | cores | network | a machine's requests | the store |\n|--:|---|--:|--:|--:|--:|\n",
    );
    let work = Work::crawl(&PRESETS[0]);
    for machines in [1, 10, 100, 1000] {
        for (name, reading) in [("default", Reading::DEFAULT), ("large", Reading::LARGE)] {
            let fleet = Fleet::plain(machines, CORES);
            let limits = model::limits(&work, &fleet, &reading, &Store::COMMON_CRAWL);
            let slowest = limits.iter().copied().fold(0.0, f64::max);
            let cell = |seconds: f64| {
                let hours = three_digits(seconds / HOUR);
                if seconds == slowest {
                    format!("**{hours}**")
                } else {
                    hours
                }
            };
            let cells: Vec<String> = limits.iter().map(|seconds| cell(*seconds)).collect();
            let machines = three_digits(f64::from(machines));
            let machines = machines.split('.').next().unwrap_or_default();
            out += &format!("| {machines} | {name} | {} |\n", cells.join(" | "));
        }
    }
    out
}

/// A number below 10,000 with three digits that count, and at most two after the point.
fn three_digits(number: f64) -> String {
    match number {
        n if n >= 1000.0 => {
            let tens = (n / 10.0).round() * 10.0;
            format!("{},{:03}", (tens / 1000.0).floor(), tens % 1000.0)
        }
        n if n >= 100.0 => format!("{n:.0}"),
        n if n >= 10.0 => format!("{n:.1}"),
        n => format!("{n:.2}"),
    }
}

/// The plans that are compared, and whether machines vanish.
const PLANS: [(&str, Plan, Option<Spot>); 6] = [
    ("in advance, windows", Plan::new(Order::Dealt, Divide::Windows), None),
    ("queue, whole archives", Plan::new(Order::Queue, Divide::Whole), None),
    (
        "queue, ranges of 256 MB",
        Plan::new(Order::Queue, Divide::Ranges(256e6)),
        None,
    ),
    (
        "in advance, windows, spot",
        Plan::new(Order::Dealt, Divide::Windows),
        Some(Spot::BAD),
    ),
    (
        "queue, whole archives, spot",
        Plan::new(Order::Queue, Divide::Whole),
        Some(Spot::BAD),
    ),
    (
        "queue, ranges of 256 MB, spot",
        Plan::new(Order::Queue, Divide::Ranges(256e6)),
        Some(Spot::BAD),
    ),
];

const HEAD: &str = "| machines | given out | minutes | the longest | last 1 % | vanished | lost | cost |\n\
                    |--:|---|--:|--:|--:|--:|--:|--:|\n";

/// The finishing time of fleets, by how work is given out.
fn finishing(seed: u64) -> String {
    let work = Work::crawl(&PRESETS[0]);
    let mut out = String::from(HEAD);
    for machines in [10, 100, 1000] {
        for (name, plan, spot) in PLANS {
            let fleet = Fleet {
                spot,
                ..Fleet::real(machines, CORES)
            };
            out += &row(name, &work, &fleet, &Store::COMMON_CRAWL, plan, seed);
        }
    }
    out
}

/// The same for a crawl of one's own: a thousand archives of 300 MB of very different sizes, and a few of 10 GB.
fn large_archives(seed: u64) -> String {
    let work = Work {
        archives: 1000,
        mean_bytes: 300e6,
        spread: 1.0,
        large: (0.003, 33.0),
        ..Work::crawl(&PRESETS[0])
    };
    let mut out = String::from(HEAD);
    for (name, plan, _) in &PLANS[..3] {
        out += &row(name, &work, &Fleet::real(20, CORES), &Store::OWN, *plan, seed);
    }
    out
}

/// The mean of twenty simulations.
fn row(name: &str, work: &Work, fleet: &Fleet, store: &Store, plan: Plan, seed: u64) -> String {
    let runs: Vec<Simulated> = (0..RUNS)
        .map(|run| simulate(work, fleet, &Reading::LARGE, store, plan, seed + run))
        .collect();
    let mean = |value: &dyn Fn(&Simulated) -> f64| runs.iter().map(value).sum::<f64>() / RUNS as f64;
    let minutes = mean(&|run| run.seconds / 60.0);
    let longest = runs.iter().map(|run| run.seconds / 60.0).fold(0.0, f64::max);
    let price = if fleet.spot.is_some() {
        model::SPOT
    } else {
        model::ON_DEMAND
    };
    format!(
        "| {} | {name} | {minutes:.1} | {longest:.1} | {:.1} | {:.0} | {:.1} % | ${:.0} |\n",
        fleet.machines,
        mean(&|run| run.tail / 60.0),
        mean(&|run| run.vanished as f64),
        100.0 * mean(&|run| run.lost / run.busy.max(1.0)),
        f64::from(fleet.machines) * minutes / 60.0 * price
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_tables_that_are_computed() {
        let page = std::fs::read_to_string(crate::shared::root().join("docs/scale.md")).expect("the page");
        let computed = presets() + &bottlenecks();
        let computed: Vec<&str> = computed.lines().collect();
        let tables = page
            .split("## ")
            .filter(|part| part.starts_with("Core hours") || part.starts_with("The bottleneck"));
        let rows: Vec<&str> = tables
            .flat_map(str::lines)
            .filter(|line| line.starts_with('|'))
            .collect();
        assert!(rows.len() > 12, "{rows:?}");
        for row in rows {
            assert!(computed.contains(&row), "{row}");
        }
    }
}
