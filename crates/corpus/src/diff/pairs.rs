//! Pairs the archives of two sides: those of one path, then those of one file name.

use std::collections::{HashMap, VecDeque};

use crate::readback::ArchiveAccount;

/// An archive in one or both of two sides, as its place in each side's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: Option<usize>,
    pub(super) b: Option<usize>,
}

/// Pairs the archives of two sides, in the order of the first; then those that only the second has. If several runs of
/// a side have an archive of one path, the first of one side belongs to the first of the other.
pub(super) fn pairs(a: &[&ArchiveAccount], b: &[&ArchiveAccount]) -> Vec<Pair> {
    let mut pairs: Vec<Pair> = (0..a.len()).map(|at| Pair { a: Some(at), b: None }).collect();
    let mut taken = vec![false; b.len()];
    let mut paths: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (at, archive) in b.iter().enumerate() {
        paths.entry(&archive.path).or_default().push_back(at);
    }
    for (pair, archive) in pairs.iter_mut().zip(a) {
        if let Some(at) = paths.get_mut(archive.path.as_str()).and_then(VecDeque::pop_front) {
            pair.b = Some(at);
            taken[at] = true;
        }
    }
    let left_a: Vec<bool> = pairs.iter().map(|pair| pair.b.is_some()).collect();
    let (names_a, names_b) = (by_name(a, &left_a), by_name(b, &taken));
    for (name, at) in names_a {
        if let (Some(at), Some(Some(other))) = (at, names_b.get(name)) {
            pairs[at].b = Some(*other);
            taken[*other] = true;
        }
    }
    let only_b = taken.iter().enumerate().filter(|(_, taken)| !**taken);
    pairs.extend(only_b.map(|(at, _)| Pair { a: None, b: Some(at) }));
    pairs
}

/// The archives that are not taken, by their file names. A name that several have leads to none.
fn by_name<'a>(archives: &[&'a ArchiveAccount], taken: &[bool]) -> HashMap<&'a str, Option<usize>> {
    let mut found = HashMap::new();
    for (at, archive) in archives.iter().enumerate().filter(|(at, _)| !taken[*at]) {
        let entry = found.entry(file_name(&archive.path)).or_insert(Some(at));
        *entry = entry.filter(|first| *first == at);
    }
    found
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archives(paths: &[&str]) -> Vec<ArchiveAccount> {
        let archive = |path: &&str| ArchiveAccount {
            path: (*path).to_owned(),
            ..ArchiveAccount::default()
        };
        paths.iter().map(archive).collect()
    }

    #[test]
    fn archives_are_paired_by_path_and_then_by_file_name() {
        let a = archives(&["old/x.warc", "y.warc", "1/z.warc", "2/z.warc", "gone.warc"]);
        let b = archives(&["y.warc", "new/x.warc", "3/z.warc", "added.warc"]);
        let found: Vec<_> = pairs(&Vec::from_iter(&a), &Vec::from_iter(&b))
            .iter()
            .map(|pair| (pair.a, pair.b))
            .collect();
        let expected = [
            (Some(0), Some(1)),
            (Some(1), Some(0)),
            (Some(2), None),
            (Some(3), None),
            (Some(4), None),
            (None, Some(2)),
            (None, Some(3)),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn archives_of_one_path_are_paired_in_their_order() {
        let a = archives(&["x.warc", "y.warc", "x.warc", "x.warc"]);
        let b = archives(&["x.warc", "x.warc"]);
        let found: Vec<_> = pairs(&Vec::from_iter(&a), &Vec::from_iter(&b))
            .iter()
            .map(|pair| (pair.a, pair.b))
            .collect();
        assert_eq!(
            found,
            [(Some(0), Some(0)), (Some(1), None), (Some(2), Some(1)), (Some(3), None)]
        );
    }
}
