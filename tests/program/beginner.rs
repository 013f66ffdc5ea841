//! Mistakes that beginners make. The message of each names the remedy, and docs/mistakes.md lists them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::program::{Place, SAMPLE, make, program};
use crate::wacz::zip_of;

/// A mistake: what was done, the arguments, the exit status, and what standard error names.
type Mistake = (&'static str, &'static [&'static str], i32, &'static [&'static str]);

const PAGE: &str = "docs/mistakes.md";

const IS_A_FILE: &str = "crawl.warc.gz: is a file, not the directory of a run";

const MISTAKES: &[Mistake] = &[
    (
        "no command",
        &["crawl.warc.gz", "-o", "new"],
        2,
        &["to read an archive: dehusk run crawl.warc.gz -o DIR"],
    ),
    ("no output directory", &["run", "crawl.warc.gz"], 2, &["--output <DIR>"]),
    (
        "a misspelt archive",
        &["run", "crwal.warc.gz", "-o", "new"],
        1,
        &["no such file; did you mean “crawl.warc.gz”?"],
    ),
    (
        "a misspelt line of a list",
        &["run", "@list.txt", "-o", "new"],
        1,
        &["no such file; did you mean “crawl.warc.gz”?", "(line 3 of list.txt)"],
    ),
    (
        "an error page saved as an archive",
        &["run", "404.warc.gz", "-o", "new"],
        1,
        &["what was downloaded is a page, perhaps that of an error; fetch it again"],
    ),
    (
        "a glob that matches nothing",
        &["run", "crawls/*.warc.gz", "-o", "new"],
        1,
        &["matches no file; there is no folder “crawls”"],
    ),
    (
        "a folder without archives",
        &["run", "notes", "-o", "new"],
        1,
        &["is a directory that holds no archive and no page (.html, .htm, .xhtml)"],
    ),
    (
        "a page instead of an archive",
        &["run", "page.html", "-o", "new"],
        1,
        &["`dehusk extract` reads single pages"],
    ),
    (
        "an archive instead of a page",
        &["extract", "crawl.warc.gz"],
        1,
        &["it is an archive; `dehusk run` reads those"],
    ),
    (
        "a run directory instead of an archive",
        &["run", "out", "-o", "new"],
        2,
        &["is the directory of a run; `dehusk cat out` reads its documents"],
    ),
    (
        "a ZIP file of pages",
        &["run", "pages.zip", "-o", "new"],
        1,
        &["if it holds pages, unpack it: a folder of pages can be read"],
    ),
    (
        "an empty archive",
        &["run", "empty.warc", "-o", "new"],
        0,
        &["is empty, there is no record in it; if it was downloaded, fetch it again"],
    ),
    (
        "a download that was cut short",
        &["run", "cut.warc.gz", "-o", "new"],
        3,
        &["it ends early: if it was downloaded, fetch it again"],
    ),
    (
        "the output of other settings",
        &["run", "crawl.warc.gz", "-o", "out", "--text", "markdown"],
        1,
        &["pass --changed to redo what this affects, --overwrite to start again, or choose another directory"],
    ),
    (
        "an output directory with other files",
        &["run", "crawl.warc.gz", "-o", "notes"],
        1,
        &["is not empty and no run directory (it has no run.json); choose another directory"],
    ),
    (
        "an output directory that is a file",
        &["run", "crawl.warc.gz", "-o", "page.html"],
        1,
        &["it is a file: name a directory, which need not exist"],
    ),
    (
        "an unknown extractor",
        &["run", "crawl.warc.gz", "-o", "new", "-e", "coreex-moden"],
        2,
        &["did you mean “coreex-modern”?"],
    ),
    (
        "an unknown key of the configuration",
        &["run", "crawl.warc.gz", "-o", "new", "--config", "wrong.toml"],
        2,
        &["unknown key “extract.extractor”; did you mean “extractors”?"],
    ),
    (
        "a key without its section",
        &["run", "crawl.warc.gz", "-o", "new", "--set", "min_words=50"],
        2,
        &["unknown key “min_words”; did you mean “select.min_words”?"],
    ),
    (
        "an unknown option",
        &["run", "crawl.warc.gz", "-o", "new", "--lang", "en"],
        2,
        &["a similar argument exists: '--languages'"],
    ),
    (
        "a flag for Markdown",
        &["run", "crawl.warc.gz", "-o", "new", "--markdown"],
        2,
        &["to write Markdown: --text markdown"],
    ),
    (
        "a glob where a regular expression is wanted",
        &["run", "crawl.warc.gz", "-o", "new", "--url-exclude", "*.pdf"],
        2,
        &["takes regular expressions such as \\.pdf$, no globs"],
    ),
    (
        "a similarity in per cent",
        &["cluster", "out", "-o", "new", "--threshold", "80%"],
        2,
        &["is no number above 0 and at most 1, such as 0.8"],
    ),
    (
        "a threshold out of range",
        &["cluster", "out", "-o", "new", "--threshold", "80"],
        2,
        &["--threshold must be above 0 and at most 1, not 80"],
    ),
    (
        "a folder that is no run",
        &["cat", "notes"],
        1,
        &["holds no run", "name what `dehusk run -o` wrote"],
    ),
    (
        "an archive instead of a run",
        &["cat", "crawl.warc.gz"],
        1,
        &["is not a shard", "`dehusk run` makes them of archives"],
    ),
    (
        "an archive compared with a run",
        &["diff", "out", "crawl.warc.gz"],
        1,
        &[IS_A_FILE, "`dehusk run` writes such a directory"],
    ),
    (
        "a page searched for in an archive",
        &["inspect", "--find", "https://a.example/", "crawl.warc.gz"],
        1,
        &[
            "--find searches runs, and this is a file",
            "`dehusk inspect crawl.warc.gz --verdicts | grep -F 'https://a.example/'`",
        ],
    ),
    (
        "the folder `documents` of a run",
        &["cat", "out/documents"],
        1,
        &["is a folder in the directory of a run; did you mean “out”?"],
    ),
    (
        "an unknown field",
        &["cat", "out", "--where", "lang = en"],
        2,
        &["is not a field of a document; did you mean “language”?"],
    ),
    (
        "a condition without an operator",
        &["cat", "out", "--where", "language"],
        2,
        &["is not a condition such as “words >= 50” or “language = en”"],
    ),
    (
        "conditions joined as in a program",
        &["cat", "out", "--where", "language = en && words > 300"],
        2,
        &["conditions are joined with `and`, not with `&&`"],
    ),
    (
        "truth of another crawl",
        &["eval", "--truth", "other.jsonl", "crawl.warc.gz"],
        1,
        &["“record_id” is the page's WARC-Record-ID", "the truth has “urn:other”"],
    ),
    (
        "an archive as truth",
        &["eval", "--truth", "plain.warc", "crawl.warc.gz"],
        1,
        &["is a record of an archive; --truth takes JSON lines with “record_id” and “text”"],
    ),
    (
        "a measure that the truth does not allow",
        &[
            "eval",
            "--truth",
            "other.jsonl",
            "crawl.warc.gz",
            "--metrics",
            "structure",
        ],
        1,
        &["no line of truth has a key “html” or “markdown”"],
    ),
    #[cfg(not(feature = "remote"))]
    (
        "a URL, in a build without the feature `remote`",
        &["run", "https://a.test/x.warc.gz", "-o", "new"],
        1,
        &[
            "cargo install --locked --path . --features remote",
            "or pipe it in: curl -s URL | dehusk run - -o DIR",
        ],
    ),
    #[cfg(not(feature = "serve"))]
    (
        "a command that this build lacks",
        &["serve", "crawl.warc.gz"],
        2,
        &["cargo install --locked --path . --features serve"],
    ),
    #[cfg(not(feature = "parquet"))]
    (
        "a format that this build lacks",
        &["run", "crawl.warc.gz", "-o", "new", "--format", "parquet"],
        2,
        &["cargo install --locked --path . --features parquet"],
    ),
    #[cfg(target_os = "linux")]
    (
        "an output directory without permission",
        &["run", "crawl.warc.gz", "-o", "/sys/dehusk"],
        1,
        &["choose a directory that you may write to"],
    ),
];

/// Mistakes that are like those above, or rarer. The page does not list them.
const FURTHER_MISTAKES: &[Mistake] = &[
    #[cfg(not(feature = "remote"))]
    (
        "a list behind a network, in a program without the feature `remote`",
        &["run", "@https://a.test/list.txt", "-o", "new"],
        2,
        &["cargo install --locked --path . --features remote"],
    ),
    #[cfg(not(feature = "sqlite"))]
    (
        "clusters in a format that this build lacks",
        &["cluster", "out", "-o", "new", "--format", "sqlite"],
        2,
        &["cargo install --locked --path . --features sqlite"],
    ),
    (
        "a configuration without sections",
        &["run", "crawl.warc.gz", "-o", "new", "--config", "flat.toml"],
        2,
        &["unknown key “languages”; did you mean “select.languages”?"],
    ),
    (
        "a flag to continue a run",
        &["run", "crawl.warc.gz", "-o", "new", "--resume"],
        2,
        &["to continue a run, give the same command again"],
    ),
    (
        "a flag that `inspect` does not need",
        &["inspect", "crawl.warc.gz@0", "--explain"],
        2,
        &["`inspect ARCHIVE@OFFSET` explains without a flag"],
    ),
    (
        "metrics in a folder that does not exist",
        &["run", "crawl.warc.gz", "-o", "new", "--metrics", "nodir/m.prom"],
        1,
        &["--metrics nodir/m.prom: there is no folder “nodir”"],
    ),
    (
        "an archive that is to be clustered",
        &["cluster", "crawl.warc.gz", "-o", "new"],
        1,
        &[IS_A_FILE],
    ),
    (
        "an archive for topics",
        &["topics", "crawl.warc.gz", "-o", "new"],
        1,
        &[IS_A_FILE],
    ),
    (
        "an archive as an earlier run",
        &["run", "crawl.warc.gz", "-o", "new", "--since", "crawl.warc.gz"],
        1,
        &[IS_A_FILE],
    ),
    (
        "a folder as an earlier run",
        &["run", "crawl.warc.gz", "-o", "new", "--since", "notes"],
        1,
        &["notes: holds no run.json, so it is not the directory of a run"],
    ),
    (
        "alternatives joined as in a program",
        &["cat", "out", "--where", "language = en || language = de"],
        2,
        &["conditions are joined with `or`, not with `||`"],
    ),
];

/// A place with what the mistakes name.
fn place() -> Place {
    let place = Place::new();
    let sample = fs::read(SAMPLE).unwrap();
    place.write("cut.warc.gz", &sample[..3000]);
    place.write("crawl.warc.gz", &sample);
    place.write("plain.warc", make::page("https://a.example/", "A page of some words."));
    place.write("empty.warc", b"");
    place.write("page.html", "<!doctype html><p>A page of some words.");
    place.write("pages.zip", zip_of(&[("page.html", b"<!doctype html><p>A page.")]));
    place.write("notes/todo.txt", "Read the manual.");
    place.write("list.txt", "# Archives\n\ncrwal.warc.gz\n");
    place.write("404.warc.gz", "<!doctype html><p>Not found.");
    place.write("flat.toml", "languages = [\"en\"]\n");
    place.write("wrong.toml", "[extract]\nextractor = [\"coreex\"]\n");
    place.write(
        "other.jsonl",
        "{\"record_id\": \"urn:other\", \"text\": \"Other words.\"}\n",
    );
    assert_eq!(
        place.dehusk(&["run", "crawl.warc.gz", "-o", "out", "--quiet"]).status,
        3
    );
    place
}

#[test]
fn every_message_about_a_mistake_has_the_remedy() {
    let place = place();
    for (mistake, arguments, status, names) in MISTAKES.iter().chain(FURTHER_MISTAKES) {
        let ended = place.dehusk(arguments);
        let message = ended.stderr.replace('\n', " ");
        assert_eq!(ended.status, *status, "{mistake}: {message}");
        assert!(!message.contains("as a value, use"), "{mistake}: {message}");
        for name in *names {
            assert!(message.contains(name), "{mistake}: “{name}” is not in: {message}");
        }
        let _ = fs::remove_dir_all(place.path("new"));
    }
}

/// `DEHUSK_BLESS=1` writes the table, in a build without features.
#[test]
fn the_documentation_lists_every_mistake() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/mistakes.md");
    let page = fs::read_to_string(path).unwrap();
    let word = |argument: &&str| {
        if argument.contains(' ') || argument.starts_with('*') {
            format!("'{argument}'")
        } else {
            argument.to_string()
        }
    };
    let row = |(mistake, arguments, _, names): &Mistake| {
        let command = arguments
            .iter()
            .map(word)
            .collect::<Vec<_>>()
            .join(" ")
            .replace('|', "\\|");
        let message = names.join(" … ").replace('|', "\\|").replace('<', "&lt;");
        format!("| {mistake} | `dehusk {command}` | {message} |\n")
    };
    let rows: String = MISTAKES.iter().map(row).collect();
    if std::env::var_os("DEHUSK_BLESS").is_some() {
        let head = page
            .find("|---|")
            .and_then(|at| Some(at + page[at..].find('\n')? + 1))
            .unwrap();
        fs::write(path, format!("{}{rows}", &page[..head])).unwrap();
        return;
    }
    for row in rows.lines() {
        assert!(page.contains(row), "{PAGE} does not have: {row}");
    }
}

/// A user who starts it without input learns that it waits.
#[test]
#[cfg(target_os = "linux")]
fn the_program_prints_on_a_terminal_that_it_waits_for_it() {
    let place = Place::new();
    for command in ["run - -o new", "extract -"] {
        // `script` makes a terminal, and the time limit ends what would wait for it.
        let line = format!("timeout 20 '{}' {command}", program().display());
        let mut script = Command::new("script");
        script.args(["--quiet", "--command", &line, "/dev/null"]);
        script
            .current_dir(place.path(""))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let Ok(mut script) = script.spawn() else {
            eprintln!("skipped: `script` is missing");
            return;
        };
        let mut told = String::new();
        BufReader::new(script.stdout.take().unwrap())
            .read_line(&mut told)
            .unwrap();
        script.kill().unwrap();
        script.wait().unwrap();
        assert!(told.contains("end the input with Ctrl-D"), "{command}: {told}");
    }
}

/// A full disk is named, wherever it is met.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named() {
    let place = place();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut cat = Command::new(program());
    let ended = cat
        .args(["cat", "out"])
        .current_dir(place.path(""))
        .stdout(full)
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert_eq!(ended.status.code(), Some(1), "{message}");
    assert!(message.contains("No space left on device"), "{message}");
}
