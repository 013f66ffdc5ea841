//! html5lib's test cases, on the fast parser and on the strict one.
//!
//! The cases are not in this repository. `DEHUSK_HTML5LIB` names their folder; `README.md` of the package describes how
//! to get them, and what is compared:
//!
//!     DEHUSK_HTML5LIB=$PWD/html5lib-1.1 cargo test -p dehusk-html --test reference -- html5lib --nocapture
//!
//! With `DEHUSK_HTML5LIB_SHOW` set, the test prints every case in which the fast parser's tree differs, with both
//! trees.

pub mod cases;
mod tree;

use std::collections::BTreeMap;

use cases::Case;
use dehusk_html::{Buffers, Tag, parse, parse_strict};
use encoding_rs::Encoding;
use tree::Element;

/// The least shares of equal trees, and of pages with equal text. The shares for html5lib 1.1 are higher.
const TREES: f64 = 0.84;
const READ: f64 = 0.98;

#[derive(Default, Clone, Copy)]
struct Row {
    cases: usize,
    fast: usize,
    strict: usize,
    read: usize,
}

impl Row {
    fn add(&mut self, other: Row) {
        self.cases += other.cases;
        self.fast += other.fast;
        self.strict += other.strict;
        self.read += other.read;
    }

    fn print(&self, name: &str) {
        println!(
            "| {name} | {} | {} | {} | {} |",
            self.cases, self.strict, self.fast, self.read
        );
    }
}

pub fn trees() {
    let folder = cases::folder("tree-construction");
    let (mut total, mut causes, mut left_out) = (Row::default(), BTreeMap::new(), 0);
    println!("| file | cases | strict: trees | fast: trees | fast: read alike |\n|---|--:|--:|--:|--:|");
    for (name, cases) in cases::files(&folder) {
        let mut row = Row::default();
        for case in &cases {
            if case.has("document-fragment") || case.has("script-on") {
                left_out += 1;
                continue;
            }
            let (one, cause) = compare(&name, case);
            row.add(one);
            if one.fast == 0 || one.read == 0 {
                let (trees, read) = causes.entry(cause).or_insert((0, 0));
                (*trees, *read) = (*trees + 1 - one.fast, *read + 1 - one.read);
            }
        }
        if row.cases > 0 {
            row.print(&name);
        }
        total.add(row);
    }
    total.print("**all**");
    println!("\n{left_out} cases of fragments or with scripting left out\n");
    println!("| cause | trees that differ | read differently |\n|---|--:|--:|");
    for (cause, (trees, read)) in &causes {
        println!("| {cause} | {trees} | {read} |");
    }
    let share = |n: usize| n as f64 / total.cases as f64;
    assert!(total.cases > 1000, "only {} cases", total.cases);
    assert!(share(total.fast) >= TREES, "{} trees are equal", total.fast);
    assert!(share(total.read) >= READ, "{} pages are read alike", total.read);
}

fn compare(file: &str, case: &Case) -> (Row, &'static str) {
    let page = case.text("data");
    let wanted = tree::expected(&case.text("document"));
    let dom = parse(&page, Buffers::default());
    let made = tree::of(&dom);
    let strict = parse_strict(&page, Buffers::default()).unwrap();
    let strict_made = tree::of(&strict);
    let row = Row {
        cases: 1,
        fast: usize::from(made == wanted),
        strict: usize::from(strict_made == wanted),
        read: usize::from(tree::seen(&dom) == tree::seen(&strict)),
    };
    let cause = cause(&wanted, &made, &strict_made);
    if std::env::var_os("DEHUSK_HTML5LIB_SHOW").is_some() && row.fast == 0 {
        println!("== {file}: {cause}\n{page}\nwanted {wanted:?}\nmade   {made:?}");
        if row.read == 0 {
            println!("read   {:?}\nmade   {:?}", tree::seen(&strict), tree::seen(&dom));
        }
    }
    (row, cause)
}

/// The departure of the fast parser because of which two trees differ: the first that, undone in both, makes them
/// equal.
fn cause(wanted: &Element, made: &Element, strict: &Element) -> &'static str {
    let formatting = |name: &str| Tag::from_name(name.as_bytes()).is_formatting();
    let plain = |tree: &Element| tree.without(&|name| formatting(name) || name == "colgroup");
    let is_formatted = wanted.without(&formatting) != *wanted;
    let same_parts = |a: &Element, b: &Element| plain(a).parts() == plain(b).parts();
    if wanted == made {
        "none"
    } else if made == strict {
        "the strict tree is the same"
    } else if wanted.without(&|name| name == "colgroup") == made.without(&|name| name == "colgroup") {
        "colgroup"
    } else if wanted.without_attributes() == made.without_attributes() {
        "attributes of a second html or body"
    } else if plain(wanted) == plain(made) || is_formatted && !wanted.holds("table") && same_parts(wanted, made) {
        "formatting elements"
    } else if wanted.holds("table") && (same_parts(wanted, made) || wanted.holds("select")) {
        "what is directly in a table"
    } else if wanted.without_characters("\u{fffd}") == made.without_characters("\u{fffd}") {
        "NUL characters"
    } else if wanted.holds("template") {
        "tables in templates"
    } else {
        "other"
    }
}

pub fn encodings() {
    let folder = cases::folder("encoding");
    println!("| file | cases | alike | of these, stated in the page |\n|---|--:|--:|--:|");
    for (name, cases) in cases::files(&folder) {
        let (mut equal, mut stated) = (0, 0);
        for case in &cases {
            let lower_case = |encoding: &'static Encoding| encoding.name().to_ascii_lowercase();
            let wanted = Encoding::for_label(case.text("encoding").trim().as_bytes()).map(lower_case);
            let mark = Encoding::for_bom(case.bytes("data")).map(|(encoding, _)| lower_case(encoding));
            let found = mark.or(dehusk_html::prescan(case.bytes("data")).map(str::to_owned));
            // If the page names no encoding, the cases expect the default of Western browsers, whatever the bytes are.
            let alike = found.clone().or(Some("windows-1252".to_owned())) == wanted;
            if !alike && std::env::var_os("DEHUSK_HTML5LIB_SHOW").is_some() {
                println!("== {name}: wanted {wanted:?}, found {found:?}\n{}", case.text("data"));
            }
            equal += usize::from(alike);
            stated += usize::from(alike && found.is_some());
        }
        println!("| {name} | {} | {equal} | {stated} |", cases.len());
        assert!(equal * 100 >= cases.len() * 95, "{name}: {equal} of {}", cases.len());
    }
}
