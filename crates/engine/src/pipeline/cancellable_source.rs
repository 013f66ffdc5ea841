//! Reading from sources that may wait, such as objects on a server.
//!
//! A blocked read cannot be cancelled. So threads of their own do the reading, and the pipeline waits for them. That
//! wait ends when the pipeline is asked to stop, and it holds no CPU slot.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

use super::progress::Stop;
use super::semaphore::Semaphore;
use super::wait::{WaitError, receive};
use dehusk_archive::{ByteSource, Part};

/// A source whose reads can be cancelled. It releases the thread's CPU slot while a read waits.
#[derive(Debug)]
pub(super) struct CancellableSource {
    source: Arc<dyn ByteSource>,
    stop: Stop,
    /// `None` if the threads that read from it hold no CPU slot.
    cpu_slots: Option<Semaphore>,
    /// The threads that have nothing to read. There are as many as were ever needed at a time.
    idle: Mutex<Vec<ReadThread>>,
}

/// A thread that reads from the source. It ends when this is dropped and its last read has returned.
#[derive(Debug)]
struct ReadThread {
    requests: Sender<Request>,
    replies: Receiver<Reply>,
    buffer: Vec<u8>,
}

/// A request for the bytes at an offset: the part that it lies in, or else as much as fits into the buffer.
struct Request {
    offset: u64,
    most: usize,
    buffer: Vec<u8>,
}

struct Reply {
    read: io::Result<Answer>,
    buffer: Vec<u8>,
}

enum Answer {
    Part(Part),
    /// So many bytes are in the buffer.
    Bytes(usize),
}

impl CancellableSource {
    /// A source for threads that hold a CPU slot whenever they read from it.
    pub(super) fn with_slots(source: Arc<dyn ByteSource>, stop: &Stop, cpu_slots: &Semaphore) -> Self {
        Self {
            cpu_slots: Some(cpu_slots.clone()),
            ..Self::without_slots(source, stop)
        }
    }

    /// A source for threads that hold no CPU slot.
    pub(super) fn without_slots(source: Arc<dyn ByteSource>, stop: &Stop) -> Self {
        Self {
            source,
            stop: stop.clone(),
            cpu_slots: None,
            idle: Mutex::default(),
        }
    }

    /// Lets a thread read up to `most` bytes at an offset, and passes what it has read to `take`.
    fn request<T>(&self, offset: u64, most: usize, take: impl FnOnce(Answer, &[u8]) -> T) -> io::Result<T> {
        let mut thread = self.read_thread()?;
        let read = {
            let _suspended = self.cpu_slots.as_ref().map(Semaphore::suspend_cpu_slot);
            // A read that was cancelled drops its thread, which has not returned yet.
            thread.read(offset, most, &self.stop)?
        };
        let taken = read.map(|read| take(read, &thread.buffer));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(thread);
        taken
    }

    /// Takes an idle thread, or starts one.
    fn read_thread(&self) -> io::Result<ReadThread> {
        match self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            Some(thread) => Ok(thread),
            None => ReadThread::start(Arc::clone(&self.source)),
        }
    }
}

impl ByteSource for CancellableSource {
    fn size(&self) -> u64 {
        self.source.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let most = buffer.len();
        let mut copy = |bytes: &[u8]| {
            let n = bytes.len().min(most);
            buffer[..n].copy_from_slice(&bytes[..n]);
            n
        };
        if let Some(part) = self.part_at_hand(offset) {
            return Ok(copy(part.at(offset)));
        }
        self.request(offset, most, |answer, bytes| match answer {
            Answer::Part(part) => copy(part.at(offset)),
            // The archive's reader reports a source that returns more than it was asked for.
            Answer::Bytes(n) => n.max(copy(bytes.get(..n).unwrap_or_default())),
        })
    }

    fn part(&self, offset: u64) -> io::Result<Option<Part>> {
        if let Some(part) = self.part_at_hand(offset) {
            return Ok(Some(part));
        }
        // Without room for bytes, a source without parts reads nothing.
        self.request(offset, 0, |answer, _| match answer {
            Answer::Part(part) => Some(part),
            Answer::Bytes(_) => None,
        })
    }

    fn part_at_hand(&self, offset: u64) -> Option<Part> {
        self.source.part_at_hand(offset)
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.source.bytes()
    }

    fn check(&self) -> io::Result<()> {
        self.source.check()
    }

    fn release(&self, range: Range<u64>) {
        self.source.release(range);
    }

    fn is_ready(&self, offset: u64) -> bool {
        self.source.is_ready(offset)
    }

    fn may_wait(&self) -> bool {
        true
    }
}

impl ReadThread {
    fn start(source: Arc<dyn ByteSource>) -> io::Result<Self> {
        let (requests, taken) = bounded::<Request>(1);
        let (sender, replies) = bounded(1);
        let body = move || {
            for request in taken {
                let Request {
                    offset,
                    most,
                    mut buffer,
                } = request;
                let read = match source.part(offset) {
                    Ok(Some(part)) => Ok(Answer::Part(part)),
                    Ok(None) if most == 0 => Ok(Answer::Bytes(0)),
                    Ok(None) => source.read_at(offset, &mut buffer[..most]).map(Answer::Bytes),
                    Err(e) => Err(e),
                };
                // If the read was cancelled, the reply is not needed.
                let _ = sender.send(Reply { read, buffer });
            }
        };
        thread::Builder::new().name("source".into()).spawn(body)?;
        Ok(Self {
            requests,
            replies,
            buffer: Vec::new(),
        })
    }

