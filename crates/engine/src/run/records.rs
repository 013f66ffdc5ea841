//! The archives of chosen records (`output.records`), and the index beside each.
//!
//! For every archive NAME and every set SET of which it has a record the folder `records` gets `NAME.SET.warc.gz` (or
//! `.warc.zst`, if the archive is of zstd), and `NAME.SET.warc.gz.cdxj` with a line for each record, in their order.

use std::path::{Path, PathBuf};

use super::directory::{Directory, RECORDS};
use super::error::DirectoryError;
use super::journal::OutputFile;
use crate::input::ArchiveInput;
use crate::pipeline::{ChosenRecords, Chunk};
use crate::records_out::{RecordSets, container_for, file_name};
use dehusk_archive::copy::Copier;
use dehusk_archive::{Container, escape};
use dehusk_documents::clock;
use dehusk_documents::encode::PartialFile;

/// The ending of an index, after that of its archive.
const INDEX: &str = ".cdxj";

/// The archives of the sets for one archive that is read.
#[derive(Default)]
pub(super) struct RecordFiles(Vec<SetFiles>);

/// An archive and its index.
struct SetFiles {
    path: PathBuf,
    archive: PartialFile,
    index: PartialFile,
}

/// The files that an archive may get, relative to the run directory.
pub(super) fn candidate_paths(shard: &str, sets: &RecordSets) -> Vec<PathBuf> {
    let containers = [Container::Gzip, Container::Zstd];
    let names = sets
        .iter()
        .flat_map(|(set, _)| containers.map(|container| file_name(shard, set, container)));
    let files = names.flat_map(|name| [format!("{name}{INDEX}"), name]);
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
        let mut resumed = Vec::new();
        for file in files.iter().filter(|file| file.path.starts_with(RECORDS)) {
            let index = index_path(&file.path);
            // The indexes are found by their archives.
            let Some(index) = files.iter().find(|other| other.path == index) else {
                continue;
            };
            resumed.push(SetFiles {
                path: file.path.clone(),
                archive: directory.resume_output(&file.path, file.position)?,
                index: directory.resume_output(&index.path, index.position)?,
            });
        }
        Ok((!resumed.is_empty()).then_some(Self(resumed)))
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
            let files = match self.0.iter().position(|files| files.path == path) {
                Some(at) => &mut self.0[at],
                None => {
                    self.0.push(SetFiles::create(directory, path, input, rules, container)?);
                    let last = self.0.len() - 1;
                    &mut self.0[last]
                }
            };
            files.add(chosen)?;
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
        self.0
            .iter()
            .flat_map(move |files| both(files).into_iter().zip([&files.archive, &files.index]))
    }

    /// Syncs its files.
    ///
    /// # Errors
    /// The system refuses.
    pub(super) fn sync(&mut self) -> Result<(), DirectoryError> {
        for files in &mut self.0 {
            files.archive.sync()?;
            files.index.sync()?;
        }
        Ok(())
    }

    /// Ends work on files that are not whole. They stay, or are removed.
    pub(super) fn abandon(self, keep: bool) {
        for file in self.0.into_iter().flat_map(|files| [files.archive, files.index]) {
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
        for files in self.0 {
            files.archive.commit()?;
            files.index.commit()?;
        }
        Ok(())
    }
}

impl SetFiles {
    /// Begins an archive with a record that says where the others come from.
    fn create(
        directory: &Directory,
        path: PathBuf,
        input: &ArchiveInput,
        rules: &[String],
        container: Container,
    ) -> Result<Self, DirectoryError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut origin = vec![
            ("description", "Records that dehusk run chose".to_owned()),
            ("dehusk-archive", escape::name(input.label().as_os_str()).into_owned()),
        ];
        origin.extend(rules.iter().map(|rule| ("dehusk-rule", rule.clone())));
        let described = Copier::new(container, name).description(&origin, &clock::now());
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
