//! Reading from pipes, which may stay silent for as long as they like.
//!
//! A read that waits cannot be asked to end, so a thread of its own does the reading, and whoever wants the bytes waits
//! for blocks from it: with an eye on the request to stop, and without keeping others from work meanwhile.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use super::Stop;
use super::permits::Permits;

/// Bytes that are read at a time: a pipe rarely holds more.
const BLOCK: usize = 256 << 10;

/// Blocks that wait to be taken: one while the next is filled.
const BLOCKS: usize = 2;

/// How often a wait looks whether the run is to end.
const GLANCE: Duration = Duration::from_millis(50);

/// A stream that can be given up. Whoever reads from it holds a turn, which others may use while the stream is silent.
pub(super) struct Patient {
    blocks: Receiver<io::Result<Vec<u8>>>,
    spent: Sender<Vec<u8>>,
    block: Vec<u8>,
    taken: usize,
    /// Bytes that were handed over.
    read: Arc<AtomicU64>,
    stop: Stop,
    turns: Permits,
}

impl Patient {
    /// Reads what `open` opens, which may wait too. The thread that does so ends with the stream, or when it next has
    /// something to hand over and nobody is left to take it.
    pub(super) fn new<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        stop: &Stop,
        turns: &Permits,
    ) -> io::Result<Self> {
        let (sender, blocks) = bounded(BLOCKS);
        let (spent, empty) = bounded(BLOCKS);
        let body = move || match open() {
            Ok(stream) => pump(stream, &sender, &empty),
            // Without anybody who waits there is nobody to tell.
            Err(e) => drop(sender.send(Err(e))),
        };
        thread::Builder::new().name("pipe".into()).spawn(body)?;
        Ok(Self {
            blocks,
            spent,
            block: Vec::new(),
            taken: 0,
            read: Arc::default(),
            stop: stop.clone(),
            turns: turns.clone(),
        })
    }

    /// How many bytes were read; to be held against what was made of them.
    pub(super) fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// The next block; `None` at the end.
    fn next(&self) -> io::Result<Option<Vec<u8>>> {
        match self.blocks.try_recv() {
            Ok(block) => return block.map(Some),
            Err(TryRecvError::Disconnected) => return Ok(None),
            Err(TryRecvError::Empty) => {}
        }
        self.turns.release();
        let result = self.wait();
        self.turns.acquire();
        result
    }

    fn wait(&self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.blocks.recv_timeout(GLANCE) {
                Ok(block) => return block.map(Some),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if self.stop.requested() => {
                    return Err(io::Error::other("the run was ended"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Read for Patient {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.block.len() {
            let Some(block) = self.next()? else { return Ok(0) };
            let spent = std::mem::replace(&mut self.block, block);
            self.taken = 0;
            // A thread that has ended, or has enough, needs no buffer.
            let _ = self.spent.try_send(spent);
        }
        let n = buffer.len().min(self.block.len() - self.taken);
        buffer[..n].copy_from_slice(&self.block[self.taken..self.taken + n]);
        self.taken += n;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Hands a stream over, block by block.
fn pump(mut stream: impl Read, blocks: &Sender<io::Result<Vec<u8>>>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut block = empty.try_recv().unwrap_or_default();
        block.resize(BLOCK, 0);
        let read = match stream.read(&mut block) {
            Ok(0) => return,
            Ok(n) => {
                block.truncate(n);
                Ok(block)
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => Err(e),
        };
        let failed = read.is_err();
        if blocks.send(read).is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that has something to say once.
    struct Silent(Option<&'static [u8]>, Receiver<()>);

    impl Read for Silent {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(bytes) = self.0.take() else {
                // Until the test drops the other end.
                let _ = self.1.recv();
                return Ok(0);
            };
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn a_silent_stream_is_given_up_and_leaves_its_turn_to_others() -> io::Result<()> {
        let (hold, held) = bounded(0);
        let (stop, turns) = (Stop::default(), Permits::new(1));
        turns.acquire();
        let mut patient = Patient::new(move || Ok(Silent(Some(b"abc"), held)), &stop, &turns)?;
        let mut buffer = [0; 2];
        assert_eq!(patient.read(&mut buffer)?, 2);
        assert_eq!(patient.read(&mut buffer)?, 1);
        let other = turns.clone();
        let reading = thread::spawn(move || patient.read(&mut [0; 8]).map_err(|e| e.to_string()));
        // Only while the stream is waited for is there a turn to take.
        other.acquire();
        stop.request();
        other.release();
        let result = reading.join().map_err(|_| io::Error::other("the reader died"))?;
        assert_eq!(result, Err("the run was ended".to_owned()));
        drop(hold);
        Ok(())
    }
}
