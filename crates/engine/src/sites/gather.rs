//! Pages of many hosts, within bounded memory.
//!
//! Pages that do not fit into memory are written to files without names, in the order of the hosts. In the end these
//! runs are merged.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use dehusk_documents::folder::Folder;

use super::entry::{Input, put};
use super::host::HostPages;
use super::sketch::PageSketch;
use dehusk_extract::site::{Shape, TextHash};

/// About this many bytes of pages are held in memory.
const HELD: usize = 192 << 20;

/// This many runs are merged at a time. It bounds the open files and their buffers.
const MERGED: usize = 64;

/// The bytes that are read or written at a time of each run.
const BUFFER: usize = 1 << 18;

/// Hosts in order, each with its pages.
pub(super) type Hosts<'h> = Box<dyn Iterator<Item = io::Result<(String, HostPages)>> + 'h>;

/// Gathers the pages of hosts.
pub(super) struct Gatherer {
    folder: Folder,
    /// Bytes that are held before they are written.
    most: usize,
    hosts: HashMap<String, HostPages>,
    size: usize,
    /// The runs by how often their pages were merged. There are fewer than [`MERGED`] of each.
    runs: Vec<Vec<Run>>,
}

impl Gatherer {
    /// One that writes what does not fit into a folder.
    pub(super) fn new(folder: Folder) -> Self {
        Self {
            folder,
            most: HELD,
            hosts: HashMap::new(),
            size: 0,
            runs: Vec::new(),
        }
    }

    /// Adds a page.
    ///
    /// # Errors
    /// Pages that do not fit into memory cannot be written.
    pub(super) fn add(&mut self, host: &str, page: PageSketch) -> io::Result<()> {
        let known = match self.hosts.get_mut(host) {
            Some(known) => known,
            None => {
                self.size += host.len() + 80;
                self.hosts.entry(host.to_owned()).or_default()
            }
        };
        // Pages of large hosts are dropped again, so the sizes are not those of the pages that were added.
        self.size -= known.size();
        known.add(page);
        self.size += known.size();
        if self.size > self.most {
            self.write_run()
        } else {
            Ok(())
        }
    }

    /// Writes what is held as a run, and merges as many runs as can be merged at a time.
    fn write_run(&mut self) -> io::Result<()> {
        let held = std::mem::take(&mut self.hosts);
        self.size = 0;
        let mut run = Run::write(&self.folder, in_order(held).map(Ok))?;
        for merges in 0.. {
            if self.runs.len() == merges {
                self.runs.push(Vec::new());
            }
            let alike = &mut self.runs[merges];
            alike.push(run);
            if alike.len() < MERGED {
                break;
            }
            let alike = alike.drain(..).map(|run| Box::new(run) as Hosts<'_>);
            run = Run::write(&self.folder, Merged::new(alike.collect()))?;
        }
        Ok(())
    }

    /// All hosts in order, each with its pages, together with those of `others`.
    pub(super) fn into_hosts<'h>(self, others: Option<Hosts<'h>>) -> Merged<'h> {
        let runs = self.runs.into_iter().flatten().map(|run| Box::new(run) as Hosts<'h>);
        let held = Box::new(in_order(self.hosts).map(Ok)) as Hosts<'h>;
        Merged::new(others.into_iter().chain(runs).chain([held]).collect())
    }
}

fn in_order(hosts: HashMap<String, HostPages>) -> impl Iterator<Item = (String, HostPages)> {
    let mut hosts: Vec<_> = hosts.into_iter().collect();
    hosts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    hosts.into_iter()
}

fn put_page(out: &mut Vec<u8>, page: &PageSketch) {
    out.extend(page.url.to_le_bytes());
    out.extend(page.day.to_le_bytes());
    out.extend(page.shape.to_bytes());
    put(out, page.texts.len() as u64);
    out.extend(page.texts.iter().flat_map(|text| text.to_le_bytes()));
    put(out, page.begins.len() as u64);
    out.extend(&page.begins);
}

