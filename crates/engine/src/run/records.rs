//! The archives of chosen records (`output.records`), and the index beside each.
//!
//! For every archive NAME and every set SET of which it has a record the folder `records` gets `NAME.SET.warc.gz` (or
//! `.warc.zst`, if the archive is of zstd), and `NAME.SET.warc.gz.cdxj` with a line for each record, in their order. With
//! `output.robots` it gets `NAME.robots.jsonl`, the table of its robots.txt records, if there are any.

use std::path::{Path, PathBuf};

use super::directory::{Directory, RECORDS};
use super::error::DirectoryError;
use super::journal::OutputFile;
use crate::config::Rules;
use crate::input::ArchiveInput;
use crate::pipeline::{ChosenRecords, Chunk};
use crate::records_out::{RecordSets, container_for, file_name};
use dehusk_archive::calendar::iso_date;
use dehusk_archive::copy::Copier;
use dehusk_archive::{Container, escape};
use dehusk_documents::encode::PartialFile;

/// The ending of an index, after that of its archive.
const INDEX: &str = ".cdxj";

/// The ending of a table of robots.txt records. No set has it, since its name has no dot.
const ROBOTS: &str = ".robots.jsonl";

/// The archives of the sets for one archive that is read, and the table of its robots.txt records.
#[derive(Default)]
pub(super) struct RecordFiles {
    sets: Vec<SetFiles>,
    robots: Option<(PathBuf, PartialFile)>,
}

/// An archive and its index.
struct SetFiles {
    path: PathBuf,
    archive: PartialFile,
    index: PartialFile,
}

/// The files that an archive may get, relative to the run directory: each set's archive before its index, in the order
/// of the configuration.
pub(super) fn candidate_paths(shard: &str, rules: &Rules) -> Vec<PathBuf> {
    let containers = [Container::Gzip, Container::Zstd];
    let names = rules
        .records
        .iter()
        .flat_map(|(set, _)| containers.map(|container| file_name(shard, set, container)));
    let files = names.flat_map(|name| {
        let index = format!("{name}{INDEX}");
        [name, index]
    });
    let robots = rules.config.output.robots.then(|| format!("{shard}{ROBOTS}"));
    let files = files.chain(robots);
    files.map(|name| Path::new(RECORDS).join(name)).collect()
}

fn index_path(archive: &Path) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(INDEX);
    path.into()
}

impl RecordFiles {
    /// Resumes the files that an earlier run began; `None` if there are none.
    ///
    /// # Errors
    /// They are not as they were written.
    pub(super) fn resume(directory: &Directory, files: &[OutputFile]) -> Result<Option<Self>, DirectoryError> {
        let mut resumed = Self::default();
        for file in files.iter().filter(|file| file.path.starts_with(RECORDS)) {
            if file.path.to_string_lossy().ends_with(ROBOTS) {
                let opened = directory.resume_output(&file.path, file.position)?;
                resumed.robots = Some((file.path.clone(), opened));
                continue;
            }
            let index = index_path(&file.path);
            // The indexes are found by their archives.
            let Some(index) = files.iter().find(|other| other.path == index) else {
                continue;
            };
            resumed.sets.push(SetFiles {
                path: file.path.clone(),
                archive: directory.resume_output(&file.path, file.position)?,
                index: directory.resume_output(&index.path, index.position)?,
            });
        }
        let is_empty = resumed.sets.is_empty() && resumed.robots.is_none();
        Ok((!is_empty).then_some(resumed))
    }

