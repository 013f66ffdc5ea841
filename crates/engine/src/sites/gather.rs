//! Pages of many hosts, within bounded memory.
//!
//! What does not fit is written to files without names, in the order of the hosts. In the end these runs are merged.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};

use dehusk_documents::folder::Folder;

use super::host::{HostPages, Input, put};
use super::sketch::PageSketch;

/// So many bytes of pages are held in memory, about.
const HELD: usize = 192 << 20;

/// Hosts in order, each with its pages.
pub(super) type Hosts<'h> = Box<dyn Iterator<Item = io::Result<(String, HostPages)>> + 'h>;

/// Gathers the pages of hosts.
pub(super) struct Gatherer {
    folder: Folder,
    /// Bytes that are held before they are written.
    most: usize,
    hosts: BTreeMap<String, HostPages>,
    size: usize,
    runs: Vec<File>,
}

impl Gatherer {
    /// One that writes what does not fit into a folder.
    pub(super) fn new(folder: Folder) -> Self {
        Self {
            folder,
            most: HELD,
            hosts: BTreeMap::new(),
            size: 0,
            runs: Vec::new(),
        }
    }

    /// Adds a page.
    ///
    /// # Errors
    /// What does not fit cannot be written.
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

    fn write_run(&mut self) -> io::Result<()> {
        let file = self.folder.create_unnamed(OsStr::new(".dehusk.sites.partial"))?;
        let mut out = BufWriter::with_capacity(1 << 18, file);
        let mut entry = Vec::new();
        for (host, mut pages) in std::mem::take(&mut self.hosts) {
            pages.settle();
            entry.clear();
            put(&mut entry, host.len() as u64);
            entry.extend(host.as_bytes());
            put(&mut entry, pages.len() as u64);
            pages.pages().iter().for_each(|page| put_page(&mut entry, page));
            out.write_all(&(entry.len() as u32).to_le_bytes())?;
            out.write_all(&entry)?;
        }
        self.size = 0;
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        self.runs.push(file);
        Ok(())
    }

    /// All hosts in order, each with its pages, together with those of `others`.
    pub(super) fn into_hosts<'h>(self, others: Option<Hosts<'h>>) -> Merged<'h> {
        let runs = self
            .runs
            .into_iter()
            .map(|file| Box::new(Run(BufReader::with_capacity(1 << 18, file))) as Hosts<'h>);
        let held = Box::new(self.hosts.into_iter().map(Ok)) as Hosts<'h>;
        Merged::new(others.into_iter().chain(runs).chain([held]).collect())
    }
}

fn put_page(out: &mut Vec<u8>, page: &PageSketch) {
    out.extend(page.url.to_le_bytes());
    put(out, page.day.into());
    put(out, page.texts.len() as u64);
    for (hash, begin) in &page.texts {
        out.extend(hash.to_le_bytes());
        out.push(begin.len() as u8);
        out.extend(begin.as_bytes());
    }
}

/// Reads a run back.
struct Run(BufReader<File>);

impl Iterator for Run {
    type Item = io::Result<(String, HostPages)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut length = [0; 4];
        match self.0.read_exact(&mut length) {
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return None,
            Err(e) => return Some(Err(e)),
            Ok(()) => {}
        }
        let mut entry = vec![0; u32::from_le_bytes(length) as usize];
        let read = self.0.read_exact(&mut entry);
        let host = read.and_then(|()| read_entry(&entry).ok_or_else(|| io::ErrorKind::InvalidData.into()));
        Some(host)
    }
}

fn read_entry(entry: &[u8]) -> Option<(String, HostPages)> {
    let mut rest = Input(entry);
    let length = rest.number()? as usize;
    let host = String::from_utf8(rest.take(length)?.to_vec()).ok()?;
    let mut pages = HostPages::default();
    for _ in 0..rest.number()? {
        let url = u64::from_le_bytes(*rest.take(8)?.first_chunk()?);
        let day = rest.number()? as u32;
        let mut texts = Vec::new();
        for _ in 0..rest.number()? {
            let hash = u32::from_le_bytes(*rest.take(4)?.first_chunk()?);
            let length = usize::from(rest.take(1)?[0]);
            let begin = std::str::from_utf8(rest.take(length)?).ok()?;
            texts.push((hash, begin.into()));
        }
        pages.add(PageSketch { url, day, texts });
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
    use super::*;

    #[test]
    fn what_is_written_to_files_is_what_is_held() {
        let directory = tempfile::tempdir().expect("a directory");
        let gather = |most: usize| {
            let folder = Folder::open(directory.path()).expect("a folder");
            let mut gatherer = Gatherer::new(folder);
            gatherer.most = most;
            for number in 0..500u64 {
                let page = PageSketch {
                    url: number.wrapping_mul(0x9E37_79B9_7F4A_7C15),
                    day: (number % 7) as u32,
                    texts: vec![
                        (number as u32 % 40, format!("text {}", number % 40).into()),
                        (99, "menu".into()),
                    ],
                };
                gatherer.add(&format!("h{}.example", number % 9), page).expect("added");
            }
            let runs = gatherer.runs.len();
            let hosts: Vec<_> = gatherer.into_hosts(None).map(|host| host.expect("a host")).collect();
            (runs, hosts)
        };
        let (none, held) = gather(usize::MAX);
        let (many, merged) = gather(20_000);
        assert_eq!((none, many > 3, held.len()), (0, true, 9));
        assert_eq!(held, merged);
        assert_eq!(std::fs::read_dir(directory.path()).expect("a list").count(), 0);
    }
}
