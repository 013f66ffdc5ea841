//! Makes the site of the documentation: `cargo xtask site`.
//!
//! The pages are those of the repository: they are gathered under `target/site/pages` in the same folders, so their
//! links hold. MkDocs builds them into `target/site/html` and fails at a link or an anchor that leads nowhere. The
//! references of the Rust packages (rustdoc) and of the Python package (pdoc) are added.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, ExitCode};

use crate::task::{self, Outcome, Result};

const PAGES: &[&str] = &[
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "python/README.md",
    "training/README.md",
    "fuzz/README.md",
    "tests/faults/README.md",
];

/// Their links lead out of the pages, which MkDocs does not check.
const REFERENCE: &str = "\
# Rust and Python reference

- <a href=\"rust/dehusk/index.html\">dehusk</a>, the library: one page to its document, the documents of archives, a run
- <a href=\"rust/dehusk_archive/index.html\">dehusk-archive</a>: records of archives, and HTTP
- <a href=\"rust/dehusk_html/index.html\">dehusk-html</a>: pages to trees to text
- <a href=\"rust/dehusk_extract/index.html\">dehusk-extract</a>: the extractors
- <a href=\"rust/dehusk_similarity/index.html\">dehusk-similarity</a>: signatures of texts
- <a href=\"python/dehusk.html\">dehusk for Python</a>
";

pub fn main(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("site takes no arguments".into());
    }
    let root = task::root().canonicalize()?;
    let site = root.join("target/site");
    let (pages, html) = (site.join("pages"), site.join("html"));
    if pages.exists() {
        fs::remove_dir_all(&pages)?;
    }
    gather(&root, &pages)?;
    fs::write(pages.join("reference.md"), REFERENCE)?;

    let environment = site.join("env");
    task::output(
        Command::new(root.join(".ci/environment"))
            .arg(&environment)
            .arg("docs/site/requirements.txt"),
    )?;
    let mkdocs = environment.join("bin/mkdocs");
    task::output(
        Command::new(mkdocs)
            .args(["build", "--quiet", "--config-file"])
            .arg(root.join("docs/site/mkdocs.yml")),
    )?;

    task::output(
        Command::new("cargo")
            .args(["doc", "--locked", "--no-deps", "--quiet"])
            // As in `.ci/run`, so that what that made is not made again.
            .env("RUSTDOCFLAGS", "-D warnings")
            .current_dir(&root),
    )?;
    task::output(
        Command::new("cp")
            .arg("-r")
            .arg(root.join("target/doc"))
            .arg(html.join("rust")),
    )?;
    python(&root, &environment, &html)?;
    // The search needs a server: a browser gives a file no index.
    println!("python3 -m http.server --bind 127.0.0.1 --directory {}", html.display());
    Ok(ExitCode::SUCCESS)
}

/// Copies the pages, and what they link to.
fn gather(root: &Path, pages: &Path) -> Result<()> {
    let mut names: Vec<PathBuf> = PAGES.iter().map(PathBuf::from).collect();
    let mut folders = vec![PathBuf::from("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder))? {
            let name = folder.join(entry?.file_name());
            if root.join(&name).is_dir() {
                folders.push(name);
            } else if name.extension().is_some_and(|e| e == "md") {
                names.push(name);
            }
        }
    }
    for package in fs::read_dir(root.join("crates"))? {
        names.push(Path::new("crates").join(package?.file_name()).join("README.md"));
    }
    for name in &names {
        let text = fs::read_to_string(root.join(name))?;
        let text = linked(&text, name, root, pages, &names)?;
        let path = pages.join(name);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        fs::write(path, text)?;
    }
    Ok(())
}

/// A page whose links lead to pages, or to files that are copied. A link to a folder is only its words.
fn linked(text: &str, name: &Path, root: &Path, pages: &Path, names: &[PathBuf]) -> Result<String> {
    let folder = name.parent().ok_or("no folder")?;
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (target, tail) = after.split_once(')').ok_or("a link without an end")?;
        let file = target.split('#').next().unwrap_or_default();
        let label = before.rfind('[').ok_or("a link without words")?;
        let path = plain(&folder.join(file));
        let is_page = file.is_empty() || file.contains("://") || names.contains(&path);
        if !is_page && root.join(&path).is_dir() {
            out.push_str(&before[..label]);
            out.push_str(&before[label + 1..]);
        } else {
            if !is_page {
                let copy = pages.join(&path);
                fs::create_dir_all(copy.parent().ok_or("no folder")?)?;
                fs::copy(root.join(&path), copy)?;
            }
            out.push_str(before);
            out.push_str("](");
            out.push_str(target);
            out.push(')');
        }
        rest = tail;
    }
    Ok(out + rest)
}

/// A path without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// Adds the reference of the Python package, if `.ci/python` has built it.
fn python(root: &Path, environment: &Path, html: &Path) -> Result<()> {
    let interpreter = root.join("target/python/bin/python");
    let is_there = Command::new(&interpreter).args(["-c", "import dehusk"]).output();
    if !is_there.is_ok_and(|ended| ended.status.success()) {
        eprintln!("SKIPPED: the reference of the Python package: `.ci/python` builds it");
        return Ok(());
    }
    let find = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = task::output(Command::new(environment.join("bin/python")).args(["-c", find]))?;
    let mut pdoc = Command::new(interpreter);
    pdoc.args(["-m", "pdoc", "--docformat", "markdown", "--output-directory"]);
    pdoc.arg(html.join("python"))
        .args([
            "dehusk",
            "dehusk.spark",
            "dehusk.jobs",
            "!dehusk.datatrove",
            "!dehusk.nemo_curator",
            "!dehusk.ray",
        ])
        .env("PYTHONPATH", packages.trim());
    task::output(&mut pdoc)?;
    Ok(())
}
