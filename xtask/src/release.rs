//! Makes and checks all that a release publishes: `cargo xtask release --dry-run [PART]...`.

use std::process::{Command, ExitCode};

use crate::task::{Outcome, root};

pub fn main(arguments: &[String]) -> Outcome {
    let Some(("--dry-run", parts)) = arguments.split_first().map(|(first, parts)| (first.as_str(), parts)) else {
        return Err("release takes --dry-run and publishes nothing; CONTRIBUTING.md says how to publish".into());
    };
    let status = Command::new(root().join("packaging/release")).args(parts).status()?;
    Ok(ExitCode::from(if status.success() { 0 } else { 1 }))
}
