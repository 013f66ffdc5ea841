//! A forgiving parser of JSON. Pages write JSON by templates, so much of it is broken, and a part of it is still
//! useful.
//!
//! It accepts everything that JSON is, and besides:
//!
//! - anything around values: comments, `CDATA`, a semicolon, a byte order mark;
//! - commas that are missing or too many, brackets that are never closed or never opened;
//! - line ends and other control characters in strings, escapes that JSON does not have, halves of surrogate pairs;
//! - quotation marks in a string that are not escaped, if what follows shows that the string continues;
//! - a text that is cut.
//!
//! Values lie in document order in one array, like the nodes of a page: no recursion, and a skip costs nothing.

use std::borrow::Cow;

use memchr::memchr2;

/// The most values that are read; what comes later is ignored.
const MOST_VALUES: usize = 20_000;

/// Arrays and objects that are nested deeper are skipped.
const DEEPEST: usize = 64;

/// The kind of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// Values with keys.
    Object,
    /// Values without keys.
    Array,
    /// A string.
    String,
    /// A number, `true`, `false` or `null`.
    Literal,
}

/// One value. `from..to` is its text without quotation marks; that of an object or array is empty.
#[derive(Clone, Copy, Debug)]
struct JsonValue {
    kind: JsonKind,
    /// The range of the key, without quotation marks; empty in arrays.
    key: (u32, u32),
    from: u32,
    to: u32,
    /// Where the values inside this one end.
    end: u32,
}

/// The values of a text.
#[derive(Debug)]
pub struct Json<'t> {
    text: &'t str,
    values: Vec<JsonValue>,
}

/// A place among the values.
pub type JsonId = u32;

impl<'t> Json<'t> {
    /// Reads a text of less than 4 GiB.
    pub fn read(text: &'t str) -> Self {
        let mut parser = JsonParser {
            bytes: text.as_bytes(),
            at: 0,
            values: Vec::new(),
            open: Vec::new(),
            too_deep: 0,
            key: (0, 0),
            unended: false,
        };
        while parser.values.len() < MOST_VALUES && parser.step() {}
        let end = parser.values.len() as JsonId;
        for id in parser.open {
            parser.values[id as usize].end = end;
        }
        Self {
            text,
            values: parser.values,
        }
    }

    /// The values that are in no other value.
    pub fn roots(&self) -> JsonItems<'_> {
        JsonItems {
            values: &self.values,
            next: 0,
            end: self.values.len() as JsonId,
        }
    }

    /// The values in an object or array; none in other values.
    pub fn items(&self, id: JsonId) -> JsonItems<'_> {
        JsonItems {
            values: &self.values,
            next: id + 1,
            end: self.values[id as usize].end,
        }
    }

    /// The kind of a value.
    pub fn kind(&self, id: JsonId) -> JsonKind {
        self.values[id as usize].kind
    }

    /// The key of a value, without the prefix of a vocabulary.
    pub fn key(&self, id: JsonId) -> &'t str {
        let (from, to) = self.values[id as usize].key;
        local_name(self.slice(from, to))
    }

    /// The number of all values.
    pub fn count(&self) -> JsonId {
        self.values.len() as JsonId
    }

    /// The string or literal; `""` for an object or array.
    pub fn string(&self, id: JsonId) -> Cow<'t, str> {
        let JsonValue { kind, from, to, .. } = self.values[id as usize];
        match kind {
            JsonKind::String => unescape(self.slice(from, to)),
            _ => Cow::Borrowed(self.slice(from, to)),
        }
    }

    /// Length of a string or literal as written.
    pub fn len(&self, id: JsonId) -> usize {
        let JsonValue { from, to, .. } = self.values[id as usize];
        (to - from) as usize
    }

    /// The first value of an object under a key, in any case.
    pub fn get(&self, id: JsonId, key: &str) -> Option<JsonId> {
        (self.kind(id) == JsonKind::Object)
            .then(|| self.items(id).find(|item| self.key(*item).eq_ignore_ascii_case(key)))
            .flatten()
    }

    fn slice(&self, from: u32, to: u32) -> &'t str {
        self.text.get(from as usize..to as usize).unwrap_or_default()
    }
}

/// The values in a value, in order.
#[derive(Debug, Clone)]
pub struct JsonItems<'j> {
    values: &'j [JsonValue],
    next: JsonId,
    end: JsonId,
}

impl Iterator for JsonItems<'_> {
    type Item = JsonId;

    fn next(&mut self) -> Option<JsonId> {
        if self.next >= self.end {
            return None;
        }
        let id = self.next;
        self.next = self.values[id as usize].end;
        Some(id)
    }
}

struct JsonParser<'t> {
    bytes: &'t [u8],
    at: usize,
    values: Vec<JsonValue>,
    /// The objects and arrays that are open.
    open: Vec<JsonId>,
    /// How many more are open that are skipped.
    too_deep: usize,
    /// The last string that a colon followed.
    key: (u32, u32),
    /// Whether a comment was found that never ends. Others need no search then.
    unended: bool,
}

