//! Numbers of 32 bits as base64.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

pub(crate) fn encode(numbers: &[u32]) -> String {
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    STANDARD.encode(bytes)
}

pub(crate) fn decode(text: &str) -> Option<Vec<u32>> {
    let bytes = STANDARD.decode(text).ok()?;
    let (numbers, rest) = bytes.as_chunks::<4>();
    let numbers = numbers.iter().map(|number| u32::from_le_bytes(*number));
    rest.is_empty().then(|| numbers.collect())
}
