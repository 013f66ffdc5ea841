//! The kinds of inputs: files, directories, globs, lists, standard input; and the messages for what is none.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::program::{Place, Run, make};

/// An archive of one page that contains its name.
pub fn archive(name: &str) -> Vec<u8> {
    make::gzip(&make::page(
        &format!("https://{name}.example/"),
        &format!("This is the page {name}."),
    ))
}

/// The pages that were read, by name, in order.
pub fn pages(run: &Run) -> Vec<String> {
    let mut names = Vec::new();
    for archive in run.archives() {
        for shard in archive["shards"].as_array().unwrap() {
            for document in crate::program::json_lines(&run.shards[shard.as_str().unwrap()]) {
                let text = document["text"].as_str().unwrap();
                let name = text.trim_start_matches("This is the page ").trim_end_matches('.');
                names.push(name.to_owned());
            }
        }
    }
    names
}

#[test]
fn directories_are_searched_for_archives() {
    let place = Place::new();
    place.write("crawl/b.warc.gz", archive("b"));
    place.write("crawl/a/deep/er/a.warc.gz", archive("a"));
    // Bytes decide what a file is.
    place.write("crawl/c.bin", archive("c"));
    place.write("crawl/.hidden.warc.gz", archive("hidden"));
    place.write("crawl/.git/d.warc.gz", archive("hidden"));
    place.write("crawl/readme.txt", "No archive.");
    place.write("crawl/page.html", "<html><p>No archive either.</html>");
    place.write("crawl/empty", "");
    std::os::unix::fs::symlink(place.path("crawl"), place.path("crawl/a/loop")).unwrap();
    let run = place.run(&["crawl"]).ends_with(0);
    assert_eq!(pages(&run), ["a", "b", "c"]);
}

#[test]
fn a_file_with_an_archives_name_is_never_skipped_silently() {
    let place = Place::new();
    place.write("crawl/good.warc.gz", archive("good"));
    place.write("crawl/empty.warc.gz", "");
    place.write("crawl/other.warc", "This is no archive, whatever its name says.");
    let run = place.run(&["crawl"]).ends_with(1);
    assert_eq!(pages(&run), ["good"]);
    assert_eq!(run.total("notes.empty_input"), 1);
    assert!(
        run.ended
            .stderr
            .contains("crawl/other.warc: is not an archive but text")
    );
    assert!(run.ended.stderr.contains("crawl/empty.warc.gz: is empty"));
}

#[test]
fn globs_are_expanded_in_order() {
    let place = Place::new();
    for name in ["b", "a", ".hidden"] {
        place.write(&format!("crawl/{name}.warc.gz"), archive(name));
    }
    place.write("crawl/x.txt", "");
    let run = place.run(&["crawl/*.warc.gz"]).ends_with(0);
    assert_eq!(pages(&run), ["a", "b"]);
    let run = place.run_to("folders", &["cr*"]).ends_with(0);
    assert_eq!(pages(&run), ["a", "b"]);
    let run = place.run_to("none", &["crawl/*.arc", "crawl"]).ends_with(1);
    assert!(run.ended.stderr.contains("crawl/*.arc: matches no file"));
}

#[test]
fn files_that_are_not_finished_are_skipped_in_directories_and_counted() {
    let place = Place::new();
    place.write("crawl/a.warc.gz", archive("a"));
    for name in ["b.warc.gz.part", "c.warc.tmp", "d.warc.gz.open", "e.warc.gz.CRDOWNLOAD"] {
        place.write(&format!("crawl/{name}"), archive("half"));
    }
    let run = place.run(&["crawl"]).ends_with(0);
    assert_eq!(pages(&run), ["a"]);
    assert_eq!(run.report["inputs_skipped"], 4);
    assert!(run.ended.stderr.contains("unfinished files skipped"));
    // Named by itself, such a file is read.
    let run = place.run_to("named", &["crawl/c.warc.tmp"]).ends_with(0);
    assert_eq!(
        (pages(&run), &run.report["inputs_skipped"]),
        (vec!["half".to_owned()], &0.into())
    );
}

