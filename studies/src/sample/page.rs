//! Reads the text of a page from `pages/NAME.txt`: `key: value` lines, an empty line, then blocks separated by empty
//! lines.
//!
//! | block | meaning | main text |
//! |---|---|---|
//! | `## text` | a heading | yes |
//! | lines that start with `- ` | a list | yes |
//! | `!code`, then lines | a code block | yes |
//! | `!item Title \| detail`, then a line | an entry of a listing | yes |
//! | `!post Name \| when` | starts a post of a thread, up to the next one | yes |
//! | `!comment Name \| when` | starts a reader's comment, up to the next one | no |
//! | `!image caption` | a picture | no |
//! | anything else | a paragraph, which may have `**bold**`, `[link](url)` and code in backticks | yes |

use super::{table::Row, template::escape};
use serde_json::{Map, Value, json};
use std::{error::Error, fs, path::Path};

/// One block of a page.
enum Block {
    Paragraph(String),
    Heading(String),
    List(Vec<String>),
    Code(String),
    Image(String),
    Item {
        title: String,
        detail: String,
        summary: String,
    },
}

/// A post of a thread, or a reader's comment.
struct Post {
    by: String,
    when: String,
    blocks: Vec<Block>,
}

/// The content of a page.
#[derive(Default)]
pub struct Page {
    fields: Map<String, Value>,
    blocks: Vec<Block>,
    posts: Vec<Post>,
    comments: Vec<Post>,
}

impl Page {
    pub fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (head, body) = text.split_once("\n\n").unwrap_or((&text, ""));
        let mut page = Self {
            fields: fields(head)?,
            ..Self::default()
        };
        let mut in_comments = false;
        for block in body.split("\n\n").map(str::trim).filter(|block| !block.is_empty()) {
            if let Some(head) = block.strip_prefix("!post ") {
                page.posts.push(Post::begin(head));
            } else if let Some(head) = block.strip_prefix("!comment ") {
                page.comments.push(Post::begin(head));
                in_comments = true;
            } else {
                let posts = if in_comments {
                    &mut page.comments
                } else {
                    &mut page.posts
                };
                let open = posts.last_mut().map_or(&mut page.blocks, |post| &mut post.blocks);
                open.push(Block::read(block));
            }
        }
        Ok(page)
    }

    /// A head field; empty where there is none.
    pub fn get(&self, key: &str) -> &str {
        self.fields.get(key).and_then(Value::as_str).unwrap_or("")
    }

    pub fn language(&self) -> &str {
        self.get("lang")
    }

    /// The main content: blocks and posts in page order, parted by empty lines.
    pub fn main_text(&self) -> String {
        let blocks = self
            .blocks
            .iter()
            .chain(self.posts.iter().flat_map(|post| &post.blocks));
        blocks.flat_map(Block::main_text).collect::<Vec<_>>().join("\n\n")
    }

    /// All that a layout can name: the locale's words, the page's fields, its blocks, and facts of the record.
    pub fn context(&self, row: &Row, mut context: Map<String, Value>) -> Value {
        let posts = |posts: &[Post]| -> Value { posts.iter().enumerate().map(Post::context).collect() };
        for (key, fallback) in [("author", ""), ("date", ""), ("section", ""), ("site", row.host())] {
            context.insert(key.to_owned(), fallback.into());
        }
        context.extend(self.fields.clone());
        if self.get("date_text").is_empty() {
            context.insert("date_text".to_owned(), self.get("date").into());
        }
        let lead = self.blocks.iter().flat_map(Block::main_text).next().unwrap_or_default();
        let lead: String = lead.chars().take(150).collect();
        let charset_meta = [
            row.label("meta").map(|label| format!("<meta charset=\"{label}\">")),
            row.label("equiv")
                .map(|label| format!("<meta http-equiv=\"Content-Type\" content=\"text/html; charset={label}\">")),
        ];
        let json_ld = json!({
            "@context": "https://schema.org", "@type": "Article", "headline": self.get("title"),
            "datePublished": self.get("date"), "author": {"@type": "Person", "name": self.get("author")},
            "publisher": {"@type": "Organization", "name": self.get("site")}, "mainEntityOfPage": row.url,
        });
        let facts = json!({
            "body": self.blocks.iter().enumerate().map(Block::context).collect::<Value>(),
            "posts": posts(&self.posts),
            "comments": posts(&self.comments),
            "has_comments": !self.comments.is_empty(),
            "lead": lead,
            "url": row.url,
            "host": row.host(),
            "charset_meta": charset_meta.into_iter().flatten().collect::<String>(),
            "json_ld": json_ld.to_string(),
        });
        context.extend(facts.as_object().cloned().unwrap_or_default());
        Value::Object(context)
    }

    /// Where the rendered page is cut off: after its middle paragraph. The blocks after that are forgotten.
    pub fn cut(&mut self, html: &str) -> Result<usize, Box<dyn Error>> {
        let middle = (0..=self.blocks.len() / 2)
            .rev()
            .find(|at| matches!(self.blocks[*at], Block::Paragraph(_)));
        let middle = middle.ok_or("no paragraph to cut after")?;
        self.blocks.truncate(middle + 1);
        let Some(Block::Paragraph(text)) = self.blocks.last() else {
            return Err("no paragraph to cut after".into());
        };
        let text = inline(text);
        Ok(html.find(&text).ok_or("the layout does not show the paragraph")? + text.len())
    }
}

impl Post {
    fn begin(head: &str) -> Self {
        let (by, when) = parted(head);
        Self {
            by,
            when,
            blocks: Vec::new(),
        }
    }

    fn context((at, post): (usize, &Post)) -> Value {
        let blocks: Value = post.blocks.iter().enumerate().map(Block::context).collect();
        json!({"by": post.by, "when": post.when, "number": at + 1, "blocks": blocks, "odd": at % 2 == 1})
    }
}

