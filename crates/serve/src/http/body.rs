//! Reads the body of a request within limits.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::{Body as _, Incoming};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Refusal;

/// The unit in which the memory of bodies is counted, in bytes.
const UNIT: usize = 1 << 10;

/// Most bytes that are set aside for a body before they arrive.
const AT_ONCE: usize = 1 << 20;

/// A body above its limit is read on and dropped for so many times the limit, so that the client reads the answer.
const DROPPED: u64 = 4;

/// The limits of bodies.
pub(crate) struct ReadLimits {
    /// Most bytes of a body.
    bytes: u64,
    /// How long a body may take to arrive.
    timeout: Duration,
    /// The memory that all bodies may take.
    memory: Arc<Semaphore>,
}

/// A body. While it lives, its memory is counted.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    _memory: Option<OwnedSemaphorePermit>,
}

impl ReadLimits {
    /// Four of the largest bodies may be in memory at a time.
    pub(crate) fn new(bytes: u64, timeout: Duration) -> Self {
        let units = usize::try_from(bytes.saturating_mul(4)).unwrap_or(usize::MAX) / UNIT + 1;
        Self {
            bytes,
            timeout,
            memory: Arc::new(Semaphore::new(units.min(Semaphore::MAX_PERMITS))),
        }
    }

    /// Most bytes of a body.
    pub(crate) fn limit(&self) -> u64 {
        self.bytes
    }

    /// The body of a request.
    pub(crate) async fn read(&self, request: &mut Request<Incoming>) -> Result<Body, Refusal> {
        let is_plain = |value: &hyper::header::HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
        if let Some(coding) = request.headers().get(hyper::header::CONTENT_ENCODING)
            && !is_plain(coding)
        {
            let message = "the body must not have a content coding; send it as it is";
            return Err(Refusal::new(415, "content_encoding", message));
        }
        let body = request.body_mut();
        let reading = async {
            if body.size_hint().lower() > self.bytes {
                self.discard(body).await;
                return Err(self.too_large());
            }
            self.collect(body).await
        };
        tokio::time::timeout(self.timeout, reading).await.unwrap_or_else(|_| {
            let seconds = self.timeout.as_secs_f64();
            let message = format!("the body did not arrive within {seconds} seconds; send it faster, or see --timeout");
            Err(Refusal::new(408, "slow_body", message))
        })
    }

    async fn collect(&self, body: &mut Incoming) -> Result<Body, Refusal> {
        // A length that is stated saves the copies of a growing buffer, but is not believed beyond this.
        let stated = usize::try_from(body.size_hint().lower()).unwrap_or(AT_ONCE);
        let mut bytes = Vec::with_capacity(stated.min(AT_ONCE));
        let mut memory: Option<OwnedSemaphorePermit> = None;
        while let Some(frame) = next_frame(body).await {
            let frame = frame.map_err(|_| Refusal::bad_request("cut_body", "the body ended before its length"))?;
            let Ok(data) = frame.into_data() else { continue };
            if (bytes.len() + data.len()) as u64 > self.bytes {
                self.discard(body).await;
                return Err(self.too_large());
            }
            let wanted = (bytes.len() + data.len()).div_ceil(UNIT);
            let held = memory.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
            if wanted > held {
                let more = u32::try_from(wanted - held).unwrap_or(u32::MAX);
                let more = Arc::clone(&self.memory).try_acquire_many_owned(more);
                let Ok(more) = more else {
                    drop(memory);
                    return Err(Refusal::busy("the bodies of other requests take the memory for bodies"));
                };
                match &mut memory {
                    Some(memory) => memory.merge(more),
                    None => memory = Some(more),
                }
            }
            bytes.extend_from_slice(&data);
        }
        Ok(Body { bytes, _memory: memory })
    }

    /// Reads on without keeping anything, so that the client is done with sending when the answer comes.
    async fn discard(&self, body: &mut Incoming) {
        let mut left = self.bytes.saturating_mul(DROPPED);
        while let Some(Ok(frame)) = next_frame(body).await {
            let length = frame.data_ref().map_or(0, bytes::Bytes::len) as u64;
            if length > left {
                return;
            }
            left -= length;
        }
    }

    fn too_large(&self) -> Refusal {
        let message = format!("the body has more than {} bytes (limits.page_bytes)", self.bytes);
        Refusal::new(413, "too_large", message)
    }
}

async fn next_frame(body: &mut Incoming) -> Option<Result<hyper::body::Frame<bytes::Bytes>, hyper::Error>> {
    poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx)).await
}
