//! The account of a run. Its law is checked on every account that a test reads.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::process::Ended;
use super::{json_lines, xml_flags};

/// A run that has ended, with its account.
pub struct Run {
    pub ended: Ended,
    pub directory: PathBuf,
    pub report: Value,
    /// The lines of `failed.jsonl`.
    pub failed: Vec<Value>,
    /// The content of the shards, decompressed, by their paths in the run directory.
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
const COUNTS: [&str; 7] = [
    "filtered",
    "quality_rules",
    "host_lists",
    "wishes",
    "office_files",
    "failed",
    "notes",
];

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

    /// A total by its path, such as `failed.gzip_data`; 0 where it is not there.
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

    /// Checks the law of accounts.
    pub(super) fn check(&self) {
        let mut sums: BTreeMap<String, u64> = BTreeMap::new();
        let mut lines = self.failed.iter().peekable();
        for archive in self.archives() {
            check_classes(archive);
            for key in NUMBERS {
                *sums.entry(key.to_owned()).or_default() += archive[key].as_u64().unwrap();
            }
            for key in COUNTS {
                // Lists of hosts are only counted where there are any.
                for (name, n) in archive[key].as_object().into_iter().flatten() {
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

    /// Whether this is a part of an output that the account lists as kept.
    fn goes_on_with(&self, name: &str) -> bool {
        let partial = |output: &Value| {
            let file = Path::new(output.as_str().unwrap()).file_name().unwrap();
            name == format!(".{}.partial", file.to_string_lossy())
        };
        let outputs = self.archives().iter().filter_map(|a| a.get("partial")?.as_array());
        outputs.flatten().any(partial)
    }

    /// As many documents are in an archive's shards as were emitted, and what they flag is noted.
    fn check_shards(&self, archive: &Value) {
        let mut documents = 0;
        let mut flags: BTreeMap<String, u64> = BTreeMap::new();
        for name in archive["shards"].as_array().unwrap() {
            let shard = &self.shards[name.as_str().unwrap()];
            let found = if name.as_str().unwrap().contains(".xml") {
                xml_flags(shard)
            } else {
                let flags = |d: &Value| d["metadata"]["flags"].as_str().unwrap().to_owned();
                json_lines(shard).iter().map(flags).collect()
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

pub(super) fn listed_shards(report: &Value) -> Vec<String> {
    let archives = report["archives"].as_array().unwrap().iter();
    let shards = archives.flat_map(|a| a["shards"].as_array().unwrap().iter());
    shards.map(|s| s.as_str().unwrap().to_owned()).collect()
}
