//! The repository itself: its documents against the code, and the licences of what the program is built of.
#![allow(clippy::unwrap_used)]

mod commands;
mod docs;
mod faults;
mod licences;
mod rooms;
mod schema;