    /// Reads up to `most` bytes into the thread's buffer, and returns what the source returned.
    ///
    /// # Errors
    /// The pipeline was asked to stop, or the source panicked. The thread is of no more use.
    fn read(&mut self, offset: u64, most: usize, stop: &Stop) -> io::Result<io::Result<Answer>> {
        let mut buffer = std::mem::take(&mut self.buffer);
        if buffer.len() < most {
            buffer.resize(most, 0);
        }
        let request = Request { offset, most, buffer };
        let sent = self.requests.send(request).map_err(|_| WaitError::Disconnected);
        let reply = sent.and_then(|()| receive(&self.replies, stop));
        let reply = reply.map_err(|e| e.of_read(PANICKED))?;
        self.buffer = reply.buffer;
        Ok(reply.read)
    }
}

/// Does something that may wait, in a thread of its own. Releases the caller's CPU slot meanwhile.
///
/// # Errors
/// The pipeline was asked to stop, or the thread panicked.
pub(super) fn wait_for<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
    stop: &Stop,
    cpu_slots: &Semaphore,
) -> io::Result<T> {
    let (sender, receiver) = bounded(1);
    let body = move || {
        // If the wait was cancelled, the result is not needed.
        let _ = sender.send(work());
    };
    thread::Builder::new().name("source".into()).spawn(body)?;
    let _suspended = cpu_slots.suspend_cpu_slot();
    receive(&receiver, stop).map_err(|e| e.of_read(PANICKED))
}

/// The error of a source whose thread panicked.
const PANICKED: &str = "its source panicked";

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that reports when it is read, and returns its bytes when the test lets it.
    #[derive(Debug)]
    struct Gate(Sender<()>, Receiver<()>);

    impl ByteSource for Gate {
        fn size(&self) -> u64 {
            3
        }

        fn read_at(&self, _: u64, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.send(()).map_err(io::Error::other)?;
            self.1.recv().map_err(io::Error::other)?;
            buffer[..3].copy_from_slice(b"abc");
            Ok(3)
        }
    }

    #[test]
    fn a_waiting_source_is_cancelled_and_holds_no_cpu_slot() -> io::Result<()> {
        let (open, gate) = bounded(1);
        let (enter, entered) = bounded(2);
        let (stop, cpu_slots) = (Stop::default(), Semaphore::new(1));
        let source = CancellableSource::with_slots(Arc::new(Gate(enter, gate)), &stop, &cpu_slots);
        let read = || {
            let _slot = cpu_slots.cpu_slot();
            let mut buffer = [0; 8];
            let read = source.read_at(0, &mut buffer).map_err(|e| e.to_string());
            read.map(|n| buffer[..n].to_vec())
        };
        thread::scope(|scope| {
            let reading = scope.spawn(read);
            entered.recv().map_err(io::Error::other)?;
            // The source is being read. If that held the slot, there would be none to take.
            drop(cpu_slots.cpu_slot());
            open.send(()).map_err(io::Error::other)?;
            let read_bytes = reading.join().map_err(|_| io::Error::other("the reader died"))?;
            assert_eq!(read_bytes, Ok(b"abc".to_vec()));
            stop.request();
            assert_eq!(read(), Err("the run was stopped".to_owned()));
            assert_eq!(cpu_slots.available(), 1);
            Ok(())
        })
    }

    #[test]
    fn a_part_is_handed_on_without_a_copy() -> io::Result<()> {
        #[derive(Debug)]
        struct InParts(Part);
        impl ByteSource for InParts {
            fn size(&self) -> u64 {
                self.0.range().end
            }
            fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("it has parts"))
            }
            fn part(&self, _: u64) -> io::Result<Option<Part>> {
                Ok(Some(self.0.clone()))
            }
        }
        let part = Part::new(2, Arc::new(b"cdef".to_vec()));
        let source = CancellableSource::without_slots(Arc::new(InParts(part.clone())), &Stop::default());
        let handed_on = source.part(3)?.map(|part| part.at(3).as_ptr());
        assert_eq!(handed_on, Some(part.at(3).as_ptr()));
        let mut buffer = [0; 2];
        assert_eq!(source.read_at(3, &mut buffer)?, 2);
        assert_eq!(&buffer, b"de");
        Ok(())
    }

    #[test]
    fn a_source_that_panics_reports_an_error() {
        #[derive(Debug)]
        struct Panics;
        impl ByteSource for Panics {
            fn size(&self) -> u64 {
                1
            }
            fn read_at(&self, _: u64, _: &mut [u8]) -> io::Result<usize> {
                panic!("a panic for a test")
            }
        }
        let (stop, cpu_slots) = (Stop::default(), Semaphore::new(1));
        let source = CancellableSource::with_slots(Arc::new(Panics), &stop, &cpu_slots);
        let _slot = cpu_slots.cpu_slot();
        let error = source.read_at(0, &mut [0; 1]).expect_err("a panic");
        assert_eq!(error.to_string(), "its source panicked");
    }
}
