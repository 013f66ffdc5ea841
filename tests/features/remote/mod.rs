//! The program over a network: names of clouds, credentials of the environment, lists, and going on with a run.

mod addresses;
mod clouds;
mod runs;

use std::process::Command;

use serde_json::Value;

use crate::program::{Ended, Place, make};

/// Settings that make small parts and hardly a wait.
const QUICK: [&str; 6] = [
    "--set",
    "remote.part_bytes=300000",
    "--set",
    "remote.requests_per_second=0",
    "--set",
    "remote.retry_ms=1",
];

/// The variables that the environment may hold for clouds. A test's programs see only what it sets.
const VARIABLES: [&str; 26] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AZURE_STORAGE_ACCOUNT",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_TOKEN",
    "AZURE_STORAGE_SERVICE_ENDPOINT",
    "AZURE_STORAGE_CONNECTION_STRING",
    "CLOUDSDK_AUTH_ACCESS_TOKEN",
    "GOOGLE_APPLICATION_CREDENTIALS",
    "STORAGE_EMULATOR_HOST",
    "SSL_CERT_FILE",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "NO_PROXY",
];

fn command(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Command {
    let mut command = place.command();
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.args(crate::program::with_extractor(arguments));
    command.envs(environment.iter().copied());
    command
}

fn ends(place: &Place, arguments: &[&str], environment: &[(&str, &str)]) -> Ended {
    let command = command(place, arguments, environment);
    place.spawn(command, std::process::Stdio::null()).end()
}

/// Runs the program over archives.
fn runs(place: &Place, archives: &[&str], environment: &[(&str, &str)]) -> Ended {
    let arguments = [&["run"], archives, &["-o", "out"], &QUICK].concat();
    ends(place, &arguments, environment)
}

fn account(place: &Place) -> Value {
    serde_json::from_slice(&std::fs::read(place.path("out/run.json")).unwrap()).unwrap()
}

/// The paths and states of the archives of a run.
fn archives(place: &Place) -> Vec<(String, String)> {
    let account = account(place);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let archive = |archive: &Value| (text(&archive["path"]), text(&archive["state"]));
    account["archives"].as_array().unwrap().iter().map(archive).collect()
}

fn archive() -> Vec<u8> {
    let records: Vec<Vec<u8>> = (0..4)
        .map(|i| make::page(&format!("https://a.example/{i}"), "Some words of a page."))
        .collect();
    make::each(&records, make::gzip)
}

/// Checks that nothing that was written or printed holds one of these.
fn holds_none(place: &Place, ended: &Ended, secrets: &[&str]) {
    let mut all = ended.stderr.clone();
    all.push_str(&String::from_utf8_lossy(&ended.stdout));
    let mut folders = vec![place.path("out")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().map(Result::unwrap) {
            if entry.path().is_dir() {
                folders.push(entry.path())
            } else {
                all.push_str(&String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()))
            }
        }
    }
    for secret in secrets {
        assert!(!all.contains(secret), "{secret}");
    }
}
