//! The clusters as `clusters.jsonl`, a line a document, and their summary as `clusters.json`.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use super::components::Components;
use super::store::Store;
use super::{ClusterError, Options};
use crate::encode::{PartialFile, WriteError};
use dehusk_archive::escape;

/// The files that the command writes.
const CLUSTERS: &str = "clusters.jsonl";
const SUMMARY: &str = "clusters.json";

/// How the documents were clustered, and what came out.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    program: &'static str,
    /// What documents were compared by.
    by: &'static str,
    threshold: f64,
    pub(crate) documents: u64,
    /// Clusters, those of one document among them.
    pub(crate) clusters: u64,
    /// Documents that are not alone in their cluster.
    pub(crate) clustered: u64,
    /// Documents that another one stands for.
    pub(crate) duplicates: u64,
    pub(crate) largest: u64,
}

/// A line of `clusters.jsonl`.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    cluster: &'a str,
    size: u32,
    representative: bool,
}

/// The directory that the clusters go to.
pub(super) struct Output {
    directory: PathBuf,
    overwrite: bool,
}

impl Output {
    /// Creates the directory if there is none.
    pub(super) fn open(directory: &Path, options: Options) -> Result<Self, ClusterError> {
        let cannot = |action| {
            let path = directory.to_path_buf();
            move |source| WriteError { action, path, source }
        };
        fs::create_dir_all(directory).map_err(cannot("be created"))?;
        let entries = fs::read_dir(directory).map_err(cannot("be read"))?;
        let mut has_clusters = false;
        for entry in entries {
            let name = entry.map_err(cannot("be read"))?.file_name();
            let is_scratch = name.to_string_lossy().starts_with('.');
            if name == CLUSTERS || name == SUMMARY {
                has_clusters = true;
            } else if !is_scratch {
                let (place, name) = (escape::path(directory), escape::path(Path::new(&name)));
                let message = format!("{place}: holds {name}, which is no cluster file; name another directory");
                return Err(ClusterError::Occupied(message));
            }
        }
        if has_clusters && !options.overwrite {
            let place = escape::path(directory);
            let message = format!("{place}: holds clusters already; use --overwrite to replace them");
            return Err(ClusterError::Occupied(message));
        }
        Ok(Self {
            directory: directory.to_path_buf(),
            overwrite: options.overwrite,
        })
    }

    pub(super) fn write(
        &self,
        store: &Store,
        components: &mut Components,
        options: Options,
    ) -> Result<Summary, ClusterError> {
        let clusters = Clusters::new(store, components);
        self.write_lines(store, components, &clusters)?;
        let sizes = || clusters.sizes.iter().copied().filter(|size| *size > 0);
        let count = sizes().count() as u64;
        let summary = Summary {
            program: concat!("dehusk ", env!("CARGO_PKG_VERSION")),
            by: options.by.name(),
            threshold: options.threshold,
            documents: store.len() as u64,
            clusters: count,
            clustered: sizes().filter(|size| *size > 1).map(u64::from).sum(),
            duplicates: store.len() as u64 - count,
            largest: sizes().max().unwrap_or(0).into(),
        };
        let mut file = self.create(SUMMARY)?;
        let mut json = serde_json::to_vec_pretty(&summary).map_err(io::Error::from)?;
        json.push(b'\n');
        file.append(&json)?;
        file.commit()?;
        Ok(summary)
    }

    fn create(&self, name: &str) -> Result<PartialFile, WriteError> {
        PartialFile::create(&self.directory.join(name), self.overwrite)
    }

    fn write_lines(&self, store: &Store, components: &mut Components, clusters: &Clusters) -> Result<(), ClusterError> {
        let mut names: Vec<u64> = vec![0; store.len()];
        let mut taken = HashSet::new();
        let mut file = self.create(CLUSTERS)?;
        let mut lines = Vec::with_capacity(1 << 17);
        store.ids::<ClusterError>(|document, id| {
            let first = components.first(document);
            if first == document {
                // Several documents can have one id: those of two runs over one archive, for instance.
                let mut name = xxh3_64(id.as_bytes());
                let mut number = 2;
                while !taken.insert(name) {
                    name = xxh3_64(format!("{id}#{number}").as_bytes());
                    number += 1;
                }
                names[document as usize] = name;
            }
            let line = Line {
                id,
                cluster: &format!("{:016x}", names[first as usize]),
                size: clusters.sizes[first as usize],
                representative: clusters.best[first as usize] == document,
            };
            serde_json::to_writer(&mut lines, &line).map_err(io::Error::from)?;
            lines.push(b'\n');
            if lines.len() >= 1 << 16 {
                file.append(&lines)?;
                lines.clear();
            }
            Ok(())
        })?;
        file.append(&lines)?;
        file.commit()?;
        Ok(())
    }
}

/// By the first document of each cluster.
struct Clusters {
    /// The number of documents; 0 for a document that is not the first.
    sizes: Vec<u32>,
    /// The document that stands for the cluster.
    best: Vec<u32>,
}

impl Clusters {
    fn new(store: &Store, components: &mut Components) -> Self {
        let mut clusters = Self {
            sizes: vec![0; store.len()],
            best: (0..store.len() as u32).collect(),
        };
        for document in 0..store.len() as u32 {
            let first = components.first(document) as usize;
            clusters.sizes[first] += 1;
            if store.is_better(document, clusters.best[first]) {
                clusters.best[first] = document;
            }
        }
        clusters
    }
}