/// Hosts in order, written to a file and read back.
struct Run {
    file: BufReader<File>,
    /// The hosts that are still to be read.
    hosts: u64,
}

impl Run {
    /// Writes hosts, which come in order, to a file without a name.
    fn write(folder: &Folder, hosts: impl Iterator<Item = io::Result<(String, HostPages)>>) -> io::Result<Self> {
        let file = folder.create_unnamed(OsStr::new(&unique_name()))?;
        let mut out = BufWriter::with_capacity(BUFFER, file);
        let (mut entry, mut count) = (Vec::new(), 0);
        for host in hosts {
            let (host, mut pages) = host?;
            pages.settle();
            entry.clear();
            put(&mut entry, host.len() as u64);
            entry.extend(host.as_bytes());
            put(&mut entry, pages.len() as u64);
            pages.pages().iter().for_each(|page| put_page(&mut entry, page));
            out.write_all(&(entry.len() as u32).to_le_bytes())?;
            out.write_all(&entry)?;
            count += 1;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Self {
            file: BufReader::with_capacity(BUFFER, file),
            hosts: count,
        })
    }

    fn read_host(&mut self) -> io::Result<(String, HostPages)> {
        let mut length = [0; 4];
        self.file.read_exact(&mut length)?;
        let mut entry = vec![0; u32::from_le_bytes(length) as usize];
        self.file.read_exact(&mut entry)?;
        read_entry(&entry).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// A name that no other process uses in the same folder, and that no earlier one has left.
fn unique_name() -> String {
    let random = RandomState::new().hash_one(std::process::id());
    format!(".dehusk.sites.{random:016x}.partial")
}

impl Iterator for Run {
    type Item = io::Result<(String, HostPages)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.hosts = self.hosts.checked_sub(1)?;
        let host = self.read_host();
        Some(host.map_err(|e| io::Error::new(e.kind(), format!("a file of pages cannot be read back: {e}"))))
    }
}

fn read_entry(entry: &[u8]) -> Option<(String, HostPages)> {
    let mut rest = Input(entry);
    let length = rest.number()? as usize;
    let host = String::from_utf8(rest.take(length)?.to_vec()).ok()?;
    let mut pages = HostPages::default();
    for _ in 0..rest.number()? {
        let url = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
        let day = u16::from_le_bytes(*rest.take(2)?.first_chunk()?);
        let shape = Shape::from_bytes(*rest.take(16)?.first_chunk()?);
        let texts = usize::try_from(rest.number()?).ok()?;
        let texts = rest.take(texts.checked_mul(4)?)?.as_chunks::<4>().0.iter();
        let texts = texts.map(|text| TextHash::from_le_bytes(*text)).collect();
        let begins = usize::try_from(rest.number()?).ok()?;
        pages.add(PageSketch {
            url,
            day,
            shape,
            texts,
            begins: rest.take(begins)?.into(),
        });
    }
    Some((host, pages))
}

/// Hosts of several sources, in order.
pub(super) struct Merged<'h> {
    sources: Vec<Hosts<'h>>,
    /// The next host of each source, the first one on top.
    next: BinaryHeap<Reverse<(String, usize)>>,
    pages: Vec<HostPages>,
    failure: Option<io::Error>,
}

impl<'h> Merged<'h> {
    fn new(sources: Vec<Hosts<'h>>) -> Self {
        let mut merged = Self {
            pages: sources.iter().map(|_| HostPages::default()).collect(),
            sources,
            next: BinaryHeap::new(),
            failure: None,
        };
        (0..merged.sources.len()).for_each(|source| merged.advance(source));
        merged
    }

    fn advance(&mut self, source: usize) {
        match self.sources[source].next() {
            None => {}
            Some(Err(e)) => self.failure = Some(e),
            Some(Ok((host, pages))) => {
                self.pages[source] = pages;
                self.next.push(Reverse((host, source)));
            }
        }
    }
}