impl JsonParser<'_> {
    /// Reads one token. Returns whether there was one.
    fn step(&mut self) -> bool {
        let Some(&byte) = self.bytes.get(self.at) else {
            return false;
        };
        match byte {
            b'{' => self.open_value(JsonKind::Object),
            b'[' => self.open_value(JsonKind::Array),
            b'}' | b']' => self.close_value(),
            b'"' => self.string(),
            b'/' => self.comment(),
            b'-' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.literal(),
            _ => self.at += 1,
        }
        true
    }

    fn open_value(&mut self, kind: JsonKind) {
        self.at += 1;
        if self.too_deep > 0 || self.open.len() == DEEPEST {
            self.too_deep += 1;
        } else {
            self.open.push(self.values.len() as JsonId);
            self.push(kind, self.at, self.at);
        }
    }

    fn close_value(&mut self) {
        self.at += 1;
        self.key = (0, 0);
        if self.too_deep > 0 {
            self.too_deep -= 1;
        } else if let Some(id) = self.open.pop() {
            self.values[id as usize].end = self.values.len() as JsonId;
        }
    }

    fn string(&mut self) {
        let from = self.at + 1;
        let to = self.end_of_string(from);
        self.at = (to + 1).min(self.bytes.len());
        let next = self.after_space(self.at);
        if self.bytes.get(next) == Some(&b':') {
            self.at = next + 1;
            self.key = (from as u32, to as u32);
        } else if self.too_deep == 0 && !self.open.is_empty() || next == self.bytes.len() {
            // Outside of objects and arrays only a string that is all of the text is a value.
            self.push(JsonKind::String, from, to);
        }
    }

    /// The end of a string: a quotation mark after which an object or array can continue, or the end of the text.
    fn end_of_string(&self, mut at: usize) -> usize {
        while let Some(found) = memchr2(b'"', b'\\', &self.bytes[at.min(self.bytes.len())..]) {
            at += found;
            if self.bytes[at] == b'\\' {
                at += 2;
                continue;
            }
            let next = self.after_space(at + 1);
            match self.bytes.get(next) {
                None | Some(b':' | b',' | b'}' | b']' | b'/' | b';' | b'"' | b'\n') => return at,
                // A missing comma between two lines.
                Some(_) if self.bytes[at + 1..next].contains(&b'\n') => return at,
                Some(_) => at += 1,
            }
        }
        self.bytes.len()
    }

    fn after_space(&self, mut at: usize) -> usize {
        while self.bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
            at += 1;
        }
        at
    }

    /// Skips a comment, so that nothing in it is a value.
    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let end = match rest.get(1) {
            _ if self.unended => Some(1),
            Some(b'/') if !rest[2..].starts_with(b"<![CDATA[") => memchr::memchr(b'\n', rest),
            Some(b'*') => memchr::memmem::find(&rest[2..], b"*/").map(|n| n + 4),
            _ => Some(1),
        };
        self.unended |= end.is_none();
        self.at += end.unwrap_or(1);
    }

    fn literal(&mut self) {
        let from = self.at;
        let ends = |b: &u8| !b.is_ascii_alphanumeric() && !matches!(b, b'-' | b'+' | b'.');
        let rest = &self.bytes[from..];
        self.at += rest.iter().position(ends).unwrap_or(rest.len());
        if self.too_deep == 0 && !self.open.is_empty() {
            self.push(JsonKind::Literal, from, self.at);
        }
    }

    fn push(&mut self, kind: JsonKind, from: usize, to: usize) {
        let end = self.values.len() as JsonId + 1;
        self.values.push(JsonValue {
            kind,
            key: std::mem::take(&mut self.key),
            from: from as u32,
            to: to as u32,
            end,
        });
    }
}

/// Resolves the escapes of a string. An invalid escape stays without its backslash; half of a surrogate pair becomes
/// U+FFFD.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else {
        return Cow::Borrowed(raw);
    };
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    let mut next = Some(first);
    while let Some(at) = next {
        out.push_str(&rest[..at]);
        let escaped = &rest[at + 1..];
        let mut chars = escaped.chars();
        match chars.next() {
            None => {}
            Some('n' | 'r' | 't' | 'b' | 'f') => out.push(' '),
            Some('u') => match unit(chars.as_str()) {
                Some(high @ 0xD800..0xDC00) => {
                    let low = chars.as_str().get(4..).and_then(|rest| unit(rest.strip_prefix("\\u")?));
                    let pair = low.map(|low| char::decode_utf16([high, low]).next());
                    match pair {
                        Some(Some(Ok(c))) => {
                            out.push(c);
                            chars = chars.as_str()[10..].chars();
                        }
                        _ => {
                            out.push('\u{FFFD}');
                            chars = chars.as_str()[4..].chars();
                        }
                    }
                }
                Some(unit) => {
                    out.push(char::from_u32(u32::from(unit)).unwrap_or('\u{FFFD}'));
                    chars = chars.as_str()[4..].chars();
                }
                None => out.push('u'),
            },
            Some(c) => out.push(c),
        }
        rest = chars.as_str();
        next = memchr::memchr(b'\\', rest.as_bytes());
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The four hexadecimal digits at the start of a text.
fn unit(text: &str) -> Option<u16> {
    let digits = text.get(..4)?;
    let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
    all.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// A term without the prefix of its vocabulary, as in `schema:name` or `https://schema.org/name`.
pub fn local_name(term: &str) -> &str {
    term.rsplit([':', '/', '#']).next().unwrap_or_default()
}
