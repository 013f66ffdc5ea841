//! Archives made to harm: what they hold becomes no path, no escape sequence, no second line, no broken XML.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::program::{EXTRACTOR, Place, make, refused};

/// Characters that end lines, move cursors, turn lines round, or are forbidden somewhere.
const ODD: &str = "]]> & < \u{1b}[31m\u{1b}]0;title\u{7} \u{9b}2J \u{fffe} \u{ffff} \u{85} \u{2028} \u{2029} \u{b}\u{c}\u{1c}\u{1e} \
                   &#x1b; &#xFFFF; &#x2028; &#133; \u{202e}\u{2066}\u{61c} \u{10ffff} 😀 end";

/// A page that holds [`ODD`] wherever a page can hold anything.
fn odd_page(url: &str) -> Vec<u8> {
    let html = format!(
        "<!doctype html><html lang=\"{ODD}\"><title>{ODD}</title><meta name=author content=\"{ODD}\">\
         <meta property=og:site_name content=\"{ODD}\"><meta property=article:published_time content=\"{ODD}\">\
         <p>Some words, and then {ODD}</p>"
    );
    let block = [
        format!("HTTP/1.1 200 {ODD}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Language: {ODD}\r\n\r\n")
            .as_bytes(),
        html.as_bytes(),
    ]
    .concat();
    make::record("response", url, &format!("WARC-Payload-Digest: {ODD}\r\n"), &block)
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            names.extend(files(&path))
        } else {
            names.push(path.to_str().unwrap().to_owned())
        }
    }
    names.sort();
    names
}

#[test]
fn names_from_an_archive_are_never_paths() {
    let long = "n".repeat(4096);
    let names = [
        "../../../escaped",
        "/tmp/dehusk-escaped",
        "a\0b",
        "C:\\escaped",
        "..",
        ".",
        "CON",
        &long,
    ];
    let mut archive = Vec::new();
    for name in names {
        let fields =
            format!("WARC-Filename: {name}\r\nWARC-Record-ID: <{name}>\r\nWARC-Target-URI: file:///{name}\r\n");
        archive.extend(make::record("warcinfo", name, &fields, b"robots: classic\r\n"));
        archive.extend(make::page(name, "A page of some words."));
    }
    let place = Place::new();
    place.write("deep/down/a.warc", &archive);
    place.write("deep/down/a.warc.gz", make::gzip(&archive));
    for format in ["jsonl", "xml"] {
        let arguments = ["deep/down", "--format", format, "--compression", "none", "--overwrite"];
        let run = place.run_to("deep/out", &arguments).ends_with(0);
        assert_eq!(run.total("emitted"), 2 * names.len() as u64);
        let root = place.path("");
        let written: Vec<_> = files(&root)
            .iter()
            .map(|f| f.strip_prefix(root.to_str().unwrap()).unwrap().to_owned())
            .collect();
        assert_eq!(
            written,
            [
                "deep/down/a.warc".to_owned(),
                "deep/down/a.warc.gz".into(),
                "deep/out/.dehusk.lock".into(),
                format!("deep/out/documents/a-2.{format}"),
                format!("deep/out/documents/a.{format}"),
                "deep/out/failed.jsonl".into(),
                "deep/out/report.html".into(),
                "deep/out/run.json".into(),
            ]
        );
    }
    assert!(!Path::new("/tmp/dehusk-escaped").exists());
}

#[test]
fn xml_is_well_formed_whatever_a_page_holds() {
    let place = Place::new();
    place.write("odd.warc", odd_page(&format!("https://odd.example/?a=1&b=<\">{ODD}")));
    let run = place
        .run(&["odd.warc", "--format", "xml", "--compression", "none"])
        .ends_with(0);
    assert_eq!((run.total("emitted"), run.total("notes.xml_forbidden")), (1, 1));
    let documents = crate::checks::xml::read(run.shard());
    assert!(documents[0].paragraphs[0].contains("]]> & <"), "{documents:?}");
    match Command::new("xmllint")
        .args(["--noout", "out/documents/odd.xml"])
        .current_dir(place.path(""))
        .output()
    {
        Ok(output) => assert!(output.status.success(), "{output:?}"),
        Err(e) => println!("xmllint was not asked: {e}"),
    }
}

