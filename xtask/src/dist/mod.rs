//! Makes what users install: `cargo xtask dist` writes a tar file and a Debian package, both with a statically linked
//! program.
//!
//! - `files`: the files of both
//! - `licences`: the licences of the libraries in the program
//! - `tar`: tar files
//! - `deb`: the Debian package
//!
//! The output depends on the sources, the compiler and the C library alone: all times are that of the last commit.

mod deb;
mod files;
mod licences;
mod tar;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use files::File;

use crate::task::{Outcome, Result, output, root};

/// The profile in `Cargo.toml`.
const PROFILE: &str = "dist";

/// The files of a release.
struct Release {
    version: String,
    /// The compiler's name of the machine that runs the program.
    target: String,
    /// Seconds since 1970.
    time: u64,
}

pub fn main(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("dist takes no arguments".into());
    }
    let release = release()?;
    let metadata = metadata(&release.target)?;
    let target_directory = Path::new(metadata["target_directory"].as_str().ok_or("no target directory")?);
    let program = build(&release.target, target_directory)?;
    let directory = target_directory.join("packages");
    fs::create_dir_all(&directory)?;
    let mut files = files::files(&program, &directory)?;
    files.push(File::new(files::LIBRARIES, licences::text(&metadata)?));

    let Release { version, target, time } = &release;
    let folder = format!("dehusk-{version}-{target}");
    let packed = tar::gzip(&tar::tar(&folder, &files, *time)?)?;
    write(&directory.join(format!("{folder}.tar.gz")), &packed)?;
    write(&directory.join(deb::name(&release)?), &deb::package(&release, files)?)?;
    Ok(ExitCode::SUCCESS)
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    fs::write(path, bytes)?;
    println!("{} ({} bytes)", path.display(), bytes.len());
    Ok(())
}

fn release() -> Result<Release> {
    let version = dehusk::cli::command().get_version().map(str::to_owned);
    let compiler = output(Command::new("rustc").arg("-vV"))?;
    let target = compiler.lines().find_map(|line| line.strip_prefix("host: "));
    let target = target
        .ok_or("rustc does not say for which machine it compiles")?
        .to_owned();
    if !target.contains("-linux-") {
        return Err(format!("packages are made on Linux, not for {target}").into());
    }
    let time = match env::var("SOURCE_DATE_EPOCH") {
        Ok(time) => time,
        Err(_) => output(
            Command::new("git")
                .args(["log", "-1", "--format=%ct"])
                .current_dir(root()),
        )?,
    };
    Ok(Release {
        version: version.ok_or("the program has no version")?,
        target,
        time: time.trim().parse()?,
    })
}

/// The metadata of the packages and their dependencies, from cargo.
fn metadata(target: &str) -> Result<serde_json::Value> {
    let arguments = "metadata --locked --format-version 1 --features full --filter-platform".split(' ');
    let json = output(Command::new("cargo").args(arguments).arg(target).current_dir(root()))?;
    Ok(serde_json::from_str(&json)?)
}

/// Builds the program with all features, and with the C library in it.
///
/// The target is named although it is the host, because otherwise procedural macros would be linked statically too, and
/// they cannot be.
fn build(target: &str, target_directory: &Path) -> Result<PathBuf> {
    let arguments = "build --locked --features full --bin dehusk --profile".split(' ');
    let mut cargo = Command::new("cargo");
    cargo
        .args(arguments)
        .args([PROFILE, "--target", target])
        .current_dir(root());
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static");
    if !cargo.status()?.success() {
        return Err("the program cannot be built".into());
    }
    Ok(target_directory.join(target).join(PROFILE).join("dehusk"))
}
