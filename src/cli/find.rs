//! `dehusk inspect --find`: from which archive and offset a document came.

use std::fmt::Write;
use std::path::Path;

use super::cat::bare_id;
use super::output::{say, write_stdout};
use super::{FAILURE, Failure, printable};
use crate::encode::read_shard;
use crate::readback::Account;
use dehusk_archive::escape::{self, terminal};

/// Prints a line for each document of a run that has this id or URL, and for each failed record that has this id.
pub(super) fn run(directory: &Path, wanted: &str) -> Result<u8, Failure> {
    let account = Account::read(directory).map_err(Failure::other)?;
    let wanted = bare_id(wanted);
    let mut lines = String::new();
    let mut line = |archive: &str, (offset, inside): (u64, u64), length: u64, outcome: &str, id: &str, url: &str| {
        let inside = if inside > 0 {
            format!("+{inside}")
        } else {
            String::new()
        };
        let (archive, id, url) = (terminal(archive), terminal(id), terminal(url));
        // Writing to a string cannot fail.
        let _ = writeln!(lines, "{archive}@{offset}{inside}\t{length}\t{outcome}\t{id}\t{url}");
    };
    let mut status = 0;
    let mut complain = |error: &dyn std::fmt::Display| {
        say(format!("dehusk: {}", printable(&error.to_string())));
        status = FAILURE;
    };
    for archive in &account.archives {
        for shard in account.shards(archive) {
            let documents = match read_shard(&shard) {
                Ok(documents) => documents,
                Err(e) => {
                    complain(&e);
                    continue;
                }
            };
            for document in documents {
                let document = match document {
                    Ok(document) => document,
                    Err(e) => {
                        complain(&e);
                        break;
                    }
                };
                let m = &document.metadata;
                if document.id == wanted || m.url == wanted {
                    let place = (m.warc_offset, m.offset_in_member);
                    line(&archive.path, place, m.warc_length, "emitted", &document.id, &m.url);
                }
            }
        }
    }
    for failure in account.failures().map_err(Failure::other)? {
        let failure = match failure {
            Ok(failure) => failure,
            Err(e) => {
                complain(&format!("{}: {e}", escape::path(&directory.join("failed.jsonl"))));
                break;
            }
        };
        if failure.id == wanted && !wanted.is_empty() {
            let outcome = format!("failed: {}", terminal(&failure.reason));
            line(
                &failure.archive,
                (failure.offset, 0),
                failure.length,
                &outcome,
                &failure.id,
                "",
            );
        }
    }
    if lines.is_empty() {
        return Err(Failure::other(format!(
            "{}: no document has the id or URL “{wanted}”; filtered records are not listed in a run, \
             `dehusk inspect ARCHIVE --verdicts` shows them",
            escape::path(directory)
        )));
    }
    write_stdout(format!("place\tlength\toutcome\tid\turl\n{lines}").as_bytes())?;
    Ok(status)
}
