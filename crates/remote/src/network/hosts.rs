//! Limits the requests to each server, at a time and in a second, over all archives of the process.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, LazyLock, Mutex};
use std::time::{Duration, Instant};

use super::{POLL, Settings, lock, wait_for};

/// A server's name is `scheme://host:port`. There are as many as the inputs of the process name.
static HOSTS: LazyLock<Mutex<HashMap<String, Arc<Host>>>> = LazyLock::new(Mutex::default);

/// A server.
#[derive(Debug, Default)]
struct Host {
    load: Mutex<Load>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Load {
    /// How many requests it is asked now.
    asked: u64,
    /// The next request waits until then.
    next: Option<Instant>,
}

/// The permission to ask a server. It ends when this is dropped, which must not be before the answer's body was read.
#[derive(Debug)]
pub(super) struct Permit(Arc<Host>);

impl Permit {
    /// Waits until the server may be asked.
    ///
    /// # Errors
    /// The caller asked to stop.
    pub(super) fn wait(host: &str, settings: &Settings) -> io::Result<Self> {
        let host = Arc::clone(lock(&HOSTS).entry(host.to_owned()).or_default());
        let config = &settings.config;
        let mut load = lock(&host.load);
        loop {
            settings.check()?;
            let next = load.next.map(|next| next.saturating_duration_since(Instant::now()));
            let early = next.unwrap_or_default();
            let has_room = load.asked < config.requests;
            if has_room && early.is_zero() {
                break;
            }
            load = wait_for(&host.freed, load, if has_room { early } else { POLL });
        }
        load.asked += 1;
        if config.requests_per_second > 0 {
            let apart = Duration::from_secs(1) / u32::try_from(config.requests_per_second).unwrap_or(u32::MAX);
            load.next = Some(Instant::now() + apart);
        }
        drop(load);
        Ok(Self(host))
    }

    /// Holds up all requests to the server for so long.
    pub(super) fn pause(&self, duration: Duration) {
        let mut load = lock(&self.0.load);
        let Some(then) = Instant::now().checked_add(duration) else {
            return;
        };
        load.next = Some(load.next.map_or(then, |next| next.max(then)));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        lock(&self.0.load).asked -= 1;
        self.0.freed.notify_one();
    }
}
