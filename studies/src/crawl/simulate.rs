//! A fleet over the archives, by discrete events: a slot (a core of a machine) ends its task, a machine vanishes, another
//! one comes in its place.
//!
//! A task is an archive or a range of one. It takes the longer of its work on a core and the time until its bytes are
//! there; both go on at the same time. The slots of a machine share its network and its requests; all machines share
//! the requests that the store answers, by the demand when the task begins. A task of a machine that vanishes begins anew
//! elsewhere. Where archives are dealt in advance, the machine that comes in its place does them.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::model::{Fleet, Reading, Store, Work, reading_rate};
use super::random::Random;

/// How archives come to machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Each machine has its part of the list from the start, as by `run --part`.
    Dealt,
    /// Who is free takes the next, as by Spark, Ray and datatrove.
    Queue,
}

/// Kinds of tasks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Divide {
    /// An archive, for one core.
    Whole,
    /// The windows of an archive, for the cores of one machine, as `dehusk run` divides it. They are taken together here
    /// until they have 64 MB, so that there are not too many events.
    Windows,
    /// Ranges of at most so many bytes, for any machine. Each begins by looking for a record and ends where one ends, so
    /// it reads half a part more.
    Ranges(f64),
}

impl Divide {
    /// How many tasks an archive of so many bytes makes, and how many bytes more each reads.
    fn tasks(self, bytes: f64, part: f64) -> (f64, f64) {
        let parts = |range: f64| (bytes / range).ceil().max(1.0);
        match self {
            Divide::Whole => (1.0, 0.0),
            Divide::Windows => (parts(64e6), 0.0),
            Divide::Ranges(range) if bytes > range => (parts(range), part / 2.0),
            Divide::Ranges(_) => (1.0, 0.0),
        }
    }
}

/// How work is given out.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    order: Order,
    divide: Divide,
}

impl Plan {
    pub const fn new(order: Order, divide: Divide) -> Self {
        Self { order, divide }
    }
}

/// Result of a simulation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Until the last task ended.
    pub seconds: f64,
    /// From when 99 % of the bytes were done to the end.
    pub tail: f64,
    /// Seconds of slots with a task, and those of tasks that did not end.
    pub busy: f64,
    pub lost: f64,
    /// Machines that vanished.
    pub vanished: u64,
    /// Tasks that ended, and their bytes.
    pub tasks: u64,
    pub bytes: f64,
}

/// Events in the order of time. The number distinguishes tasks of a machine that is gone from those of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    TaskEnds { machine: usize, slot: usize, life: u32 },
    Vanishes { machine: usize },
    Comes { machine: usize },
}

/// A time that can be ordered.
#[derive(Clone, Copy, Debug)]
struct Time(f64);

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Time {
    const START: Self = Self(0.0);
}

/// A task under way: its bytes, and when it began.
#[derive(Clone, Copy, Debug)]
struct Task {
    bytes: f64,
    began: f64,
}

struct Machine {
    /// The lives before this one.
    life: u32,
    is_here: bool,
    slowness: f64,
    slots: Vec<Option<Task>>,
}

struct Simulation<'s> {
    work: &'s Work,
    fleet: &'s Fleet,
    reading: &'s Reading,
    store: &'s Store,
    seed: u64,
    random: Random,
    machines: Vec<Machine>,
    /// Tasks that are left: one list, or one a machine.
    queues: Vec<VecDeque<f64>>,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    /// Events so far: of those of one moment, the earlier goes first.
    number: u64,
    active: u64,
    total_bytes: f64,
    /// When 99 % of the bytes were done.
    nearly: Option<f64>,
    outcome: Outcome,
}

/// Runs a fleet over the archives. The same seed gives the same outcome.
pub fn simulate(work: &Work, fleet: &Fleet, reading: &Reading, store: &Store, plan: Plan, seed: u64) -> Outcome {
    let mut random = Random::new(seed);
    let archives = archives(work, &mut random);
    let count = if plan.order == Order::Dealt {
        fleet.machines as usize
    } else {
        1
    };
    let mut queues = vec![VecDeque::new(); count.max(1)];
    for (number, bytes) in archives.into_iter().enumerate() {
        let (tasks, more) = plan.divide.tasks(bytes, reading.part_bytes);
        queues[number % count.max(1)].extend((0..tasks as u32).map(|_| bytes / tasks + more));
    }
    let total_bytes = queues.iter().flatten().sum();
    let mut simulation = Simulation {
        seed,
        work,
        fleet,
        reading,
        store,
        random,
        machines: Vec::new(),
        queues,
        events: BinaryHeap::new(),
        number: 0,
        active: 0,
        total_bytes,
        nearly: None,
        outcome: Outcome::default(),
    };
    simulation.run();
    simulation.outcome
}

