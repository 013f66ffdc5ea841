//! The limits of the work, and the end of the server.

use std::io::Write;
use std::net::TcpStream;

use super::client::{Connection, head};
use super::{PAGE, Served};

const HTML: [(&str, &str); 1] = [("Content-Type", "text/html")];

/// Sends the head of a request and some bytes of its body, so that the server waits for the others.
fn half(served: &Served) -> Connection {
    let mut connection = Connection::new(served);
    assert!(connection.send(head("POST /extract", &HTML, PAGE.len())) && connection.send(&PAGE[..100]));
    connection
}

/// Waits until so many requests are under way, that of the question included.
fn wait_for_active(served: &Served, connection: &mut Connection, count: usize) {
    let wanted = format!("dehusk_serve_requests_active {count}");
    while !connection
        .ask("GET /metrics", &[], b"")
        .text()
        .lines()
        .any(|line| line == wanted)
    {
        assert!(served.port > 0);
        std::thread::yield_now();
    }
}

#[test]
fn a_body_above_the_limit_is_refused() {
    let served = Served::start(&["--set", "limits.page_bytes=1000"]);
    let page = |length: usize| format!("{PAGE}{}", " ".repeat(length - PAGE.len()));
    assert_eq!(served.ask("POST /extract", page(1000).as_bytes()).status, 200);
    assert_eq!(
        served.ask("POST /extract", page(1001).as_bytes()).refusal(),
        (413, "too_large".to_owned())
    );
    // Where no length is stated, the bytes are counted.
    let mut connection = Connection::new(&served);
    let head = "POST /extract HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("258\r\n{}\r\n", "a".repeat(600));
    assert!(
        connection.send(head) && connection.send(&chunk) && connection.send(&chunk) && connection.send("0\r\n\r\n")
    );
    assert_eq!(connection.answer().unwrap().refusal(), (413, "too_large".to_owned()));
    // A client that asks before it sends is answered before.
    let mut connection = Connection::new(&served);
    connection
        .send("POST /extract HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 100000000\r\n\r\n");
    drop(connection);
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn a_body_that_comes_too_slowly_is_refused() {
    let served = Served::start(&["--timeout", "0.5"]);
    let mut connection = half(&served);
    assert_eq!(connection.answer().unwrap().refusal(), (408, "slow_body".to_owned()));
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn a_body_of_single_bytes_gets_no_more_time() {
    let served = Served::start(&["--timeout", "0.5"]);
    let stream = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    let mut dripping = stream.try_clone().unwrap();
    let mut connection = Connection::from(stream);
    // So long that it never ends in time.
    assert!(connection.send(head("POST /extract", &HTML, 9 << 20)));
    let drip = std::thread::spawn(move || while dripping.write_all(b"x").is_ok() {});
    assert_eq!(connection.answer().unwrap().refusal(), (408, "slow_body".to_owned()));
    // The server has closed the connection.
    drip.join().unwrap();
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn requests_beyond_the_limit_are_refused_at_once() {
    let served = Served::start(&["--requests", "2"]);
    let mut watching = Connection::new(&served);
    let mut halves = [half(&served), half(&served)];
    wait_for_active(&served, &mut watching, 3);
    let refused = served.ask("POST /extract", PAGE.as_bytes());
    assert_eq!(refused.refusal(), (503, "busy".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    // A request that takes no work is still answered.
    assert_eq!(served.ask("GET /health", b"").status, 200);
    for connection in &mut halves {
        assert!(connection.send(&PAGE[100..]));
        assert_eq!(connection.answer().unwrap().status, 200);
    }
    assert_eq!(served.ask("POST /extract", PAGE.as_bytes()).status, 200);
}

#[test]
fn connections_beyond_the_limit_are_answered() {
    let served = Served::start(&["--connections", "2"]);
    let mut kept = [Connection::new(&served), Connection::new(&served)];
    for connection in &mut kept {
        assert_eq!(connection.ask("GET /health", &[], b"").status, 200);
    }
    // More than may be refused at a time.
    let streams: Vec<TcpStream> = (0..70)
        .map(|_| TcpStream::connect(("127.0.0.1", served.port)).unwrap())
        .collect();
    for (stream, number) in streams.into_iter().zip(0..) {
        let mut connection = Connection::from(stream);
        assert!(connection.send(head("GET /health", &[], 0)), "{number}");
        let answer = connection.answer().unwrap_or_else(|| panic!("{number} has no answer"));
        assert_eq!(answer.refusal(), (503, "busy".to_owned()));
    }
    drop(kept);
}

#[test]
fn waiting_for_a_worker_does_not_count_as_time_of_a_request() {
    // One worker, and so many pages that the last waits for longer than one may take.
    let served = Served::start(&["--set", "run.threads=1", "--timeout", "2", "-e", "coreex"]);
    let page = format!("<p>{}", "a word and <b>another</b> ".repeat(40_000));
    let mut connections: Vec<Connection> = (0..24).map(|_| Connection::new(&served)).collect();
    for connection in &mut connections {
        assert!(connection.send(head("POST /extract", &HTML, page.len())) && connection.send(&page));
    }
    for connection in &mut connections {
        assert_eq!(connection.answer().unwrap().status, 200);
    }
}

#[test]
fn sixty_four_connections_at_once_are_all_answered() {
    let served = Served::start(&["-e", "coreex"]);
    std::thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                let mut connection = Connection::new(&served);
                for _ in 0..5 {
                    assert_eq!(connection.ask("POST /extract", &HTML, PAGE.as_bytes()).status, 200);
                }
            });
        }
    });
}

#[test]
fn a_signal_lets_what_is_in_flight_finish() {
    for signal in ["TERM", "INT"] {
        let served = Served::start(&[]);
        let mut watching = Connection::new(&served);
        let mut connection = half(&served);
        wait_for_active(&served, &mut watching, 2);
        served.signal(signal);
        // The connection that waits for nothing is closed, so the signal has arrived.
        assert!(watching.answer().is_none());
        assert!(connection.send(&PAGE[100..]));
        assert_eq!(connection.answer().unwrap().status, 200);
        assert!(connection.answer().is_none());
        let (status, said) = served.end();
        assert_eq!((status, said.as_str()), (0, ""));
    }
}
