//! The Debian package: an `ar` file of a version, a tar file about the package, and a tar file of what it installs.

use std::collections::BTreeMap;
use std::env;
use std::process::Command;

use md5::{Digest, Md5};

use super::Release;
use super::files::{File, LIBRARIES};
use super::tar::{gzip, tar};
use crate::task::{Result, output};

/// The revision of the package, which Debian counts beside the version of the program.
const REVISION: u32 = 1;

const DESCRIPTION: &str = include_str!("../../../packaging/debian/description");

/// Complaints of Debian's checks that are overridden.
const OVERRIDES: &str = include_str!("../../../packaging/debian/overrides");
const COPYRIGHT: &str = include_str!("../../../packaging/debian/copyright");

pub fn name(release: &Release) -> Result<String> {
    Ok(format!(
        "dehusk_{}-{REVISION}_{}.deb",
        release.version,
        architecture(release)?
    ))
}

/// Debian's name of the machine.
fn architecture(release: &Release) -> Result<&'static str> {
    match release.target.split('-').next() {
        Some("x86_64") => Ok("amd64"),
        Some("aarch64") => Ok("arm64"),
        _ => Err(format!("Debian's name of {} is not known here", release.target).into()),
    }
}

/// The package, from the files of a release.
pub fn package(release: &Release, files: Vec<File>) -> Result<Vec<u8>> {
    let files = installed(release, files)?;
    let control = [
        File::new("control", control(release, &files)?),
        File::new("md5sums", sums(&files)),
    ];
    let (control, data) = (tar(".", &control, release.time)?, tar(".", &files, release.time)?);
    let mut package = b"!<arch>\n".to_vec();
    member(&mut package, "debian-binary", b"2.0\n", release.time);
    member(&mut package, "control.tar.gz", &gzip(&control)?, release.time);
    member(&mut package, "data.tar.gz", &gzip(&data)?, release.time);
    Ok(package)
}

/// Adds a member to an `ar` file: a head of 60 bytes, and the content, which fills an even number of bytes.
fn member(package: &mut Vec<u8>, name: &str, content: &[u8], time: u64) {
    let size = content.len();
    package.extend(format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, "100644").into_bytes());
    package.extend(content);
    package.extend(std::iter::repeat_n(b'\n', size % 2));
}

/// The files where Debian wants them.
fn installed(release: &Release, files: Vec<File>) -> Result<Vec<File>> {
    let mut installed = BTreeMap::new();
    let mut copyright = String::from(COPYRIGHT);
    let mut add = |file: File| installed.insert(file.path.clone(), file);
    let documentation = "usr/share/doc/dehusk";
    for mut file in files {
        file.path = format!("usr/{}", file.path);
        match file.path.rsplit('/').next().unwrap_or_default() {
            "LICENSE-MIT" => {
                copyright += &indented(&String::from_utf8(file.bytes)?);
                continue;
            }
            // Debian has it.
            "LICENSE-APACHE" => continue,
            "CHANGELOG.md" => file = compressed(&format!("{documentation}/changelog"), &file.bytes)?,
            "pipeline.toml" => file.path = format!("{documentation}/examples/pipeline.toml"),
            _ if file.path.contains("/man/") || file.path.ends_with(LIBRARIES) => {
                file = compressed(&file.path, &file.bytes)?;
            }
            _ => {}
        }
        add(file);
    }
    add(File::new(format!("{documentation}/copyright"), copyright));
    add(compressed(
        &format!("{documentation}/changelog.Debian"),
        changelog(release)?.as_bytes(),
    )?);
    add(File::new("usr/share/lintian/overrides/dehusk", OVERRIDES));
    Ok(installed.into_values().collect())
}

fn compressed(path: &str, bytes: &[u8]) -> Result<File> {
    Ok(File::new(format!("{path}.gz"), gzip(bytes)?))
}

/// A text as a field of several lines.
fn indented(text: &str) -> String {
    let line = |line: &str| match line.trim() {
        "" => " .\n".to_owned(),
        line => format!(" {line}\n"),
    };
    text.lines().map(line).collect()
}

/// The maker of the package, from the variables of Debian's own tools.
fn maintainer() -> String {
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let (name, address) = (
        variable("DEBFULLNAME", "The dehusk authors"),
        variable("DEBEMAIL", "dehusk@localhost"),
    );
    format!("{name} <{address}>")
}

fn changelog(release: &Release) -> Result<String> {
    let (version, maintainer) = (&release.version, maintainer());
    let mut date = Command::new("date");
    date.env("LC_ALL", "C").args(["--utc", "--rfc-email"]);
    let date = output(date.arg(format!("--date=@{}", release.time)))?;
    Ok(format!(
        "dehusk ({version}-{REVISION}) unstable; urgency=medium\n\n  * What has changed is in changelog.gz.\n\n \
         -- {maintainer}  {date}"
    ))
}

fn control(release: &Release, files: &[File]) -> Result<String> {
    let size: usize = files.iter().map(|file| file.bytes.len().div_ceil(1024)).sum();
    let (version, architecture, maintainer) = (&release.version, architecture(release)?, maintainer());
    Ok(format!(
        "Package: dehusk\nVersion: {version}-{REVISION}\nSection: utils\nPriority: optional\nArchitecture: {architecture}\n\
         Maintainer: {maintainer}\nInstalled-Size: {size}\nDescription: {DESCRIPTION}"
    ))
}

fn sums(files: &[File]) -> String {
    let sum = |file: &File| {
        let digest: String = Md5::digest(&file.bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        format!("{digest}  {}\n", file.path)
    };
    files.iter().map(sum).collect()
}