    /// Adds the chosen records of a chunk.
    ///
    /// # Errors
    /// The files cannot be written.
    pub(super) fn add(
        &mut self,
        directory: &Directory,
        input: &ArchiveInput,
        sets: &RecordSets,
        chunk: &Chunk,
    ) -> Result<(), DirectoryError> {
        let container = container_for(&chunk.formats);
        for chosen in &chunk.chosen {
            let Some((set, rules)) = sets.iter().nth(chosen.set) else {
                continue;
            };
            let name = file_name(input.shard(), set, container);
            let path = Path::new(RECORDS).join(&name);
            let files = match self.sets.iter().position(|files| files.path == path) {
                Some(at) => &mut self.sets[at],
                None => {
                    self.sets.push(SetFiles::create(
                        directory,
                        path,
                        input,
                        rules,
                        container,
                        &chosen.date,
                    )?);
                    let last = self.sets.len() - 1;
                    &mut self.sets[last]
                }
            };
            files.add(chosen)?;
        }
        if !chunk.robots.is_empty() {
            let table = match &mut self.robots {
                Some((_, table)) => table,
                none => {
                    let path = Path::new(RECORDS).join(format!("{}{ROBOTS}", input.shard()));
                    let table = directory.create_output(&path)?;
                    &mut none.insert((path, table)).1
                }
            };
            table.append(&chunk.robots)?;
        }
        Ok(())
    }

    /// How far its files are written.
    pub(super) fn files(&self) -> impl Iterator<Item = OutputFile> {
        self.all().map(|(path, file)| OutputFile {
            path,
            position: file.position(),
            sha256: String::new(),
            last: None,
        })
    }

    /// Its files, when they are whole.
    pub(super) fn sealed_files(&self) -> impl Iterator<Item = OutputFile> {
        self.all().map(|(path, file)| OutputFile::sealed(path, file.sealed()))
    }

    fn all(&self) -> impl Iterator<Item = (PathBuf, &PartialFile)> {
        let both = |files: &'_ SetFiles| [files.path.clone(), index_path(&files.path)];
        let robots = self.robots.iter().map(|(path, table)| (path.clone(), table));
        self.sets
            .iter()
            .flat_map(move |files| both(files).into_iter().zip([&files.archive, &files.index]))
            .chain(robots)
    }

    /// Syncs its files.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn sync(&mut self) -> Result<(), DirectoryError> {
        for files in &mut self.sets {
            files.archive.sync()?;
            files.index.sync()?;
        }
        if let Some((_, table)) = &mut self.robots {
            table.sync()?;
        }
        Ok(())
    }

    /// Ends work on files that are not whole. They stay, or are removed.
    pub(super) fn abandon(self, keep: bool) {
        let sets = self.sets.into_iter().flat_map(|files| [files.archive, files.index]);
        for file in sets.chain(self.robots.map(|(_, table)| table)) {
            if keep {
                file.suspend();
            } else {
                file.discard();
            }
        }
    }

    /// Completes the files.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn commit(self) -> Result<(), DirectoryError> {
        for files in self.sets {
            files.archive.commit()?;
            files.index.commit()?;
        }
        if let Some((_, table)) = self.robots {
            table.commit()?;
        }
        Ok(())
    }
}

impl SetFiles {
    /// Begins an archive with a record that states the origin of the others. It has the date of the first of them.
    fn create(
        directory: &Directory,
        path: PathBuf,
        input: &ArchiveInput,
        rules: &[String],
        container: Container,
        date: &str,
    ) -> Result<Self, DirectoryError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut origin = vec![
            ("description", "Records that dehusk run chose".to_owned()),
            ("dehusk-archive", escape::name(input.label().as_os_str()).into_owned()),
        ];
        origin.extend(rules.iter().map(|rule| ("dehusk-rule", rule.clone())));
        // The time of the run would make the archive of every run another.
        let epoch = iso_date(0);
        let date = if date.is_empty() { &epoch } else { date };
        let described = Copier::new(container, name).description(&origin, date);
        let first = described.map_err(|e| DirectoryError::io(&path, "be written")(std::io::Error::other(e)))?;
        let mut files = Self {
            archive: directory.create_output(&path)?,
            index: directory.create_output(&index_path(&path))?,
            path,
        };
        files.archive.append(&first.bytes)?;
        Ok(files)
    }

    fn add(&mut self, chosen: &ChosenRecords) -> Result<(), DirectoryError> {
        let start = self.archive.bytes();
        let mut lines = Vec::new();
        for (at, line) in &chosen.lines {
            line.write(start + at, &mut lines);
        }
        self.archive.append(&chosen.bytes)?;
        self.index.append(&lines)?;
        Ok(())
    }
}
