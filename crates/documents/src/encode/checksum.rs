//! The SHA-256 of an output's bytes, as `run.json` names it and `sha256sum` prints it.

use std::fmt;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

/// Bytes that are read at a time.
const PIECE: usize = 256 << 10;

/// The running SHA-256 of a file's bytes.
#[derive(Clone, Default)]
pub(super) struct Checksum(Sha256);

impl Checksum {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The checksum of the bytes so far, in 64 hexadecimal digits.
    pub(super) fn text(&self) -> String {
        let digest = self.0.clone().finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// The SHA-256 of all that is left to read, in 64 hexadecimal digits.
///
/// # Errors
/// It cannot be read.
pub fn sha256_of(mut file: impl Read) -> io::Result<String> {
    let mut checksum = Checksum::default();
    let mut piece = vec![0; PIECE];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(checksum.text()),
            Ok(n) => checksum.update(&piece[..n]),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}
