//! Floods of tiny or broken things take time in proportion to their size.

use crate::archives::faults::entries;
use crate::archives::make::{self, Entry};
use crate::archives::{Random, damage, within};

/// The inflater would run from each of them over all that follow, without ever meeting an error.
#[test]
fn cut_members_that_are_all_the_same_cost_only_themselves() {
    let entries = make::warcs(2, 1500, 3);
    let members = entries.iter().map(|e| make::gzip(&e.bytes())).collect::<Vec<_>>();
    let cut = &members[0][..members[0].len() - 30];
    // More than can be gone back in a stream.
    let n = (5 << 20) / cut.len();
    let bytes = [&cut.repeat(n)[..], &members[1]].concat();
    let all = within(300, "cut members", move || {
        crate::archives::read::read_some_large(&bytes)
    });
    assert_eq!((all.records.len(), all.good().len()), (n + 1, 1));
    assert!(all.good()[0].block == entries[1].block);
}

#[test]
fn floods_take_linear_time() {
    let record = make::gzip(&entries()[0].bytes());
    let frame = make::zstd(&entries()[0].bytes(), &[]);
    let broken = damage::flip(&record, record.len() - 7, 1);
    let mega = 4 << 20;
    let cut = |e: &Entry| {
        let member = make::gzip(&e.bytes());
        member[..member.len() - 30].to_vec()
    };
    let same = frame[..frame.len() - 30].repeat(4000);
    let cut: Vec<u8> = make::warcs(4000, 1500, 3).iter().flat_map(cut).collect();
    let repeat = |what: &[u8], to: usize| what.repeat(to / what.len());
    for (what, start, flood) in [
        ("gzip magics", &record, repeat(&[0x1f, 0x8b, 8, 0], mega)),
        ("gzip magics with names", &record, repeat(&[0x1f, 0x8b, 8, 8], mega)),
        ("zstd magics", &frame, repeat(&[0x28, 0xb5, 0x2f, 0xfd], mega)),
        (
            "zstd frame headers",
            &frame,
            repeat(&[0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x00], mega),
        ),
        (
            "zstd frames to be skipped",
            &frame,
            repeat(&[0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0], mega),
        ),
        ("members with wrong checksums", &record, repeat(&broken, mega)),
        ("cut members", &record, cut),
        ("cut frames, all the same", &frame, same),
        ("junk", &record, Random(5).bytes(5 * mega)),
        (
            "cut headers",
            &entries()[0].bytes(),
            repeat(b"WARC/1.0\r\nWARC-Type: response\r\n", mega),
        ),
        (
            "half headers",
            &entries()[0].bytes(),
            repeat(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n", mega),
        ),
        ("starts", &entries()[0].bytes(), repeat(b"WARC/", mega)),
        (
            "wrong lengths",
            &entries()[0].bytes(),
            repeat(b"WARC/1.0\r\nContent-Length: 60000000\r\n\r\n", mega),
        ),
        (
            "lengths too short",
            &entries()[0].bytes(),
            repeat(b"WARC/1.0\r\nContent-Length: 5\r\n\r\nabcdefghij", mega),
        ),
        ("blank lines", &entries()[0].bytes(), repeat(b"\r\n", mega)),
        ("zeros", &entries()[0].bytes(), [vec![0; mega], b"x".to_vec()].concat()),
        (
            "ARC lines",
            &make::arc_start(1).bytes(),
            repeat(b"http://a.example/ 1.2.3.4 20080102030405 text/html 9999999\n", mega),
        ),
        (
            "almost ARC lines",
            &make::arc_start(1).bytes(),
            repeat(b"http://a.example/ 1.2.3.4\n", mega),
        ),
        ("one long ARC line", &make::arc_start(1).bytes(), repeat(b"http:", mega)),
    ] {
        let bytes = [&start[..], &flood].concat();
        let begun = std::time::Instant::now();
        within(100, what, move || {
            crate::archives::read::read_some_large(&bytes);
        });
        eprintln!("{what}: {:.2} s", begun.elapsed().as_secs_f32());
    }
}

/// Every record states a length that leads half of the archive ahead, into a page, and a digest: who hashes up to there
/// for each takes time that grows with the square of the archive's size.
#[test]
fn far_lengths_with_digests_take_linear_time() {
    let n = 100_000;
    // After the blank line is what is no record's start; without it, what is no boundary.
    for (what, target) in [("inside a page", 50), ("at a blank line", 26)] {
        let body = b"<p>What stands before it.\r\n\r\nWhat stands behind it, and more words.</p>";
        let block = make::http(body);
        let digest = crate::archives::faults::sha1_base32(b"of something else");
        let entry = |length: usize| {
            let warc = make::Warc::new("r", &block[..]).field("WARC-Block-Digest", &digest);
            warc.length(format!("{length:09}")).entry().bytes()
        };
        let size = entry(0).len();
        let length = size * (n / 2) + (block.len() - body.len()) + target - 1;
        let bytes = entry(length).repeat(n);
        assert!(bytes[size - 4 - body.len() + target - 1..].starts_with(b"\r\n\r\n") == (target == 26));
        for (form, packed) in [("plain", bytes.clone()), ("one member", make::gzip(&bytes))] {
            let begun = std::time::Instant::now();
            let all = within(300, what, move || crate::archives::read::read_some_large(&packed));
            assert_eq!((all.records.len(), all.good().len()), (n, 0));
            eprintln!(
                "lengths that lead {what}, {form}: {:.2} s",
                begun.elapsed().as_secs_f32()
            );
        }
    }
}

/// A record that reaches over very many units must not go through all of them to know where it ends.
#[test]
fn far_lengths_over_tiny_units_take_linear_time() {
    let n = 4000;
    let block = make::http(b"<p>Some words, and some more of them.</p>");
    let entry = |length: usize| {
        make::Warc::new("r", &block[..])
            .length(format!("{length:09}"))
            .entry()
            .bytes()
    };
    let size = entry(0).len();
    let record = entry(size * (n / 2) + block.len() - 20);
    // No unit begins with a record, but for the first.
    let (first, second) = record.split_at(100);
    let piece = |data: &[u8]| data.chunks(9).map(|c| make::zstd(c, &[])).collect::<Vec<_>>().concat();
    let joint = [&record[size - 7..], first].concat();
    let rest = [piece(&second[..second.len() - 7]), make::zstd(&joint, &[])].concat();
    let bytes = [make::zstd(first, &[]), rest.repeat(n)].concat();
    let begun = std::time::Instant::now();
    let all = within(300, "tiny units", move || {
        crate::archives::read::read_some_large(&bytes)
    });
    assert!(all.records.len() >= n, "{}", all.records.len());
    eprintln!("lengths over tiny units: {:.2} s", begun.elapsed().as_secs_f32());
}