impl Block {
    fn read(block: &str) -> Self {
        if let Some(text) = block.strip_prefix("## ") {
            Self::Heading(text.to_owned())
        } else if block.starts_with("- ") {
            Self::List(
                block
                    .lines()
                    .map(|line| line.trim_start_matches("- ").to_owned())
                    .collect(),
            )
        } else if let Some(code) = block.strip_prefix("!code\n") {
            Self::Code(code.to_owned())
        } else if let Some(caption) = block.strip_prefix("!image ") {
            Self::Image(caption.to_owned())
        } else if let Some(item) = block.strip_prefix("!item ") {
            let (head, summary) = item.split_once('\n').unwrap_or((item, ""));
            let (title, detail) = parted(head);
            Self::Item {
                title,
                detail,
                summary: summary.to_owned(),
            }
        } else {
            Self::Paragraph(block.to_owned())
        }
    }

    fn main_text(&self) -> Vec<String> {
        match self {
            Self::Paragraph(text) => vec![plain(text)],
            Self::Heading(text) => vec![text.clone()],
            Self::List(items) => items.iter().map(|item| plain(item)).collect(),
            Self::Code(code) => vec![code.split_whitespace().collect::<Vec<_>>().join(" ")],
            Self::Image(_) => Vec::new(),
            Self::Item { title, summary, .. } => vec![title.clone(), summary.clone()],
        }
    }

    /// An object with one key, by which the layout knows the block's kind. `nth` counts from 1.
    fn context((at, block): (usize, &Block)) -> Value {
        let nth = at + 1;
        match block {
            // Layouts that break the text with advertisements do so after every third block.
            Self::Paragraph(text) => json!({"p": inline(text), "nth": nth, "third": nth % 3 == 0}),
            Self::Heading(text) => json!({"h": text, "nth": nth}),
            Self::List(items) => {
                json!({"list": {"items": items.iter().map(|item| inline(item)).collect::<Value>()}, "nth": nth})
            }
            Self::Code(code) => json!({"code": code, "nth": nth}),
            Self::Image(caption) => json!({"image": caption, "nth": nth}),
            Self::Item { title, detail, summary } => {
                json!({"item": {"name": title, "detail": detail, "summary": summary, "nth": nth}})
            }
        }
    }
}

/// Reads a locale: like the head of a page, but a value with ` | ` in it is a list.
pub fn read_locale(path: &Path) -> Result<Map<String, Value>, Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut locale = fields(&text)?;
    for value in locale.values_mut() {
        let list = value.as_str().filter(|text| text.contains(" | "));
        if let Some(list) = list.map(|text| text.split(" | ").collect::<Value>()) {
            *value = list;
        }
    }
    Ok(locale)
}

/// Writes what old editors wrote as named entities.
pub fn with_entities(html: &str) -> String {
    const NAMES: [(char, &str); 21] = [
        ('ä', "auml"),
        ('ö', "ouml"),
        ('ü', "uuml"),
        ('Ä', "Auml"),
        ('Ö', "Ouml"),
        ('Ü', "Uuml"),
        ('ß', "szlig"),
        ('é', "eacute"),
        ('è', "egrave"),
        ('à', "agrave"),
        ('ç', "ccedil"),
        ('’', "rsquo"),
        ('‘', "lsquo"),
        ('“', "ldquo"),
        ('”', "rdquo"),
        ('„', "bdquo"),
        ('–', "ndash"),
        ('—', "mdash"),
        ('…', "hellip"),
        ('©', "copy"),
        ('£', "pound"),
    ];
    NAMES.iter().fold(html.to_owned(), |html, (letter, name)| {
        html.replace(*letter, &format!("&{name};"))
    })
}

fn fields(text: &str) -> Result<Map<String, Value>, Box<dyn Error>> {
    let lines = text.lines().filter(|line| !line.is_empty());
    let field = |line: &str| {
        let (key, value) = line.split_once(':').ok_or_else(|| format!("no `key: value`: {line}"))?;
        Ok((key.to_owned(), value.trim().into()))
    };
    lines.map(field).collect()
}

/// The two sides of a `|`; without one, all is on the left.
fn parted(text: &str) -> (String, String) {
    let (left, right) = text.split_once('|').unwrap_or((text, ""));
    (left.trim().to_owned(), right.trim().to_owned())
}

/// A paragraph as HTML.
fn inline(text: &str) -> String {
    let html = linked(&escape(text), |words, url| format!("<a href=\"{url}\">{words}</a>"));
    between(&between(&html, "**", ["<b>", "</b>"]), "`", ["<code>", "</code>"])
}

/// A paragraph as plain text.
fn plain(text: &str) -> String {
    linked(text, |words, _| words.to_owned())
        .replace("**", "")
        .replace('`', "")
}

/// Replaces every other mark by the first, and the marks between by the second of the tags.
fn between(text: &str, mark: &str, tags: [&str; 2]) -> String {
    let mut tags = tags.into_iter().cycle();
    let mut parts = text.split(mark);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |html, part| html + tags.next().unwrap_or_default() + part)
}

/// Replaces every `[words](url)`.
fn linked(mut text: &str, link: fn(&str, &str) -> String) -> String {
    let mut out = String::new();
    while let Some((before, words, url, after)) = next_link(text) {
        out += before;
        out += &link(words, url);
        text = after;
    }
    out + text
}

/// Parts text at its first `[words](url)`.
fn next_link(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (left, right) = text.split_once("](")?;
    let (before, words) = left.rsplit_once('[')?;
    let (url, after) = right.split_once(')')?;
    Some((before, words, url, after))
}
