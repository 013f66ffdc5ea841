//! What a run has to do with each archive: read it, go on with it, or nothing. Whatever has changed since an earlier run is
//! named, and refused unless the caller asks for it.

use std::collections::HashSet;
use std::path::PathBuf;

use super::RunOptions;
use super::change::{Now, change};
use super::directory::Directory;
use super::earlier::{Earlier, EarlierArchive, EarlierProgress};
use super::error::{DirectoryError, DirectoryErrorKind};
use super::journal::{Checkpoint, OutputFile};
use super::open_archive::OpenArchive;
use super::report::{ArchiveReport, ArchiveState};
use super::since::Since;
use super::{quarantine, revisits, shard_path};
use crate::config::Rules;
use crate::input::{ArchiveInput, InputState};
use dehusk_archive::escape;

/// What a run has to do.
pub(super) struct Plan {
    /// The archives of the run's list; then those that an earlier run finished and the list does not name.
    pub(super) archives: Vec<PlannedArchive>,
}

/// An archive, and what the run has to do with it.
pub(super) struct PlannedArchive {
    /// Its account so far.
    pub(super) report: ArchiveReport,
    /// The name of its shard, without endings.
    pub(super) shard: String,
    pub(super) todo: Todo,
}

/// What a run has to do with an archive.
pub(super) enum Todo {
    /// Read it from its start.
    Read,
    /// Go on behind a checkpoint.
    Continue(Box<Checkpoint>, Box<OpenArchive>),
    /// Take it over from another run, which says this of it.
    TakeOver(Box<ArchiveReport>),
    /// Nothing: it is finished, and its outputs are these (none, if they all have their names).
    Keep(Vec<OutputFile>),
    /// Nothing: it is not finished, but has changed.
    Refuse(Option<Box<Checkpoint>>),
}

impl Plan {
    /// Plans a run. Archives that an earlier run knows keep the names of their shards. `differences` are those of what all documents
    /// depend on.
    ///
    /// # Errors
    /// What all documents depend on has changed since the earlier run.
    pub(super) fn new(
        rules: &Rules,
        inputs: &mut [ArchiveInput],
        directory: &Directory,
        (earlier, differences): (Option<&Earlier>, Vec<String>),
        options: &RunOptions<'_>,
    ) -> Result<Self, DirectoryError> {
        let mut archives = Vec::new();
        let Some(earlier) = earlier else {
            archives.extend(inputs.iter().map(|input| new_archive(rules, input)));
            return Ok(Self { archives });
        };
        let same = differences.is_empty();
        if !same && !options.changed {
            let kind = DirectoryErrorKind::Changed { differences };
            return Err(DirectoryError::new(directory.path(), kind));
        }
        keep_shard_names(inputs, earlier);
        let mut named = HashSet::new();
        for input in inputs.iter() {
            let path = path_of(input);
            let known = earlier.archive(&path).filter(|_| same && named.insert(path));
            archives.push(match known {
                Some(known) => known_archive(rules, input, known, directory, options),
                None => new_archive(rules, input),
            });
        }
        if rules.config.select.resolve_revisits {
            revisits::follow_originals(rules, inputs, earlier, &mut archives, options);
        }
        let listed: HashSet<String> = archives.iter().map(|archive| archive.report.path.clone()).collect();
        let unlisted = earlier
            .archives
            .iter()
            .filter(|archive| same && !listed.contains(&archive.path));
        archives.extend(unlisted.filter_map(|archive| match &archive.progress {
            EarlierProgress::Finished { report, files } => Some(PlannedArchive {
                report: (**report).clone(),
                shard: archive.shard.clone().unwrap_or_default(),
                todo: Todo::Keep(files.clone()),
            }),
            _ => None,
        }));
        Ok(Self { archives })
    }

