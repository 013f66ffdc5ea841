//! Requests to servers and clouds, for archives and lists of them.
//!
//! A [`RemoteFile`] is asked for in ranges (`object.rs` asks for one, again if need be), which `source.rs` shows as a
//! `ByteSource` that reads ahead; `parts.rs` holds them. A server that knows no ranges gives a stream. `client.rs`
//! makes single requests to a `target.rs` over the connections of `connections.rs`, to the servers that `addresses.rs` lets
//! them reach;
//! `body.rs` reads what they bring, `hosts.rs` keeps them below a server's limits, `retry.rs` decides how long to wait.
//! `cloud/` makes requests of the names of clouds and signs them; `list.rs` asks for the names below a prefix.
//!
//! Everything blocks, and every wait ends when the caller asks to stop. No message holds a credential: addresses are
//! shown by their [label](RemoteUrl::label) only.

mod addresses;
mod body;
mod client;
mod cloud;
mod connections;
mod date;
mod file;
mod hosts;
mod list;
mod object;
mod parts;
mod retry;
mod source;
mod target;
mod url;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use file::RemoteFile;
pub use list::{list, read_small};
pub use url::RemoteUrl;

use crate::RemoteConfig;

/// How often a wait asks whether it is to end.
const POLL: Duration = Duration::from_millis(50);

fn other(message: String) -> io::Error {
    io::Error::other(message)
}

/// Locks a mutex. No panic leaves what it guards half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for a signal for a while, and at most for [`POLL`]: then the caller asks whether it is to stop.
fn wait_for<'g, T>(signal: &Condvar, guard: MutexGuard<'g, T>, most: Duration) -> MutexGuard<'g, T> {
    let waited = signal.wait_timeout(guard, most.min(POLL));
    waited.unwrap_or_else(PoisonError::into_inner).0
}

/// How requests are made, and when to stop.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub(crate) config: RemoteConfig,
    /// Any of these ends every wait.
    stops: Vec<Arc<AtomicBool>>,
}

impl Settings {
    /// The settings of a configuration. `stop` ends every wait when it becomes true.
    pub fn new(config: &RemoteConfig, stop: Option<Arc<AtomicBool>>) -> Self {
        Self {
            config: config.clone(),
            stops: stop.into_iter().collect(),
        }
    }

    /// The same, with one more way to stop.
    fn with_stop(&self, stop: &Arc<AtomicBool>) -> Self {
        let mut settings = self.clone();
        settings.stops.push(Arc::clone(stop));
        settings
    }

    fn timeout(&self) -> Duration {
        Duration::from_millis(self.config.timeout_ms)
    }

    /// # Errors
    /// The caller asked to stop.
    fn check(&self) -> io::Result<()> {
        if self.stops.iter().any(|stop| stop.load(Ordering::Relaxed)) {
            Err(io::Error::other("the run was stopped"))
        } else {
            Ok(())
        }
    }

    /// Waits.
    ///
    /// # Errors
    /// The caller asked to stop.
    fn wait(&self, duration: Duration) -> io::Result<()> {
        let end = Instant::now() + duration;
        loop {
            self.check()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(POLL));
        }
    }
}
