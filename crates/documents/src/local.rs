//! Restricts output to local files. An address is refused, since a folder of its name would be made here.

use std::io;
use std::path::Path;

use dehusk_archive::redact;

/// Refuses an address as a place for output.
///
/// # Errors
/// It is an address. The error says what to do.
pub fn check(path: &Path) -> io::Result<()> {
    match remedy(path) {
        Some(remedy) => Err(io::Error::new(io::ErrorKind::InvalidInput, remedy)),
        None => Ok(()),
    }
}

/// The remedy if this path, named for output, is not local; `None` if it is.
pub fn remedy(path: &Path) -> Option<String> {
    let scheme = redact::scheme(path)?.to_ascii_lowercase();
    let copy = match &*scheme {
        "s3" | "s3a" | "s3n" => "; then copy it, as by `aws s3 cp --recursive DIR s3://BUCKET/FOLDER`",
        "gs" => "; then copy it, as by `gcloud storage cp --recursive DIR gs://BUCKET/FOLDER`",
        "az" | "abfs" | "abfss" | "wasb" | "wasbs" => {
            "; then copy it, as by `az storage blob upload-batch --source DIR --destination CONTAINER`"
        }
        "hdfs" => "; then copy it, as by `hdfs dfs -put DIR hdfs://NAME/FOLDER`",
        "file" => " by its path, without file://",
        _ => "; then copy it",
    };
    Some(format!(
        "is an address, and output is written to local files only: name a local directory or file{copy}"
    ))
}
