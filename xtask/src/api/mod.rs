//! Writes the public items of the packages to `docs/api.txt`: `cargo xtask api`.
//!
//! With `--check` it fails if the file is out of date. Both fail if a public signature has a type of another crate, a type
//! that is not public, or an error that is a bare string.
//!
//! It reads the sources with `syn`, so that it needs no special toolchain. It follows modules and `pub use`, expands the
//! packages' own macros, and leaves out what is hidden from the documentation. It does not know types that are not written
//! down, such as those of `impl Trait`.

mod list;
mod macros;
mod package;
mod signature;

use std::fs;
use std::process::ExitCode;

use crate::Outcome;
use package::Packages;

/// The packages, each after those it depends on, and whether all of its public items are listed. Of the others, only what
/// `dehusk` re-exports is.
const PACKAGES: [(&str, bool); 9] = [
    ("archive", true),
    ("html", true),
    ("similarity", true),
    ("extract", true),
    ("metadata", false),
    ("documents", false),
    ("remote", false),
    ("web", false),
    ("engine", false),
];

pub fn main(arguments: &[String]) -> Outcome {
    let is_check = match arguments {
        [] => false,
        [flag] if flag == "--check" => true,
        _ => return Err("api takes only `--check`".into()),
    };
    let mut packages = Packages::default();
    for (name, is_listed) in PACKAGES {
        let source = crate::root().join(format!("crates/{name}/src/lib.rs"));
        packages.read(&format!("dehusk_{name}"), &source, is_listed)?;
    }
    packages.read("dehusk", &crate::root().join("src/lib.rs"), true)?;
    let listing = list::list(&packages);
    let mut text = String::from("# The public items of the packages, written by `cargo xtask api`.\n\n");
    for line in &listing.lines {
        text.push_str(line);
        text.push('\n');
    }
    let path = crate::root().join("docs/api.txt");
    let is_same = fs::read_to_string(&path).is_ok_and(|before| before == text);
    if !is_check {
        fs::write(&path, text)?;
    } else if !is_same {
        eprintln!("docs/api.txt is out of date. If the change of the public items is intended: cargo xtask api");
    }
    for fault in &listing.faults {
        eprintln!("{fault}");
    }
    let is_good = listing.faults.is_empty() && (is_same || !is_check);
    Ok(ExitCode::from(u8::from(!is_good)))
}
