//! The caller's own destination for the documents of a run, instead of shards in the run directory.

use super::report::ArchiveReport;
use crate::pipeline::SinkError;
use dehusk_documents::document::Document;

/// Your own destination for the documents of a run: a database, a queue, files of another format. A run with a sink
/// ([`RunOptions::sink`](crate::run::RunOptions::sink)) writes no shards. Its directory has the account, the list of
/// failures and the journal, as in any run.
///
/// Archives come one after the other, in the order of the run's list: [`begin`](DocumentSink::begin), every document in
/// the order of the archive's records, and [`commit`](DocumentSink::commit). All calls come from the thread that called
/// the run.
///
/// The same call resumes a run that was stopped or killed. It never passes on documents of an archive again whose
/// commit is in its journal. If the run was killed before it could enter the commit, the archive begins again, even if
/// the sink had committed it. So a sink has every document once if `begin` removes what the sink has of that archive.
pub trait DocumentSink {
    /// The name of this destination in the account. A run is resumed only with a sink of the same name, so two
    /// destinations should have two names.
    fn name(&self) -> &str;

    /// The documents of an archive begin. What the sink has of an archive of this [name](SinkArchive::name) is from a
    /// run that was stopped or is redone, and is replaced by what comes now.
    ///
    /// # Errors
    /// The sink cannot take documents. The run ends, and the same call can resume it later.
    fn begin(&mut self, archive: &SinkArchive<'_>) -> Result<(), SinkError>;

    /// Takes the next document of the archive that began last.
    ///
    /// # Errors
    /// The sink cannot take it. The run ends, and the same call can resume it later.
    fn document(&mut self, document: Document) -> Result<(), SinkError>;

    /// All documents of the archive have come: as many as its account counts as emitted. When this returns, they must
    /// survive a crash.
    ///
    /// # Errors
    /// The sink cannot take it. The run ends, and the same call can resume it later.
    fn commit(&mut self, archive: &SinkArchive<'_>, account: &ArchiveReport) -> Result<(), SinkError>;

    /// The run ends within the archive. What has come since it began is not whole, and should be removed now if that is
    /// possible. Otherwise the next `begin` does it.
    fn discard(&mut self, _archive: &SinkArchive<'_>) {}
}

/// An archive, as a [`DocumentSink`] knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SinkArchive<'a> {
    /// A name that no other archive of the run has, and that stays the same when the run is resumed. It has no `/`.
    pub name: &'a str,
    /// The archive as the account names it. If a list names an archive twice, both have one path.
    pub path: &'a str,
}

/// Passes documents on to a sink.
pub(super) struct Feed<'s> {
    sink: &'s mut dyn DocumentSink,
    /// The name of the archive that has begun and is not committed.
    begun: Option<String>,
}

impl<'s> Feed<'s> {
    pub(super) fn new(sink: &'s mut dyn DocumentSink) -> Self {
        Self { sink, begun: None }
    }

    /// Passes on documents of an archive.
    ///
    /// # Errors
    /// The sink refuses.
    pub(super) fn documents(&mut self, archive: &SinkArchive<'_>, documents: Vec<Document>) -> Result<(), SinkError> {
        self.begin(archive)?;
        for document in documents {
            let taken = self.sink.document(document);
            taken.map_err(|e| self.refused("take a document of", archive, e))?;
        }
        Ok(())
    }

    /// Commits an archive, which may have no documents.
    ///
    /// # Errors
    /// The sink refuses.
    pub(super) fn commit(&mut self, archive: &SinkArchive<'_>, account: &ArchiveReport) -> Result<(), SinkError> {
        self.begin(archive)?;
        let committed = self.sink.commit(archive, account);
        committed.map_err(|e| self.refused("commit", archive, e))?;
        self.begun = None;
        Ok(())
    }

    /// Ends an archive that is not whole.
    pub(super) fn discard(&mut self, archive: &SinkArchive<'_>) {
        if self.begun.take_if(|begun| begun == archive.name).is_some() {
            self.sink.discard(archive);
        }
    }

    fn begin(&mut self, archive: &SinkArchive<'_>) -> Result<(), SinkError> {
        if self.begun.is_none() {
            let begun = self.sink.begin(archive);
            begun.map_err(|e| self.refused("begin", archive, e))?;
            self.begun = Some(archive.name.to_owned());
        }
        Ok(())
    }

    fn refused(&self, action: &'static str, archive: &SinkArchive<'_>, source: SinkError) -> SinkError {
        Box::new(Refused {
            sink: self.sink.name().to_owned(),
            action,
            archive: archive.path.to_owned(),
            source,
        })
    }
}

/// A sink refused to do something.
#[derive(Debug, thiserror::Error)]
#[error("{sink}: cannot {action} {archive}: {source}")]
struct Refused {
    sink: String,
    /// As it follows “cannot”.
    action: &'static str,
    archive: String,
    source: SinkError,
}
