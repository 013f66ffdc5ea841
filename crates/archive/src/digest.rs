//! Block and payload digests (ISO 28500, 5.8 and 5.9): the only proof of good data under a wrong checksum.

use sha1::{Digest, Sha1};

use super::header::Header;
use super::record_type::RecordType;
use crate::fault::{Fault, Note};
use crate::http;

/// What to do with the digests that records state of their own blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DigestPolicy {
    /// Compute a digest only if a member or frame is large or damaged, or a record's length does not lead to its end.
    /// One that is wrong although the checksum of its large member or frame is right is noted.
    #[default]
    Ignore,
    /// Check every block, and note a wrong digest.
    Note,
    /// Check every block, and fail a record with a wrong digest.
    Fail,
}

impl DigestPolicy {
    /// The policy for a record of a large member or frame whose checksum is right: its digests are always checked, but
    /// the record does not fail unless the policy says so.
    pub(crate) fn at_least_noted(self) -> Self {
        if self == Self::Fail { Self::Fail } else { Self::Note }
    }
}

/// Checks a whole record's digests as the policy says.
///
/// # Errors
/// [`Fault::Digest`] if the policy fails a record with a wrong digest.
pub(crate) fn check(header: &Header, block: &[u8], policy: DigestPolicy) -> Result<Option<Note>, Fault> {
    match policy {
        DigestPolicy::Ignore => Ok(None),
        _ if record_matches(header, block) != Some(false) => Ok(None),
        DigestPolicy::Note => Ok(Some(Note::DigestMismatch)),
        DigestPolicy::Fail => Err(Fault::Digest),
    }
}

/// Checks a record of a member or frame whose checksum was not seen yet, whatever the policy says. `unchecked` is the
/// note on one that the digest of its block does not prove.
///
/// # Errors
/// [`Fault::Digest`] if a digest is wrong, unless the policy is to note that.
pub(crate) fn prove(
    header: &Header,
    block: &[u8],
    policy: DigestPolicy,
    unchecked: Note,
) -> Result<Option<Note>, Fault> {
    if block_matches(header, block) == Some(true) {
        return Ok(None);
    }
    match (record_matches(header, block), policy) {
        (Some(false), DigestPolicy::Note) => Ok(Some(Note::DigestMismatch)),
        (Some(false), _) => Err(Fault::Digest),
        _ => Ok(Some(unchecked)),
    }
}

/// Whether a block has the digest that its header states; `None` if no digest decides.
pub(crate) fn block_matches(header: &Header, block: &[u8]) -> Option<bool> {
    verify(&header.get("WARC-Block-Digest")?, block)
}

/// Whether a record has the digest that its header states: that of the block, else that of the payload. `None` if no
/// digest decides.
///
/// Crawlers do not agree on whether the payload is the body before or after its codings are removed, and some state the
/// digest of a whole body that they then cut. So a wrong payload digest counts only if the body has no codings and is
/// whole.
pub(crate) fn record_matches(header: &Header, block: &[u8]) -> Option<bool> {
    if let Some(matches) = block_matches(header, block) {
        return Some(matches);
    }
    let stated = header.get("WARC-Payload-Digest")?;
    let (payload, is_uncoded) = match (&header.record_type, http::parse_head(block)) {
        (RecordType::Resource, _) => (block, true),
        (RecordType::Response, Some((head, body))) => {
            let is_coded = head.content_codings().chain(head.transfer_codings()).next().is_some();
            (&block[body..], !is_coded)
        }
        _ => return None,
    };
    let matches = verify(&stated, payload)?;
    (matches || is_uncoded && header.get("WARC-Truncated").is_none()).then_some(matches)
}

/// Whether `data` has the digest that a header field states, such as `sha1:BZYL6RGPSOE2SCMLJCEOWS5H5IAZE4MA`.
///
/// Knows SHA-1, SHA-256, SHA-512 and MD5, in base 32 or hexadecimal; returns `None` for anything else.
pub fn verify(stated: &str, data: &[u8]) -> Option<bool> {
    let (algorithm, value) = stated.trim().split_once(':')?;
    let actual: Vec<u8> = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "sha1" => Sha1::digest(data).to_vec(),
        "sha256" => sha2::Sha256::digest(data).to_vec(),
        "sha512" => sha2::Sha512::digest(data).to_vec(),
        "md5" => md5::Md5::digest(data).to_vec(),
        _ => return None,
    };
    let value = value.trim().trim_end_matches('=');
    let stated = if value.len() == actual.len() * 2 {
        hex(value)?
    } else {
        base32(value)?
    };
    (stated.len() == actual.len()).then_some(stated == actual)
}

fn hex(text: &str) -> Option<Vec<u8>> {
    text.as_bytes()
        .chunks(2)
        .map(|pair| {
            std::str::from_utf8(pair)
                .ok()
                .and_then(|p| u8::from_str_radix(p, 16).ok())
        })
        .collect()
}

/// RFC 4648 base 32, without padding.
fn base32(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 5 / 8);
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.bytes() {
        let five = match byte.to_ascii_uppercase() {
            b @ b'A'..=b'Z' => b - b'A',
            b @ b'2'..=b'7' => b - b'2' + 26,
            _ => return None,
        };
        bits = (bits << 5) | u32::from(five);
        held += 5;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::verify;

    #[test]
    fn digests_of_nothing_are_known() {
        assert_eq!(verify("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", b""), Some(true));
        assert_eq!(verify("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709", b""), Some(true));
        assert_eq!(verify("md5:d41d8cd98f00b204e9800998ecf8427e", b""), Some(true));
        assert_eq!(
            verify(
                "SHA-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                b""
            ),
            Some(true)
        );
        assert_eq!(verify("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", b"x"), Some(false));
        assert_eq!(verify("crc32:00000000", b""), None);
        assert_eq!(verify("sha1:not a digest", b""), None);
    }
}
