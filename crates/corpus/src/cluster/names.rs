//! The names of the clusters that begin in a night of an index.

use dehusk_documents::store::StoreFailure;

use super::name::name;
use super::runs::{Entry, NAMES, Runs};
use super::store::Store;

/// Names the clusters that begin with documents of a night, each as [`free_name`](super::free_name) does after the
/// documents before it. All names are looked up together, so that they are read in order. Returns a name for each
/// document, which means nothing where `begins` is not set. The first document has the number `base`.
pub(super) fn name_clusters(
    store: &Store,
    runs: &mut Runs<'_>,
    base: u32,
    begins: Vec<bool>,
) -> Result<Vec<u64>, StoreFailure> {
    let mut names = vec![0; store.len()];
    let mut lacks_name = begins;
    let mut given: Vec<Entry> = Vec::new();
    let (mut wanted, mut found): (Vec<Entry>, Vec<Entry>) = (Vec::new(), Vec::new());
    for number in 1.. {
        wanted.clear();
        store.ids::<StoreFailure>(|document, id| {
            if lacks_name[document as usize] {
                wanted.push((name(id, number), document));
            }
            Ok(())
        })?;
        if wanted.is_empty() {
            break;
        }
        wanted.sort_unstable();
        runs.find(NAMES, &wanted, &mut found)?;
        let before = given.len();
        for same in wanted.chunk_by(|a, b| a.0 == b.0) {
            let (name, document) = same[0];
            let has = |entries: &[Entry]| entries.binary_search_by_key(&name, |entry| entry.0).is_ok();
            if !has(&found) && !has(&given[..before]) {
                names[document as usize] = name;
                lacks_name[document as usize] = false;
                given.push((name, base + document));
            }
        }
        given.sort();
    }
    runs.add(NAMES, given)?;
    Ok(names)
}
