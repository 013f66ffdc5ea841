//! Reading from pipes and standard input, which may stay silent for any time.
//!
//! A blocked read cannot be cancelled. So a thread of its own does the reading, and the pipeline waits for the blocks that
//! it hands over. That wait ends when the pipeline is asked to stop, and it holds no CPU slot.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, bounded};

use super::Stop;
use super::semaphore::Semaphore;

/// How many bytes one read asks for. A pipe rarely holds more.
const BLOCK: usize = 256 << 10;

/// How many blocks may wait: one, while the thread fills the next.
const BLOCKS: usize = 2;

/// How often a wait checks whether the pipeline is asked to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A reader that can be cancelled. It releases its CPU slot while it waits for input.
///
/// The thread that reads from it must hold a CPU slot.
pub(super) struct CancellableReader {
    blocks: Receiver<io::Result<Vec<u8>>>,
    spent: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// How many bytes of `block` were handed out.
    taken: usize,
    /// How many bytes were handed out in all.
    read: Arc<AtomicU64>,
    stop: Stop,
    cpu_slots: Semaphore,
}

impl CancellableReader {
    /// Starts the thread that opens the input with `open`, which may block too, and reads it.
    ///
    /// The thread ends with the input, or when it next has a block and the reader was dropped.
    pub(super) fn new<R: Read>(
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        stop: &Stop,
        cpu_slots: &Semaphore,
    ) -> io::Result<Self> {
        let (sender, blocks) = bounded(BLOCKS);
        let (spent, empty) = bounded(BLOCKS);
        let body = move || match open() {
            Ok(input) => pump(input, &sender, &empty),
            // If the reader was dropped, nobody needs the error.
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
            cpu_slots: cpu_slots.clone(),
        })
    }

    /// The counter of the bytes that were read. The account must explain each of them.
    pub(super) fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Returns the next block, or `None` at the end.
    fn next(&self) -> io::Result<Option<Vec<u8>>> {
        match self.blocks.try_recv() {
            Ok(block) => return block.map(Some),
            Err(TryRecvError::Disconnected) => return Ok(None),
            Err(TryRecvError::Empty) => {}
        }
        let _suspended = self.cpu_slots.suspend_cpu_slot();
        self.wait()
    }

    fn wait(&self) -> io::Result<Option<Vec<u8>>> {
        loop {
            match self.blocks.recv_timeout(POLL_INTERVAL) {
                Ok(block) => return block.map(Some),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if self.stop.requested() => {
                    return Err(io::Error::other("the run was stopped"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

impl Read for CancellableReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.block.len() {
            let Some(block) = self.next()? else { return Ok(0) };
            let spent = std::mem::replace(&mut self.block, block);
            self.taken = 0;
            // If the thread has ended or has enough buffers, this one is dropped.
            let _ = self.spent.try_send(spent);
        }
        let n = buffer.len().min(self.block.len() - self.taken);
        buffer[..n].copy_from_slice(&self.block[self.taken..self.taken + n]);
        self.taken += n;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// Reads the input to its end and sends it on, block by block.
fn pump(mut input: impl Read, blocks: &Sender<io::Result<Vec<u8>>>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut block = empty.try_recv().unwrap_or_default();
        block.resize(BLOCK, 0);
        let read = match input.read(&mut block) {
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

    /// An input that delivers its bytes once and then blocks until the test ends.
    struct Silent(Option<&'static [u8]>, Receiver<()>);

    impl Read for Silent {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(bytes) = self.0.take() else {
                // The test drops the other end.
                let _ = self.1.recv();
                return Ok(0);
            };
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn a_silent_input_is_cancelled_and_holds_no_cpu_slot() -> io::Result<()> {
        let (hold, held) = bounded(0);
        let (stop, cpu_slots) = (Stop::default(), Semaphore::new(1));
        std::mem::forget(cpu_slots.cpu_slot());
        let mut reader = CancellableReader::new(move || Ok(Silent(Some(b"abc"), held)), &stop, &cpu_slots)?;
        let mut buffer = [0; 2];
        assert_eq!(reader.read(&mut buffer)?, 2);
        assert_eq!(reader.read(&mut buffer)?, 1);
        let other = cpu_slots.clone();
        let reading = thread::spawn(move || reader.read(&mut [0; 8]).map_err(|e| e.to_string()));
        // There is a slot to take only while the reader waits.
        let slot = other.cpu_slot();
        stop.request();
        drop(slot);
        let result = reading.join().map_err(|_| io::Error::other("the reader died"))?;
        assert_eq!(result, Err("the run was stopped".to_owned()));
        drop(hold);
        Ok(())
    }
}
