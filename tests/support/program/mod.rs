//! Driving the program: a place to run it in, a watchdog, and the law of accounts, which is checked on every account
//! that a test reads.
#![allow(dead_code, clippy::unwrap_used)]

pub mod digests;
pub mod eval;
// Groups of tests have the modules `archives`, `program` or both.
#[allow(clippy::duplicate_mod)]
#[path = "../kept.rs"]
mod kept;
pub mod make;

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// The sample archive of the repository.
pub const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sample/sample.warc.gz");

/// The extractor of tests that are not about extractors. It keeps any text, however short, whatever the default does.
pub const EXTRACTOR: &str = "coreex-modern";

/// Arguments that choose extractors, or a file that may choose them.
const CHOOSES: [&str; 4] = ["-e", "--extractor", "--config", "--sweep"];

/// Arguments that name [`EXTRACTOR`] where they name none.
pub fn with_extractor<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = arguments.to_vec();
    let takes_one = matches!(arguments.first(), Some(&("run" | "extract" | "eval" | "inspect")));
    if takes_one && !arguments.iter().any(|argument| CHOOSES.contains(argument)) {
        arguments.splice(1..1, ["-e", EXTRACTOR]);
    }
    arguments
}

/// After so long a program hangs; nothing here takes nearly as long, and nothing is measured by it.
const HANGS: Duration = Duration::from_secs(300);

/// A directory of its own in which the program runs.
pub struct Place(TempDir);

