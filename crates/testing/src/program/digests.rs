//! The pinned digests of documents: `tests/golden/digests.txt` has a line for each archive, format and preset. They
//! hold whatever the number of threads, and whether the archive is mapped or piped.

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;

use regex::bytes::{NoExpand, Regex};
use sha2::Digest;

use super::Run;

/// Every preset, in the order in which a run over all of them names them.
pub const PRESETS: [&str; 16] = [
    "fusion",
    "fusion-quality",
    "coreex",
    "coreex-modern",
    "contentex",
    "contentex-modern",
    "nce",
    "nce-modern",
    "econ",
    "econ-modern",
    "cetd-ds",
    "cetd-ds-modern",
    "cectd-s",
    "cectd-s-modern",
    "cectd-ds",
    "cectd-ds-modern",
];

/// The first 32 digits of the SHA-256 of a run's documents, without what may differ: the version, and the name of the
/// archive, which a pipe does not have.
fn digest(run: &Run) -> String {
    let version = regex::escape(env!("CARGO_PKG_VERSION"));
    let version = Regex::new(&format!(r"{version}\+cfg[0-9a-f]{{8}}\.schema[0-9]+")).unwrap();
    let name = Regex::new(r#"("file_path":|file_path=)"[a-z.-]+""#).unwrap();
    let mut hash = sha2::Sha256::new();
    for shard in run.shards.values() {
        let shard = version.replace_all(shard, NoExpand(b"V"));
        hash.update(name.replace_all(&shard, &br#"$1"A""#[..]));
    }
    hash.finalize()
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Checks a run's documents against the pinned digest; with `DEHUSK_BLESS` set, pins the new one.
#[track_caller]
pub fn assert_pinned(run: &Run, archive: &str, format: &str, preset: &str) {
    static BLESSING: Mutex<()> = Mutex::new(());
    let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/digests.txt"));
    let key = format!("{archive} {format} {preset} ");
    let is = digest(run);
    let blessing = BLESSING.lock().unwrap();
    let pinned = fs::read_to_string(&path).unwrap();
    let was = pinned.lines().find_map(|line| line.strip_prefix(&key));
    if std::env::var_os("DEHUSK_BLESS").is_some() {
        let others = pinned.lines().filter(|line| !line.starts_with(&key)).map(str::to_owned);
        let mut lines: Vec<String> = others.chain([format!("{key}{is}")]).collect();
        lines.sort();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        return;
    }
    drop(blessing);
    assert_eq!(
        Some(is.as_str()),
        was,
        "{key}: the documents have changed; DEHUSK_BLESS=1 accepts it"
    );
}
