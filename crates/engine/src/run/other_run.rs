//! Archives that another run has finished, taken over instead of read again.
//!
//! An archive is taken over if its file is the same, and program and configuration would make the same documents from
//! it. Its outputs are linked, or copied if the file system has no links. If only the compression differs, or the
//! format in a way that loses nothing, its documents are read back and written again.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::change::CurrentInput;
use super::directory::{Directory, FAILURES, shard_path};
use super::earlier::{Earlier, TakeLines};
use super::error::DirectoryError;
use super::failures;
use super::options::RepeatOptions;
use super::report::{ArchiveReport, ArchiveState, PROGRAM, Report, archive_path};
use crate::config::{Config, Rules};
use crate::input::ArchiveInput;
use dehusk_documents::document::SCHEMA_VERSION;
use dehusk_documents::encode::{EncodeError, read_shard, sha256_of};
use dehusk_documents::folder::open_output;

/// Bytes of documents that become one part of a shard.
const PART: usize = 1 << 20;

/// Bytes that are copied at a time.
const PIECE: usize = 1 << 20;

/// A run from which archives are taken over.
pub(super) struct OtherRun {
    directory: PathBuf,
    earlier: Earlier,
    transfer: Transfer,
}

/// How outputs are taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transfer {
    /// As they are.
    Link,
    /// Their documents are written again.
    Convert,
    /// Not at all: other documents would be made now.
    Impossible,
}

/// The outcome of an attempt to take an archive over.
pub(super) enum TakeOver {
    /// It is taken over, and this is its account.
    Done(Box<ArchiveReport>),
    /// It must be read, because its outputs are gone or cannot be converted without a loss.
    Impossible,
    /// It must be read, because this output's bytes are not those that were written.
    ChangedOutput(PathBuf),
}

impl OtherRun {
    /// Reads what another run did.
    ///
    /// # Errors
    /// There is no run in this directory, or its report cannot be read.
    pub(super) fn read(directory: &Path, rules: &Rules) -> Result<Self, DirectoryError> {
        let mut other = Self {
            directory: directory.to_owned(),
            earlier: Earlier::default(),
            transfer: Transfer::Impossible,
        };
        let value = Report::read_value(directory)?;
        // Documents name the version that made them, and those that went to a sink are not here.
        if value["program"] == PROGRAM && value["sink"].is_null() {
            let report = Report::from_value(value, directory)?;
            // While the program is developed, the schema changes without the program's version.
            if report.schema.number == SCHEMA_VERSION {
                other.transfer = transfer(&report.config, &report.config_hash, rules);
            }
            other.earlier = Earlier::from_report(&report);
        }
        Ok(other)
    }