impl Iterator for Merged<'_> {
    type Item = io::Result<(String, HostPages)>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(failure) = self.failure.take() {
            self.next.clear();
            return Some(Err(failure));
        }
        let Reverse((host, source)) = self.next.pop()?;
        let mut pages = std::mem::take(&mut self.pages[source]);
        self.advance(source);
        while let Some(Reverse((other, source))) = self.next.peek()
            && *other == host
        {
            let source = *source;
            self.next.pop();
            pages.merge(std::mem::take(&mut self.pages[source]));
            self.advance(source);
        }
        pages.settle();
        Some(Ok((host, pages)))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A gatherer that has taken the pages of nine hosts, and held this many bytes of them.
    fn gathered(folder: &Path, most: usize) -> Gatherer {
        let mut gatherer = Gatherer::new(Folder::open(folder).expect("a folder"));
        gatherer.most = most;
        for number in 0..500u64 {
            let texts = [
                (number as u32 % 40, format!("text {}", number % 40)),
                (99, "menu".to_owned()),
            ];
            let url = number.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let page = PageSketch::new(url, (number % 7) as u16, texts.into_iter());
            gatherer.add(&format!("h{}.example", number % 9), page).expect("added");
        }
        gatherer
    }

    fn hosts(gatherer: Gatherer) -> Vec<(String, HostPages)> {
        let hosts = gatherer.into_hosts(None).map(|host| host.expect("a host"));
        hosts.collect()
    }

    #[test]
    fn what_is_written_to_files_is_what_is_held() {
        let directory = tempfile::tempdir().expect("a directory");
        let held = gathered(directory.path(), usize::MAX);
        let written = gathered(directory.path(), 8_000);
        assert_eq!((held.runs.len(), written.runs.len()), (0, 1));
        assert!(written.runs[0].len() > 3);
        let held = hosts(held);
        assert_eq!(held.len(), 9);
        assert_eq!(held, hosts(written));
        assert_eq!(std::fs::read_dir(directory.path()).expect("a list").count(), 0);
    }

    #[test]
    fn many_runs_are_merged_in_rounds() {
        let directory = tempfile::tempdir().expect("a directory");
        // Each page is a run of its own.
        let written = gathered(directory.path(), 0);
        let counts: Vec<usize> = written.runs.iter().map(Vec::len).collect();
        assert_eq!(counts, [500 % MERGED, 500 / MERGED]);
        let held = gathered(directory.path(), usize::MAX);
        assert_eq!(hosts(held), hosts(written));
    }

    #[test]
    fn a_run_that_is_cut_anywhere_is_refused() {
        let directory = tempfile::tempdir().expect("a directory");
        let folder = Folder::open(directory.path()).expect("a folder");
        let held = gathered(directory.path(), usize::MAX).hosts;
        let hosts = || {
            let hosts = in_order(held.clone()).take(2);
            hosts.map(Ok)
        };
        let mut whole = Run::write(&folder, hosts()).expect("a run");
        let length = whole.file.get_ref().metadata().expect("a length").len();
        assert_eq!(whole.by_ref().filter_map(Result::ok).count(), 2);
        for cut in 0..length {
            let run = Run::write(&folder, hosts()).expect("a run");
            run.file.get_ref().set_len(cut).expect("cut");
            assert!(
                run.into_iter().any(|host| host.is_err()),
                "cut to {cut} of {length} bytes"
            );
        }
    }

    #[test]
    fn gatherers_of_one_folder_do_not_meet() {
        let directory = tempfile::tempdir().expect("a directory");
        let names: std::collections::HashSet<String> = (0..100).map(|_| unique_name()).collect();
        assert_eq!(names.len(), 100);
        // A process that was killed has left a file.
        std::fs::write(directory.path().join(".dehusk.sites.partial"), "").expect("a file");
        assert_eq!(hosts(gathered(directory.path(), 8_000)).len(), 9);
    }
}