/// A program that has ended.
pub struct Ended {
    pub status: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, with the folders that it stands in.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if name.contains(".warc") || name.contains(".arc") {
            kept::keep(bytes.as_ref());
        }
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Makes a named pipe.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    /// Names in a folder, hidden ones included.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.path(folder))
            .map(|entries| {
                entries
                    .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
                    .collect()
            })
            .unwrap_or_default();
        names.sort();
        names
    }

    /// Starts the program here, with [`EXTRACTOR`] unless the arguments choose another.
    pub fn start(&self, arguments: &[&str]) -> Running {
        self.start_piped(arguments, Stdio::piped())
    }

    pub fn start_piped(&self, arguments: &[&str], stdin: Stdio) -> Running {
        let mut command = self.signalled_command();
        command.args(with_extractor(arguments));
        self.spawn(command, stdin)
    }

    /// The program, to be run here with its default extractor.
    pub fn command(&self) -> Command {
        self.shell_command(env!("CARGO_BIN_EXE_dehusk"))
    }

    /// The program, which signals end although the tests themselves may have been started to ignore them, as by `nohup`.
    pub fn signalled_command(&self) -> Command {
        if !cfg!(target_os = "linux") {
            return self.command();
        }
        let mut command = self.shell_command("env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_dehusk")]);
        command
    }

    /// Another program, to be run here.
    pub fn shell_command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path());
        command
    }

    /// Compiles a library of `tests/support/preload`, if it is not here yet, for a command to have it preloaded.
    pub fn preload(&self, command: &mut Command, name: &str) {
        let library = self.path(&format!("{name}.so"));
        if !library.exists() {
            let source = format!("{}/tests/support/preload/{name}.c", env!("CARGO_MANIFEST_DIR"));
            let compiled = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .args([library.as_os_str(), source.as_ref()])
                .arg("-ldl")
                .status();
            assert!(compiled.unwrap().success());
        }
        command.env("LD_PRELOAD", library);
    }

    pub fn spawn(&self, mut command: Command, stdin: Stdio) -> Running {
        let mut child = command
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Running {
            stdin: child.stdin.take(),
            stdout: collect(child.stdout.take().unwrap()),
            stderr: collect(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Runs the program here to its end, with these variables in its environment.
    pub fn dehusk_in(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ended {
        let mut command = self.command();
        command.args(with_extractor(arguments)).envs(variables.iter().copied());
        self.spawn(command, Stdio::null()).end()
    }

    /// Runs the program here to its end.
    pub fn dehusk(&self, arguments: &[&str]) -> Ended {
        self.start_piped(arguments, Stdio::null()).end()
    }

    /// The same, with these bytes on its standard input.
    pub fn dehusk_fed(&self, arguments: &[&str], input: &[u8]) -> Ended {
        let mut running = self.start(arguments);
        let (mut stdin, input) = (running.stdin.take().unwrap(), input.to_vec());
        // The program may hang up before it has read everything.
        let feeding = thread::spawn(move || drop(stdin.write_all(&input)));
        let ended = running.end();
        feeding.join().unwrap();
        ended
    }

    /// Runs archives into the folder `out` and reads the account.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_to("out", arguments)
    }

    pub fn run_to(&self, folder: &str, arguments: &[&str]) -> Run {
        let ended = self.dehusk(&[&["run", "-o", folder], arguments].concat());
        self.read(folder, ended)
    }

    /// Reads a run directory and checks the law of accounts over it.
    pub fn read(&self, folder: &str, ended: Ended) -> Run {
        let directory = self.path(folder);
        let Ok(text) = fs::read_to_string(directory.join("run.json")) else {
            panic!("no account; exit status {}: {}", ended.status, ended.stderr);
        };
        let report: Value = serde_json::from_str(&text).unwrap();
        let lines = fs::read_to_string(directory.join("failed.jsonl")).unwrap();
        let failed = lines.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        let mut shards = BTreeMap::new();
        for name in listed_shards(&report) {
            shards.insert(name.clone(), unpack(&directory.join(&name)));
        }
        let run = Run {
            ended,
            directory,
            report,
            failed,
            shards,
        };
        run.check();
        run
    }
}

/// Runs a single archive and reads its account.
pub fn run_one(name: &str, bytes: &[u8]) -> Run {
    run_one_with(name, bytes, &[])
}

/// The same, with more arguments.
pub fn run_one_with(name: &str, bytes: &[u8], arguments: &[&str]) -> Run {
    let place = Place::new();
    place.write(name, bytes);
    place.run(&[&[name], arguments].concat())
}

/// A program under way.
pub struct Running {
    pub child: Child,
    pub stdin: Option<ChildStdin>,
    stdout: Receiver<Vec<u8>>,
    stderr: Receiver<Vec<u8>>,
}

impl Running {
    /// Sends a signal by its name, such as `INT`.
    pub fn signal(&self, name: &str) {
        let command = format!("kill -{name} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &command]).status().unwrap().success());
    }

    /// Waits until the program has ended.
    pub fn end(mut self) -> Ended {
        drop(self.stdin.take());
        self.end_with_open_stdin()
    }

    pub fn end_with_open_stdin(mut self) -> Ended {
        let stderr = self.stderr.recv_timeout(HANGS);
        let stdout = self.stdout.recv_timeout(HANGS);
        let (Ok(stdout), Ok(stderr)) = (stdout, stderr) else {
            self.child.kill().unwrap();
            panic!("the program hangs");
        };
        Ended {
            // Killed by a signal it has no status.
            status: self.child.wait().unwrap().code().unwrap_or(-1),
            stdout,
            stderr: String::from_utf8(stderr).unwrap(),
        }
    }
}

/// A run that must be refused, and say this.
#[track_caller]
pub fn refused(place: &Place, arguments: &[&str], message: &str) {
    let ended = place.dehusk(&[&["run"], arguments].concat());
    assert_eq!(ended.status, 1, "{}", ended.stderr);
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
}

/// Reads a pipe to its end, aside.
fn collect(mut pipe: impl Read + Send + 'static) -> Receiver<Vec<u8>> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        // A test that has failed waits for nothing any more.
        drop(sender.send(bytes));
    });
    receiver
}

/// A run that has ended, with its account.
pub struct Run {
    pub ended: Ended,
    pub directory: PathBuf,
    pub report: Value,
    /// The lines of `failed.jsonl`.
    pub failed: Vec<Value>,
    /// What the shards hold, decompressed, by their paths in the run directory.
    pub shards: BTreeMap<String, Vec<u8>>,
}

/// The numbers of an account that add up.
const NUMBERS: [&str; 7] = [
    "bytes",
    "framed",
    "emitted",
    "skipped_bytes",
    "skipped_decoded_bytes",
    "damaged_members",
    "not_selected_bytes",
];
const COUNTS: [&str; 4] = ["filtered", "quality_rules", "failed", "notes"];

impl Run {
    /// The exit status, which must be this one.
    #[track_caller]
    pub fn ends_with(self, status: i32) -> Self {
        assert_eq!(self.ended.status, status, "{}", self.ended.stderr);
        self
    }

    pub fn archives(&self) -> &[Value] {
        self.report["archives"].as_array().unwrap()
    }

    /// A total by its path, such as `failed.gzip_data`; 0 where it does not stand there.
    pub fn total(&self, path: &str) -> u64 {
        let pointer = format!("/totals/{}", path.replace('.', "/"));
        self.report.pointer(&pointer).map_or(0, |n| n.as_u64().unwrap())
    }

    /// The only shard.
    pub fn shard(&self) -> &[u8] {
        assert_eq!(self.shards.len(), 1, "{:?}", self.shards.keys());
        self.shards.values().next().unwrap()
    }

    /// The documents of all shards, in order.
    pub fn documents(&self) -> Vec<Value> {
        self.shards.values().flat_map(|shard| json_lines(shard)).collect()
    }

    /// The document of the record with this id in the kit's archives.
    #[track_caller]
    pub fn document(&self, id: &str) -> Value {
        let id = format!("urn:test:{id}");
        let found = self.documents().into_iter().find(|d| d["id"] == *id);
        found.unwrap_or_else(|| panic!("{id} was not emitted: {}; {:?}", self.report["totals"], self.failed))
    }

    /// Checks a document's text and flags.
    #[track_caller]
    pub fn gives(&self, id: &str, text: &str, flags: &str) {
        let document = self.document(id);
        let got = (
            document["text"].as_str().unwrap(),
            document["metadata"]["flags"].as_str().unwrap(),
        );
        assert_eq!(got, (text, flags), "{id}");
    }

    pub fn texts(&self) -> Vec<String> {
        let text = |d: &Value| d["text"].as_str().unwrap().to_owned();
        self.documents().iter().map(text).collect()
    }

    /// The law of accounts.
    fn check(&self) {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        let mut lines = self.failed.iter().peekable();
        for archive in self.archives() {
            check_classes(archive);
            for key in NUMBERS {
                *sums.entry(key.to_owned()).or_default() += archive[key].as_u64().unwrap();
            }
            for key in COUNTS {
                for (name, n) in archive[key].as_object().unwrap() {
                    assert!(n.as_u64().unwrap() > 0, "{archive}");
                    *sums.entry(format!("{key}.{name}")).or_default() += n.as_u64().unwrap();
                }
            }
            self.check_shards(archive);
            let mut own = Vec::new();
            while lines.peek().is_some_and(|line| line["archive"] == archive["path"]) {
                own.extend(lines.next());
            }
            check_failures(archive, &own);
        }
        assert!(lines.next().is_none(), "lines of no archive, or in another order");
        sums.insert("archives".into(), self.archives().len() as u64);
        let mut totals = BTreeMap::new();
        for (key, value) in self.report["totals"].as_object().unwrap() {
            match value {
                Value::Object(counts) => {
                    totals.extend(counts.iter().map(|(n, v)| (format!("{key}.{n}"), v.as_u64().unwrap())))
                }
                number => drop(totals.insert(key.clone(), number.as_u64().unwrap())),
            }
        }
        assert_eq!(totals, sums);
        check_classes(&self.report["totals"]);
        assert_ne!(self.report["state"], "running");
        for folder in ["", "documents"] {
            for entry in fs::read_dir(self.directory.join(folder)).unwrap() {
                let name = entry.unwrap().file_name().to_string_lossy().into_owned();
                assert!(
                    !name.ends_with(".partial") || self.goes_on_with(&name),
                    "{name} was left"
                );
            }
        }
    }

    /// Whether this is a part of an output that the account says is kept.
    fn goes_on_with(&self, name: &str) -> bool {
        let partial = |output: &Value| {
            let file = Path::new(output.as_str().unwrap()).file_name().unwrap();
            name == format!(".{}.partial", file.to_string_lossy())
        };
        let outputs = self.archives().iter().filter_map(|a| a.get("partial")?.as_array());
        outputs.flatten().any(partial)
    }

    /// As many documents stand in an archive's shards as were emitted, and what they flag is noted.
    fn check_shards(&self, archive: &Value) {
        let mut documents = 0;
        let mut flags: BTreeMap<String, u64> = BTreeMap::new();
        for name in archive["shards"].as_array().unwrap() {
            let shard = &self.shards[name.as_str().unwrap()];
            let found = match name.as_str().unwrap().contains(".xml") {
                true => xml_flags(shard),
                false => json_lines(shard)
                    .iter()
                    .map(|d| d["metadata"]["flags"].as_str().unwrap().to_owned())
                    .collect(),
            };
            documents += found.len() as u64;
            for flag in found.iter().flat_map(|f| f.split_whitespace()) {
                *flags.entry(flag.to_owned()).or_default() += 1;
            }
        }
        assert_eq!(documents, archive["emitted"].as_u64().unwrap(), "{archive}");
        for (flag, n) in flags {
            assert!(n <= archive["notes"][&flag].as_u64().unwrap_or(0), "{flag}: {archive}");
        }
    }
}

fn sum(counts: &Value) -> u64 {
    counts.as_object().unwrap().values().map(|n| n.as_u64().unwrap()).sum()
}

fn check_classes(account: &Value) {
    let classes = account["emitted"].as_u64().unwrap() + sum(&account["filtered"]) + sum(&account["failed"]);
    assert_eq!(account["framed"].as_u64().unwrap(), classes, "{account}");
}

/// A line for every failed record, every skipped range and every damaged member, in the order of their offsets.
fn check_failures(archive: &Value, lines: &[&Value]) {
    let number = |key: &str| archive[key].as_u64().unwrap();
    let failed = sum(&archive["failed"]);
    // A line's length is in stored bytes, or in decoded ones for a range inside a member.
    let skipped = number("skipped_bytes") + number("skipped_decoded_bytes");
    let damaged = number("damaged_members");
    assert_eq!(
        lines.len() as u64 > failed,
        skipped + damaged > 0,
        "{archive}\n{lines:?}"
    );
    assert!(lines.len() as u64 >= failed, "{archive}\n{lines:?}");
    for (reason, n) in archive["failed"].as_object().unwrap() {
        let found = lines.iter().filter(|l| l["reason"] == **reason).count() as u64;
        assert!(found >= n.as_u64().unwrap(), "{reason}: {archive}");
    }
    let of_ranges = lines
        .iter()
        .filter(|l| archive["failed"].get(l["reason"].as_str().unwrap()).is_none());
    let bytes: u64 = of_ranges.map(|l| l["length"].as_u64().unwrap()).sum();
    let most = skipped + if damaged > 0 { number("bytes") } else { 0 };
    assert!(bytes <= most, "{archive}");
    let offsets: Vec<u64> = lines.iter().map(|l| l["offset"].as_u64().unwrap()).collect();
    assert!(offsets.is_sorted(), "{offsets:?}");
    match archive["state"].as_str().unwrap() {
        "complete" => assert!(lines.is_empty(), "{archive}"),
        "damaged" => assert!(!lines.is_empty(), "{archive}"),
        "interrupted" => assert_eq!(archive["framed"], 0),
        "failed" => assert_ne!(archive["error"], ""),
        other => panic!("{other}"),
    }
}

fn listed_shards(report: &Value) -> Vec<String> {
    let archives = report["archives"].as_array().unwrap().iter();
    let shards = archives.flat_map(|a| a["shards"].as_array().unwrap().iter());
    shards.map(|s| s.as_str().unwrap().to_owned()).collect()
}

/// Reads a file of any compression.
pub fn unpack(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    match path.extension().and_then(|e| e.to_str()) {
        Some("zst") => zstd::decode_all(&bytes[..]).unwrap(),
        Some("gz") => {
            let mut out = Vec::new();
            flate2::read::MultiGzDecoder::new(&bytes[..])
                .read_to_end(&mut out)
                .unwrap();
            out
        }
        _ => bytes,
    }
}

pub fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let lines = std::str::from_utf8(bytes).unwrap().lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every document's flags; panics where the XML is not well-formed.
pub fn xml_flags(bytes: &[u8]) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(bytes).unwrap());
    let mut flags = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Start(tag) if tag.name().as_ref() == "document" => {
                let flag = tag.try_get_attribute("flags").unwrap();
                flags.push(flag.map_or(String::new(), |f| f.value.into_owned()));
            }
            quick_xml::events::Event::Eof => return flags,
            _ => {}
        }
    }
}

/// The records of the sample that can be inflated, one each.
pub fn sample_records() -> Vec<Vec<u8>> {
    make::members(&fs::read(SAMPLE).unwrap())
}
