//! The addresses of links and images.

/// An address as the destination of a link: without characters that would end it.
pub(super) fn escaped(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    for c in address.chars() {
        match c {
            '<' => out.push_str("%3C"),
            '>' => out.push_str("%3E"),
            '(' => out.push_str("%28"),
            ')' => out.push_str("%29"),
            '\\' => out.push_str("%5C"),
            '|' => out.push_str("%7C"),
            '`' => out.push_str("%60"),
            // A name such as `&copy` would be a character.
            '&' => out.push_str("\\&"),
            c => out.push(c),
        }
    }
    out
}
