//! Whether a request is repeated, and after how long.

use std::io;
use std::time::{Duration, SystemTime};

use super::Settings;
use dehusk_documents::unreachable::UNREACHABLE;

/// The longest wait before a request is repeated, unless the server asks for more.
const LONGEST: Duration = Duration::from_secs(30);

/// The longest wait that a server may ask for. One that asks for more is not waited for.
pub(super) const LONGEST_ASKED: Duration = Duration::from_secs(600);

/// With this many new bytes, a request that did not bring all counts as one that brought something.
pub(super) const PROGRESS: u64 = 64 << 10;

/// Why a request brought nothing, or not all.
#[derive(Debug)]
pub(super) enum Failure {
    /// Repeating it is useless.
    Final(io::Error),
    /// It can be repeated, after a time that the server may have named.
    Again(io::Error, Option<Duration>),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Final(error)
    }
}

/// Makes a request that brings all or nothing until it succeeds.
///
/// # Errors
/// The request is not to be repeated, or the caller asked to stop.
pub(super) fn repeated<T>(settings: &Settings, mut request: impl FnMut() -> Result<T, Failure>) -> io::Result<T> {
    let mut attempts = Attempts::default();
    loop {
        match request() {
            Ok(answer) => return Ok(answer),
            Err(failure) => attempts.wait(failure, 0, settings)?,
        }
    }
}

/// The attempts at one request.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// How many brought nothing, since one last brought something.
    vain: u32,
}

impl Attempts {
    /// Whether this many bytes are enough to continue. Then earlier attempts no longer count.
    pub(super) fn progress(&mut self, got: u64) -> bool {
        let is_enough = got >= PROGRESS;
        if is_enough {
            self.vain = 0;
        }
        is_enough
    }

    /// Waits before the request is repeated. `got` is how many bytes the last attempt brought.
    ///
    /// # Errors
    /// The request is not to be repeated, or the caller asked to stop.
    pub(super) fn wait(&mut self, failure: Failure, got: u64, settings: &Settings) -> io::Result<()> {
        let (error, asked) = match failure {
            Failure::Final(error) => return Err(error),
            Failure::Again(error, asked) => (error, asked),
        };
        self.progress(got);
        self.vain += 1;
        if u64::from(self.vain) > settings.config.retries {
            let attempts = self.vain;
            let message = match attempts {
                1 => error.to_string(),
                _ => format!("{error} ({attempts} attempts)"),
            };
            return Err(io::Error::new(UNREACHABLE, message));
        }
        let wait = wait_of(self.vain, asked, Duration::from_millis(settings.config.retry_ms));
        let wait = wait.ok_or_else(|| {
            let asked = asked.unwrap_or_default().as_secs();
            io::Error::new(UNREACHABLE, format!("{error}, and it asks to wait for {asked} seconds"))
        })?;
        settings.wait(wait)
    }
}

/// How long to wait after this many attempts; `None` if the server asks for too much.
fn wait_of(vain: u32, asked: Option<Duration>, first: Duration) -> Option<Duration> {
    let growing = first.saturating_mul(1 << (vain - 1).min(16)).min(LONGEST);
    match asked {
        Some(asked) if asked > LONGEST_ASKED => None,
        Some(asked) => Some(asked.max(growing)),
        None => Some(growing),
    }
}

/// How long a header `Retry-After` asks to wait: seconds, or a date.
pub(super) fn retry_after(value: &str) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value.trim()).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_obey_the_server() {
        let first = Duration::from_millis(500);
        let waits = [1, 2, 3, 8, 40].map(|vain| wait_of(vain, None, first).map(|wait| wait.as_millis()));
        assert_eq!(waits, [500, 1000, 2000, 30_000, 30_000].map(Some));
        let asked = |seconds| wait_of(1, Some(Duration::from_secs(seconds)), first).map(|wait| wait.as_millis());
        assert_eq!(
            [0, 7, 600, 601].map(asked),
            [Some(500), Some(7000), Some(600_000), None]
        );
        assert_eq!(retry_after(" 120"), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT"), Some(Duration::ZERO));
        for wrong in [
            "soon",
            "",
            "Sun, 06 Foo 1994 08:49:37 GMT",
            "Sun, 99 Nov 1994 08:49:37 GMT",
            "a, b c d e",
        ] {
            assert_eq!(retry_after(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_request_that_brings_something_is_repeated_without_end() {
        let settings = Settings::default();
        let mut settings = settings;
        settings.config.retries = 2;
        settings.config.retry_ms = 1;
        let again = || Failure::Again(io::Error::other("it broke off"), None);
        let mut attempts = Attempts::default();
        for _ in 0..10 {
            assert!(attempts.wait(again(), PROGRESS, &settings).is_ok());
        }
        assert!(attempts.wait(again(), 1, &settings).is_ok());
        let error = attempts.wait(again(), 1, &settings).expect_err("too many");
        assert_eq!(error.to_string(), "it broke off (3 attempts)");
    }
}
