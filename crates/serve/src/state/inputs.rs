//! The archives that are shown. Nothing else is ever opened.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::run_rules::RunSettings;
use crate::error::ServeError;
use crate::http::{Query, Refusal};
use dehusk_archive::escape;
use dehusk_corpus::readback::Account;
use dehusk_documents::folder::resolved;
use dehusk_engine::config::Config;
use dehusk_engine::input::{ArchiveInput, OpenedAt, from_arguments, name_shards, open_at};

/// The archives that the server was started with.
#[derive(Default)]
pub(crate) struct Inputs {
    archives: Vec<ArchiveInput>,
    runs: Vec<Run>,
    /// Their accounts, in the same order.
    accounts: Vec<Account>,
    /// Their numbers by their names in messages.
    by_name: HashMap<String, usize>,
    /// Size and time of each file when it was last opened.
    states: Mutex<HashMap<usize, FileState>>,
}

/// A run whose archives are shown.
pub(crate) struct Run {
    /// Its number among the runs.
    pub(crate) number: usize,
    pub(crate) directory: PathBuf,
    settings: RunSettings,
    pub(crate) archives: Vec<RunArchive>,
}

/// An archive of a run.
pub(crate) struct RunArchive {
    /// As the run's account names it.
    pub(crate) name: String,
    /// The number of the input.
    pub(crate) input: usize,
    /// How many records were dropped, by their reasons.
    pub(crate) filtered: BTreeMap<String, u64>,
    pub(crate) failed: BTreeMap<String, u64>,
}

type FileState = (u64, Option<SystemTime>);

impl Inputs {
    /// Finds what arguments name: archives, and directories of runs, which mean the archives of these runs. No archive
    /// is opened.
    pub(crate) fn new(config: &Config, arguments: &[OsString]) -> Result<Self, ServeError> {
        let is_run = |argument: &&OsString| Path::new(argument).join("run.json").is_file();
        let (runs, archives): (Vec<_>, Vec<_>) = arguments.iter().partition(is_run);
        let mut inputs = Self::default();
        if !archives.is_empty() {
            inputs.archives = from_arguments(config, archives)?.archives;
        }
        for run in runs {
            let account = Account::read(Path::new(run))?;
            let directory = resolved(&account.directory);
            if inputs
                .accounts
                .iter()
                .any(|known| resolved(&known.directory) == directory)
            {
                // It was named twice. Its documents would be found twice.
                continue;
            }
            let archives = account.archives.iter().map(|archive| RunArchive {
                input: inputs.number_of(&archive.path),
                name: archive.path.clone(),
                filtered: archive.filtered.clone(),
                failed: archive.failed.clone(),
            });
            let archives = archives.collect();
            inputs.runs.push(Run {
                number: inputs.runs.len(),
                settings: RunSettings::default(),
                directory: account.directory.clone(),
                archives,
            });
            inputs.accounts.push(account);
        }
        // Records without an id are known by the name of the shard.
        name_shards(&mut inputs.archives);
        inputs.archives.iter().try_for_each(check_kind)?;
        for (number, input) in inputs.archives.iter().enumerate() {
            inputs.by_name.entry(input.display_name()).or_insert(number);
        }
        Ok(inputs)
    }

    /// The number of an archive that a run names. It becomes an input unless it is one.
    fn number_of(&mut self, path: &str) -> usize {
        let archive = ArchiveInput::recorded(escape::named(path));
        let known = self.archives.iter().position(|known| known.label() == archive.label());
        known.unwrap_or_else(|| {
            self.archives.push(archive);
            self.archives.len() - 1
        })
    }

    /// The run with a number.
    pub(crate) fn run(&self, number: &str) -> Result<&Run, Refusal> {
        Ok(&self.runs[self.run_number(number)?])
    }

    /// The number of a run, if there is such a run.
    pub(crate) fn run_number(&self, number: &str) -> Result<usize, Refusal> {
        let number = number.parse().ok().filter(|number| *number < self.runs.len());
        number.ok_or_else(|| {
            let message = "there is no such run; start the server with its directory: dehusk serve RUN_DIR";
            Refusal::new(404, "no_run", message)
        })
    }

    /// The numbers of the runs that have an archive.
    pub(crate) fn runs_of(&self, input: usize) -> impl Iterator<Item = usize> {
        let has = move |run: &&Run| run.archives.iter().any(|archive| archive.input == input);
        self.runs.iter().filter(has).map(|run| run.number)
    }

