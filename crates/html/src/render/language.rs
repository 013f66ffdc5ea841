//! The language of code, as the page names it.

use super::inline::MOST_OF_TAG;
use crate::dom::tag::Tag;
use crate::dom::{Attributes, Dom, NodeId};

/// The language of code, in lower case, or `""`: by the classes and attributes of the element, the code in it, and the
/// elements right around it.
pub(super) fn of_code(dom: &Dom<'_>, id: NodeId) -> String {
    /// The numbers of lines are in `pre`, too, and come before the code.
    const MOST_IN_TABLE: usize = 4;
    let node = dom.node(id);
    let is_code = |id: &NodeId| matches!(dom.node(*id).tag, Tag::Code | Tag::Pre);
    let mut places = vec![id];
    if node.tag == Tag::Table {
        places.extend((id + 1..node.end).filter(is_code).take(MOST_IN_TABLE));
    } else {
        // An empty element may be before it.
        places.extend((id + 1..node.end.min(id + 3)).find(is_code));
    }
    let mut around = id;
    for _ in 0..2 {
        around = dom.node(around).parent;
        let is_place = matches!(dom.node(around).tag, Tag::Div | Tag::Figure | Tag::Pre | Tag::Td);
        if is_place && dom.raw(around).len() <= MOST_OF_TAG {
            places.push(around);
        }
    }
    let of = |id: &NodeId| Attributes::new(dom.raw(*id)).find_map(|(name, value)| of_attribute(name, value));
    let bare = |id: &NodeId| Attributes::new(dom.raw(*id)).find_map(|(name, value)| bare_language(name, value));
    let named = places.iter().find_map(of);
    named
        .or_else(|| places.iter().filter(|id| is_code(id)).find_map(bare))
        .unwrap_or_default()
}

/// Languages that are known without a prefix.
const LANGUAGES: [&str; 64] = [
    "asm",
    "awk",
    "bash",
    "c",
    "c#",
    "c++",
    "clojure",
    "cmake",
    "cobol",
    "cpp",
    "csharp",
    "css",
    "dart",
    "delphi",
    "diff",
    "dockerfile",
    "elixir",
    "elm",
    "erlang",
    "fortran",
    "fsharp",
    "go",
    "golang",
    "graphql",
    "groovy",
    "haskell",
    "html",
    "ini",
    "java",
    "javascript",
    "js",
    "json",
    "jsx",
    "julia",
    "kotlin",
    "latex",
    "lisp",
    "lua",
    "makefile",
    "matlab",
    "objc",
    "ocaml",
    "pascal",
    "perl",
    "php",
    "powershell",
    "prolog",
    "python",
    "r",
    "ruby",
    "rust",
    "sass",
    "scala",
    "scss",
    "sh",
    "shell",
    "sql",
    "swift",
    "toml",
    "tsx",
    "typescript",
    "xml",
    "yaml",
    "zig",
];

/// The language that an element of code names without a prefix. `lang` may also be the language of people.
fn bare_language(name: &str, value: &str) -> Option<String> {
    if !(name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("lang")) {
        return None;
    }
    let value = value.to_ascii_lowercase();
    let mut words = value.split_ascii_whitespace();
    words.find(|word| LANGUAGES.contains(word)).map(str::to_owned)
}

/// The prefixes of the language in classes.
const PREFIXES: [&str; 6] = [
    "language-",
    "lang-",
    "highlight-source-",
    "brush:",
    "sourcecode-",
    "src-",
];

fn of_attribute(name: &str, value: &str) -> Option<String> {
    let is_name = |language: &&str| {
        !language.is_empty()
            && language.len() <= 24
            && language
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"+#-_.".contains(&b))
            && !matches!(*language, "none" | "plaintext" | "plain" | "text" | "default")
    };
    let name = name.to_ascii_lowercase();
    let value = value.to_ascii_lowercase();
    if matches!(&*name, "data-lang" | "data-language" | "data-enlighter-language") {
        return Some(value.trim()).filter(is_name).map(str::to_owned);
    }
    if name != "class" {
        return None;
    }
    let classes: Vec<&str> = value
        .split([' ', '\t', '\n', ';'])
        .filter(|class| !class.is_empty())
        .collect();
    // Others, such as `highlight-box`, are no languages.
    let is_last = |i: usize| matches!(classes[i + 1..], [] | ["notranslate"]);
    let mut languages = classes.iter().enumerate().filter_map(|(i, class)| match *class {
        // The language is the class after it.
        "brush:" | "sourcecode" => classes.get(i + 1).copied(),
        // Of two classes, the other one is the language.
        "hljs" if classes.len() == 2 => Some(classes[1 - i]).filter(|class| !class.contains('-')),
        class => {
            let of_sphinx = || class.strip_prefix("highlight-").filter(|_| is_last(i));
            PREFIXES
                .iter()
                .find_map(|prefix| class.strip_prefix(prefix))
                .or_else(of_sphinx)
        }
    });
    languages.find(is_name).map(str::to_owned)
}
