//! Names that may hold credentials, whether or not this build reads such names: nothing that is shown or stored has
//! them.

use std::fs;
use std::path::Path;

use crate::program::{Place, SAMPLE};

/// The secret that must be shown nowhere.
const SECRET: &str = "HUSH";

/// A server that nobody runs.
const SERVER: &str = "127.0.0.1:1";

/// How addresses begin, well formed or not.
const STARTS: [&str; 25] = [
    "http://",
    "HTTPS://",
    "ftp://",
    "FTP://",
    "ftps://",
    "sftp://",
    "webdav+https://",
    "s3a://",
    "abfss://",
    "htp://",
    "x-scheme.9://",
    "http:/",
    "http:///",
    "http:",
    "ftp:",
    r"http:\\",
    " http://",
    "\thttps://",
    "\u{a0}ftp://",
    "\"http://",
    "<https://",
    "view-source:http://",
    "./http://",
    "http ://",
    "s3://",
];

/// How they continue. `HOST` means the server.
const ENDS: [&str; 8] = [
    "user:HUSH@HOST/x.warc.gz",
    "HUSH@HOST/x.warc.gz",
    "user:HU/HUSH@HOST/x.warc.gz",
    "user:HU?HUSH@HOST/x.warc.gz",
    "user:HU#HUSH@HOST/x.warc.gz",
    "user:HUSH@HUSH@HOST/x.warc.gz",
    "user:HUSH%40HOST/x.warc.gz",
    "HOST/x.warc.gz?sig=HUSH",
];

/// Names that have no scheme, or no end of one.
const OTHERS: [&str; 15] = [
    "user:HUSH@HOST/x.warc.gz",
    "user:HUSH@HOST:/x.warc.gz",
    "scp user:HUSH@HOST:/x.warc.gz",
    "//user:HUSH@HOST/x.warc.gz",
    "//HUSH@HOST/x.warc.gz",
    "http//HUSH@HOST/x.warc.gz",
    "http%3A%2F%2Fuser%3AHUSH%40HOST/x.warc.gz",
    "user:HUSH%40HOST/x.warc.gz",
    "user:HUSH＠HOST/x.warc.gz",
    "//user:HU/HUSH@HOST/x.warc.gz",
    "https;//HUSH@HOST/x.warc.gz",
    "ftp.//HUSH@HOST/x.warc.gz",
    "s3：//user:HU/HUSH@HOST/x.warc.gz",
    "HOST/x.warc.gz?part=1&X-Amz-Signature=HUSH",
    "folder/http://proxy/http://user:HUSH@HOST/x.warc.gz",
];

fn names() -> Vec<String> {
    let shapes = STARTS
        .iter()
        .flat_map(|start| ENDS.iter().map(move |end| format!("{start}{end}")));
    let all = shapes.chain(OTHERS.map(str::to_owned));
    all.map(|name| name.replace("HOST", SERVER)).collect()
}

/// Everything in the files below a folder.
fn stored(folder: &Path) -> String {
    let mut all = String::new();
    for entry in fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
        all.push_str(&entry.path().to_string_lossy());
        if entry.path().is_dir() {
            all.push_str(&stored(&entry.path()))
        } else {
            all.push_str(&String::from_utf8_lossy(&fs::read(entry.path()).unwrap()))
        }
    }
    all
}

/// Runs the program where no cloud can be reached, and checks all that it prints and leaves.
fn shows_no_secret(place: &Place, arguments: &[&str]) -> i32 {
    let server = format!("http://{SERVER}");
    let mut command = place.command();
    command.args(arguments).env("AWS_ENDPOINT_URL", &server);
    for variable in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ] {
        command.env_remove(variable);
    }
    let ended = place.spawn(command, std::process::Stdio::null()).end();
    let said = ended.stderr + &String::from_utf8_lossy(&ended.stdout);
    assert!(!said.contains(SECRET), "{arguments:?}: {said}");
    assert!(!stored(&place.path("")).contains(SECRET), "{arguments:?}");
    ended.status
}

#[test]
fn names_of_every_shape_are_shown_and_stored_without_credentials() {
    let mut names = names();
    // A glob of a cloud whose names are unavailable refuses the run.
    names.retain(|name| !(name.starts_with("s3:") && name.contains('?')));
    assert!(names.len() >= 200);
    let archives: Vec<&str> = names.iter().map(String::as_str).collect();
    let quick = ["--set", "remote.retries=0", "--set", "remote.requests_per_second=0"];
    for form in ["text", "json"] {
        let place = Place::new();
        let run = [
            "run",
            SAMPLE,
            "-o",
            "out",
            "--verbose",
            "--metrics",
            "m.prom",
            "--log-format",
            form,
        ];
        let status = shows_no_secret(&place, &[&run[..], &archives, &quick].concat());
        assert_eq!(status, 1, "{form}");
        // The journal of a run that was finished is gone; the accounts of all archives are there.
        let account: serde_json::Value =
            serde_json::from_slice(&fs::read(place.path("out/run.json")).unwrap()).unwrap();
        // Those that differ in the number of slashes alone are one archive.
        assert!(account["archives"].as_array().unwrap().len() > 180);
        assert!(place.path("out/report.html").exists() && place.path("m.prom").exists());
    }
}

#[test]
fn no_command_shows_the_credentials_of_a_name() {
    let commands: [&[&str]; 15] = [
        &["run", "NAME", "-o", "out"],
        &["run", "@NAME", "-o", "out"],
        &["run", SAMPLE, "--offsets", "NAME", "-o", "out"],
        &["run", SAMPLE, "-o", "out", "--metrics", "NAME"],
        &["run", SAMPLE, "-o", "out", "--only-failed", "NAME"],
        &["run", SAMPLE, "-o", "out", "--config", "NAME"],
        &["run", SAMPLE, "-o", "out", "--model", "NAME"],
        &["run", SAMPLE, "-o", "out", "--threads", "NAME"],
        &["inspect", "NAME"],
        &["extract", "NAME"],
        &["eval", "--truth", "NAME", SAMPLE],
        &["cat", "NAME"],
        &["diff", "NAME", "out"],
        &["cluster", "NAME", "-o", "near"],
        &["completions", "bash", "NAME"],
    ];
    // Each shape with one command, so that each command gets each kind of shape.
    for (number, name) in names().iter().enumerate() {
        let place = Place::new();
        let arguments: Vec<String> = commands[number % commands.len()]
            .iter()
            .map(|argument| argument.replace("NAME", name))
            .collect();
        let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        if matches!(arguments[0], "run" | "inspect" | "eval") {
            arguments.extend(["--set", "remote.retries=0"]);
        }
        assert_ne!(shows_no_secret(&place, &arguments), 0, "{arguments:?}");
    }
}
