//! Keeps the archives of tests, to try other readers with them: `python/checks/same_documents.py` does.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// Longer archives are made of many like records; they would only fill the folder.
const LONGEST: usize = 4 << 20;

/// Writes an archive into the folder that `DEHUSK_KEEP_ARCHIVES` names, if it names one.
pub fn keep_archive(bytes: &[u8]) {
    let Some(folder) = std::env::var_os("DEHUSK_KEEP_ARCHIVES").map(PathBuf::from) else {
        return;
    };
    if bytes.len() <= LONGEST {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        fs::create_dir_all(&folder).expect("a folder for archives");
        fs::write(folder.join(format!("{:016x}.warc", hasher.finish())), bytes).expect("an archive");
    }
}
