//! Damaged and odd tar files and directories of pages: each test is one fault, with its outcome on every path.

use std::fs;

use crate::archives::make::{self, TAR_END, tar_file, tar_header};
use crate::archives::read::{All, read_all};
use crate::program::Place;

/// Four pages of some hundred bytes, and the end.
fn four_pages() -> Vec<Vec<u8>> {
    let page = |n: usize| {
        tar_file(
            &format!("p{n}.html"),
            format!("<p>Page {n}. {}", "Words. ".repeat(60 * n)).as_bytes(),
        )
    };
    let mut parts: Vec<Vec<u8>> = (1..=4).map(page).collect();
    parts.push(TAR_END.to_vec());
    parts
}

/// Reads a tar file plain and compressed; in each form its records and reasons must be these.
fn assert_tar(bytes: &[u8], good: &[&str], failures: &[&str], reasons: &[&'static str]) {
    for (form, bytes) in [
        ("plain", bytes.to_vec()),
        ("gzip", make::gzip(bytes)),
        ("zstd", make::zstd(bytes, b"")),
    ] {
        let all: All = read_all(&bytes);
        let urls: Vec<&str> = all.good().iter().map(|r| r.url.as_str()).collect();
        assert_eq!((urls.as_slice(), all.failures().as_slice()), (good, failures), "{form}");
        // Of a compressed archive, the reason is that of the member or frame.
        let of_unit = |reason: &&'static str| if form == "plain" { *reason } else { "garbage" };
        let expected: Vec<&str> = reasons.iter().map(of_unit).collect();
        let found: Vec<&str> = all.skipped.iter().map(|skipped| skipped.reason.name()).collect();
        assert_eq!(found, expected, "{form}");
    }
}

#[test]
fn a_tar_file_that_is_cut_fails_the_page_that_the_cut_is_in() {
    let parts = four_pages();
    let whole = parts.concat();
    let third = parts[0].len() + parts[1].len();
    for cut in [third + 600, third + 513, third + parts[2].len() - 400] {
        assert_tar(&whole[..cut], &["p1.html", "p2.html"], &["truncated_input"], &[]);
    }
    // Inside a header nothing is framed, and zeros may be missing.
    assert_tar(&whole[..third + 100], &["p1.html", "p2.html"], &[], &["garbage"]);
    assert_tar(&whole[..third], &["p1.html", "p2.html"], &[], &[]);
    let last = &tar_file("p3.html", b"short")[..512 + 5];
    assert_tar(
        &[&whole[..third], last].concat(),
        &["p1.html", "p2.html", "p3.html"],
        &[],
        &[],
    );
}

#[test]
fn a_damaged_tar_header_costs_its_page() {
    let mut parts = four_pages();
    parts[1][3] ^= 1;
    assert_tar(&parts.concat(), &["p1.html", "p3.html", "p4.html"], &[], &["garbage"]);
    let mut parts = four_pages();
    // Bytes are lost, so that what follows is not at a multiple of 512.
    parts[1].drain(..700);
    assert_tar(&parts.concat(), &["p1.html", "p3.html", "p4.html"], &[], &["garbage"]);
    let parts = four_pages();
    let start_lost = &parts.concat()[100..];
    let all = read_all(start_lost);
    assert_eq!(all.good().len(), 3);
}

#[test]
fn a_tar_header_with_a_size_beyond_all_bounds_allocates_nothing() {
    let parts = four_pages();
    for size in [1 << 32, (1 << 33) - 1] {
        let odd = tar_header("p2.html", b'0', size);
        let bytes = [&parts[0][..], &odd, &parts[2], &parts[3], &TAR_END].concat();
        assert_tar(&bytes, &["p1.html"], &["truncated_input"], &[]);
    }
    let mut endless = tar_header("p2.html", b'0', 0);
    endless[124..136].copy_from_slice(b"\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
    make::seal_tar_header(&mut endless);
    // Such a number is none, so this is no header.
    assert_tar(
        &[&parts[0][..], &endless, &parts[2], &TAR_END].concat(),
        &["p1.html", "p3.html"],
        &[],
        &["garbage"],
    );
}

#[test]
fn extended_tar_headers_that_lead_nowhere_are_skipped() {
    let parts = four_pages();
    let long = tar_header("././@LongLink", b'L', 1 << 30);
    assert_tar(
        &[&parts[0][..], &long].concat(),
        &["p1.html"],
        &[],
        &["truncated_input"],
    );
    let nested: Vec<u8> = (0..400).flat_map(|_| tar_header("x", b'x', 0)).collect();
    let all = read_all(&[&parts[0][..], &nested, &parts[1], &TAR_END].concat());
    assert_eq!(all.good().len(), 2);
    assert!(
        all.skipped
            .iter()
            .all(|skipped| skipped.reason.name() == "header_too_long"),
        "{all:?}"
    );
    let hostile = "999999999999 path=x\n9 path=\n";
    let mut pax = tar_header("x", b'x', hostile.len());
    pax.extend_from_slice(hostile.as_bytes());
    pax.resize(1024, 0);
    assert_tar(
        &[&parts[0][..], &pax, &parts[1], &TAR_END].concat(),
        &["p1.html", "p2.html"],
        &[],
        &[],
    );
}

#[test]
fn a_page_in_a_directory_that_cannot_be_read_costs_only_itself() {
    let place = Place::new();
    place.write("pages/a.html", "<p>The first page has words.");
    place.write("pages/c.html", "<p>The last page has words.");
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", place.path("pages/b.html")).unwrap();
    let run = place.run(&["pages"]).ends_with(3);
    assert_eq!(run.texts(), ["The first page has words.", "The last page has words."]);
    assert_eq!(
        (run.total("failed.unreadable"), &run.failed[0]["reason"]),
        (1, &"unreadable".into())
    );
}

#[test]
fn a_compressed_page_in_a_tar_file_has_a_limit() {
    let place = Place::new();
    let bomb = make::gzip(&vec![b' '; 3 << 20]);
    let cut = make::gzip(b"<p>These words are whole, and more would follow.");
    let bytes = [
        tar_file("bomb.html.gz", &bomb),
        tar_file("cut.html.gz", &cut[..cut.len() - 9]),
        TAR_END.to_vec(),
    ];
    fs::write(place.path("a.tar"), bytes.concat()).unwrap();
    let run = place.run(&["a.tar", "--set", "limits.page_bytes=1000000"]).ends_with(3);
    assert_eq!(run.total("failed.too_large"), 1);
    assert_eq!(run.documents()[0]["metadata"]["flags"], "content_coding");
}
