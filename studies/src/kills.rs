//! Kills a run at random moments, again and again, and compares its output with that of a run that was never killed.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::shared::Outcome;

/// `PROGRAM SCRATCH KILLS GIGABYTES ARCHIVE...`: the archives, and one of at least so many gigabytes that repeats them,
/// are run to the end, and then once more with so many kills.
pub fn main(arguments: &[String]) -> Outcome {
    let [program, scratch, kills, gigabytes, archives @ ..] = arguments else {
        return Err("usage: cargo study kills PROGRAM SCRATCH KILLS GIGABYTES ARCHIVE... [-- FLAG...]".into());
    };
    let flags = archives.iter().position(|argument| argument == "--");
    let (archives, flags) = match flags {
        Some(at) => (&archives[..at], &archives[at + 1..]),
        None => (archives, &[][..]),
    };
    let (scratch, kills) = (Path::new(scratch), kills.parse::<u32>()?);
    fs::create_dir_all(scratch)?;
    let large = repeated(archives, (gigabytes.parse::<f64>()? * 1e9) as u64, scratch)?;
    let mut inputs = vec![large];
    inputs.extend(archives.iter().map(PathBuf::from));
    let total: u64 = inputs.iter().filter_map(|path| Some(path.metadata().ok()?.len())).sum();
    let start = |out: &str| {
        let mut command = Command::new(program);
        command
            .arg("run")
            .args(&inputs)
            .arg("-o")
            .arg(scratch.join(out))
            .arg("--quiet");
        command.args(flags).spawn()
    };
    let begun = Instant::now();
    let status = start("whole")?.wait()?;
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "{total} bytes in {} archives: {seconds:.0} s without a kill, {status}",
        inputs.len()
    );
    let whole = files(&scratch.join("whole"))?;
    let documents: u64 = whole.values().map(|bytes| bytes.len() as u64).sum();
    // The documents that were written and not kept, as a share of all, give the share of the input that is extracted
    // again.
    let (mut killed, mut again) = (0, Vec::new());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    while killed < kills {
        let mut child = start("killed")?;
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let share = (random >> 11) as f64 / (1u64 << 53) as f64;
        let wait = Duration::from_secs_f64(share * 2.0 * seconds / f64::from(kills));
        if !kill_after(&mut child, wait)? {
            println!("the run ended after {killed} kills");
            break;
        }
        killed += 1;
        let lost = lost(&scratch.join("killed"))?;
        let bytes = lost as f64 / documents as f64 * total as f64;
        again.push(bytes);
        println!(
            "kill {killed}: {lost} bytes of documents to be made again, about {:.1} MB of input",
            bytes / 1e6
        );
    }
    let status = start("killed")?.wait()?;
    let pieces = files(&scratch.join("killed"))?;
    let differing: Vec<&String> = whole
        .keys()
        .filter(|name| pieces.get(*name) != whole.get(*name))
        .collect();
    let most = again.iter().copied().fold(0.0, f64::max);
    let mean = again.iter().sum::<f64>() / again.len().max(1) as f64;
    println!(
        "{killed} kills, {status}: {} of {} files differ; at a kill, {:.1} MB of written input were lost at most, \
         {:.1} MB on average; what was in flight comes to that",
        differing.len(),
        whole.len(),
        most / 1e6,
        mean / 1e6
    );
    Ok(if differing.is_empty() && pieces.len() == whole.len() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes an archive that repeats others until it has so many bytes.
fn repeated(archives: &[String], bytes: u64, scratch: &Path) -> Result<PathBuf, Box<dyn Error>> {
    let path = scratch.join("large.warc.gz");
    let parts: Vec<Vec<u8>> = archives.iter().map(fs::read).collect::<Result<_, _>>()?;
    if parts.iter().all(Vec::is_empty) {
        return Err("the archives are empty".into());
    }
    let mut file = File::create(&path)?;
    let mut written = 0;
    for part in parts.iter().cycle() {
        if written >= bytes {
            break;
        }
        file.write_all(part)?;
        written += part.len() as u64;
    }
    Ok(path)
}

/// Kills a program after some time. Returns whether it was still running.
fn kill_after(child: &mut Child, wait: Duration) -> Result<bool, Box<dyn Error>> {
    let begun = Instant::now();
    while begun.elapsed() < wait {
        if child.try_wait()?.is_some() {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // On Unix this is SIGKILL.
    child.kill()?;
    child.wait()?;
    Ok(true)
}

/// How many bytes of documents are in a killed run's directory after what its journal lists.
fn lost(directory: &Path) -> Result<u64, Box<dyn Error>> {
    let mut kept: BTreeMap<PathBuf, u64> = BTreeMap::new();
    let journal = fs::read_to_string(directory.join(".dehusk.journal")).unwrap_or_default();
    for line in journal.lines() {
        let Some(entry) = line.get(17..).and_then(|json| serde_json::from_str::<Value>(json).ok()) else {
            continue;
        };
        let files = [&entry["checkpoint"]["files"], &entry["finish"]["files"]];
        for file in files.into_iter().filter_map(Value::as_array).flatten() {
            let path = PathBuf::from(file["path"].as_str().unwrap_or_default());
            kept.insert(path, file["length"].as_u64().unwrap_or(0));
        }
    }
    let mut lost = 0;
    for entry in fs::read_dir(directory.join("documents")).into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(name) = name.strip_prefix('.').and_then(|name| name.strip_suffix(".partial")) else {
            continue;
        };
        let known = kept.get(&Path::new("documents").join(name)).copied().unwrap_or(0);
        lost += entry.metadata()?.len().saturating_sub(known);
    }
    Ok(lost)
}

/// The shards of a run, and its lines of failures.
fn files(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory.join("documents"))? {
        let entry = entry?;
        found.insert(
            entry.file_name().to_string_lossy().into_owned(),
            fs::read(entry.path())?,
        );
    }
    found.insert("failed.jsonl".to_owned(), fs::read(directory.join("failed.jsonl"))?);
    Ok(found)
}