    /// Takes archives over from another run instead of reading them.
    pub(super) fn take_over(
        &mut self,
        since: &Since,
        inputs: &[ArchiveInput],
        rules: &Rules,
        options: &RunOptions<'_>,
    ) {
        let mut known: Vec<Option<&ArchiveReport>> = inputs
            .iter()
            .map(|input| since.archive(input, rules, options))
            .collect();
        if rules.config.select.resolve_revisits {
            revisits::leave_uncertain(&mut known, since.paths());
        }
        for (archive, report) in self.archives.iter_mut().zip(known) {
            if matches!(archive.todo, Todo::Read)
                && let Some(report) = report
            {
                archive.todo = Todo::TakeOver(Box::new(report.clone()));
            }
        }
    }

    /// Has the documents of archives that are to be read go elsewhere than to shards.
    pub(super) fn write_no_shards(&mut self) {
        for archive in &mut self.archives {
            if matches!(archive.todo, Todo::Read) {
                archive.report.shards.clear();
            }
        }
    }

    /// Whether every archive is finished.
    pub(super) fn is_finished(&self) -> bool {
        self.archives
            .iter()
            .all(|archive| matches!(archive.todo, Todo::Keep(_)))
    }

    /// The outputs that the run may write.
    pub(super) fn outputs(&self, rules: &Rules) -> Vec<PathBuf> {
        let written =
            |archive: &&PlannedArchive| matches!(archive.todo, Todo::Read | Todo::Continue(..) | Todo::TakeOver(_));
        // What goes to a sink has no shard.
        let written = self
            .archives
            .iter()
            .filter(written)
            .filter(|archive| !archive.report.shards.is_empty());
        written
            .map(|archive| shard_path(&rules.config, &archive.shard))
            .collect()
    }
}

/// How messages and reports name an archive.
pub(super) fn path_of(input: &ArchiveInput) -> String {
    escape::name(input.label().as_os_str()).into_owned()
}

/// An archive of which nothing is known.
pub(super) fn new_archive(rules: &Rules, input: &ArchiveInput) -> PlannedArchive {
    let mut report = ArchiveReport::pending(path_of(input), &shard_path(&rules.config, input.shard()));
    report.input = input.state();
    if rules.config.output.quarantine {
        report.quarantine = quarantine::candidate_paths(input.shard());
    }
    PlannedArchive {
        report,
        shard: input.shard().to_owned(),
        todo: Todo::Read,
    }
}

/// An archive that an earlier run knows.
fn known_archive(
    rules: &Rules,
    input: &ArchiveInput,
    earlier: &EarlierArchive,
    directory: &Directory,
    options: &RunOptions<'_>,
) -> PlannedArchive {
    if matches!(earlier.progress, EarlierProgress::None) {
        return new_archive(rules, input);
    }
    let now = Now::of(input, &rules.config, options);
    let mut new = new_archive(rules, input);
    new.report.unreachable = now.is_unreachable();
    // Of a file that is gone, perhaps only for a time, nothing can be made again, so what there is stays.
    let is_gone = !matches!(now, Now::State(Some(_)) | Now::Incomparable(_));
    let again = options.changed && !is_gone;
    match &earlier.progress {
        // It was handled above.
        EarlierProgress::None => new,
        EarlierProgress::Damaged if again => new,
        EarlierProgress::Damaged => {
            let why = "its entries in the journal are damaged".to_owned();
            refused_archive(new, earlier.input.as_ref(), why, None)
        }
        EarlierProgress::Finished { report, files } => {
            let output = changed_output(report, files, directory, options.verify);
            let unreachable = output.is_none() && now.is_unreachable();
            let changed = output.or_else(|| change(input, &now, report.input.as_ref(), None, options.verify));
            // What could not be read then can often be read now. Documents of another file are not replaced unasked.
            let is_failed = report.state == ArchiveState::Failed;
            let retry = is_failed && (changed.is_none() || report.shards.is_empty());
            match changed {
                _ if retry => new,
                Some(_) if again => new,
                changed => PlannedArchive {
                    report: ArchiveReport {
                        unreachable,
                        changed: changed.unwrap_or_default(),
                        ..(**report).clone()
                    },
                    shard: new.shard,
                    todo: Todo::Keep(files.clone()),
                },
            }
        }
        EarlierProgress::Unfinished(checkpoint) => {
            let digest = checkpoint.digest.as_ref();
            let changed = change(input, &now, earlier.input.as_ref(), digest, options.verify);
            let output = &rules.config.output;
            let shard = shard_path(&rules.config, &new.shard);
            let resumed = match changed {
                Some(change) => Err(change),
                None => OpenArchive::resume(checkpoint, input, &shard, output, directory).map_err(|e| e.to_string()),
            };
            match resumed {
                Ok(open) => PlannedArchive {
                    report: ArchiveReport {
                        partial: partial(checkpoint),
                        ..new.report
                    },
                    shard: new.shard,
                    todo: Todo::Continue(checkpoint.clone(), Box::new(open)),
                },
                Err(_) if again => new,
                Err(change) => refused_archive(new, earlier.input.as_ref(), change, Some(checkpoint)),
            }
        }
    }
}