#[test]
fn a_run_without_any_input_leaves_no_directory() {
    let place = Place::new();
    for (argument, message) in [
        ("missing.warc.gz", "missing.warc.gz: no such file"),
        ("crawl/*.warc.gz", "crawl/*.warc.gz: matches no file"),
        ("hdfs://crawl/a.warc.gz", "hdfs dfs -cat URL | dehusk run -"),
    ] {
        let ended = place.dehusk(&["run", argument, "-o", "out"]);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("out").exists());
    }
}

/// A program that can read them has other reasons.
#[cfg(not(feature = "remote"))]
#[test]
fn the_message_about_a_remote_name_has_the_build_that_reads_it() {
    let place = Place::new();
    for (argument, command) in [
        ("s3://crawl/a.warc.gz", "aws s3 cp URL - | dehusk run -"),
        ("https://a.example/a.warc.gz", "curl -s URL | dehusk run -"),
    ] {
        let ended = place.dehusk(&["run", argument, "-o", "out"]);
        assert_eq!(ended.status, 1, "{}", ended.stderr);
        for part in [command, "cargo install --locked --path . --features remote"] {
            assert!(ended.stderr.contains(part), "{}", ended.stderr);
        }
    }
}

#[test]
fn two_stars_match_folders_of_any_depth() {
    let place = Place::new();
    for (folder, name) in [
        ("crawl", "a"),
        ("crawl/x", "b"),
        ("crawl/x/y", "c"),
        ("crawl/.z", "d"),
        ("other", "e"),
    ] {
        place.write(&format!("{folder}/{name}.warc.gz"), archive(name));
    }
    std::os::unix::fs::symlink("..", place.path("crawl/x/back")).unwrap();
    for glob in ["crawl/**/*.warc.gz", "./cra[wv]l/**/**/?.warc.gz", "crawl/**"] {
        let mut pages = pages(&place.run(&[glob, "--overwrite"]).ends_with(0));
        pages.sort();
        assert_eq!(pages, ["a", "b", "c"], "{glob}");
    }
    let ended = place.dehusk(&["run", "crawl/a**", "-o", "never"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
}

#[test]
fn a_glob_of_many_stars_goes_through_deep_directories_once() {
    let place = Place::new();
    let deep = format!("deep/{}a.warc.gz", "d/".repeat(60));
    place.write(&deep, archive("a"));
    let begun = std::time::Instant::now();
    let glob = "deep/**/d/**/d/**/d/**/d/**/d/**/d/**/a.warc.gz";
    assert_eq!(pages(&place.run(&[glob]).ends_with(0)), ["a"]);
    assert!(begun.elapsed().as_secs() < 200, "{:?}", begun.elapsed());
}

#[test]
fn a_glob_finds_names_that_are_not_utf_8() {
    let place = Place::new();
    fs::create_dir(place.path("crawl")).unwrap();
    let raw = std::ffi::OsStr::from_bytes(b"crawl/a\xff.warc.gz");
    fs::write(place.path("").join(raw), archive("odd")).unwrap();
    place.write("crawl/b.warc.gz", archive("even"));
    assert_eq!(pages(&place.run(&["crawl/*.warc.gz"]).ends_with(0)), ["odd", "even"]);
}

#[test]
fn lists_name_inputs() {
    let place = Place::new();
    for name in ["a", "b", "c", "d e"] {
        place.write(&format!("crawl/{name}.warc.gz"), archive(name));
    }
    place.write(
        "all.txt",
        "# what is read\n\n  crawl/d e.warc.gz\r\n@more.txt\ncrawl/[a]*.gz\n",
    );
    place.write("more.txt", format!("{}\n", place.path("crawl/c.warc.gz").display()));
    let run = place.run(&["@all.txt", "crawl/b.warc.gz"]).ends_with(0);
    assert_eq!(pages(&run), ["d e", "c", "a", "b"]);
}

#[test]
fn a_list_that_cannot_be_used_is_named() {
    let place = Place::new();
    place.write("loop.txt", "@loop.txt\n");
    place.write("nothing.txt", "# nothing yet\n");
    for (list, message) in [
        ("@missing.txt", "@missing.txt: cannot be read"),
        ("@loop.txt", "@loop.txt: lists name each other"),
        ("@nothing.txt", "no archive is named"),
    ] {
        let ended = place.dehusk(&["run", list, "-o", "out"]);
        assert_eq!(ended.status, 2);
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
        assert!(!place.path("out").exists());
    }
}

#[test]
fn standard_input_is_an_archive() {
    let place = Place::new();
    place.write("a.warc.gz", archive("a"));
    let ended = place.dehusk_fed(&["run", "a.warc.gz", "-", "-o", "out"], &archive("piped"));
    let run = place.read("out", ended).ends_with(0);
    assert_eq!(pages(&run), ["a", "piped"]);
    assert_eq!(run.archives()[1]["path"], "-");
    assert_eq!(run.documents()[1]["metadata"]["file_path"], "stdin");
    assert_eq!(place.names("out/documents"), ["a.jsonl.zst", "stdin.jsonl.zst"]);
}

#[test]
fn a_named_pipe_is_a_stream() {
    let place = Place::new();
    let pipe = place.pipe("pipe");
    let running = place.start(&["run", "pipe", "-o", "out", "--threads", "1"]);
    fs::write(&pipe, archive("piped")).unwrap();
    let run = place.read("out", running.end()).ends_with(0);
    assert_eq!(pages(&run), ["piped"]);
}

/// One stream is silent for as long as the other takes, and both share one thread's turn.
#[test]
fn a_silent_stream_does_not_block_other_archives() {
    let place = Place::new();
    let (first, second) = (place.pipe("first"), place.pipe("second"));
    let running = place.start(&["run", "first", "second", "-o", "out", "--threads", "2"]);
    let silent = fs::File::options().write(true).open(&first).unwrap();
    let mut records = Vec::new();
    for i in 0..60 {
        records.push(make::page(&format!("https://a.example/{i}"), "This is the page a."));
        records.push(make::filler(i, 100_000));
    }
    // More than pipes and buffers hold: this ends only if it is read.
    fs::write(&second, records.concat()).unwrap();
    std::io::Write::write_all(&mut &silent, &archive("late")).unwrap();
    drop(silent);
    let run = place.read("out", running.end()).ends_with(0);
    assert_eq!(pages(&run).len(), 61);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let place = Place::new();
    place.write("a.warc.gz", archive("a"));
    std::os::unix::fs::symlink("a.warc.gz", place.path("link.warc.gz")).unwrap();
    let whole = place.path("a.warc.gz");
    let run = place
        .run(&["a.warc.gz", "./a.warc.gz", whole.to_str().unwrap(), "link.warc.gz", "."])
        .ends_with(0);
    assert_eq!(pages(&run), ["a"]);
}

#[test]
fn archives_with_the_same_name_get_shards_of_their_own() {
    let place = Place::new();
    for folder in ["x", "y", "z"] {
        place.write(&format!("{folder}/same.warc.gz"), archive(folder));
    }
    place.write("same-2.warc.gz", archive("two"));
    for threads in ["1", "4"] {
        let arguments = ["x", "y", "z", "same-2.warc.gz", "--threads", threads];
        let run = place.run_to(threads, &arguments).ends_with(0);
        let shards: Vec<_> = run
            .archives()
            .iter()
            .map(|a| a["shards"][0].as_str().unwrap())
            .collect();
        let names = ["same", "same-3", "same-4", "same-2"].map(|n| format!("documents/{n}.jsonl.zst"));
        assert_eq!(shards, names);
        assert_eq!(pages(&run), ["x", "y", "z", "two"]);
    }
}

#[test]
fn file_names_may_hold_any_bytes() {
    let place = Place::new();
    let names = [
        "a b",
        "ünï",
        "-n",
        "it's \"quoted\"",
        "*",
        "x;rm",
        "tab\tline\nesc\u{1b}[31m",
        "a.b.c",
        "..",
        &"l".repeat(246),
    ];
    for name in names {
        place.write(&format!("crawl/x{name}.warc.gz"), archive("odd"));
    }
    let raw = std::ffi::OsStr::from_bytes(b"crawl/\xff\xfe.warc.gz");
    fs::write(place.path("").join(raw), archive("odd")).unwrap();
    let run = place.run(&["crawl", "-v"]).ends_with(0);
    assert_eq!(pages(&run).len(), names.len() + 1);
    assert_eq!(place.names("out/documents").len(), names.len() + 1);
    assert!(!run.ended.stderr.contains('\u{1b}'), "{}", run.ended.stderr);
    place.write("-n.warc.gz", archive("dash"));
    assert_eq!(
        pages(&place.run_to("dash", &["--", "-n.warc.gz"]).ends_with(0)),
        ["dash"]
    );
}

#[test]
fn names_that_are_not_utf_8_stay_different() {
    let place = Place::new();
    for name in [&b"\xfe.warc.gz"[..], b"\xff.warc.gz", br"\xff.warc.gz"] {
        fs::write(
            place.path("").join(std::ffi::OsStr::from_bytes(name)),
            make::gzip(b"WARC/1.0\r\nA: b\r\n\r\n"),
        )
        .unwrap();
    }
    let run = place.run(&["."]).ends_with(3);
    let mut paths: Vec<&str> = run.archives().iter().map(|a| a["path"].as_str().unwrap()).collect();
    paths.sort();
    assert_eq!(paths, [r"./\x5cxff.warc.gz", r"./\xfe.warc.gz", r"./\xff.warc.gz"]);
    let mut failed: Vec<&str> = run
        .failed
        .iter()
        .map(|line| line["archive"].as_str().unwrap())
        .collect();
    failed.sort();
    assert_eq!(failed, paths);
}

#[test]
fn documents_name_the_archive_that_they_are_of() {
    let place = Place::new();
    fs::write(
        place.path("").join(std::ffi::OsStr::from_bytes(b"\xfe.warc.gz")),
        archive("odd"),
    )
    .unwrap();
    let run = place.run(&["."]).ends_with(0);
    assert_eq!(run.documents()[0]["metadata"]["file_path"], r"\xfe.warc.gz");
}

/// The arguments of a program that is under way are in such a file, each with a zero byte after it.
#[test]
fn a_file_that_states_no_size_and_yields_bytes_is_read() {
    use std::os::unix::process::CommandExt;
    let place = Place::new();
    let record = make::page("https://a.example/", "A page that stands nowhere.");
    let mut command = place.command();
    command
        .arg0(std::ffi::OsStr::from_bytes(&record))
        .args(["run", "-", "-o", "never"]);
    let running = place.spawn(command, std::process::Stdio::piped());
    let path = format!("/proc/{}/cmdline", running.child.id());
    let read = fs::read(&path).unwrap_or_default();
    if !read.starts_with(&record) || fs::metadata(&path).unwrap().len() > 0 {
        eprintln!("no such file on this system; skipped");
        return;
    }
    let run = place.run(&[&path]).ends_with(3);
    assert_eq!(pages(&run), ["A page that stands nowhere"]);
    assert_eq!(run.total("bytes"), read.len() as u64);
    let ended = place.dehusk(&["inspect", &path]);
    assert!(String::from_utf8(ended.stdout).unwrap().contains("https://a.example/"));
    running.end();
}

#[test]
fn a_missing_file_does_not_stop_the_others() {
    let place = Place::new();
    place.write("good.warc.gz", archive("good"));
    let run = place.run(&["missing.warc.gz", "good.warc.gz", "--quiet"]).ends_with(1);
    assert_eq!(pages(&run), ["good"]);
    assert_eq!(run.archives()[0]["state"], "failed");
    assert_eq!(run.report["state"], "complete");
    let remedy = "to take an archive that cannot be read out of this run: dehusk run -o out --forget missing.warc.gz";
    let said = format!("dehusk: missing.warc.gz: no such file\ndehusk: {remedy}\n");
    assert_eq!(run.ended.stderr, said);
}

#[test]
fn an_empty_file_is_complete_and_reported() {
    let place = Place::new();
    place.write("empty.warc.gz", "");
    place.write("nothing.warc.gz", make::gzip(b""));
    let run = place.run(&["empty.warc.gz", "nothing.warc.gz"]).ends_with(0);
    assert_eq!((run.total("notes.empty_input"), run.total("framed")), (2, 0));
    assert!(
        run.archives()
            .iter()
            .all(|a| a["state"] == "complete" && a["shards"] == serde_json::json!([]))
    );
    for name in ["empty.warc.gz", "nothing.warc.gz"] {
        assert!(
            run.ended.stderr.contains(&format!("{name}: is empty")),
            "{}",
            run.ended.stderr
        );
    }
    for (folder, input) in [
        ("piped", Vec::new()),
        ("gzip", make::gzip(b"")),
        ("zstd", make::zstd(b"")),
    ] {
        let ended = place.dehusk_fed(&["run", "-", "-o", folder], &input);
        let run = place.read(folder, ended).ends_with(0);
        assert_eq!(
            (run.total("notes.empty_input"), run.total("bytes")),
            (1, input.len() as u64)
        );
    }
}

#[test]
fn an_input_that_is_no_archive_fails_by_name() {
    let place = Place::new();
    place.write("text.warc.gz", "just some words");
    place.write("twice.warc.gz", make::gzip(&archive("a")));
    place.write("page.html", "<!doctype html><p>A page.");
    place.write("words.gz", make::gzip(b"words"));
    for (name, message) in [
        (
            "text.warc.gz",
            "text.warc.gz: is not an archive but text that starts with “just some words”",
        ),
        ("twice.warc.gz", "twice.warc.gz: "),
        ("page.html", "page.html: is not an archive but an HTML page"),
        ("words.gz", "words.gz: is gzip of text"),
    ] {
        let run = place.run_to(&format!("{name}-out"), &[name]).ends_with(1);
        assert_eq!(run.archives()[0]["state"], "failed");
        assert!(run.ended.stderr.contains(message), "{}", run.ended.stderr);
        let ended = place.dehusk_fed(
            &["run", "-", "-o", &format!("{name}-piped")],
            &fs::read(place.path(name)).unwrap(),
        );
        let piped = place.read(&format!("{name}-piped"), ended).ends_with(1);
        let message = message.replacen(name, "-", 1);
        assert!(piped.ended.stderr.contains(&message), "{}", piped.ended.stderr);
    }
}

#[test]
fn a_directory_without_archives_fails_by_name_and_leaves_nothing_if_it_is_alone() {
    let place = Place::new();
    place.write("a.warc", archive("a"));
    fs::create_dir(place.path("folder")).unwrap();
    let message = "folder: is a directory that holds no archive and no page (.html, .htm, .xhtml)";
    let run = place.run(&["folder", "a.warc"]).ends_with(1);
    assert_eq!(
        (&run.archives()[0]["state"], pages(&run)),
        (&"failed".into(), vec!["a".to_owned()])
    );
    assert!(run.ended.stderr.contains(message), "{}", run.ended.stderr);
    let ended = place.dehusk(&["run", "folder", "-o", "none"]);
    assert_eq!(ended.status, 1);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert!(!place.path("none").exists());
}

#[test]
fn an_old_arc_file_is_an_archive() {
    let place = Place::new();
    let body = "HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n<title>t</title><p>This is the page arc.</p>";
    let head = "1 1 Archive\nURL IP-address Archive-date Content-type Archive-length\n\n";
    let text = format!(
        "filedesc://x.arc 0.0.0.0 20090807060504 text/plain {}\n{head}\nhttp://a.example/ 1.2.3.4 20090807060504 \
            text/html {}\n{body}\n",
        head.len(),
        body.len()
    );
    place.write("old.arc", text);
    let run = place.run(&["old.arc"]).ends_with(0);
    assert_eq!(pages(&run), ["arc"]);
    assert_eq!(run.documents()[0]["created"], "2009-08-07T06:05:04Z");
    assert_eq!(place.names("out/documents"), ["old.jsonl.zst"]);
}
