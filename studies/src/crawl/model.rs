//! The numbers of the model. Each states its source.

/// Archives, bytes and pages of a monthly Common Crawl, as they state them: about 90,000, 80 TB and 2.5 billion.
const ARCHIVES: u32 = 90_000;
const BYTES: f64 = 80e12;
const PAGES: f64 = 2.5e9;

/// Stored bytes of a page in it.
pub const PAGE_BYTES: f64 = BYTES / PAGES;

/// An hour of a machine with eight cores and 16 GB, in dollars: `c7a.2xlarge` in us-east-1, on demand, as listed in 2025.
/// Spot is taken as 40 % of it.
pub const ON_DEMAND: f64 = 0.41;
pub const SPOT: f64 = 0.4 * ON_DEMAND;

/// The bits a second that such a machine has for long: 2.5 of "up to 12.5" Gbit/s.
const NETWORK: f64 = 2.5e9 / 8.0;

/// A page of a corpus: its stored bytes, and the seconds of a core from HTTP to the text.
type Corpus = (f64, f64);

/// Seconds of a core that compression by zstd takes a page: 79 ms for the 1,497 pages of wcxb-dev.
const COMPRESS: f64 = 0.079 / 1497.0;

/// Cost of a preset.
pub struct Preset {
    pub name: &'static str,
    wcxb: Corpus,
    daniel: Corpus,
    /// Times the cost of these.
    factor: f64,
}

impl Preset {
    /// Seconds of a core for a page of so many stored bytes: on the line through both corpora. The archives come over
    /// HTTP without TLS.
    pub fn page_seconds(&self, bytes: f64) -> f64 {
        let ((x, y), (x2, y2)) = (self.daniel, self.wcxb);
        self.factor * (y + (bytes - x) * (y2 - y) / (x2 - x)) + COMPRESS
    }
}

/// The default over HTTP: 1.36 s for wcxb-dev (66 MB, 1,497 pages), 0.53 s for daniel-dev (19 MB, 831 pages).
const WCXB: Corpus = (66e6 / 1497.0, 1.36 / 1497.0);
const DANIEL: Corpus = (19e6 / 831.0, 0.53 / 831.0);

/// Presets by the measurements in `docs/measurements.md`: `coreex` over HTTP by itself, the others by their times on
/// wcxb-dev beside that of `fusion`.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "fusion",
        wcxb: WCXB,
        daniel: DANIEL,
        factor: 1.0,
    },
    Preset {
        name: "fusion-quality",
        wcxb: WCXB,
        daniel: DANIEL,
        factor: 1.78 / 1.47,
    },
    Preset {
        name: "coreex-modern",
        wcxb: WCXB,
        daniel: DANIEL,
        factor: 1.0 / 1.47,
    },
    Preset {
        name: "coreex",
        wcxb: (WCXB.0, 0.85 / 1497.0),
        daniel: (DANIEL.0, 0.33 / 831.0),
        factor: 1.0,
    },
];

/// The archives.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    pub archives: u32,
    /// The mean of the sizes of usual archives.
    pub mean_bytes: f64,
    /// The standard deviation of the logarithms of sizes.
    pub spread: f64,
    /// The share of archives that are large, and how many times the mean they have.
    pub large: (f64, f64),
    /// Seconds of a core for a byte.
    pub byte_seconds: f64,
}

impl Work {
    /// A monthly Common Crawl. Its archives are cut at about the same size.
    pub fn crawl(preset: &Preset) -> Self {
        Self {
            archives: ARCHIVES,
            mean_bytes: BYTES / f64::from(ARCHIVES),
            spread: 0.1,
            large: (0.0, 1.0),
            byte_seconds: preset.page_seconds(PAGE_BYTES) / PAGE_BYTES,
        }
    }

    pub fn bytes(&self) -> f64 {
        let (share, times) = self.large;
        f64::from(self.archives) * self.mean_bytes * (1.0 - share + share * times)
    }

    pub fn core_seconds(&self) -> f64 {
        self.bytes() * self.byte_seconds
    }
}

/// The settings `remote.*` of the program.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    pub part_bytes: f64,
    /// Requests at a time, and requests a second.
    pub at_a_time: f64,
    pub per_second: f64,
    /// The first wait before a request is repeated.
    pub retry_seconds: f64,
}

impl Reading {
    /// The defaults: polite to a small server.
    pub const DEFAULT: Self = Self {
        part_bytes: (2 << 20) as f64,
        at_a_time: 4.0,
        per_second: 10.0,
        retry_seconds: 0.5,
    };

    /// `part_bytes = 33554432`, `requests = 32`, `requests_per_second = 32`.
    pub const LARGE: Self = Self {
        part_bytes: (32 << 20) as f64,
        at_a_time: 32.0,
        per_second: 32.0,
        retry_seconds: 0.5,
    };
}

/// The store that the archives are in.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    /// The requests a second that it answers, all machines together.
    pub per_second: f64,
    /// The median of the time to the first byte, and the standard deviation of its logarithm.
    pub latency: (f64, f64),
    /// The share of requests that fail and are repeated.
    pub failures: f64,
    /// Bytes a second of one request.
    pub stream: f64,
}

impl Store {
    /// Common Crawl's status page says that it sustains a few thousand requests a second, for all users together:
    /// 2,000 are taken for one. The rest is assumed.
    pub const COMMON_CRAWL: Self = Self {
        per_second: 2000.0,
        latency: (0.05, 0.8),
        failures: 0.01,
        stream: 60e6,
    };

    /// A bucket of one's own, with S3's 5,500 requests a second for a prefix.
    pub const OWN: Self = Self {
        per_second: 5500.0,
        ..Self::COMMON_CRAWL
    };
}

/// Machines that vanish.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The mean of their lives, and the time until another one works.
    pub life: f64,
    pub again: f64,
}

impl Spot {
    /// A bad day: each machine lives for an hour in the mean, and another one works two minutes later.
    pub const BAD: Self = Self {
        life: 3600.0,
        again: 120.0,
    };
}

/// The machines.
#[derive(Clone, Copy, Debug)]
pub struct Fleet {
    pub machines: u32,
    pub cores: u32,
    /// Bytes a second of a machine.
    pub network: f64,
    /// The share of machines that are slow, and how many times as long they take.
    pub slow: (f64, f64),
    pub spot: Option<Spot>,
}

impl Fleet {
    /// Machines that are all alike and stay.
    pub fn plain(machines: u32, cores: u32) -> Self {
        Self {
            machines,
            cores,
            network: NETWORK,
            slow: (0.0, 1.0),
            spot: None,
        }
    }

    /// Machines of which one in twenty takes twice as long.
    pub fn real(machines: u32, cores: u32) -> Self {
        Self {
            slow: (0.05, 2.0),
            ..Self::plain(machines, cores)
        }
    }
}

/// Bytes a second that a machine can ask for, by its settings.
pub fn reading_rate(reading: &Reading, store: &Store) -> f64 {
    let of_a_request = store.latency.0 + reading.part_bytes / store.stream;
    reading.part_bytes * reading.per_second.min(reading.at_a_time / of_a_request)
}

/// The seconds that the work takes by each limit alone: cores, network, a machine's requests, the store.
pub fn limits(work: &Work, fleet: &Fleet, reading: &Reading, store: &Store) -> [f64; 4] {
    let machines = f64::from(fleet.machines);
    [
        work.core_seconds() / machines / f64::from(fleet.cores),
        work.bytes() / machines / fleet.network,
        work.bytes() / machines / reading_rate(reading, store),
        work.bytes() / reading.part_bytes / store.per_second,
    ]
}
