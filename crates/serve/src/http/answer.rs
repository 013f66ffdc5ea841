//! Answers, with the headers that every answer has.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::Response;
use hyper::body::{Frame, SizeHint};
use hyper::header::{HeaderName, HeaderValue};
use serde::Serialize;

use dehusk_engine::page::Dropped;

/// The policy of everything that is not a page of the inspector: it loads nothing and runs nothing.
const NOTHING: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox";

/// The headers of every answer.
const HEADERS: [(&str, &str); 5] = [
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
];

pub(crate) type Answer = Response<Whole>;

/// A body that is sent in one piece.
pub(crate) struct Whole(Bytes);

impl hyper::body::Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = std::mem::take(&mut self.0);
        Poll::Ready((!bytes.is_empty()).then(|| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.len() as u64)
    }
}

/// An answer of a type.
pub(crate) fn answer(status: u16, content_type: &'static str, body: impl Into<Bytes>) -> Answer {
    answer_with_policy(status, content_type, HeaderValue::from_static(NOTHING), body)
}

/// An answer with a content security policy of its own.
pub(crate) fn answer_with_policy(
    status: u16,
    content_type: &'static str,
    policy: HeaderValue,
    body: impl Into<Bytes>,
) -> Answer {
    let mut answer = Response::new(Whole(body.into()));
    // Only numbers of this package come here, and all are statuses.
    *answer.status_mut() = hyper::StatusCode::from_u16(status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    let headers = answer.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    headers.insert(hyper::header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(hyper::header::CONTENT_SECURITY_POLICY, policy);
    answer
}

/// Why a request is not answered as it asks.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Refusal {
    #[serde(skip)]
    pub(crate) status: u16,
    /// The name of the reason.
    pub(crate) error: &'static str,
    /// `filtered` or `failed`, if the page is the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'static str>,
    /// The mistake and the remedy.
    message: String,
    /// The methods of a path.
    #[serde(skip)]
    allow: Option<&'static str>,
}

impl Refusal {
    pub(crate) fn new(status: u16, error: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            error,
            outcome: None,
            message: message.into(),
            allow: None,
        }
    }

    /// The request itself is wrong.
    pub(crate) fn bad_request(error: &'static str, message: impl Into<String>) -> Self {
        Self::new(400, error, message)
    }

    /// There is more to do than may be done at a time.
    pub(crate) fn busy(message: &str) -> Self {
        Self::new(503, "busy", format!("{message}; ask again in a second"))
    }

    /// The path takes other methods.
    pub(crate) fn method(allow: &'static str) -> Self {
        Self {
            allow: Some(allow),
            ..Self::new(405, "method", format!("this path takes {allow}"))
        }
    }

    pub(crate) fn answer(&self) -> Answer {
        // Two strings are always JSON.
        let body = serde_json::to_vec(self).unwrap_or_default();
        let mut answer = answer(self.status, "application/json", body);
        let headers = answer.headers_mut();
        if self.error == "busy" {
            headers.insert(hyper::header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if let Some(allow) = self.allow {
            headers.insert(hyper::header::ALLOW, HeaderValue::from_static(allow));
        }
        answer
    }
}

/// A page without a document: the reason's name and its sentence.
impl From<Dropped> for Refusal {
    fn from(dropped: Dropped) -> Self {
        Self {
            outcome: Some(dropped.outcome()),
            ..Self::new(422, dropped.reason(), dropped.sentence())
        }
    }
}
