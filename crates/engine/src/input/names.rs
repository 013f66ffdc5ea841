//! The names of shards: that of the archive's file without its endings, with a number if several archives have it.

use std::collections::{HashMap, HashSet};

use super::ArchiveInput;

/// The endings that a shard's name drops, outermost first.
const COMPRESSION: &[&str] = &[".gz", ".zst", ".zstd"];
const ARCHIVE: &[&str] = &[".warc", ".arc", ".wacz", ".tar", ".tgz"];

/// Longest name of a shard without its endings, in bytes. With those, and as a partial file, it must stay below the 255
/// that file systems allow.
const LONGEST: usize = 200;

/// Returns whether a file name ends as those of archives do.
pub(super) fn is_archive_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = without_ending(COMPRESSION, &name);
    ARCHIVE.iter().any(|ending| name.ends_with(ending))
}

/// The endings that programs give to files that they have not finished: downloads, copies, crawlers' open archives.
const UNFINISHED: &[&str] = &[".part", ".tmp", ".open", ".crdownload"];

/// Returns whether a file name marks the file as not finished.
pub(super) fn is_unfinished(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    UNFINISHED.iter().any(|ending| name.ends_with(ending))
}

/// The name of the shard for an archive of this file name, as long as no other archive has it.
pub(super) fn stem(name: &str) -> &str {
    let stem = without_ending(ARCHIVE, without_ending(COMPRESSION, name));
    let stem = if stem.is_empty() { name } else { stem };
    let end = (0..=LONGEST.min(stem.len())).rev().find(|i| stem.is_char_boundary(*i));
    &stem[..end.unwrap_or(0)]
}

/// Gives every archive of a run a shard name of its own. The names depend on the list of inputs alone.
pub fn name_shards(inputs: &mut [ArchiveInput]) {
    let stems: Vec<String> = inputs.iter().map(|input| input.shard.clone()).collect();
    let plain: HashSet<&String> = stems.iter().collect();
    let mut taken = HashSet::new();
    // The last number given for a stem, so that many archives of one name do not count from the start each time.
    let mut numbers: HashMap<&String, u64> = HashMap::new();
    for (input, stem) in inputs.iter_mut().zip(&stems) {
        let number = numbers.entry(stem).or_insert(1);
        while (input.shard != *stem && plain.contains(&input.shard)) || !taken.insert(input.shard.clone()) {
            *number += 1;
            input.shard = format!("{stem}-{number}");
        }
    }
}

fn without_ending<'n>(endings: &[&str], name: &'n str) -> &'n str {
    let lower = name.to_ascii_lowercase();
    match endings.iter().find(|ending| lower.ends_with(**ending)) {
        Some(ending) => &name[..name.len() - ending.len()],
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(mut inputs: Vec<ArchiveInput>) -> Vec<String> {
        name_shards(&mut inputs);
        inputs.iter().map(|input| input.shard().to_owned()).collect()
    }

    #[test]
    fn archives_of_one_name_get_distinct_shards() {
        let mut inputs = ["a/x.warc.gz", "b/x.warc.gz", "x-2.arc", "c/x.warc.zst", "d/.gz"]
            .map(ArchiveInput::from)
            .to_vec();
        inputs.insert(4, ArchiveInput::stdin());
        assert_eq!(shards(inputs), ["x", "x-3", "x-2", "x-4", "stdin", ".gz"]);
    }

    #[test]
    fn long_names_are_cut_and_stay_distinct() {
        let long = |last: &str| ArchiveInput::from(format!("{}{last}.warc.gz", "ä".repeat(115)));
        let cut = "ä".repeat(100);
        assert_eq!(shards(vec![long("a"), long("b")]), [cut.clone(), cut + "-2"]);
    }
}
