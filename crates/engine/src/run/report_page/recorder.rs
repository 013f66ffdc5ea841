//! The data of a run for its page: samples of its progress, and observations of its workers.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::report::Report;
use super::page;
use super::sample::Sample;
use crate::memory;
use crate::pipeline::{Observed, Progress};

/// Most samples. At this number, every second one is dropped, and the next ones come half as often.
const SAMPLES: usize = 240;

/// Time between the first samples.
const FIRST_STEP: Duration = Duration::from_millis(250);

/// Records samples of a run's progress, and observations of its workers.
#[derive(Debug)]
pub(in crate::run) struct Recorder<'r> {
    progress: &'r Progress,
    started: Instant,
    step: Duration,
    next: Duration,
    samples: Vec<Sample>,
    observed: Observed,
}

impl<'r> Recorder<'r> {
    /// Begins with the run.
    pub(in crate::run) fn new(progress: &'r Progress) -> Self {
        Self {
            progress,
            started: Instant::now(),
            step: FIRST_STEP,
            next: FIRST_STEP,
            samples: vec![Sample::default()],
            observed: Observed::default(),
        }
    }

    /// Takes what was noticed about a chunk's pages, and a sample if it is time.
    pub(in crate::run) fn add(&mut self, observed: Observed) {
        self.observed.add(observed);
        let elapsed = self.started.elapsed();
        if elapsed < self.next {
            return;
        }
        self.sample(elapsed);
        if self.samples.len() > SAMPLES {
            let mut at = 0;
            self.samples.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.step *= 2;
        }
        self.next = elapsed + self.step;
    }

    fn sample(&mut self, elapsed: Duration) {
        self.samples.push(Sample {
            seconds: elapsed.as_secs_f64(),
            bytes: self.progress.bytes.load(Ordering::Relaxed),
            documents: self.progress.documents.load(Ordering::Relaxed),
            memory: memory::resident().map_or(0, |(now, _)| now),
        });
    }

    /// The page about the run, which has ended.
    pub(in crate::run) fn html(&mut self, report: &Report) -> String {
        let elapsed = self.started.elapsed();
        // A rate over a short time means nothing.
        let is_near =
            |last: &Sample| last.seconds > 0.0 && elapsed.as_secs_f64() - last.seconds < self.step.as_secs_f64();
        if self.samples.last().is_some_and(is_near) {
            self.samples.pop();
        }
        self.sample(elapsed);
        page::html(report, &self.samples, &self.observed)
    }
}
