//! Serves the files of a folder over HTTP on the loopback, as good or bad a server as is asked for, so that remote runs
//! can be measured. It is the server of the tests.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use dehusk_testing::server::{End, Reply, Server, file};

use crate::shared::Outcome;

/// `serve FOLDER [DELAY_MS] [faults]`
pub fn main(arguments: &[String]) -> Outcome {
    let mut arguments = arguments.iter();
    let folder = PathBuf::from(arguments.next().ok_or("serve takes a folder")?);
    let delay = Duration::from_millis(arguments.next().map_or(Ok(0), |text| text.parse())?);
    let is_bad = match arguments.next().map(String::as_str) {
        None => false,
        Some("faults") => true,
        Some(other) => return Err(format!("serve does not know “{other}”").into()),
    };
    // Read once, so that the server takes little of the machine.
    let files: Mutex<HashMap<String, Option<Arc<Vec<u8>>>>> = Mutex::default();
    let server = Server::start(move |asked, before| {
        thread::sleep(delay);
        let name = asked.path.rsplit('/').next().unwrap_or_default();
        let mut known = files.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || std::fs::read(folder.join(name)).ok().map(Arc::new);
        let bytes = known.entry(name.to_owned()).or_insert_with(read).clone();
        drop(known);
        let Some(bytes) = bytes else {
            return Reply::status(404);
        };
        let reply = file(&bytes, "a", asked);
        match before {
            _ if !is_bad => reply,
            n if n % 4 == 1 => Reply::status(503).with("retry-after", 0),
            n if n % 5 == 2 => {
                let half = reply.body.len() / 2;
                reply.broken(half, End::Close)
            }
            _ => reply,
        }
    });
    println!("{}", server.root());
    loop {
        thread::park();
    }
}
