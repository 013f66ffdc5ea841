//! Self-contained HTML pages for people: one file that takes nothing from elsewhere, readable on a phone, in light and
//! dark.
//!
//! - `chart`: small charts: bars, and lines as inline SVG
//! - `curves`: curves as an SVG file of their own
//! - `histogram`: bars of many values, the same
//! - `style.css`: the style of all pages

mod chart;
mod curves;
mod histogram;

pub use chart::{Bar, Series, bars, colored_bars, lines};
pub use curves::{Curve, Panel, curves};
pub use histogram::{Histogram, histograms};

use std::fmt::Write;
use std::time::Duration;

const STYLE: &str = include_str!("style.css");

/// The style and the script of a page besides the common ones.
#[derive(Default)]
pub struct Extras {
    /// Rules that follow those of all pages.
    pub style: &'static str,
    /// A script, which the page works without. `""` for none.
    pub script: &'static str,
    /// The script's hash, by which a browser distinguishes it from any other: `sha256-` and base64.
    pub script_hash: &'static str,
}

/// A whole page without a script. The body is HTML already.
pub fn page(title: &str, body: &str) -> String {
    page_with(title, body, &Extras::default())
}

/// A whole page. The body is HTML already. Nothing but the page's own script can run, and nothing is loaded from
/// elsewhere.
pub fn page_with(title: &str, body: &str, extras: &Extras) -> String {
    let title = escape(title);
    let (style, hash) = (extras.style, extras.script_hash);
    let (policy, script) = match extras.script {
        "" => (String::new(), String::new()),
        script => (format!("; script-src '{hash}'"), format!("<script>{script}</script>\n")),
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
         base-uri 'none'; form-action 'none'{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n{script}</body>\n</html>\n"
    )
}

/// Text for the content of an element or for a quoted attribute.
///
/// Control characters become U+FFFD, and marks that change the direction of text are written as numbers, so that no
/// name can change the text around it.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(c),
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// A whole number with a comma between thousands.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of bytes in the unit that suits it.
pub fn size(bytes: u64) -> String {
    let n = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", n / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", n / 1e6),
        1_000_000_000..1_000_000_000_000 => format!("{:.1} GB", n / 1e9),
        _ => format!("{:.1} TB", n / 1e12),
    }
}

/// A duration in its two largest units, such as `2h05m`.
pub fn duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match hours {
        0 if minutes == 0 => format!("{seconds}s"),
        0 => format!("{minutes}m{:02}s", seconds % 60),
        1..48 => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{}d{:02}h", hours / 24, hours % 24),
    }
}

/// The number of columns from which on a table is wider than a phone.
const WIDE: usize = 4;

/// A table: the headings, and rows of cells that are HTML already. The first column is text, the others are numbers. If
/// it is wider than the page, it scrolls sideways: shadows at its edges show that, and on a phone a line above it says
/// so.
pub fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::new();
    if headings.len() >= WIDE {
        out.push_str("<p class=\"sideways\">The table continues to the right: scroll it sideways.</p>\n");
    }
    // Keys scroll only what can have the focus.
    let label = escape(&format!("table of {}", headings.join(", ")));
    out.push_str(&format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{label}\"><table>\n<thead><tr>"
    ));
    for heading in headings {
        out.push_str(&format!("<th scope=\"col\">{}</th>", escape(heading)));
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        out.push_str("<tr>");
        for cell in row {
            out.push_str(&format!("<td>{cell}</td>"));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    out
}

/// Figures side by side, each with its name.
pub fn figures(figures: &[(&str, String)]) -> String {
    let mut out = String::from("<dl class=\"figures\">\n");
    for (name, figure) in figures {
        out.push_str(&format!(
            "<div><dt>{}</dt><dd>{}</dd></div>\n",
            escape(name),
            escape(figure)
        ));
    }
    out.push_str("</dl>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_leave_its_element() {
        assert_eq!(
            escape("<b title=\"x\">&\u{1b}[31m\u{202e}</b>"),
            "&lt;b title=&quot;x&quot;&gt;&amp;\u{fffd}[31m\\u{202e}&lt;/b&gt;"
        );
    }

    #[test]
    fn numbers_are_grouped() {
        let grouped: Vec<String> = [0, 999, 1_000, 1_234_567].map(grouped).to_vec();
        assert_eq!(grouped, ["0", "999", "1,000", "1,234,567"]);
        let sizes = [999, 1_500, 2_340_000_000].map(size);
        assert_eq!(sizes, ["999 B", "1.5 kB", "2.3 GB"]);
        let durations = [59, 125, 7_500, 200_000].map(|seconds| duration(Duration::from_secs(seconds)));
        assert_eq!(durations, ["59s", "2m05s", "2h05m", "2d07h"]);
    }
}
