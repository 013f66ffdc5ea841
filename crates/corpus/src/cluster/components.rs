//! Sets of documents that are joined one by one (union–find).

/// Which documents are in one cluster.
pub(super) struct Components {
    /// A document of the same cluster that comes earlier, or itself.
    parents: Vec<u32>,
}

impl Components {
    pub(super) fn new(documents: usize) -> Self {
        Self {
            parents: (0..documents as u32).collect(),
        }
    }

    /// The first document of the cluster.
    pub(super) fn first(&mut self, document: u32) -> u32 {
        let mut at = document;
        loop {
            let parent = self.parents[at as usize];
            if parent == at {
                return at;
            }
            let above = self.parents[parent as usize];
            self.parents[at as usize] = above;
            at = above;
        }
    }

    /// Joins the clusters of two documents.
    pub(super) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.first(a), self.first(b));
        // The earlier document leads, so that a cluster is named after its first document.
        self.parents[a.max(b) as usize] = a.min(b);
    }
}
