//! A started program, and how it ended.

use std::io::Read;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

/// After so long a program hangs; nothing here takes nearly as long, and nothing is measured by it.
const HANGS: Duration = Duration::from_secs(300);

/// A program that has ended.
pub struct Ended {
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// A program under way.
pub struct Running {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

impl Running {
    /// Starts a program, and collects what it writes.
    pub fn start(mut command: Command, stdin: Stdio) -> Self {
        let pipes = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        Self {
            stdin: child.stdin.take(),
            stdout: collect(child.stdout.take().unwrap()),
            stderr: collect(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Sends a signal by its name, such as `INT`.
    pub fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    /// Waits until the program has ended.
    pub fn end(mut self) -> Ended {
        drop(self.stdin.take());
        self.end_with_open_stdin()
    }

    pub fn end_with_open_stdin(mut self) -> Ended {
        let stderr = self.stderr.recv_timeout(HANGS);
        let stdout = self.stdout.recv_timeout(HANGS);
        let (Ok(stdout), Ok(stderr)) = (stdout, stderr) else {
            self.child.kill().unwrap();
            panic!("the program hangs");
        };
        Ended {
            // Killed by a signal it has no status.
            status: self.child.wait().unwrap().code().unwrap_or(-1),
            stdout,
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

/// Reads a pipe to its end, aside.
fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        // A test that has failed waits for nothing any more.
        drop(sender.send(bytes));
    });
    receiver
}