/// An archive that an earlier run began and that must not be gone on with.
pub(super) fn refused_archive(
    new: PlannedArchive,
    earlier: Option<&InputState>,
    changed: String,
    checkpoint: Option<&Checkpoint>,
) -> PlannedArchive {
    let mut report = ArchiveReport {
        input: earlier.cloned(),
        changed,
        ..new.report
    };
    report.give_up(ArchiveState::Interrupted, String::new());
    report.partial = checkpoint.map_or_else(Vec::new, partial);
    PlannedArchive {
        report,
        shard: new.shard,
        todo: Todo::Refuse(checkpoint.cloned().map(Box::new)),
    }
}

/// The outputs that an unfinished archive has a part of.
fn partial(checkpoint: &Checkpoint) -> Vec<PathBuf> {
    checkpoint.files.iter().map(|file| file.path.clone()).collect()
}

/// Which output of a finished archive is gone or has changed: its size, or with `verify` its bytes.
fn changed_output(report: &ArchiveReport, files: &[OutputFile], directory: &Directory, verify: bool) -> Option<String> {
    if let Some(error) = files.iter().find_map(|file| directory.complete_output(file).err()) {
        return Some(error.to_string());
    }
    let changed = report.shards.iter().chain(&report.quarantine).find_map(|output| {
        let name = escape::path(output);
        match (directory.size(output), report.output_bytes.get(output)) {
            (None, _) => Some(format!("its output {name} is gone")),
            (Some(now), Some(then)) if now != *then => Some(format!(
                "its output {name} has {now} bytes, and had {then} when it was written"
            )),
            _ => None,
        }
    });
    changed.or_else(|| {
        let mut written = report.output_sha256.iter().filter(|_| verify);
        written.find_map(|(output, then)| {
            let name = escape::path(output);
            match directory.sha256(output) {
                Ok(now) if now == *then => None,
                Ok(_) => Some(format!(
                    "the bytes of its output {name} are not those that were written (their SHA-256 is not that in run.json)"
                )),
                Err(e) => Some(format!("its output {name} cannot be read: {e}")),
            }
        })
    })
}

/// Gives archives that an earlier run knows the names that their shards have, and all others names that are free.
fn keep_shard_names(inputs: &mut [ArchiveInput], earlier: &Earlier) {
    let mut taken: HashSet<String> = earlier.shard_names().into_iter().map(str::to_owned).collect();
    let mut named = HashSet::new();
    for input in inputs {
        let path = path_of(input);
        let known = earlier.archive(&path).and_then(|archive| archive.shard.clone());
        let known = known.filter(|_| named.insert(path));
        match known {
            Some(shard) => input.set_shard(shard),
            None => {
                let name = input.shard().to_owned();
                let mut number = 1;
                while !taken.insert(input.shard().to_owned()) {
                    number += 1;
                    input.set_shard(format!("{name}-{number}"));
                }
            }
        }
    }
}
