//! Code that the tests of Parquet and SQLite share: shards of documents and of the sample, and damaged ones.

use std::fs;
use std::path::{Path, PathBuf};

use dehusk::{Config, Document, Report};
use dehusk_documents::encode::{Compression, OutputFormat, PartialFile, read_shard};

/// Writes a shard in parts of so many documents.
pub fn write(format: OutputFormat, path: &Path, documents: &[Document], in_part: usize) {
    let compression = Compression::Zstd(3);
    let mut encoder = format.encoder(compression);
    let file = PartialFile::create(path, false).unwrap();
    let mut writer = format.writer(file, compression).unwrap();
    for part in documents.chunks(in_part) {
        part.iter().for_each(|document| encoder.add(document));
        let mut bytes = Vec::new();
        encoder.finish_part(&mut bytes).unwrap();
        writer.write(&bytes).unwrap();
    }
    writer.finish().unwrap();
}

/// Runs the sample into a directory. Returns the path of its shard, and the report.
pub fn run(format: OutputFormat, directory: &Path, threads: usize, extractors: &[&str]) -> (PathBuf, Report) {
    let extractors = extractors.iter().copied();
    let config = Config::builder().format(format).threads(threads).extractors(extractors);
    let out = directory.join(threads.to_string());
    let report = dehusk::run(&config.build().unwrap(), ["docs/sample/sample.warc.gz"], &out).unwrap();
    let shard = Path::new("documents/sample").with_extension(format.extension());
    assert_eq!(report.archives[0].shards, std::slice::from_ref(&shard));
    (out.join(shard), report)
}

/// Changes single bytes of a shard of three documents, and checks that reading ends.
pub fn check_damage(path: &Path, step: usize) {
    let whole = fs::read(path).unwrap();
    for at in (0..whole.len()).step_by(step) {
        let mut damaged = whole.clone();
        damaged[at] ^= [0xFF, 0x01, 0x80][at % 3];
        fs::write(path, &damaged).unwrap();
        let results: Vec<_> = read_shard(path).unwrap().collect();
        let errors = results.iter().filter(|result| result.is_err()).count();
        assert!(errors <= 1 && results.len() <= 4, "{at}");
    }
    fs::write(path, whole).unwrap();
}
