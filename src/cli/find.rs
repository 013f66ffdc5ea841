//! `dehusk inspect --find`: from which archive and offset a document came.

use std::ffi::OsString;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};

use super::cat::bare_id;
use super::output::{say, write_stdout};
use super::{FAILURE, Failure, printable};
use dehusk_archive::escape::{self, terminal};
use dehusk_corpus::readback::Account;

/// Prints a line for each document of the runs that has this id or URL, and for each failed record that has this id.
pub(super) fn run(runs: &[OsString], wanted: &str) -> Result<u8, Failure> {
    let paths = Vec::from_iter(runs.iter().map(PathBuf::from));
    if let Some(archive) = paths.iter().find(|path| path.is_file()) {
        let archive = escape::path(archive);
        return Err(Failure::other(format!(
            "{archive}: --find searches runs, and this is a file; if it is an archive, search its records: \
             `dehusk inspect {archive} --verdicts | grep -F '{wanted}'`"
        )));
    }
    let accounts = Account::read_each(&paths).map_err(Failure::other)?;
    let mut finder = Finder {
        wanted: bare_id(wanted),
        lines: String::new(),
        status: 0,
    };
    for account in &accounts {
        finder.documents(account);
        finder.failures(account)?;
    }
    if finder.lines.is_empty() {
        let place = match &accounts[..] {
            [account] => escape::path(&account.directory),
            accounts => format!("{} runs", accounts.len()),
        };
        return Err(Failure::other(format!(
            "{place}: no document has the id or URL “{wanted}”; filtered records are not listed in a run, \
             `dehusk inspect ARCHIVE --verdicts` shows them",
        )));
    }
    write_stdout(format!("place\tlength\toutcome\tid\turl\trun\n{}", finder.lines).as_bytes())?;
    Ok(finder.status)
}

/// A search under way.
struct Finder<'w> {
    wanted: &'w str,
    lines: String,
    status: u8,
}

/// A record that was found.
struct FoundRecord<'f> {
    archive: &'f str,
    offset: u64,
    offset_in_member: u64,
    length: u64,
    outcome: &'f str,
    id: &'f str,
    url: &'f str,
    run: &'f Path,
}

impl Finder<'_> {
    fn documents(&mut self, account: &Account) {
        for archive in &account.archives {
            for shard in account.shards(archive) {
                let documents = match shard.read() {
                    Ok(documents) => documents,
                    Err(e) => {
                        self.complain(&e);
                        continue;
                    }
                };
                for document in documents {
                    let document = match document {
                        Ok(document) => document,
                        Err(e) => {
                            self.complain(&e);
                            break;
                        }
                    };
                    let m = &document.metadata;
                    if document.id == self.wanted || m.url == self.wanted {
                        self.line(&FoundRecord {
                            archive: &archive.path,
                            offset: m.warc_offset,
                            offset_in_member: m.offset_in_member,
                            length: m.warc_length,
                            outcome: "emitted",
                            id: &document.id,
                            url: &m.url,
                            run: &account.directory,
                        });
                    }
                }
            }
        }
    }

    fn failures(&mut self, account: &Account) -> Result<(), Failure> {
        for failure in account.failures().map_err(Failure::other)? {
            let failure = match failure {
                Ok(failure) => failure,
                Err(e) => {
                    let path = account.directory.join("failed.jsonl");
                    self.complain(&format!("{}: {e}", escape::path(&path)));
                    break;
                }
            };
            if failure.id == self.wanted && !self.wanted.is_empty() {
                self.line(&FoundRecord {
                    archive: &failure.archive,
                    offset: failure.offset,
                    offset_in_member: 0,
                    length: failure.length,
                    outcome: &format!("failed: {}", terminal(&failure.reason)),
                    id: &failure.id,
                    url: "",
                    run: &account.directory,
                });
            }
        }
        Ok(())
    }

    fn line(&mut self, found: &FoundRecord<'_>) {
        let inside = match found.offset_in_member {
            0 => String::new(),
            inside => format!("+{inside}"),
        };
        let (archive, id, url) = (terminal(found.archive), terminal(found.id), terminal(found.url));
        let (place, run) = (format!("{archive}@{}{inside}", found.offset), escape::path(found.run));
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.lines,
            "{place}\t{}\t{}\t{id}\t{url}\t{run}",
            found.length, found.outcome
        );
    }

    fn complain(&mut self, error: &dyn Display) {
        say(format!("dehusk: {}", printable(&error.to_string())));
        self.status = FAILURE;
    }
}