#[test]
fn a_jsonl_document_is_one_line_whatever_a_page_holds() {
    let place = Place::new();
    let url = |i| format!("https://odd.example/{i}?{ODD}");
    place.write("odd.warc", [odd_page(&url(1)), odd_page(&url(2))].concat());
    let run = place.run(&["odd.warc"]).ends_with(0);
    let shard = std::str::from_utf8(run.shard()).unwrap();
    let lines: Vec<&str> = shard.split_inclusive(crate::checks::ends_line).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert_eq!(run.documents().len(), 2);
    assert!(run.texts()[0].contains('\u{202e}'), "nothing is taken out of the text");
}

/// Text on a terminal holds no control character but the ends of lines, and nothing that turns a line round; a name
/// cannot begin a line of its own.
#[test]
fn escape_sequences_in_messages_are_made_visible() {
    let place = Place::new();
    let odd_name = "a\u{1b}[31m\n\u{202e}forged: all is well";
    let url = format!("https://odd.example/{ODD}");
    let damaged = [
        &odd_page(&url)[..],
        b"WARC/1.0\r\nWARC-Type: \x1b[31m\r\nContent-Length: x\r\n\r\n",
        &odd_page(&url),
    ]
    .concat();
    place.write(&format!("{odd_name}.warc"), &damaged);
    place.write(&format!("text{odd_name}"), ODD);
    place.write("a.warc", &damaged);
    place.write(
        "truth.jsonl",
        format!("{{\"url\": {url:?}, \"text\": \"words\"}}").replace("\\u{", "\\u"),
    );
    place.write(&format!("full{odd_name}/file"), "in the way");
    let odd = |name: &str| format!("{name}{odd_name}");
    let commands: &[&[&str]] = &[
        &[
            "run",
            "-v",
            &format!("{odd_name}.warc"),
            "a.warc",
            &odd("text"),
            &odd("missing"),
            "-o",
            &odd("out"),
        ],
        &["run", "a.warc", "-o", &odd("out")],
        &["run", "a.warc", "-o", &odd("full")],
        &["run", &odd("@list"), "-o", "other"],
        &["run", &odd("[*"), "-o", "other"],
        &["inspect", "a.warc", "--verdicts"],
        &["inspect", "a.warc@0"],
        &["inspect", "a.warc@7"],
        &["inspect", &format!("{odd_name}.warc@99999999")],
        &["inspect", &odd("text")],
        &["extract", &odd("missing")],
        &["eval", "--truth", &odd("missing"), "a.warc"],
        &["eval", "--truth", "a.warc", "a.warc"],
    ];
    for arguments in commands {
        let ended = place.dehusk(arguments);
        let said = [&ended.stdout[..], ended.stderr.as_bytes()].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.is_empty());
        for line in said.split('\n') {
            let risky = |c: char| c.is_control() && c != '\t' || "\u{202e}\u{2066}\u{61c}\u{2028}\u{2029}".contains(c);
            assert_eq!(line.find(risky), None, "{arguments:?}: {line:?}");
            assert!(
                !line.starts_with("\\u{202e}forged") && !line.starts_with("forged"),
                "{arguments:?}: {said}"
            );
        }
    }
}

#[test]
fn symbolic_links_in_the_directory_are_not_followed() {
    let place = Place::new();
    place.write("a.warc", make::page("https://a.example/", "Some words."));
    fs::create_dir(place.path("elsewhere")).unwrap();
    place.run(&["a.warc"]).ends_with(0);
    fs::rename(place.path("out/documents"), place.path("moved")).unwrap();
    symlink(place.path("elsewhere"), place.path("out/documents")).unwrap();
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "is a symbolic link, which is not followed",
    );
    assert!(place.names("elsewhere").is_empty());
    fs::remove_file(place.path("out/documents")).unwrap();
    fs::rename(place.path("moved"), place.path("out/documents")).unwrap();
    // A shard that is a link is replaced, not written through; so are the account, and what a killed run left.
    for name in [
        "documents/a.jsonl.zst",
        "documents/.a.jsonl.zst.partial",
        "failed.jsonl",
        ".failed.jsonl.partial",
        ".run.json.partial",
    ] {
        place.write("victim", "untouched");
        let link = place.path("out").join(name);
        if link.exists() {
            fs::remove_file(&link).unwrap();
        }
        symlink(place.path("victim"), &link).unwrap();
    }
    place.run(&["a.warc", "--overwrite"]).ends_with(0);
    assert_eq!(fs::read(place.path("victim")).unwrap(), b"untouched");
    for name in ["documents/a.jsonl.zst", "failed.jsonl", "report.html", "run.json"] {
        assert!(!place.path("out").join(name).symlink_metadata().unwrap().is_symlink());
    }
    let account = fs::read(place.path("out/run.json")).unwrap();
    fs::write(place.path("victim"), &account).unwrap();
    fs::remove_file(place.path("out/run.json")).unwrap();
    symlink(place.path("victim"), place.path("out/run.json")).unwrap();
    refused(
        &place,
        &["a.warc", "-o", "out", "--overwrite"],
        "its run.json is no file",
    );
}

