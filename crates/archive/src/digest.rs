//! Block and payload digests (ISO 28500, 5.8 and 5.9): the only proof of good data under a wrong checksum.

use sha1::{Digest, Sha1};

use super::header::Header;
use super::record_type::RecordType;
use crate::fault::{Fault, Note};
use crate::http;

/// Bytes that SHA-1 takes in at a time.
const SHA1_BLOCK: usize = 64;

/// The treatment of the digests that records state of their own blocks.
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
    /// the record does not fail unless the policy requires it.
    pub(crate) fn at_least_noted(self) -> Self {
        if self == Self::Fail { Self::Fail } else { Self::Note }
    }
}

/// Checks a whole record's digests as the policy requires.
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

/// Checks a record of a member or frame whose checksum was not seen yet, regardless of the policy. `unchecked` is the
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
/// Knows SHA-1, SHA-256, SHA-512 and MD5, in base 32, base 64 or hexadecimal; returns `None` for anything else.
pub fn verify(stated: &str, data: &[u8]) -> Option<bool> {
    read(stated).ok().map(|digest| digest.matches(data))
}

/// A digest that a header field states.
#[derive(PartialEq, Eq)]
pub(crate) struct Stated {
    algorithm: Algorithm,
    value: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

/// Why a digest cannot be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unverifiable {
    /// Its algorithm is not known.
    Algorithm,
    /// It has no algorithm, or its value is none of that one's.
    Form,
}

impl Stated {
    /// Whether `data` has this digest.
    pub(crate) fn matches(&self, data: &[u8]) -> bool {
        match self.algorithm {
            Algorithm::Md5 => md5::Md5::digest(data)[..] == self.value,
            Algorithm::Sha1 => Sha1::digest(data)[..] == self.value,
            Algorithm::Sha256 => sha2::Sha256::digest(data)[..] == self.value,
            Algorithm::Sha512 => sha2::Sha512::digest(data)[..] == self.value,
        }
    }

    /// Whether `data` has this digest, and `others` the other one.
    ///
    /// Each step of SHA-1 waits for the one before, so that a processor computes two digests side by side in two thirds
    /// of the time that they take one after the other.
    pub(crate) fn both_match(&self, data: &[u8], other: &Self, others: &[u8]) -> (bool, bool) {
        if !matches!((self.algorithm, other.algorithm), (Algorithm::Sha1, Algorithm::Sha1)) {
            return (self.matches(data), other.matches(others));
        }
        let (mut one, mut two) = (Sha1::new(), Sha1::new());
        let shared = data.len().min(others.len()) / SHA1_BLOCK * SHA1_BLOCK;
        let ((start, rest), (others_start, others_rest)) = (data.split_at(shared), others.split_at(shared));
        for (block, other) in start
            .chunks_exact(SHA1_BLOCK)
            .zip(others_start.chunks_exact(SHA1_BLOCK))
        {
            one.update(block);
            two.update(other);
        }
        one.update(rest);
        two.update(others_rest);
        (one.finalize()[..] == self.value, two.finalize()[..] == other.value)
    }
}

/// Reads a digest that a header field states: the name of an algorithm, a colon, and a value. The length of the value
/// decides whether it is in base 32, in base 64 or hexadecimal.
///
/// # Errors
/// It cannot be verified.
pub(crate) fn read(stated: &str) -> Result<Stated, Unverifiable> {
    let (algorithm, value) = stated.trim().split_once(':').ok_or(Unverifiable::Form)?;
    let (algorithm, length) = match algorithm.to_ascii_lowercase().replace('-', "").as_str() {
        "md5" => (Algorithm::Md5, 16),
        "sha1" => (Algorithm::Sha1, 20),
        "sha256" => (Algorithm::Sha256, 32),
        "sha512" => (Algorithm::Sha512, 64),
        _ => return Err(Unverifiable::Algorithm),
    };
    let value = value.trim().trim_end_matches('=');
    // No two of the forms have one length.
    let bytes = if value.len() == length * 2 {
        hex(value)
    } else if value.len() == (length * 8).div_ceil(5) {
        base32(value)
    } else {
        base64(value)
    };
    let value = bytes.filter(|bytes| bytes.len() == length).ok_or(Unverifiable::Form)?;
    Ok(Stated { algorithm, value })
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

/// RFC 4648 base 64 of either alphabet, without padding.
fn base64(text: &str) -> Option<Vec<u8>> {
    let six = |byte| {
        Some(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        })
    };
    bits(text, 6, six)
}

/// RFC 4648 base 32, without padding.
fn base32(text: &str) -> Option<Vec<u8>> {
    let five = |byte: u8| {
        Some(match byte.to_ascii_uppercase() {
            b @ b'A'..=b'Z' => b - b'A',
            b @ b'2'..=b'7' => b - b'2' + 26,
            _ => return None,
        })
    };
    bits(text, 5, five)
}

/// Bytes in RFC 4648 base 32, without padding.
pub(crate) fn in_base32(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let five = |at: usize| {
        let bit = |at: usize| bytes.get(at / 8).map_or(0, |byte| byte >> (7 - at % 8) & 1);
        (at * 5..at * 5 + 5).fold(0, |value, at| value << 1 | bit(at))
    };
    (0..(bytes.len() * 8).div_ceil(5))
        .map(|at| char::from(ALPHABET[usize::from(five(at))]))
        .collect()
}

/// The bytes of a text whose characters are worth `width` bits each.
fn bits(text: &str, width: u32, value: impl Fn(u8) -> Option<u8>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let (mut bits, mut held) = (0u32, 0);
    for byte in text.bytes() {
        bits = (bits << width) | u32::from(value(byte)?);
        held += width;
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
    use super::{read, verify};

    #[test]
    fn two_digests_at_a_time_are_those_of_one_after_the_other() {
        let data: Vec<u8> = (0..1000_u32).map(|i| (i * i) as u8).collect();
        let digest = |data: &[u8]| {
            use sha1::Digest;
            read(&format!("sha1:{}", super::in_base32(&sha1::Sha1::digest(data)))).unwrap()
        };
        for (one, two) in [(1000, 900), (0, 64), (63, 65), (128, 128), (64, 0)] {
            let (one, two) = (&data[..one], &data[data.len() - two..]);
            let (right, other, wrong) = (digest(one), digest(two), digest(b"x"));
            assert_eq!(right.both_match(one, &other, two), (true, true));
            assert_eq!(right.both_match(one, &wrong, two), (true, false));
            assert_eq!(wrong.both_match(one, &other, two), (false, true));
        }
        let md5 = read("md5:d41d8cd98f00b204e9800998ecf8427e").unwrap();
        assert_eq!(md5.both_match(b"", &digest(b"x"), b"x"), (true, true));
    }

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
        assert_eq!(verify("md5:1B2M2Y8AsgTpgAmY7PhCfg==", b""), Some(true));
        assert_eq!(verify("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ", b"x"), Some(false));
        assert_eq!(verify("crc32:00000000", b""), None);
        assert_eq!(verify("sha1:not a digest", b""), None);
    }
}
