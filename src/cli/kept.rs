//! `dehusk inspect --records`: the records of an archive that have a verdict or a type, as an archive of their own.

use std::path::Path;

use super::args::InspectArgs;
use super::inspect::verdict;
use super::output::{refuse_in_run, say};
use super::records::Output;
use super::{Failure, INCOMPLETE};
use dehusk_archive::{Archive, ArchiveError, Event, escape};
use dehusk_engine::processor::Processor;
use dehusk_engine::records_out::media_type;

/// Writes the chosen records of an archive. Damaged ones are left out, and counted.
pub(super) fn write(
    args: &InspectArgs,
    archive: &Archive,
    processor: &mut Processor,
    path: &Path,
) -> Result<u8, Failure> {
    refuse_in_run(path)?;
    let name = escape::path(archive.name());
    let mut output = Output::create(path, args.overwrite, &origin(args, &name))?;
    let mut records = archive.records();
    let mut damaged = 0_u64;
    while let Some(event) = records.next_event() {
        let record = match event {
            Event::Record(record) if record.failure.is_none() => record,
            _ => {
                damaged += 1;
                continue;
            }
        };
        if has_type(&args.types, &media_type(&record))
            && (args.verdict.is_empty() || is_any(&args.verdict, &verdict(&record, processor)))
        {
            output.record(archive, &record)?;
        }
    }
    let read = match records.take_error() {
        Some(error) => Err(ArchiveError::read_on(archive.name(), error)),
        None => archive.check(),
    };
    read.map_err(|e| Failure::other(format!("{e}; nothing was written")))?;
    if damaged > 0 {
        say(format!(
            "dehusk: {name}: {damaged} damaged records or ranges were left out; `dehusk check` names them"
        ));
    }
    if output.records() == 0 {
        return Err(Failure::other(format!(
            "{name}: no record was chosen, and nothing was written; `dehusk inspect {name} --verdicts` lists types and \
             verdicts"
        )));
    }
    output.finish(1)?;
    Ok(if damaged > 0 { INCOMPLETE } else { 0 })
}

fn origin(args: &InspectArgs, archive: &str) -> Vec<(&'static str, String)> {
    let description = "The records of an archive, chosen by dehusk inspect --records".to_owned();
    let mut origin = vec![("description", description), ("dehusk-archive", archive.to_owned())];
    origin.extend(args.verdict.iter().map(|verdict| ("dehusk-verdict", verdict.clone())));
    origin.extend(args.types.iter().map(|mime| ("dehusk-type", mime.clone())));
    origin
}

/// Whether a verdict is one of these, or one of their class.
fn is_any(verdicts: &[String], verdict: &str) -> bool {
    verdicts.iter().any(|wanted| {
        let rest = verdict.strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([':', ',']))
    })
}

/// Whether a type is one of these, such as `application/pdf` or `image/*`; any is, if there are none.
fn has_type(types: &[String], mime: &str) -> bool {
    let mime = mime.to_ascii_lowercase();
    let is = |wanted: &String| match wanted.strip_suffix('*') {
        Some(start) => mime.starts_with(&start.to_ascii_lowercase()),
        None => mime.eq_ignore_ascii_case(wanted),
    };
    types.is_empty() || types.iter().any(is)
}
