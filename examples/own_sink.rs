//! Writes documents into a place of one's own: `cargo run --release --example own_sink -- OUT crawl.warc.gz ...`.
//!
//! Each archive gets a table of its pages in `OUT/tables`, with the address, the language and the number of words.
//! `OUT/run/run.json` accounts for every record. If the program is stopped, the same command continues where it was.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use dehusk::report::ArchiveReport;
use dehusk::shards::{SinkArchive, SinkError};
use dehusk::{ArchiveInput, Config, Document, DocumentSink, Report, RunError, RunOptions};

/// Tables of pages, one for each archive.
pub struct Tables {
    directory: PathBuf,
    /// The table of the archive that has begun, under a name that tells that it is not whole.
    current: Option<BufWriter<File>>,
}

impl Tables {
    /// Tables in a directory, which is created.
    pub fn new(directory: &Path) -> std::io::Result<Self> {
        fs::create_dir_all(directory)?;
        Ok(Self {
            directory: directory.to_owned(),
            current: None,
        })
    }

    fn table(&self, archive: &SinkArchive<'_>) -> PathBuf {
        self.directory.join(format!("{}.tsv", archive.name))
    }

    fn partial(&self, archive: &SinkArchive<'_>) -> PathBuf {
        self.directory.join(format!(".{}.tsv.partial", archive.name))
    }
}

impl DocumentSink for Tables {
    fn name(&self) -> &str {
        "tables"
    }

    /// A table that a stopped run left is written anew.
    fn begin(&mut self, archive: &SinkArchive<'_>) -> Result<(), SinkError> {
        self.current = Some(BufWriter::new(File::create(self.partial(archive))?));
        Ok(())
    }

    fn document(&mut self, document: Document) -> Result<(), SinkError> {
        let table = self.current.as_mut().ok_or("no archive has begun")?;
        let page = &document.metadata;
        writeln!(
            table,
            "{}\t{}\t{}",
            page.url.replace('\t', "%09"),
            page.language,
            page.words
        )?;
        Ok(())
    }

    /// The table gets its name when it is whole and on disk. It takes the place of one that was there.
    fn commit(&mut self, archive: &SinkArchive<'_>, _: &ArchiveReport) -> Result<(), SinkError> {
        let table = self.current.take().ok_or("no archive has begun")?;
        table.into_inner().map_err(|e| e.into_error())?.sync_all()?;
        fs::rename(self.partial(archive), self.table(archive))?;
        File::open(&self.directory)?.sync_all()?;
        Ok(())
    }

    fn discard(&mut self, archive: &SinkArchive<'_>) {
        self.current = None;
        // If it stays, the next run writes it anew.
        let _ = fs::remove_file(self.partial(archive));
    }
}

/// Writes the tables of archives.
pub fn write_tables(out: &Path, archives: &[ArchiveInput]) -> Result<Report, Box<dyn std::error::Error>> {
    let mut tables = Tables::new(&out.join("tables"))?;
    let options = RunOptions::default().sink(&mut tables);
    let report: Result<Report, RunError> = dehusk::run_with(&Config::default(), archives, &out.join("run"), options);
    Ok(report?)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let out = arguments.next().ok_or("name a directory, and archives")?;
    let archives: Vec<ArchiveInput> = arguments.map(|path| PathBuf::from(path).into()).collect();
    let report = write_tables(Path::new(&out), &archives)?;
    let ledger = &report.totals.ledger;
    println!("{} of {} records became documents", ledger.emitted, ledger.framed);
    std::process::exit(report.exit_status().into());
}
