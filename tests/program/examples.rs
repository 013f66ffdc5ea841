//! The commands and outputs of the documentation. Every command is run over the sample, or listed with the reason
//! why it is not. An indented block of a page holds commands; what is none is in a fenced block.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;

use serde_json::Value;

use crate::program::{Place, SAMPLE, json_lines, make, program};

/// Beginnings of commands that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("cargo ", "builds, or is the tests"),
    ("DEHUSK_BLESS=1 cargo ", "builds"),
    ("DEHUSK_BENCH_ARCHIVE=", "builds, and measures"),
    ("PROPTEST_RNG_SEED=", "builds"),
    ("maturin ", "builds; .ci/python does it"),
    ("pip install", "needs a network; .ci/python does it"),
    ("python3 -m venv", "needs a network; .ci/python does it"),
    ("venv/bin/", "trains, in hours"),
    ("OMP_NUM_THREADS=1 venv/bin/", "trains, in hours"),
    ("python -m training", "trains, in hours"),
    ("training/train.sh", "trains, in hours"),
    ("python python/checks/", "needs Spark"),
    ("python3 benches/", "measures"),
    ("fuzz/run", "needs cargo-fuzz"),
    (".ci/", "is what runs the tests"),
    ("git diff", "shows what is being worked on"),
    ("systemctl ", "changes the machine"),
    ("journalctl ", "reads the machine's journal"),
    ("useradd ", "changes the machine"),
    ("install ", "needs the user that useradd makes"),
    ("sbatch ", "needs Slurm; operations.rs runs its script"),
    ("xdg-open ", "needs a screen"),
    ("dehusk serve", "does not end; tests/features/serve talks to it"),
    (
        "dehusk inspect crawl.warc.gz@48211+",
        "no member of the sample has several records",
    ),
    ("curl ", "needs `dehusk serve`; tests/features/serve sends the same"),
    (
        "dehusk run https:",
        "needs a network; tests/features/remote has a server",
    ),
    (
        "dehusk run @https:",
        "needs a network; tests/features/remote has a server",
    ),
    ("dehusk run s3:", "needs a network; tests/features/remote has a server"),
    (
        "dehusk inspect https:",
        "needs a network; tests/features/remote has a server",
    ),
    (
        "dehusk run crawl.warc.gz -o mine --model",
        "needs a model that is trained; model.rs has one",
    ),
    (
        "dehusk eval --truth other.jsonl.gz",
        "needs a model that is trained; model.rs has one",
    ),
];

/// Parts of commands that need a feature of the program.
const FEATURES: [(&str, bool); 2] = [
    ("--format sqlite", cfg!(feature = "sqlite")),
    ("sqlite3 ", cfg!(feature = "sqlite")),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The pages of the documentation.
fn pages() -> Vec<PathBuf> {
    let mut pages = [
        "README.md",
        "CONTRIBUTING.md",
        "python/README.md",
        "training/README.md",
        "fuzz/README.md",
    ]
    .map(|name| root().join(name))
    .to_vec();
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|e| e == "md") {
                pages.push(entry);
            }
        }
    }
    pages.sort();
    pages
}

