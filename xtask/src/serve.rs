//! Serves the files of a folder over HTTP on the loopback, as good or bad a server as is asked for, so that remote runs can
//! be measured. It is the server of the tests.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::Outcome;
use crate::server::{End, Reply, Server, file};

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
    let server = Server::start(move |asked, before| {
        thread::sleep(delay);
        let name = asked.path.rsplit('/').next().unwrap_or_default();
        let Ok(bytes) = std::fs::read(folder.join(name)) else {
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
