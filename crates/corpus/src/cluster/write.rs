//! The clusters as `clusters.jsonl`, a line a document, and their summary as `clusters.json`. With an index,
//! `aliases.jsonl` has the names of clusters that were joined to an older one.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use super::components::Components;
use super::error::ClusterError;
use super::index::{Added, Index};
use super::name::free_name;
use super::options::Options;
use super::read::Shard;
use super::store::Store;
use super::view::Member;
use crate::results::{JsonLines, PROGRAM, Results};

/// The files that the command writes.
pub(super) const CLUSTERS: &str = "clusters.jsonl";
const SUMMARY: &str = "clusters.json";
const ALIASES: &str = "aliases.jsonl";

/// The share of template in each document, if the program is asked for it.
pub(super) const TEMPLATE: &str = "template.jsonl";

/// The database that the program writes beside them, if it is asked for one.
pub(super) const DATABASE: &str = "clusters.sqlite";

/// How the documents were clustered, and what came out.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    program: &'static str,
    /// The name of the features that documents were compared by.
    by: &'static str,
    threshold: f64,
    /// Documents.
    pub documents: u64,
    /// Clusters, those of one document among them.
    pub clusters: u64,
    /// Documents that are not alone in their cluster.
    pub clustered: u64,
    /// Documents that are represented by another one.
    pub duplicates: u64,
    /// Documents in the largest cluster.
    pub largest: u64,
    /// Documents that cannot be compared, because they have no features.
    pub without_features: u64,
    /// The content of the index, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<IndexSummary>,
}

/// The content of an index, in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct IndexSummary {
    /// Documents and clusters of all nights.
    pub documents: u64,
    pub clusters: u64,
    /// Documents that this command added.
    pub added: u64,
    /// Clusters of earlier nights that it joined to an older one.
    pub joined: u64,
}

impl Summary {
    fn new(options: Options) -> Self {
        Self {
            program: PROGRAM,
            by: options.by.name(),
            threshold: options.threshold,
            documents: 0,
            clusters: 0,
            clustered: 0,
            duplicates: 0,
            largest: 0,
            without_features: 0,
            index: None,
        }
    }
}

/// A line of `clusters.jsonl`.
#[derive(Serialize)]
struct ClusterLine<'a> {
    id: &'a str,
    cluster: &'a str,
    size: u32,
    representative: bool,
}

/// The directory that the clusters go to.
pub(super) struct Output(Results);

impl Output {
    /// Checks that the clusters can be written to a directory, and changes nothing.
    pub(super) fn new(directory: &Path, options: Options) -> Result<Self, ClusterError> {
        let names = [CLUSTERS, SUMMARY, ALIASES, TEMPLATE, DATABASE];
        Ok(Self(Results::new(directory, "clusters", &names, options.overwrite)?))
    }

    /// Creates the directory if there is none, and removes what else was written beside earlier clusters.
    pub(super) fn begin(&self) -> Result<(), ClusterError> {
        self.0.begin()?;
        self.0.remove(TEMPLATE)?;
        Ok(self.0.remove(DATABASE)?)
    }

    /// Writes the clusters of a list of documents. Also returns which of these
    /// represent their clusters.
    pub(super) fn write(
        &self,
        store: &Store,
        components: &mut Components,
        options: Options,
    ) -> Result<(Summary, Vec<bool>), ClusterError> {
        let clusters = Clusters::new(store, components);
        let mut names: Vec<u64> = vec![0; store.len()];
        let mut taken = HashSet::new();
        let mut lines = Lines::new(self, options)?;
        store.ids::<ClusterError>(|document, id| {
            let first = components.first(document);
            if first == document {
                names[document as usize] = free_name(id, |name| Ok::<_, ClusterError>(taken.insert(name)))?;
            }
            lines.add(&Member {
                id: id.to_owned(),
                cluster: names[first as usize],
                size: clusters.sizes[first as usize],
                is_representative: clusters.best[first as usize] == document,
                has_features: store.feature_count(document) > 0,
            })
        })?;
        self.finish(lines)
    }

    /// Writes the clusters of the documents of shards that are in an index. A shard that is named twice counts once.
    pub(super) fn write_indexed(
        &self,
        index: &Index,
        added: &Added,
        shards: &[Shard],
        options: Options,
    ) -> Result<(Summary, Vec<bool>), ClusterError> {
        let view = index.view()?;
        let mut lines = Lines::new(self, options)?;
        lines.clusters = Some(HashSet::new());
        let mut written = HashSet::new();
        for shard in shards {
            let is_first = written.insert(shard.hash);
            view.members(shard, |member| if is_first { lines.add(&member) } else { lines.skip() })?;
        }
        let (documents, clusters) = view.sizes()?;
        lines.summary.index = Some(IndexSummary {
            documents,
            clusters,
            added: added.documents,
            joined: added.joined,
        });
        let mut aliases = self.0.create(ALIASES)?;
        view.aliases(|was, cluster| {
            let line = format!("{{\"was\":\"{was:016x}\",\"cluster\":\"{cluster:016x}\"}}\n");
            Ok(aliases.append(line.as_bytes())?)
        })?;
        aliases.commit()?;
        self.finish(lines)
    }

    /// Completes the lines, and writes the summary.
    fn finish(&self, lines: Lines) -> Result<(Summary, Vec<bool>), ClusterError> {
        let (summary, representatives) = lines.commit()?;
        self.0.write_json(SUMMARY, &summary)?;
        Ok((summary, representatives))
    }
}

/// `clusters.jsonl` while it is written.
struct Lines {
    file: JsonLines,
    summary: Summary,
    /// The clusters that have had a line, if their representatives need not be among these documents.
    clusters: Option<HashSet<u64>>,
    representatives: Vec<bool>,
}

impl Lines {
    fn new(output: &Output, options: Options) -> Result<Self, ClusterError> {
        Ok(Self {
            file: output.0.json_lines(CLUSTERS)?,
            summary: Summary::new(options),
            clusters: None,
            representatives: Vec::new(),
        })
    }

    fn add(&mut self, member: &Member) -> Result<(), ClusterError> {
        let line = ClusterLine {
            id: &member.id,
            cluster: &format!("{:016x}", member.cluster),
            size: member.size,
            representative: member.is_representative,
        };
        self.file.add(&line)?;
        let summary = &mut self.summary;
        summary.documents += 1;
        summary.clusters += u64::from(match &mut self.clusters {
            Some(clusters) => clusters.insert(member.cluster),
            None => member.is_representative,
        });
        summary.clustered += u64::from(member.size > 1);
        summary.duplicates += u64::from(!member.is_representative);
        summary.largest = summary.largest.max(member.size.into());
        summary.without_features += u64::from(!member.has_features);
        self.representatives.push(member.is_representative);
        Ok(())
    }

    /// Skips a document that has its line already.
    fn skip(&mut self) -> Result<(), ClusterError> {
        self.representatives.push(false);
        Ok(())
    }

    fn commit(self) -> Result<(Summary, Vec<bool>), ClusterError> {
        self.file.commit()?;
        Ok((self.summary, self.representatives))
    }
}

/// By the first document of each cluster.
struct Clusters {
    /// The number of documents; 0 for a document that is not the first.
    sizes: Vec<u32>,
    /// The representative of the cluster.
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