/// The commands of a page, by the blocks that they are in. A command is longer than a line where its line ends in a
/// backslash or within quotes.
fn blocks(page: &str) -> Vec<Vec<String>> {
    let mut blocks = vec![Vec::new()];
    let (mut is_fenced, mut is_list, mut is_open) = (false, false, false);
    for line in page.lines() {
        is_fenced ^= line.trim_start().starts_with("```");
        // In a list, code is indented by four more.
        if !line.starts_with(' ') && !line.is_empty() {
            let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
            is_list = line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "));
        }
        let code = line.strip_prefix(if is_list { "        " } else { "    " });
        let Some(code) = code.filter(|_| !is_fenced) else {
            assert!(!is_open, "a command that does not end: {:?}", blocks.last());
            blocks.push(Vec::new());
            continue;
        };
        let block: &mut Vec<String> = blocks.last_mut().unwrap();
        match block.last_mut().filter(|_| is_open) {
            Some(command) => {
                command.push('\n');
                command.push_str(code);
            }
            None => block.push(code.replace("cargo run --release -- ", "dehusk ")),
        }
        let command = block.last().unwrap();
        let quotes = |quote| command.split(" # ").next().unwrap().matches(quote).count();
        is_open = code.ends_with('\\') || quotes('"') % 2 == 1 || quotes('\'') % 2 == 1;
    }
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A place with what the commands name: archives, lists, truth, and runs.
fn place() -> Place {
    let place = Place::new();
    let mut crawl = fs::read(SAMPLE).unwrap();
    crawl.extend(make::gzip(&make::page(
        "https://example.org/page",
        &"Some words of a page. ".repeat(30),
    )));
    let truth = fs::read_to_string(root().join("docs/sample/truth.jsonl")).unwrap();
    let truth = truth.replace("\"text\":", "\"markdown\":\"Some words\",\"text\":");
    symlink(root().join("docs"), place.path("docs")).unwrap();
    symlink(root().join("docs/operations/nightly.sh"), place.path("dehusk-nightly")).unwrap();
    symlink(root().join("pipeline.toml"), place.path("pipeline.toml")).unwrap();
    let folders = [
        "",
        "crawl/",
        "2026-11-20/",
        "2026-11-21/",
        "news/",
        "srv/crawl/incoming/",
        "srv/incoming/",
    ];
    for folder in folders {
        place.write(&format!("{folder}crawl.warc.gz"), &crawl);
    }
    for name in ["wcxb-dev", "daniel-dev", "tonight", "damaged"] {
        symlink("crawl.warc.gz", place.path(&format!("{name}.warc.gz"))).unwrap();
        place.write(&format!("{name}.truth.jsonl.gz"), &truth);
    }
    for name in ["truth.jsonl", "truth.jsonl.gz", "t.jsonl", "t.jsonl.gz"] {
        place.write(name, &truth);
    }
    place.write("all.txt", "crawl.warc.gz\n");
    let model = root().join("crates/metadata/tests/data/fasttext/softmax.ftz");
    symlink(model, place.path("lid.176.ftz")).unwrap();
    place.write(
        "page.html",
        "<!doctype html><title>A page</title><p>A page of some words.",
    );
    // The guide shows what is in it.
    place.write("my.toml", "[output]\ntext = \"markdown\"\n");
    place.dehusk_in(&["index", "crawl.warc.gz", "-o", "index.cdxj"], &[]);
    // Two runs have an archive that is missing, to be forgotten.
    place.dehusk_in(&["run", "crawl.warc.gz", "-o", "october", "--quiet"], &[]);
    place.dehusk_in(&["run", "crawl.warc.gz", "typo.warc.gz", "-o", "out", "--quiet"], &[]);
    // Known groups of its documents: each is alone.
    let ids = place.dehusk_in(&["cat", "october", "--field", "id"], &[]).stdout;
    let ids = String::from_utf8(ids).unwrap();
    let groups: String = ids.lines().map(|id| format!("{id}\t{id}\n")).collect();
    for name in ["truth.tsv", "others.tsv"] {
        place.write(name, &groups);
    }
    let mut runs = vec![
        "monday",
        "tuesday",
        "wednesday",
        "monday-again",
        "tuesday-again",
        "before",
        "after",
    ];
    runs.extend(["nights/2026-11-22", "srv/crawl/documents/2026-11-20"]);
    for (from, to) in [("out", "DIR")]
        .into_iter()
        .chain(runs.into_iter().map(|to| ("october", to)))
    {
        let copy = "mkdir -p \"$(dirname \"$2\")\" && cp -r \"$1\" \"$2\"";
        let mut copied = place.shell_command("sh");
        assert!(copied.args(["-c", copy, "sh", from, to]).status().unwrap().success());
    }
    place
}

/// Runs a command as a shell does, after the lines before it that change the folder or set a variable.
fn run(place: &Place, setting: &str, command: &str) -> Result<(), String> {
    let mut output = command
        .split(" -o ")
        .skip(1)
        .map(|rest| rest.split_whitespace().next().unwrap());
    // Remove what an earlier page wrote there. Some commands are about files that are there.
    if let Some(output) = output.next().filter(|_| !command.contains("--forget")) {
        let _ = fs::remove_dir_all(place.path(output));
    }
    let local = |text: &str| text.replace(" /srv/", " srv/");
    let folder = program().parent().unwrap().display();
    let path = format!(
        "{folder}:{}:{}",
        place.path("").display(),
        std::env::var("PATH").unwrap()
    );
    let script = format!("{}{}", local(setting), local(command));
    let mut shell = place.shell_command("sh");
    let ended = shell.args(["-c", &script]).env("PATH", path).output().unwrap();
    match ended.status.code() {
        // 3: a record of the sample is damaged.
        Some(0 | 3) => Ok(()),
        status => Err(format!("{status:?}: {}", String::from_utf8_lossy(&ended.stderr))),
    }
}

/// The results of a page.
#[derive(Default)]
struct Ran {
    /// The beginnings in the list that it passed over.
    passed_over: Vec<&'static str>,
    count: usize,
    errors: Vec<String>,
}

/// Runs the commands of a page in order.
fn run_page(page: &Path) -> Ran {
    let text = fs::read_to_string(page).unwrap();
    let place = LazyCell::new(place);
    let mut ran = Ran::default();
    for block in blocks(&text) {
        let mut setting = String::new();
        for command in block {
            if command.trim().is_empty() || command.starts_with('#') {
                continue;
            }
            if let Some((start, _)) = NOT_RUN.iter().find(|(start, _)| command.starts_with(start)) {
                ran.passed_over.push(*start);
                continue;
            }
            if FEATURES
                .iter()
                .any(|(option, is_built_in)| command.contains(option) && !is_built_in)
            {
                continue;
            }
            let is_setting = command.starts_with("cd ") || command.split(' ').next().unwrap().contains('=');
            if is_setting && !command.contains("&&") {
                setting.push_str(&command);
                setting.push('\n');
                continue;
            }
            if let Err(error) = run(&place, &setting, &command) {
                ran.errors.push(format!("{}: {command}\n{error}", page.display()));
            }
            ran.count += 1;
        }
    }
    ran
}

#[test]
fn every_command_runs_or_is_listed_with_the_reason_why_not() {
    let mut pages = pages();
    // A plain build runs the other pages.
    let is_feature = |(option, is_built_in): &(&str, bool), text: &str| *is_built_in && text.contains(option);
    let has_feature = |text: &str| FEATURES.iter().any(|feature| is_feature(feature, text));
    if cfg!(feature = "sqlite") {
        pages.retain(|page| has_feature(&fs::read_to_string(page).unwrap()));
    }
    let results: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = pages.iter().map(|page| scope.spawn(|| run_page(page))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let errors: Vec<&str> = results.iter().flat_map(|ran| &ran.errors).map(String::as_str).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    let count: usize = results.iter().map(|ran| ran.count).sum();
    assert!(count > 10, "only {count} commands were found");
    if cfg!(feature = "sqlite") {
        return;
    }
    assert!(count > 60, "only {count} commands were found");
    let passed_over = BTreeSet::from_iter(results.iter().flat_map(|ran| &ran.passed_over));
    for (start, _) in NOT_RUN {
        assert!(passed_over.contains(start), "no command begins with “{start}”");
    }
}

#[test]
fn the_failure_line_in_the_ledger_page_is_that_of_the_sample() {
    let text = fs::read_to_string(root().join("docs/ledger.md")).unwrap();
    let start = text.find("\n{\"archive\":\"docs/sample").expect("the line");
    let end = start + text[start..].find('}').expect("its end") + 1;
    let mut shown: Value = serde_json::from_str(&text[start..end]).unwrap();
    shown["archive"] = SAMPLE.into();
    let place = Place::new();
    place.run(&[SAMPLE]).ends_with(3);
    let failed = json_lines(&fs::read(place.path("out/failed.jsonl")).unwrap());
    assert_eq!(failed, [shown]);
}
