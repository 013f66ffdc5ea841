//! The near-duplicates among the documents, as `dehusk cluster` wrote them.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;
use xxhash_rust::xxh3::xxh3_64;

use super::error::TopicsError;
use dehusk_archive::escape;
use dehusk_documents::bounded;

/// The file of clusters in its directory.
const FILE: &str = "clusters.jsonl";

/// Longest line that is read, in bytes. Ids of records are short, but nothing limits them.
const LINE_LIMIT: u64 = 1 << 20;

/// The clusters of two documents and more.
pub(super) struct Clusters {
    /// A number of the cluster by the hash of each document's id; 0 for a document that is alone.
    by_id: HashMap<u64, u64>,
}

#[derive(Deserialize)]
struct ClusterLine {
    id: String,
    cluster: String,
    size: u64,
}

impl Clusters {
    /// Reads a file of clusters, or the one in a directory. With `keeps_singles`, a document that is alone has a number,
    /// too: another one may come.
    pub(super) fn read(path: &Path, keeps_singles: bool) -> Result<Self, TopicsError> {
        let path = if path.is_dir() {
            path.join(FILE)
        } else {
            path.to_path_buf()
        };
        let error = |message: String| TopicsError::Clusters(format!("{}: {message}", escape::path(&path)));
        let file = File::open(&path).map_err(|e| error(format!("cannot be read: {e}")))?;
        let mut by_id = HashMap::new();
        for (number, line) in bounded::lines(BufReader::new(file), LINE_LIMIT).enumerate() {
            let line = line.map_err(|e| error(format!("cannot be read: {e}")))?;
            let line: ClusterLine = serde_json::from_slice(&line)
                .map_err(|e| error(format!("line {}: is no line of clusters: {e}", number + 1)))?;
            let cluster = match line.size {
                0 | 1 if !keeps_singles => 0,
                _ => xxh3_64(line.cluster.as_bytes()).max(1),
            };
            // Ids repeat where runs share archives. Pages of one id are the same page.
            by_id.entry(xxh3_64(line.id.as_bytes())).or_insert(cluster);
        }
        Ok(Self { by_id })
    }

    /// The number of a document's cluster: 0 if it is alone, `None` if the file does not have it.
    pub(super) fn cluster_of(&self, id: &str) -> Option<u64> {
        self.by_id.get(&xxh3_64(id.as_bytes())).copied()
    }
}
