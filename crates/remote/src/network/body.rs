//! The body of an answer, which is given up if its server only trickles.

use std::io::{self, Read};
use std::time::{Duration, Instant};

use ureq::BodyReader;

use super::retry::PROGRESS;

/// A body, whose server must not trickle.
pub(super) struct Body {
    reader: BodyReader<'static>,
    pace: Pace,
}

impl Body {
    /// A body that must bring [`PROGRESS`] bytes in each `timeout` that is spent waiting for it.
    pub(super) fn new(reader: BodyReader<'static>, timeout: Duration) -> Self {
        let pace = Pace {
            timeout,
            waited: Duration::ZERO,
            read: 0,
        };
        Self { reader, pace }
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let begin = Instant::now();
        let read = self.reader.read(buffer)?;
        self.pace.count(read as u64, begin.elapsed())?;
        Ok(read)
    }
}

/// How fast a body comes. Only the time of its reads counts, since a reader may let it wait.
struct Pace {
    timeout: Duration,
    /// Since the last progress.
    waited: Duration,
    read: u64,
}

impl Pace {
    /// Counts a read.
    ///
    /// # Errors
    /// The body trickles.
    fn count(&mut self, read: u64, took: Duration) -> io::Result<()> {
        self.read = self.read.saturating_add(read);
        self.waited = self.waited.saturating_add(took);
        if self.read >= PROGRESS {
            (self.read, self.waited) = (0, Duration::ZERO);
        }
        if self.waited >= self.timeout && read > 0 {
            Err(io::Error::new(io::ErrorKind::TimedOut, Trickles(self.timeout)))
        } else {
            Ok(())
        }
    }
}

/// Why a body is given up that brings bytes.
#[derive(Debug, thiserror::Error)]
#[error("the server sends less than {PROGRESS} bytes in {} ms, and is given up", .0.as_millis())]
struct Trickles(Duration);

/// The error if a body ends too soon.
pub(super) fn broke_off(error: &io::Error, read: u64) -> io::Error {
    let inner = error.get_ref();
    let trickles = inner.and_then(|inner| inner.downcast_ref::<Trickles>());
    let timeout = inner.and_then(|inner| inner.downcast_ref::<ureq::Error>());
    let why = match (trickles, timeout, error.kind()) {
        (Some(trickles), ..) => trickles.to_string(),
        (_, Some(ureq::Error::Timeout(_)), _) | (_, None, io::ErrorKind::TimedOut) => "the server sends no more".into(),
        _ => "its body breaks off".into(),
    };
    io::Error::new(io::ErrorKind::UnexpectedEof, format!("{why} after {read} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_that_trickles_is_given_up() {
        let new = || Pace {
            timeout: Duration::from_secs(60),
            waited: Duration::ZERO,
            read: 0,
        };
        let half = Duration::from_millis(500);
        let mut trickle = new();
        let reads = (0..1_000).take_while(|_| trickle.count(1, half).is_ok()).count();
        assert_eq!(reads, 119);
        let error = trickle.count(1, half).expect_err("too slow");
        assert_eq!(
            broke_off(&error, 120).to_string(),
            "the server sends less than 65536 bytes in 60000 ms, and is given up after 120 bytes"
        );
        // Slow, but it continues.
        let mut slow = new();
        assert!((0..1_000).all(|_| slow.count(PROGRESS / 100, half).is_ok()));
        // The end of a short body is no trickle.
        let mut short = new();
        assert!(short.count(10, half).is_ok());
        assert!(short.count(0, Duration::from_secs(60)).is_ok());
    }
}
