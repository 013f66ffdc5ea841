//! Tar files, compressed by gzip.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use super::files::File;

/// The files under a folder, with a member for every folder. All of them belong to root.
pub fn tar(folder: &str, files: &[File], time: u64) -> io::Result<Vec<u8>> {
    let mut builder = Builder::new(Vec::new());
    let mut folders = BTreeSet::new();
    for file in files {
        let path = Path::new(folder).join(&file.path);
        let above: Vec<&Path> = path.ancestors().skip(1).collect();
        for above in above.into_iter().rev().filter(|above| !above.as_os_str().is_empty()) {
            if folders.insert(above.to_owned()) {
                let mut header = header(EntryType::Directory, 0o755, 0, time);
                builder.append_data(&mut header, format!("{}/", above.display()), io::empty())?;
            }
        }
        let mode = if file.is_program { 0o755 } else { 0o644 };
        let mut header = header(EntryType::Regular, mode, file.bytes.len() as u64, time);
        builder.append_data(&mut header, &path, file.bytes.as_slice())?;
    }
    builder.into_inner()
}

fn header(entry_type: EntryType, mode: u32, size: u64, time: u64) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(entry_type);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Compresses bytes as well as gzip can, without a time.
pub fn gzip(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
