//! How many requests each server is asked at a time and in a second, over all archives of the process.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::{POLL, Settings};

/// A server's name is `scheme://host:port`. There are as many as the inputs of the process name.
static HOSTS: LazyLock<Mutex<HashMap<String, Arc<Host>>>> = LazyLock::new(Mutex::default);

/// A server.
#[derive(Debug, Default)]
struct Host {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct State {
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
        let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
        let host = Arc::clone(hosts.entry(host.to_owned()).or_default());
        drop(hosts);
        let config = &settings.config;
        let mut state = host.state.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            settings.check()?;
            let now = Instant::now();
            let early = state
                .next
                .map_or(Duration::ZERO, |next| next.saturating_duration_since(now));
            if state.asked < config.requests && early.is_zero() {
                break;
            }
            let most = if state.asked < config.requests {
                early.min(POLL)
            } else {
                POLL
            };
            state = host
                .freed
                .wait_timeout(state, most)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        state.asked += 1;
        if config.requests_per_second > 0 {
            let apart = Duration::from_secs(1) / u32::try_from(config.requests_per_second).unwrap_or(u32::MAX);
            state.next = Some(Instant::now() + apart);
        }
        drop(state);
        Ok(Self(host))
    }

    /// Holds up all requests to the server for so long.
    pub(super) fn pause(&self, duration: Duration) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(then) = Instant::now().checked_add(duration) else {
            return;
        };
        state.next = Some(state.next.map_or(then, |next| next.max(then)));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).asked -= 1;
        self.0.freed.notify_one();
    }
}