/// The sizes of archives.
fn archives(work: &Work, random: &mut Random) -> Vec<f64> {
    let median = work.mean_bytes * (-work.spread * work.spread / 2.0).exp();
    let size = |_| {
        if random.uniform() <= work.large.0 {
            work.mean_bytes * work.large.1
        } else {
            random.lognormal(median, work.spread)
        }
    };
    (0..work.archives).map(size).collect()
}

impl Simulation<'_> {
    fn run(&mut self) {
        for machine in 0..self.fleet.machines as usize {
            self.machines.push(Machine {
                life: 0,
                is_here: false,
                slowness: 1.0,
                slots: vec![None; self.fleet.cores as usize],
            });
            self.comes(machine, Time::START);
        }
        while let Some(Reverse((time, _, event))) = self.events.pop() {
            match event {
                Event::TaskEnds { machine, slot, life } => self.task_ends(machine, slot, life, time),
                Event::Vanishes { machine } => self.vanishes(machine, time),
                Event::Comes { machine } => self.comes(machine, time),
            }
            if self.active == 0 && self.queues.iter().all(VecDeque::is_empty) {
                break;
            }
        }
        self.outcome.tail = self.nearly.map_or(0.0, |nearly| self.outcome.seconds - nearly);
    }

    fn at(&mut self, time: f64, event: Event) {
        self.number += 1;
        self.events.push(Reverse((Time(time), self.number, event)));
    }

    fn comes(&mut self, machine: usize, time: Time) {
        let here = &mut self.machines[machine];
        // Whatever else happens, a machine is as slow and lives as long in every plan.
        let mut own = Random::new(self.seed).of(machine as u64, u64::from(here.life));
        let is_slow = own.uniform() <= self.fleet.slow.0;
        here.is_here = true;
        here.slowness = if is_slow { self.fleet.slow.1 } else { 1.0 };
        if let Some(spot) = self.fleet.spot {
            let end = time.0 + own.exponential(spot.life);
            self.at(end, Event::Vanishes { machine });
        }
        for slot in 0..self.fleet.cores as usize {
            self.begin(machine, slot, time.0);
        }
    }

    fn queue(&mut self, machine: usize) -> &mut VecDeque<f64> {
        let place = machine % self.queues.len();
        &mut self.queues[place]
    }

    fn begin(&mut self, machine: usize, slot: usize, time: f64) {
        let Some(bytes) = self.queue(machine).pop_front() else {
            return;
        };
        self.active += 1;
        let end = time + self.duration(machine, bytes);
        self.machines[machine].slots[slot] = Some(Task { bytes, began: time });
        let life = self.machines[machine].life;
        self.at(end, Event::TaskEnds { machine, slot, life });
    }

    /// How long a task takes if nothing comes between.
    fn duration(&mut self, machine: usize, bytes: f64) -> f64 {
        let (reading, store) = (self.reading, self.store);
        let requests = (bytes / reading.part_bytes).ceil();
        let of_slot = reading_rate(reading, store).min(self.fleet.network) / f64::from(self.fleet.cores);
        let of_core = 1.0 / (self.work.byte_seconds * self.machines[machine].slowness);
        let demand = self.active as f64 * of_slot.min(of_core) / reading.part_bytes;
        let rate = match store.per_second / demand {
            share if share < 1.0 => share * of_slot.min(of_core),
            _ => of_slot,
        };
        let repeated = self.random.binomial(requests, store.failures);
        let waits = repeated * reading.retry_seconds / (reading.at_a_time / f64::from(self.fleet.cores)).max(1.0);
        let first = self.random.lognormal(store.latency.0, store.latency.1);
        first + (bytes / rate + waits).max(bytes / of_core)
    }

    fn task_ends(&mut self, machine: usize, slot: usize, life: u32, time: Time) {
        if self.machines[machine].life != life {
            return;
        }
        let Some(task) = self.machines[machine].slots[slot].take() else {
            return;
        };
        self.active -= 1;
        let outcome = &mut self.outcome;
        outcome.tasks += 1;
        outcome.bytes += task.bytes;
        outcome.busy += time.0 - task.began;
        outcome.seconds = time.0;
        if outcome.bytes >= 0.99 * self.total_bytes {
            self.nearly.get_or_insert(time.0);
        }
        self.begin(machine, slot, time.0);
    }

    fn vanishes(&mut self, machine: usize, time: Time) {
        let gone = &mut self.machines[machine];
        gone.life += 1;
        gone.is_here = false;
        let tasks: Vec<Task> = gone.slots.iter_mut().filter_map(Option::take).collect();
        self.outcome.vanished += 1;
        for task in tasks {
            self.active -= 1;
            self.outcome.busy += time.0 - task.began;
            self.outcome.lost += time.0 - task.began;
            self.queue(machine).push_front(task.bytes);
        }
        if let Some(spot) = self.fleet.spot {
            self.at(time.0 + spot.again, Event::Comes { machine });
        }
        // A queue for all: who has nothing to do takes what the machine had.
        if self.queues.len() == 1 {
            for other in 0..self.machines.len() {
                for slot in 0..self.fleet.cores as usize {
                    if self.machines[other].is_here && self.machines[other].slots[slot].is_none() {
                        self.begin(other, slot, time.0);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crawl::model::{PRESETS, Spot};

    /// A thousand archives of 100 MB that nothing but cores limits.
    fn work() -> Work {
        Work {
            archives: 1000,
            mean_bytes: 1e8,
            spread: 0.0,
            large: (0.0, 1.0),
            byte_seconds: 1e-7,
        }
    }

    fn quick_store() -> Store {
        Store {
            per_second: 1e9,
            latency: (1e-9, 0.0),
            failures: 0.0,
            stream: 1e12,
        }
    }

    const READING: Reading = Reading {
        part_bytes: 1e6,
        at_a_time: 1e3,
        per_second: 1e9,
        retry_seconds: 0.5,
    };

    fn run(work: &Work, fleet: &Fleet, store: &Store, plan: Plan, seed: u64) -> Outcome {
        simulate(work, fleet, &READING, store, plan, seed)
    }

    fn queue(divide: Divide) -> Plan {
        Plan::new(Order::Queue, divide)
    }

    #[test]
    fn without_chance_the_time_is_the_work_divided_by_the_cores() {
        let fleet = Fleet {
            network: 1e12,
            ..Fleet::plain(5, 4)
        };
        for order in [Order::Queue, Order::Dealt] {
            let found = run(&work(), &fleet, &quick_store(), Plan::new(order, Divide::Whole), 1);
            // 1,000 tasks of 10 s in 20 slots.
            assert!((found.seconds - 500.0).abs() < 0.01, "{found:?}");
            assert_eq!((found.tasks, found.lost, found.vanished), (1000, 0.0, 0));
        }
    }

    #[test]
    fn the_network_and_the_store_are_limits() {
        // 40 MB/s for four slots that could use 10 MB/s each, then half of that.
        let half = Fleet {
            network: 2e7,
            ..Fleet::plain(5, 4)
        };
        let found = run(&work(), &half, &quick_store(), queue(Divide::Whole), 1);
        assert!((found.seconds - 1000.0).abs() < 0.1, "{found:?}");
        // 20 slots of 10 MB/s ask for 200 parts of 1 MB a second; the store gives 50.
        let fleet = Fleet {
            network: 1e12,
            ..Fleet::plain(5, 4)
        };
        let store = Store {
            per_second: 50.0,
            ..quick_store()
        };
        let found = run(&work(), &fleet, &store, queue(Divide::Whole), 1);
        assert!((1800.0..2200.0).contains(&found.seconds), "{found:?}");
    }

    #[test]
    fn machines_that_vanish_cost_time_and_lose_no_task() {
        let spot = Some(Spot {
            life: 60.0,
            again: 10.0,
        });
        let fleet = Fleet {
            spot,
            network: 1e12,
            ..Fleet::plain(5, 4)
        };
        for order in [Order::Queue, Order::Dealt] {
            let found = run(&work(), &fleet, &quick_store(), Plan::new(order, Divide::Whole), 7);
            assert_eq!(found.tasks, 1000);
            assert!((found.bytes - 1e11).abs() < 1.0);
            assert!(
                found.vanished > 10 && found.lost > 0.0 && found.seconds > 500.0,
                "{found:?}"
            );
            assert!((found.busy - found.lost - 10_000.0).abs() < 1.0, "{found:?}");
        }
    }

    #[test]
    fn ranges_shorten_the_end_of_a_large_archive() {
        let large = Work {
            archives: 50,
            large: (0.1, 100.0),
            ..work()
        };
        let fleet = Fleet {
            network: 1e12,
            ..Fleet::plain(10, 4)
        };
        let whole = run(&large, &fleet, &quick_store(), queue(Divide::Whole), 3);
        let divided = run(&large, &fleet, &quick_store(), queue(Divide::Ranges(5e7)), 3);
        // A large archive alone takes 1,000 s on its core.
        assert!(whole.seconds >= 1000.0, "{whole:?}");
        assert!(divided.seconds < whole.seconds / 3.0, "{divided:?}");
    }

    #[test]
    fn a_seed_gives_the_same_outcome_and_another_one_another() {
        let fleet = Fleet {
            spot: Some(Spot {
                life: 60.0,
                again: 10.0,
            }),
            ..Fleet::real(10, 4)
        };
        let work = Work { spread: 0.5, ..work() };
        let found = |seed| run(&work, &fleet, &Store::COMMON_CRAWL, queue(Divide::Whole), seed);
        assert_eq!(found(1), found(1));
        assert_ne!(found(1), found(2));
    }

    #[test]
    fn a_page_costs_between_what_the_two_corpora_cost() {
        for preset in PRESETS {
            let (small, usual, large) = (
                preset.page_seconds(22_900.0),
                preset.page_seconds(32_000.0),
                preset.page_seconds(44_000.0),
            );
            assert!(small < usual && usual < large, "{}", preset.name);
        }
    }
}
