//! Pages that try to do what a page in the inspector may not do. Their files are read by the browser's tests, too.

const FILES: &str = include_str!("hostile.txt");

/// Elements that do something.
pub const ELEMENTS: [&str; 21] = [
    "a", "applet", "audio", "base", "button", "embed", "form", "iframe", "img", "input", "link", "math", "meta",
    "object", "picture", "script", "source", "style", "svg", "template", "video",
];

/// Name and HTML of each page.
pub fn pages() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.split("\n=== ").skip(1).filter_map(|page| page.split_once('\n'))
}
