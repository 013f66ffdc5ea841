//! `dehusk serve`, asked over the loopback as its clients do.

mod client;
mod compare;
mod faults;
mod hostile;
mod inspector;
mod limits;
mod marks;
mod run_settings;
mod search;
mod service;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::program::{Place, program};

/// A server under way, which ends with the test.
pub struct Served {
    pub place: Place,
    pub port: u16,
    child: Child,
    stderr: BufReader<std::process::ChildStderr>,
}

impl Served {
    /// Starts a server on a free port.
    pub fn start(arguments: &[&str]) -> Self {
        Self::start_in(Place::new(), arguments)
    }

    pub fn start_in(place: Place, arguments: &[&str]) -> Self {
        let mut command = Command::new(program());
        command
            .current_dir(place.path(""))
            .args(["serve", "--port", "0"])
            .args(arguments);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line
            .strip_prefix("dehusk: listens on http://")
            .unwrap_or_else(|| panic!("{line}"));
        let port = address.split(['/', ' ']).next().unwrap().rsplit(':').next().unwrap();
        Self {
            port: port.parse().unwrap(),
            place,
            child,
            stderr,
        }
    }

    /// The output of `dehusk eval` for each page of the sample with a truth.
    pub fn evaluate(&self, truth: &str, extractors: &str) -> Value {
        let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");
        let what = ["eval", "--truth", truth, sample, "-e", extractors];
        let how = ["--metrics", "bag,lcs", "--per-page", "-f", "json"];
        serde_json::from_slice(&self.place.dehusk(&[&what[..], &how].concat()).stdout).unwrap()
    }

    /// Sends a signal by its name, such as `TERM`.
    pub fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    /// Ends the program at once, if it has not ended already. Its files stay.
    pub fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits for the end of the program: its status and what it wrote.
    pub fn end(mut self) -> (i32, String) {
        let mut said = String::new();
        self.stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code().unwrap_or(-1), said)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A page whose text is long enough for every extractor.
pub const PAGE: &str = "<!doctype html><html lang=en><title>A walk</title><body><ul><li><a href=/>Home</a></ul>\
    <p>We went out early in the morning, up the hill behind the village, and it rained until we were home.\
    <p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.</body></html>";
