//! `dehusk index`: an index of archives in the format CDXJ, sorted by its bytes.

use std::path::Path;

use super::args::IndexArgs;
use super::check::opening;
use super::output::{create, refuse_in_run, say, write_stdout};
use super::{FAILURE, Failure, INCOMPLETE, inputs, printable};
use dehusk_archive::index::{NotIndexed, write_line};
use dehusk_archive::{Archive, ArchiveError, Container, Event, escape};

/// How many bytes of a mapped file stay in memory after the reader has passed them.
const RELEASE: u64 = 16 << 20;

pub(super) fn run(args: &IndexArgs) -> Result<u8, Failure> {
    let config = args.file.resolve().map_err(Failure::usage)?;
    let inputs = inputs::resolve(&config, &args.archives).map_err(Failure::usage)?;
    let output = match &args.output {
        Some(path) => {
            refuse_in_run(path)?;
            Some(create(path, args.overwrite)?)
        }
        None => None,
    };
    let opening = opening(&config);
    let mut index = Index::default();
    for input in &inputs.archives {
        let name = input.label().file_name().map(Path::new).unwrap_or(input.label());
        let name = escape::name(name.as_os_str()).into_owned();
        let read = input.open(&opening).and_then(|archive| index.add(&archive, &name));
        if let Err(error) = read {
            index.status = FAILURE;
            say(format!("dehusk: {}", printable(&error.to_string())));
        }
    }
    let (sorted, status) = index.sorted();
    match output {
        None => write_stdout(&sorted)?,
        Some(_) if status == FAILURE => {
            return Err(Failure::other("the index would lack an archive; nothing was written"));
        }
        Some(mut file) => {
            file.append(&sorted).map_err(Failure::other)?;
            file.commit().map_err(Failure::other)?;
            0
        }
    };
    Ok(status)
}

/// The lines of an index, one after the other, and where each ends.
#[derive(Default)]
struct Index {
    text: Vec<u8>,
    ends: Vec<usize>,
    status: u8,
}

impl Index {
    /// Adds the records of an archive, which the lines call `name`.
    fn add(&mut self, archive: &Archive, name: &str) -> Result<(), ArchiveError> {
        let container = archive.format().map_or(Container::Plain, |format| format.container);
        let mut records = archive.records();
        let (mut released, mut lost, mut without_key) = (0, 0_u64, 0_u64);
        while let Some(event) = records.next_event() {
            let Event::Record(record) = event else {
                lost += 1;
                continue;
            };
            match write_line(&record, container, name, &mut self.text) {
                Ok(()) => self.ends.push(self.text.len()),
                Err(NotIndexed::Failed) => lost += 1,
                Err(NotIndexed::NoKey) => without_key += 1,
                Err(_) => {}
            }
            if record.offset > released + RELEASE {
                archive.release(released..record.offset);
                released = record.offset;
            }
        }
        if lost + without_key > 0 {
            self.status = self.status.max(INCOMPLETE);
            say(format!(
                "dehusk: {}: {lost} records failed or ranges were skipped, {without_key} records have no URL or date; \
                 `dehusk check` names them",
                escape::path(archive.name())
            ));
        }
        match records.take_error() {
            Some(error) => Err(ArchiveError::read_on(archive.name(), error)),
            None => archive.check(),
        }
    }

    /// The lines in the order of their bytes, and the exit status.
    fn sorted(self) -> (Vec<u8>, u8) {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let mut lines: Vec<&[u8]> = starts
            .zip(&self.ends)
            .map(|(start, end)| &self.text[start..*end])
            .collect();
        lines.sort_unstable();
        (lines.concat(), self.status)
    }
}
