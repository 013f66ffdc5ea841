//! HTTP heads, chunked bodies and content codings.
#![no_main]

use dehusk_archive::http::{self, MAX_HEAD, Scratch};

/// Most that a body may decode to here: bombs stop at it.
const LIMIT: usize = 1 << 20;

libfuzzer_sys::fuzz_target!(|block: &[u8]| {
    let Some((head, at)) = http::parse_head(block) else {
        return;
    };
    assert!(at <= block.len() && at <= MAX_HEAD + 4, "the head ends at {at}");
    let _ = (
        head.status(),
        head.mime(),
        head.charset(),
        head.content_language(),
        head.content_length(),
    );
    let _ = head.text("Content-Type");
    let (mut used, mut fresh) = (Scratch::default(), Scratch::default());
    // What was decoded before must not matter.
    let _ = http::decode_body(&head, block, LIMIT, &mut used);
    let again = http::decode_body(&head, &block[at..], LIMIT, &mut used).map(|b| (b.bytes.to_vec(), b.notes));
    let body = http::decode_body(&head, &block[at..], LIMIT, &mut fresh).map(|b| (b.bytes.to_vec(), b.notes));
    assert_eq!(body, again);
    if let Ok((bytes, _)) = body {
        assert!(bytes.len() <= LIMIT);
        let plain = head.content_codings().chain(head.transfer_codings()).next().is_none();
        assert!(!plain || bytes == block[at..], "what is not coded stays as it is");
    }
});