/// Sizes that an archive states are believed only as far as bytes follow: the program may have little memory here.
/// The run continues in the directory that it began in, wherever that is now.
#[test]
fn a_link_that_takes_the_place_of_the_directory_is_not_followed() {
    for swapped in ["out", "out/documents"] {
        let place = Place::new();
        let pipe = place.pipe("a");
        place.write("elsewhere/documents/.a.jsonl.zst.partial", "untouched");
        let arguments = ["run", "a", "-o", "out", "--quarantine"];
        let running = place.start(&arguments);
        // The program opens its inputs when the directory is in order.
        let mut open = fs::File::options().write(true).open(pipe).unwrap();
        fs::rename(place.path(swapped), place.path("moved")).unwrap();
        symlink(place.path("elsewhere"), place.path(swapped)).unwrap();
        let damaged = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: x\r\n\r\n";
        let page = make::page("https://a.example/", "Some words.");
        open.write_all(&[&page, &damaged[..], &page].concat()).unwrap();
        drop(open);
        let ended = running.end();
        assert_eq!(ended.status, 3, "{}", ended.stderr);
        assert_eq!(place.names("elsewhere"), ["documents"]);
        assert_eq!(place.names("elsewhere/documents"), [".a.jsonl.zst.partial"]);
        if swapped == "out" {
            let run = place.read("moved", ended);
            assert_eq!(
                (run.total("emitted"), run.report["state"].as_str()),
                (2, Some("complete"))
            );
            assert_eq!(place.names("moved/quarantine"), ["a.jsonl", "a.warc"]);
        } else {
            assert_eq!(place.names("moved"), ["a.jsonl.zst"]);
        }
    }
}

#[test]
fn stated_sizes_allocate_nothing() {
    let http = |fields: &str, body: &[u8]| {
        let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n{fields}\r\n");
        let block = [head.as_bytes(), body].concat();
        make::record("response", "https://a.example/", "", &block)
    };
    let huge = |n: &str| {
        let page = make::page("https://a.example/", "Some words.");
        let text = String::from_utf8(page).unwrap();
        let at = text.find("Content-Length: ").unwrap();
        let end = at + text[at..].find("\r\n").unwrap();
        format!("{}Content-Length: {n}{}", &text[..at], &text[end..]).into_bytes()
    };
    // A frame that claims to hold a pebibyte in one piece, and one whose window is of 2 GiB.
    let pebibyte = [
        &[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..],
        &(1u64 << 50).to_le_bytes(),
        &[1, 0, 0],
    ]
    .concat();
    let window = [0x28, 0xb5, 0x2f, 0xfd, 0, 0xa8, 1, 0, 0];
    let skippable = [0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff];
    let page = make::page("https://b.example/", "Other words.");
    let framed = make::zstd(&page);
    let archives = [
        huge("9223372036854775807"),
        huge("18446744073709551615"),
        huge("999999999999999999999999"),
        [&framed[..], &pebibyte, &framed].concat(),
        [&framed[..], &window, &framed].concat(),
        [&framed[..], &skippable].concat(),
        http("Content-Length: 9223372036854775807\r\n", b"<p>words"),
        http("Transfer-Encoding: chunked\r\n", b"7fffffffffffffff\r\n<p>words"),
        http("Content-Encoding: zstd\r\n", &pebibyte),
    ];
    for (i, archive) in archives.iter().enumerate() {
        let place = Place::new();
        place.write("a.warc", [&page[..], archive].concat());
        let start: &[u8] = if archive.starts_with(&[0x28]) { &[] } else { &page };
        place.write("a.warc", [start, archive].concat());
        let mut command = place.shell_command("sh");
        // 512 MiB of addresses, stacks of threads and the program itself included.
        command.args([
            "-c",
            "ulimit -v 524288; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_dehusk"),
        ]);
        command.args(["run", "a.warc", "-o", "out", "--threads", "1", "-e", EXTRACTOR]);
        let ended = place.spawn(command, Stdio::null()).end();
        let run = place.read("out", ended);
        assert!([0, 3].contains(&run.ended.status), "{i}: {}", run.ended.stderr);
        assert!(run.total("emitted") >= 1, "{i}: {}", run.report);
    }
}
