//! A directory in which a test runs the program.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::thread;

use serde_json::Value;
use tempfile::TempDir;

use super::account::{Run, listed_shards};
use super::process::{Ended, Running};
use super::unpack;
use crate::kept::keep_archive;

/// The program, which Cargo builds before the tests of the package `dehusk`.
pub fn program() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        let test = std::env::current_exe().unwrap();
        // Tests are in `deps`, beside the program.
        let folder = test.ancestors().nth(2).unwrap();
        folder.join(format!("dehusk{}", std::env::consts::EXE_SUFFIX))
    });
    &PROGRAM
}

/// The extractor of tests that are not about extractors. It keeps any text, however short, whatever the default does.
pub const EXTRACTOR: &str = "coreex-modern";

/// Arguments that choose extractors, or a file that may choose them.
const CHOOSES: [&str; 6] = ["-e", "--extractor", "--config", "--sweep", "--clusters", "--topics"];

/// Arguments that name [`EXTRACTOR`] where they name none.
pub fn with_extractor<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = arguments.to_vec();
    let takes_one = matches!(arguments.first(), Some(&("run" | "extract" | "eval" | "inspect")));
    if takes_one && !arguments.iter().any(|argument| CHOOSES.contains(argument)) {
        arguments.splice(1..1, ["-e", EXTRACTOR]);
    }
    arguments
}

/// A directory of its own in which the program runs.
pub struct Place(TempDir);

impl Default for Place {
    fn default() -> Self {
        Self::new()
    }
}

impl Place {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file, with the folders that it is in.
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        if name.contains(".warc") || name.contains(".arc") {
            keep_archive(bytes.as_ref());
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
        self.shell_command(program())
    }

    /// The program, which signals end although the tests themselves may have been started to ignore them, as by
    /// `nohup`.
    pub fn signalled_command(&self) -> Command {
        if !cfg!(target_os = "linux") {
            return self.command();
        }
        let mut command = self.shell_command("env");
        command.arg("--default-signal=HUP,INT,TERM").arg(program());
        command
    }

    /// Another program, to be run here.
    pub fn shell_command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path());
        command
    }

    /// Compiles a library of `crates/testing/preload`, if it is not here yet, for a command to have it preloaded.
    pub fn preload(&self, command: &mut Command, name: &str) {
        let library = self.path(&format!("{name}.so"));
        if !library.exists() {
            let source = format!("{}/preload/{name}.c", env!("CARGO_MANIFEST_DIR"));
            let compiled = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .args([library.as_os_str(), source.as_ref()])
                .arg("-ldl")
                .status();
            assert!(compiled.unwrap().success());
        }
        command.env("LD_PRELOAD", library);
    }

    pub fn spawn(&self, command: Command, stdin: Stdio) -> Running {
        Running::start(command, stdin)
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
