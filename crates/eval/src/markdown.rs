//! Markdown as HTML, so that one walk reads both what an extractor wrote and a truth's HTML.

use std::fmt::Write;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Markdown that was read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    /// Its blocks as HTML. Emphasis, links and images are left out, and the text of links is kept.
    pub html: String,
    /// Its formulas, a line each.
    pub formulas: String,
}

/// Reads CommonMark with the tables and footnotes of GFM, and formulas between dollar signs.
pub(super) fn read(markdown: &str) -> Reading {
    let mut reading = Reading::default();
    let mut images = 0u32;
    let mut cell = "td";
    let options = Options::ENABLE_TABLES | Options::ENABLE_MATH | Options::ENABLE_FOOTNOTES;
    for event in Parser::new_ext(markdown, options) {
        let html = &mut reading.html;
        match event {
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images -= 1,
            _ if images > 0 => {}
            Event::Start(Tag::TableHead) => {
                cell = "th";
                html.push_str("<tr>");
            }
            Event::End(TagEnd::TableHead) => {
                cell = "td";
                html.push_str("</tr>");
            }
            Event::Start(Tag::TableCell) => element(html, "<", cell),
            Event::End(TagEnd::TableCell) => element(html, "</", cell),
            Event::Start(tag) => element(html, "<", name(&tag.to_end())),
            Event::End(tag) => element(html, "</", name(&tag)),
            Event::Text(text) | Event::Code(text) | Event::FootnoteReference(text) => escape(&text, html),
            Event::InlineMath(text) | Event::DisplayMath(text) => {
                escape(&text, html);
                // GitHub's form of a formula in a line has backticks inside.
                let text = text.trim();
                let bare = text.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
                let _ = writeln!(reading.formulas, "{}", bare.unwrap_or(text));
            }
            Event::Html(text) | Event::InlineHtml(text) => html.push_str(&text),
            Event::SoftBreak | Event::HardBreak => html.push('\n'),
            _ => {}
        }
    }
    reading
}

fn element(html: &mut String, open: &str, name: &str) {
    if !name.is_empty() {
        let _ = write!(html, "{open}{name}>");
    }
}

/// The name of a block's element. Empty for what is no block.
fn name(tag: &TagEnd) -> &'static str {
    match tag {
        TagEnd::Paragraph => "p",
        TagEnd::Heading(level) => ["h1", "h2", "h3", "h4", "h5", "h6"][*level as usize - 1],
        TagEnd::BlockQuote(_) => "blockquote",
        TagEnd::CodeBlock => "pre",
        TagEnd::List(true) => "ol",
        TagEnd::List(false) => "ul",
        TagEnd::Item => "li",
        TagEnd::Table => "table",
        TagEnd::TableRow => "tr",
        _ => "",
    }
}

fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            c => html.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_elements() {
        let markdown =
            "# A *b*\n\n> q\n\n1. x\n   - [y](u) ![z](i)\n\n```rust\na < b\n```\n\n| h |\n|---|\n| `c` |\n\n$e=m$";
        let expected = "<h1>A b</h1><blockquote><p>q</p></blockquote><ol><li>x<ul><li>y </li></ul></li></ol>\
                        <pre>a &lt; b\n</pre><table><tr><th>h</th></tr><tr><td>c</td></tr></table><p>e=m</p>";
        let reading = read(markdown);
        assert_eq!(reading.html, expected);
        assert_eq!(reading.formulas, "e=m\n");
    }
}