    /// The first of them.
    pub(crate) fn first_run_of(&self, input: usize) -> Option<usize> {
        self.runs_of(input).next()
    }

    /// The settings of a run, and its account.
    pub(crate) fn settings_of(&self, run: usize) -> (&RunSettings, &Account) {
        (&self.runs[run].settings, &self.accounts[run])
    }

    /// The number of an archive by its parameter `input`. Without one, it is the first.
    pub(crate) fn number(&self, query: &Query) -> Result<usize, Refusal> {
        let number = query.get("input")?.unwrap_or("0");
        let number = number.parse().ok().filter(|number| *number < self.archives.len());
        number.ok_or_else(|| {
            let message = match self.archives.len() {
                0 => "the server was started without an archive; name some: dehusk serve ARCHIVE".to_owned(),
                count => format!("there is no such input; the server has {count}, numbered from 0"),
            };
            Refusal::new(404, "no_input", message)
        })
    }

    /// All archives.
    pub(crate) fn archives(&self) -> &[ArchiveInput] {
        &self.archives
    }

    /// The accounts of the runs.
    pub(crate) fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// The number of an archive that a run names.
    pub(crate) fn number_in_run(&self, run: usize, name: &str) -> Option<usize> {
        let archives = &self.runs.get(run)?.archives;
        archives
            .iter()
            .find(|archive| archive.name == name)
            .map(|archive| archive.input)
    }

    /// An archive by its number.
    pub(crate) fn archive(&self, number: usize) -> &ArchiveInput {
        &self.archives[number]
    }

    /// The number of the archive that marks name: by its name in messages, by its place on the disk, or, where it
    /// has moved, by the name of its file if only one archive has that.
    pub(crate) fn number_by_name(&self, name: &str) -> Option<usize> {
        if let Some(number) = self.by_name.get(name) {
            return Some(*number);
        }
        let path = resolved(&escape::named(name));
        let place = |input: &ArchiveInput| input.path().map(resolved);
        let known = self
            .archives
            .iter()
            .position(|known| place(known).as_ref() == Some(&path));
        if known.is_some() || name.contains("://") || path.exists() {
            return known;
        }
        let numbers = 0..self.archives.len();
        let has_file_name = |number: &usize| self.archives[*number].label().file_name() == path.file_name();
        let mut moved = numbers.filter(has_file_name);
        moved.next().filter(|_| moved.next().is_none())
    }

    /// Opens an archive to read on from an offset.
    pub(crate) fn open(&self, number: usize, config: &Config, offset: u64) -> Result<OpenedAt, Refusal> {
        let input = &self.archives[number];
        if let Some(path) = input.path() {
            self.check_state(number, path)?;
        }
        let opened = open_at(input.clone(), config, (offset > 0).then_some(offset));
        opened.map_err(|error| Refusal::new(404, "unreadable", escape::terminal(&error.to_string())))
    }

    /// Bytes of an archive as they are stored, if it is a file on this machine.
    pub(crate) fn stored(&self, number: usize, offset: u64, length: u64) -> Option<Vec<u8>> {
        let mut file = File::open(self.archives[number].path()?).ok()?;
        file.seek(SeekFrom::Start(offset)).ok()?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    /// Refuses a file once that is another than before.
    fn check_state(&self, number: usize, path: &Path) -> Result<(), Refusal> {
        let name = escape::path(path);
        let metadata = std::fs::metadata(path).map_err(|error| {
            let message = format!("{name}: cannot be read any more: {error}");
            Refusal::new(404, "unreadable", message)
        })?;
        let state = (metadata.len(), metadata.modified().ok());
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        match states.insert(number, state) {
            Some(before) if before != state => {
                let message = format!("{name}: has changed since it was opened; load the inspector again");
                Err(Refusal::new(409, "changed", message))
            }
            _ => Ok(()),
        }
    }
}

/// Refuses what can be read only once.
fn check_kind(input: &ArchiveInput) -> Result<(), ServeError> {
    let Some(metadata) = input.path().and_then(|path| std::fs::metadata(path).ok()) else {
        return Ok(());
    };
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    Err(ServeError::Input {
        name: input.display_name(),
        message: "is a pipe, socket or device, which can be read only once; save it to a file first".to_owned(),
    })
}
