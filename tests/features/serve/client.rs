//! A client of HTTP/1.1 that sends exactly what a test defines.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::Served;

/// After so long the server hangs. Nothing is measured by it.
const HANGS: Duration = Duration::from_secs(120);

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut fields = self.head.lines().filter_map(|line| line.split_once(':'));
        fields.find_map(|(known, value)| known.eq_ignore_ascii_case(name).then(|| value.trim()))
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    /// The status and the name of the error.
    pub fn refusal(&self) -> (u16, String) {
        (
            self.status,
            self.json()["error"].as_str().unwrap_or_default().to_owned(),
        )
    }
}

/// A connection to a server.
pub struct Connection(BufReader<TcpStream>);

impl From<TcpStream> for Connection {
    fn from(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(HANGS)).unwrap();
        Self(BufReader::new(stream))
    }
}

impl Connection {
    pub fn new(served: &Served) -> Self {
        Self::from(TcpStream::connect(("127.0.0.1", served.port)).unwrap())
    }

    /// Sends bytes. The server may have closed the connection.
    pub fn send(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.get_mut().write_all(bytes.as_ref()).is_ok()
    }

    /// Sends no more.
    pub fn finish(&mut self) {
        self.0.get_mut().shutdown(std::net::Shutdown::Write).unwrap();
    }

    /// Reads an answer; `None` if the connection is closed instead.
    pub fn answer(&mut self) -> Option<Answer> {
        let mut head = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if line == "\r\n" {
                break;
            }
            head.push_str(&line);
        }
        let mut answer = Answer {
            status: head.split(' ').nth(1)?.parse().ok()?,
            head,
            body: Vec::new(),
        };
        let length = answer
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        answer.body.resize(length, 0);
        self.0.read_exact(&mut answer.body).ok()?;
        Some(answer)
    }

    /// Sends a request with a body, and reads its answer.
    pub fn ask(&mut self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        assert!(self.send(head(line, headers, body.len())) && self.send(body));
        self.answer().expect("an answer")
    }
}

/// The head of a request.
pub fn head(line: &str, headers: &[(&str, &str)], length: usize) -> String {
    let mut head = format!("{line} HTTP/1.1\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head.push_str("Host: 127.0.0.1\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    format!("{head}Content-Length: {length}\r\n\r\n")
}

impl Served {
    /// Sends a page or nothing on a connection of its own.
    pub fn ask(&self, line: &str, body: &[u8]) -> Answer {
        self.ask_with(line, &[("Content-Type", "text/html")], body)
    }

    pub fn ask_with(&self, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        Connection::new(self).ask(line, headers, body)
    }
}
