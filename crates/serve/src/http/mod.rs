//! Requests and answers.
//!
//! - `answer`: what is sent, with the headers that every answer has
//! - `body`: reads the body of a request within limits
//! - `guard`: who may ask
//! - `query`: the parameters of a request

mod answer;
mod body;
mod guard;
mod query;

pub(crate) use answer::{Answer, Refusal, answer, answer_with_policy};
pub(crate) use body::{Body, ReadLimits};
pub(crate) use guard::Guard;
pub(crate) use query::Query;
