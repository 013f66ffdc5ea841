//! Reading from pipes and standard input, which may stay silent for any time.
//!
//! A blocked read cannot be cancelled. So a thread of its own does the reading, and the pipeline waits for the blocks
//! that it hands over. That wait ends when the pipeline is asked to stop, and it holds no CPU slot.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crossbeam_channel::{Receiver, Sender, TryRecvError, bounded};

use super::progress::Stop;
use super::semaphore::Semaphore;
use super::wait::{WaitError, receive};

/// How many bytes one read asks for. A pipe rarely holds more.
const BLOCK: usize = 256 << 10;

/// How many blocks may wait: one, while the thread fills the next.
const BLOCKS: usize = 2;

/// A message of the thread: a block, or `None` at the end. If it sends neither that nor an error last, it panicked.
type Block = io::Result<Option<Vec<u8>>>;

/// A reader that can be cancelled. It releases its CPU slot while it waits for input.
///
/// The thread that reads from it must hold a CPU slot.
pub(super) struct CancellableReader {
    blocks: Receiver<Block>,
    spent: Sender<Vec<u8>>,
    block: Vec<u8>,
    /// How many bytes of `block` were handed out.
    taken: usize,
    /// Whether the thread has sent the end or an error. Nothing follows.
    ended: bool,
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
            // If the reader was dropped, the error is not needed.
            Err(e) => drop(sender.send(Err(e))),
        };
        thread::Builder::new().name("pipe".into()).spawn(body)?;
        Ok(Self {
            blocks,
            spent,
            block: Vec::new(),
            taken: 0,
            ended: false,
            read: Arc::default(),
            stop: stop.clone(),
            cpu_slots: cpu_slots.clone(),
        })
    }

    /// The counter of the bytes that were read. The account must explain each of them.
    pub(super) fn count(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Returns the next block, or `None` at the end and after an error of the input.
    fn next(&mut self) -> Block {
        if self.ended {
            return Ok(None);
        }
        let block = match self.blocks.try_recv() {
            Ok(block) => block,
            Err(TryRecvError::Disconnected) => return Err(WaitError::Disconnected.of_read(PANICKED)),
            Err(TryRecvError::Empty) => {
                let _suspended = self.cpu_slots.suspend_cpu_slot();
                receive(&self.blocks, &self.stop).map_err(|e| e.of_read(PANICKED))?
            }
        };
        self.ended = !matches!(block, Ok(Some(_)));
        block
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

/// The error if the thread is gone and sent no end.
/// The error of an input whose thread panicked.
const PANICKED: &str = "its stream panicked";

/// Reads the input to its end and sends it on, block by block, and then the end.
fn pump(mut input: impl Read, blocks: &Sender<Block>, empty: &Receiver<Vec<u8>>) {
    loop {
        let mut block = empty.try_recv().unwrap_or_default();
        block.resize(BLOCK, 0);
        let read = match input.read(&mut block) {
            Ok(0) => Ok(None),
            Ok(n) => {
                block.truncate(n);
                Ok(Some(block))
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => Err(e),
        };
        if !matches!(read, Ok(Some(_))) {
            // The reader may open the input again when it learns of the end, so it must be closed before.
            drop(input);
            let _ = blocks.send(read);
            return;
        }
        if blocks.send(read).is_err() {
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

    #[test]
    fn a_panic_is_an_error_and_no_end() -> io::Result<()> {
        struct Panics(&'static [u8]);
        impl Read for Panics {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                assert!(!self.0.is_empty(), "a panic for a test");
                self.0.read(buffer)
            }
        }
        let (stop, cpu_slots) = (Stop::default(), Semaphore::new(1));
        let _slot = cpu_slots.cpu_slot();
        let mut bytes = Vec::new();
        let mut reader = CancellableReader::new(|| Ok(Panics(b"abc")), &stop, &cpu_slots)?;
        let error = reader.read_to_end(&mut bytes).expect_err("a panic");
        assert_eq!(
            (bytes.as_slice(), error.to_string().as_str()),
            (&b"abc"[..], "its stream panicked")
        );
        let open = || -> io::Result<io::Empty> { panic!("a panic for a test") };
        let mut reader = CancellableReader::new(open, &stop, &cpu_slots)?;
        let error = reader.read(&mut [0; 8]).expect_err("a panic");
        assert_eq!(error.to_string(), "its stream panicked");
        // Both stay errors, and the end stays the end.
        assert!(reader.read(&mut [0; 8]).is_err());
        let mut reader = CancellableReader::new(|| Ok(&b"abc"[..]), &stop, &cpu_slots)?;
        assert_eq!(reader.read_to_end(&mut Vec::new())?, 3);
        assert_eq!(reader.read(&mut [0; 8])?, 0);
        Ok(())
    }
}
