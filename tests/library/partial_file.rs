//! Output files through the public surface: whole under their name, or not there.

use dehusk_documents::encode::PartialFile;
use std::fs::{self, File, OpenOptions};

/// The names in a directory.
fn names(directory: &tempfile::TempDir) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(directory.path())
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_shard_appears_when_it_is_committed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.jsonl");
    let mut shard = PartialFile::create(&path, false).unwrap();
    shard.append(b"one").unwrap();
    shard.append(b"two").unwrap();
    assert_eq!(names(&directory), [".a.jsonl.partial"]);
    assert_eq!(shard.commit().unwrap(), 6);
    assert_eq!(names(&directory), ["a.jsonl"]);
    assert_eq!(fs::read(&path).unwrap(), b"onetwo");
}

#[test]
fn a_dropped_shard_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let mut shard = PartialFile::create(&directory.path().join("a"), false).unwrap();
    shard.append(b"x").unwrap();
    drop(shard);
    assert!(names(&directory).is_empty());
}

#[test]
fn an_existing_file_is_not_replaced_without_the_option() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    fs::write(&path, "old").unwrap();
    let error = PartialFile::create(&path, false).unwrap_err();
    assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_file_that_appears_meanwhile_is_not_replaced_without_the_option() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    let shard = PartialFile::create(&path, false).unwrap();
    fs::write(&path, "other").unwrap();
    assert!(shard.commit().is_err());
    assert_eq!(
        (fs::read(&path).unwrap(), names(&directory)),
        (b"other".to_vec(), vec!["a".to_string()])
    );
}

#[test]
fn overwriting_replaces_on_commit_and_not_before() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    fs::write(&path, "old").unwrap();
    fs::write(directory.path().join(".a.partial"), "left by a killed run").unwrap();
    let mut shard = PartialFile::create(&path, true).unwrap();
    shard.append(b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"old");
    shard.commit().unwrap();
    assert_eq!(
        (fs::read(&path).unwrap(), names(&directory)),
        (b"new".to_vec(), vec!["a".to_string()])
    );
}

#[test]
fn two_shards_of_one_name_cannot_be_written_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a");
    let first = PartialFile::create(&path, false).unwrap();
    assert!(PartialFile::create(&path, false).is_err());
    first.commit().unwrap();
}

#[cfg(unix)]
#[test]
fn symbolic_links_are_not_followed() {
    let directory = tempfile::tempdir().unwrap();
    let (path, target) = (directory.path().join("a"), directory.path().join("target"));
    fs::write(&target, "precious").unwrap();
    for link in [".a.partial", "a"] {
        std::os::unix::fs::symlink(&target, directory.path().join(link)).unwrap();
        assert!(PartialFile::create(&path, false).is_err(), "{link}");
        let mut shard = PartialFile::create(&path, true).unwrap();
        shard.append(b"new").unwrap();
        shard.commit().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"precious", "{link}");
        assert!(!fs::symlink_metadata(&path).unwrap().is_symlink());
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_directory_that_is_missing_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let error = PartialFile::create(&directory.path().join("none/a"), false).unwrap_err();
    assert!(error.to_string().contains(".a.partial"), "{error}");
}

#[test]
fn control_characters_of_a_name_are_escaped_in_errors() {
    let directory = tempfile::tempdir().unwrap();
    let error = PartialFile::create(&directory.path().join("none/\u{1B}[31m"), false).unwrap_err();
    assert!(!error.to_string().contains('\u{1B}'));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_and_leaves_no_shard() {
    let directory = tempfile::tempdir().unwrap();
    let full: File = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut shard = PartialFile::over(full, &directory.path().join("a")).unwrap();
    let error = shard.append(b"data").unwrap_err();
    assert_eq!(error.source.kind(), std::io::ErrorKind::StorageFull);
    assert!(shard.commit().is_err());
    assert!(names(&directory).is_empty());
}
