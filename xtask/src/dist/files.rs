//! The files that users get: the program, the nightly script with its units, manual pages, completions, licences and
//! changelog.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::man;
use crate::task::{Result, output, root};

/// A file of a package.
pub struct File {
    /// Where it belongs, under `/usr` or a folder such as `/usr/local`.
    pub path: String,
    pub bytes: Vec<u8>,
    pub is_program: bool,
}

impl File {
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
            is_program: false,
        }
    }
}

/// Each shell, and where it looks for completions.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "share/bash-completion/completions/dehusk"),
    ("fish", "share/fish/vendor_completions.d/dehusk.fish"),
    ("zsh", "share/zsh/vendor-completions/_dehusk"),
];

/// Where the licences of libraries belong.
pub const LIBRARIES: &str = "share/doc/dehusk/LICENSES-OF-LIBRARIES";

/// The files, but for the licences of libraries, in the order of their paths. `scratch` is a folder to work in.
pub fn files(program: &Path, scratch: &Path) -> Result<Vec<File>> {
    let mut files = vec![File {
        path: "bin/dehusk".into(),
        bytes: fs::read(program)?,
        is_program: true,
    }];
    for (shell, path) in COMPLETIONS {
        files.push(File::new(
            *path,
            output(Command::new(program).args(["completions", shell]))?,
        ));
    }
    files.extend(manual(scratch)?);
    for name in [
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "pipeline.toml",
        "docs/operations/alerts.yml",
    ] {
        files.push(File::new(
            format!("share/doc/dehusk/{}", name.rsplit('/').next().unwrap_or(name)),
            fs::read(root().join(name))?,
        ));
    }
    let operations = root().join("docs/operations");
    files.push(File {
        path: "bin/dehusk-nightly".into(),
        bytes: fs::read(operations.join("nightly.sh"))?,
        is_program: true,
    });
    files.push(File::new(
        "share/man/man1/dehusk-nightly.1",
        fs::read(operations.join("dehusk-nightly.1"))?,
    ));
    for unit in ["dehusk-nightly.service", "dehusk-nightly.timer"] {
        files.push(File::new(
            format!("lib/systemd/system/{unit}"),
            fs::read(operations.join(unit))?,
        ));
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn manual(scratch: &Path) -> Result<Vec<File>> {
    let folder = scratch.join("man");
    // Pages of commands that are gone must not be packed.
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    man::write(&folder)?;
    let mut pages = Vec::new();
    for page in fs::read_dir(&folder)? {
        let page = page?;
        let name = page
            .file_name()
            .into_string()
            .map_err(|_| "a manual page without a name")?;
        pages.push(File::new(format!("share/man/man1/{name}"), fs::read(page.path())?));
    }
    fs::remove_dir_all(&folder)?;
    Ok(pages)
}
