//! A server of HTTP for tests, on the loopback: it answers as a test defines, ranges and lies included.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request that a server got.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// The path, without the query.
    pub path: String,
    pub query: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Asked {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The first and the last byte that are asked for.
    pub fn range(&self) -> Option<(usize, usize)> {
        let (first, last) = self.header("range")?.strip_prefix("bytes=")?.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?))
    }
}

/// How an answer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The connection can be used again.
    Keep,
    /// The connection is closed.
    Close,
    /// Nothing more is sent until the client closes the connection.
    Hang,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The length that is promised, if it is another.
    pub promised: Option<usize>,
    pub end: End,
}

impl Reply {
    pub fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
            promised: None,
            end: End::Keep,
        }
    }

    pub fn text(body: impl Into<Vec<u8>>) -> Self {
        Self {
            body: body.into(),
            ..Self::status(200)
        }
    }

    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_string()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self
    }

    /// Breaks off after this many bytes of the body.
    pub fn broken(mut self, after: usize, end: End) -> Self {
        self.promised = Some(self.body.len());
        self.body.truncate(after);
        self.end = end;
        self
    }
}

/// The answer of a good server with a file of this tag.
pub fn file(bytes: &[u8], tag: &str, asked: &Asked) -> Reply {
    let tag = format!("\"{tag}\"");
    let common = |reply: Reply| reply.with("etag", &tag).with("accept-ranges", "bytes");
    if asked.header("if-match").is_some_and(|wanted| wanted != tag) {
        return common(Reply::status(412));
    }
    match asked.range() {
        None => common(Reply::text(bytes)),
        Some((first, _)) if first >= bytes.len() => {
            common(Reply::status(416)).with("content-range", format!("bytes */{}", bytes.len()))
        }
        Some((first, last)) => {
            let last = last.min(bytes.len() - 1);
            let mut reply = common(Reply::status(206));
            reply.body = bytes[first..=last].to_vec();
            reply.with("content-range", format!("bytes {first}-{last}/{}", bytes.len()))
        }
    }
}

/// A connection.
pub trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

type Wrap = dyn Fn(TcpStream) -> Box<dyn Stream> + Send + Sync;

type Handler = dyn Fn(&Asked, usize) -> Reply + Send + Sync;

/// A server that ends with the test.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
}

struct Shared {
    handler: Box<Handler>,
    wrap: Box<Wrap>,
    asked: Mutex<Vec<Asked>>,
    ended: AtomicBool,
}

impl Server {
    /// Starts a server. `handler` makes the answer to a request; it also learns how many came before.
    pub fn start(handler: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_with(handler, "http", |stream| Box::new(stream))
    }

    /// Starts a server whose connections are wrapped, as by TLS.
    pub fn start_with(
        handler: impl Fn(&Asked, usize) -> Reply + Send + Sync + 'static,
        scheme: &'static str,
        wrap: impl Fn(TcpStream) -> Box<dyn Stream> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            handler: Box::new(handler),
            wrap: Box::new(wrap),
            asked: Mutex::default(),
            ended: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if accepting.ended.load(Ordering::Relaxed) {
                    return;
                }
                let shared = Arc::clone(&accepting);
                // A client may go away at any time.
                thread::spawn(move || shared.talk(stream));
            }
        });
        Self {
            address,
            scheme,
            shared,
        }
    }

    /// A server with one good file, of the tag `a`.
    pub fn of(bytes: &[u8]) -> Self {
        let bytes = bytes.to_vec();
        Self::start(move |asked, _| file(&bytes, "a", asked))
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.root())
    }

    pub fn root(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The requests so far.
    pub fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
        // The listener takes one more connection, and ends.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn talk(&self, stream: TcpStream) {
        let Ok(socket) = stream.try_clone() else { return };
        // The body is sent at once, not when the client has acknowledged the head, which takes 40 ms.
        let _ = socket.set_nodelay(true);
        let mut stream = BufReader::new((self.wrap)(stream));
        while let Some(asked) = read(&mut stream) {
            let before = {
                let mut all = self.asked.lock().unwrap();
                all.push(asked.clone());
                all.len() - 1
            };
            let reply = (self.handler)(&asked, before);
            let mut head = format!("HTTP/1.1 {} Answer\r\n", reply.status);
            for (name, value) in &reply.headers {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
            if !reply.headers.iter().any(|(name, _)| name == "transfer-encoding") {
                let promised = reply.promised.unwrap_or(reply.body.len());
                head.push_str(&format!("content-length: {promised}\r\n"));
            }
            head.push_str("\r\n");
            let out = stream.get_mut();
            if out
                .write_all(head.as_bytes())
                .and_then(|()| out.write_all(&reply.body))
                .and_then(|()| out.flush())
                .is_err()
            {
                return;
            }
            match reply.end {
                End::Keep => {}
                End::Close => {
                    let _ = socket.shutdown(Shutdown::Both);
                    return;
                }
                End::Hang => {
                    // The client sends nothing more, so this returns when it has closed the connection.
                    let _ = stream.read(&mut [0]);
                    return;
                }
            }
        }
    }
}

fn read(stream: &mut impl BufRead) -> Option<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|n| *n > 0)?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let mut asked = Asked {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|n| *n > 0)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => asked.headers.push((name.to_owned(), value.trim().to_owned())),
            None => break,
        }
    }
    let length = asked
        .header("content-length")
        .and_then(|length| length.parse().ok())
        .unwrap_or(0);
    asked.body.resize(length, 0);
    stream.read_exact(&mut asked.body).ok()?;
    Some(asked)
}
