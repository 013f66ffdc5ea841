//! A kit for archives: making them by code, damaging them, and reading them on every path.

pub mod damage;
pub mod damaged;
pub mod faults;
pub mod make;
pub mod mended;
pub mod read;

/// Runs `work` on a thread of its own and panics where it takes longer than `seconds`: a reader must never hang.
pub fn within<T: Send + 'static>(seconds: u64, what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = std::sync::mpsc::channel();
    let thread = std::thread::Builder::new()
        .name(what.into())
        .spawn(move || send.send(work()))
        .unwrap();
    match receive.recv_timeout(std::time::Duration::from_secs(seconds)) {
        Ok(result) => result,
        Err(std::sync::mpsc::RecvTimeoutError::Timeout) => panic!("{what} takes longer than {seconds} s"),
        Err(_) => {
            let panic = thread.join().expect_err("the thread sends unless it panics");
            std::panic::resume_unwind(panic)
        }
    }
}

/// A small generator of numbers (xorshift), so that a seed determines everything.
pub struct Random(pub u64);

impl Random {
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.max(1);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, most: usize) -> usize {
        (self.next_u64() % most.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, n: usize) -> Vec<u8> {
        (0..n).map(|_| (self.next_u64() >> 32) as u8).collect()
    }

    /// Text that compresses somewhat.
    pub fn text(&mut self, n: usize) -> Vec<u8> {
        const WORDS: [&str; 12] = [
            "the ",
            "forum ",
            "reply ",
            "garden ",
            "of ",
            "winter\r\n",
            "thread ",
            "and ",
            "<p>",
            "</p>\n",
            "quoted ",
            "again ",
        ];
        let mut text = Vec::with_capacity(n + 16);
        while text.len() < n {
            text.extend_from_slice(WORDS[self.below(WORDS.len())].as_bytes());
            if self.below(4) == 0 {
                text.extend_from_slice(format!("{:x} ", self.next_u64() as u16).as_bytes());
            }
        }
        text.truncate(n);
        text
    }
}