    /// The archives of the other run, as it names them.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.earlier.archives.iter().map(|archive| &*archive.path)
    }

    /// The other run's account of an archive, if it can be taken over.
    pub(super) fn archive(
        &self,
        input: &ArchiveInput,
        rules: &Rules,
        repeat: RepeatOptions<'_>,
    ) -> Option<&ArchiveReport> {
        if self.transfer == Transfer::Impossible {
            return None;
        }
        let (known, report) = self.earlier.finished_archive(&archive_path(input.label()))?;
        let is_whole = matches!(report.state, ArchiveState::Complete | ArchiveState::Damaged);
        // Without a record id, a document's id depends on the name of its shard.
        let is_named = known.shard.as_deref().is_none_or(|shard| shard == input.shard());
        let is_same = || {
            let current = CurrentInput::ask(input, &rules.config, repeat.stop);
            let change = current.change_since(report.input.as_ref(), None, repeat.verify);
            change.is_none()
        };
        (is_whole && is_named && is_same()).then_some(report)
    }

    /// Takes an archive over into a run directory.
    ///
    /// # Errors
    /// The run directory cannot be written.
    pub(super) fn take_over(
        &self,
        report: &ArchiveReport,
        shard: &str,
        rules: &Rules,
        directory: &Directory,
    ) -> Result<TakeOver, DirectoryError> {
        let mut taken = report.clone();
        let is_whole = |path: &PathBuf| {
            let size = report.output_bytes.get(path);
            let found = fs::symlink_metadata(self.directory.join(path));
            found.is_ok_and(|m| m.is_file() && size.is_none_or(|size| *size == m.len()))
        };
        if !report.outputs().all(is_whole) {
            return Ok(TakeOver::Impossible);
        }
        let mut sums = report.output_sha256.iter();
        if let Some((path, _)) = sums.find(|(path, sum)| !self.has_sha256(path, sum)) {
            return Ok(TakeOver::ChangedOutput(self.directory.join(path)));
        }
        let is_kept = rules.config.output.quarantine;
        if is_kept && report.quarantine.is_empty() && report.ledger.is_damaged() {
            return Ok(TakeOver::Impossible);
        }
        // Only reading finds the chosen records.
        if !rules.records.is_empty() || rules.config.output.robots {
            return Ok(TakeOver::Impossible);
        }
        taken.records.clear();
        let new = shard_path(&rules.config, shard);
        for path in &report.shards {
            if self.transfer == Transfer::Link {
                self.link(path, &new, directory)?;
            } else if !convert(&self.directory.join(path), &new, report, rules, directory)? {
                return Ok(TakeOver::Impossible);
            }
        }
        // Only now it is certain that the archive is not read, which would write a quarantine of its own.
        taken.quarantine.retain(|_| is_kept);
        for path in &taken.quarantine {
            self.link(path, path, directory)?;
        }
        taken.output_bytes.clear();
        taken.output_sha256.clear();
        for output in report.shards.iter().map(|_| &new).chain(&taken.quarantine) {
            let size = directory.size(output);
            taken.output_bytes.extend(size.map(|size| (output.clone(), size)));
            // A linked output has been compared with its checksum. One that was written, or has no checksum, is read.
            let known = report
                .output_sha256
                .get(output)
                .filter(|_| self.transfer == Transfer::Link);
            let sum = known.cloned().map_or_else(|| directory.sha256(output), Ok);
            let sum = sum.map_err(DirectoryError::io(&self.directory.join(output), "be read"))?;
            taken.output_sha256.insert(output.clone(), sum);
        }
        taken.shards = report.shards.iter().map(|_| new.clone()).collect();
        Ok(TakeOver::Done(Box::new(taken)))
    }

    /// Whether an output of the other run has this SHA-256.
    fn has_sha256(&self, output: &Path, sum: &str) -> bool {
        let file = open_output(&self.directory.join(output));
        file.and_then(sha256_of).is_ok_and(|found| found == *sum)
    }

    /// Gives the lines of the other run's `failed.jsonl` to `take`, some at a time, with the path of their archive.
    ///
    /// # Errors
    /// They cannot be read, or `take` fails.
    pub(super) fn failures(&self, take: &mut TakeLines<'_>) -> Result<(), DirectoryError> {
        let path = self.directory.join(FAILURES);
        let file = open_output(&path).map_err(DirectoryError::io(&path, "be read"))?;
        failures::read(file, &path, take)
    }

    /// Links an output, or copies it.
    fn link(&self, from: &Path, to: &Path, directory: &Directory) -> Result<(), DirectoryError> {
        let from = self.directory.join(from);
        if directory.link_output(&from, to)? {
            return Ok(());
        }
        let cannot_read = || DirectoryError::io(&from, "be read");
        let mut source = open_output(&from).map_err(cannot_read())?;
        let mut file = directory.create_output(to)?;
        let mut piece = vec![0; PIECE];
        loop {
            match source.read(&mut piece).map_err(cannot_read())? {
                0 => break,
                n => file.append(&piece[..n])?,
            }
        }
        file.commit()?;
        Ok(())
    }
}

/// How the outputs of a run of this configuration are taken over.
fn transfer(then: &Config, hash: &str, rules: &Rules) -> Transfer {
    let now = &rules.config;
    // The documents of that run count as seen, so this run would emit others.
    if !now.select.seen.is_empty() {
        return Transfer::Impossible;
    }
    if hash == rules.hash && then.output.format == now.output.format {
        let is_same = then.output.compression() == now.output.compression();
        return if is_same { Transfer::Link } else { Transfer::Convert };
    }
    // Only some formats mark lists, tables and code. Documents in the others cannot be converted to these.
    if now.output.format.has_elements() {
        return Transfer::Impossible;
    }
    let mut as_then = now.clone();
    as_then.output.format = then.output.format;
    let is_same = rules.changed(&as_then).is_ok_and(|as_then| as_then.hash == hash);
    if is_same {
        Transfer::Convert
    } else {
        Transfer::Impossible
    }
}

/// Writes the documents of a shard in the format and compression of this run. Returns whether nothing is lost.
fn convert(
    from: &Path,
    to: &Path,
    report: &ArchiveReport,
    rules: &Rules,
    directory: &Directory,
) -> Result<bool, DirectoryError> {
    let output = &rules.config.output;
    let cannot_encode = |e: EncodeError| DirectoryError::io(to, "be written")(std::io::Error::other(e));
    let Ok(documents) = read_shard(from) else {
        return Ok(false);
    };
    let mut encoder = output.format.encoder(output.compression());
    let mut shard = output
        .format
        .writer(directory.create_output(to)?, output.compression())?;
    shard.index_by(output.tokenizer());
    let mut part = Vec::new();
    for document in documents {
        let Ok(mut document) = document else {
            return Ok(false);
        };
        let flags = document.metadata.flags.split(' ');
        let lost = crate::reason::PageNote::XmlForbidden.name();
        if flags.clone().any(|flag| flag == lost) || output.format.changes(&document) {
            return Ok(false);
        }
        document.version.clone_from(&rules.version);
        encoder.add(&document);
        if encoder.pending() >= PART {
            encoder.finish_part(&mut part).map_err(cannot_encode)?;
            shard.write(&part)?;
            part.clear();
        }
    }
    encoder.finish_part(&mut part).map_err(cannot_encode)?;
    shard.write(&part)?;
    shard.account(report.ledger.lines());
    shard.finish()?;
    Ok(true)
}
