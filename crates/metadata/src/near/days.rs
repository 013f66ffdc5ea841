//! Days near the title: `time` elements, attributes of other elements, and dates that people read.

use super::*;

/// The most words of a text that mentions a day only in passing if no label, time or mark sets the day off.
const MOST_UNMARKED_WORDS: u32 = 14;

/// The attributes that hold a date as programs write it, but for `datetime`, in the order of preference.
const STAMPS: [&str; 4] = ["content", "title", "data-date", "data-datetime"];

impl Search<'_, '_> {
    /// A `time` element.
    pub(super) fn read_time(&mut self, id: NodeId, place: u8) {
        let (mut datetime, mut about) = (None, String::new());
        for (name, value) in Attributes::new(self.dom.raw(id)) {
            match name {
                "datetime" => datetime = Some(decode_attribute(value)),
                "class" | "itemprop" | "pubdate" | "title" => {
                    about.extend([name, " ", value, " "]);
                }
                _ => {}
            }
        }
        // A placeholder for an unknown day is not believed; the text may have a real day.
        let date = datetime.and_then(|datetime| self.context.parse(&datetime));
        if let Some(date) = date.or_else(|| self.date_of_text(id)) {
            self.claim_stamp(id, date, about, place);
        }
    }

    /// Another element whose attributes hold a date: `abbr` with a title, `itemprop`, `data-date`. Cells of tables and
    /// controls of forms are those of calendars.
    pub(super) fn read_attributes(&mut self, id: NodeId, place: u8) {
        if is_widget(self.dom.node(id).tag) {
            return;
        }
        let (mut stamp, mut about, mut is_date) = (None, String::new(), false);
        for (name, value) in Attributes::new(self.dom.raw(id)) {
            if name == "itemprop" {
                let mut names = value.split_ascii_whitespace();
                if !names.any(|name| DAYS.iter().any(|day| name.eq_ignore_ascii_case(day))) {
                    return;
                }
                is_date = true;
            }
            if name == "class" || name == "itemprop" {
                about.extend([value, " "]);
            } else if let Some(rank) = STAMPS.iter().position(|known| *known == name) {
                stamp = [stamp, Some((rank, value))]
                    .into_iter()
                    .flatten()
                    .min_by_key(|(rank, _)| *rank);
            }
        }
        let date = stamp.and_then(|(_, value)| machine::parse(&decode_attribute(value)));
        let date = date.and_then(|date| self.context.believed(date));
        if let Some(date) = date.or_else(|| is_date.then(|| self.date_of_text(id))?) {
            self.claim_stamp(id, date, about, place);
        }
    }

    /// The date that a short element has as its text.
    fn date_of_text(&self, id: NodeId) -> Option<Date> {
        (self.words(id) <= MOST_LINE_WORDS).then(|| self.context.parse(&text_of(self.dom, id)))?
    }

    /// Claims the date of an element. Its classes, its properties or the text before it label the date.
    fn claim_stamp(&mut self, id: NodeId, date: Date, mut about: String, place: u8) {
        self.read_to = self.read_to.max(self.dom.node(id).end);
        if is_of_other_thing(&about) || self.is_in_comment(id) {
            return;
        }
        about.make_ascii_lowercase();
        let label = if about.contains("modif") || about.contains("updat") {
            DateLabel::Changed
        } else if about.contains("publi") || about.contains("pubdate") {
            DateLabel::Published
        } else {
            self.named(id, label(&self.text_before(id)))
        };
        self.claim_date(date, label, Source::Time, place * 4);
    }

    /// The text shortly before a node.
    fn text_before(&self, id: NodeId) -> String {
        let texts = (id.saturating_sub(5)..id).filter(|id| self.dom.node(*id).tag == Tag::Text);
        let mut out = String::new();
        for id in texts.filter(|id| self.dom.node(*id).to - self.dom.node(*id).from < 80) {
            out.push_str(&text_of(self.dom, id));
            out.push(' ');
        }
        out
    }

    fn claim_date(&mut self, date: Date, label: DateLabel, source: Source, place: u8) {
        let (field, rank) = match label {
            DateLabel::Changed => (Field::Modified, 0),
            DateLabel::Published => (Field::Published, 0),
            DateLabel::None => (Field::Published, 1),
            DateLabel::Other => return,
        };
        self.claims.add_near(field, source, place + rank, &date.to_string());
    }

    /// The attributes at the start of an element's tag. Many nodes can be within one with a megabyte of attributes.
    pub(super) fn attributes(&self, id: NodeId) -> Attributes<'_> {
        let raw = self.dom.raw(id);
        Attributes::new(&raw[..raw.floor_char_boundary(MOST_OF_TAG)])
    }

    /// Whether an element around a node is named a reader's comment.
    fn is_in_comment(&self, id: NodeId) -> bool {
        let mut up = id;
        for _ in 0..MOST_AROUND {
            up = self.dom.node(up).parent;
            let has_title = self.title.is_some_and(|title| self.dom.subtree(up).contains(&title));
            if up <= self.dom.body() || has_title {
                return false;
            }
            let is_named = |name: &str| name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("id");
            if self
                .attributes(up)
                .any(|(name, value)| is_named(name) && is_comment_name(value))
            {
                return true;
            }
            if matches!(self.dom.node(up).tag, Tag::Article | Tag::Main) {
                return false;
            }
        }
        false
    }

    /// Whether a text may have a year: digits that start one, digits of another script, or the Chinese character.
    pub(super) fn may_have_date(&self, id: NodeId) -> bool {
        let (flags, raw) = (self.dom.node(id).flags, self.dom.raw(id));
        let starts_year = |pair: &[u8]| matches!(pair, b"19" | b"20" | b"25" | b"13" | b"14");
        if flags.has(NodeFlags::DIGITS) && (raw.as_bytes().windows(2).any(starts_year) || may_have_short_date(raw)) {
            return true;
        }
        flags.has(NodeFlags::NON_ASCII)
            && raw.len() < MOST_BYTES
            && raw.chars().any(|c| !c.is_ascii() && (c.is_numeric() || c == '年'))
    }

    /// Reads the line that contains a text.
    pub(super) fn read_line(&mut self, id: NodeId, place: u8) {
        let mut line = id;
        loop {
            let parent = self.dom.node(line).parent;
            if parent < self.from || self.words(parent) > MOST_LINE_WORDS {
                break;
            }
            line = parent;
        }
        self.read_to = self.dom.node(line).end;
        let text = text_of(self.dom, line);
        let mut dates = visible::find(&text, self.context);
        if dates.is_empty() && self.words(line) <= FEW_WORDS {
            let own = || visible::find_short(&text_of(self.dom, id), self.context).filter(|own| own.is_clear);
            dates.extend(visible::find_short(&text, self.context).or_else(own));
        }
        dates.retain(|dated| dated.date.year() >= FIRST_YEAR && self.context.believed(dated.date).is_some());
        if dates.is_empty() || self.is_in_comment(id) {
            return;
        }
        let is_long = self.dom.counts()[id as usize].words > MOST_UNMARKED_WORDS;
        for dated in dates {
            let label = self.named(id, dated.label);
            // A sentence that mentions a day has nothing of these.
            let is_set_off = label != DateLabel::None || dated.is_timed;
            let is_own = is_set_off || place < WITHIN && (!is_long || dated.is_dateline);
            if is_own {
                self.claim_date(dated.date, label, Source::Visible, place * 4);
            }
        }
    }

    /// The meaning of a date. The names of an element around it may mark it as that of a change, or of something else
    /// than the page.
    fn named(&self, id: NodeId, label: DateLabel) -> DateLabel {
        let mut up = id;
        if label != DateLabel::None {
            return label;
        }
        for _ in 0..MOST_CLOSELY_AROUND {
            for (name, value) in self.attributes(up).filter(|_| !self.dom.node(up).tag.is_text()) {
                let is_class = name.eq_ignore_ascii_case("class");
                if is_class && CHANGED.iter().any(|part| value.contains(part)) {
                    return DateLabel::Changed;
                }
                if (is_class || name.eq_ignore_ascii_case("itemprop")) && is_of_other_thing(value) {
                    return DateLabel::Other;
                }
            }
            up = self.dom.node(up).parent;
        }
        label
    }
}

/// The first year of a day that people read and is believed: longer ago there was no Web.
const FIRST_YEAR: u32 = 1990;

/// The most bytes of the tag of an element around a day that are read.
const MOST_OF_TAG: usize = 4 << 10;

/// The properties that hold a day of publication or of change.
const DAYS: [&str; 4] = ["datepublished", "datecreated", "dateposted", "datemodified"];

/// Whether elements with a tag are parts of calendars and forms.
fn is_widget(tag: Tag) -> bool {
    matches!(
        tag,
        Tag::Td | Tag::Th | Tag::Input | Tag::Select | Tag::Option | Tag::Button | Tag::Textarea | Tag::Form
    )
}

/// Whether classes and properties are those of the day of something else than the page: an event, an offer, a birth.
fn is_of_other_thing(names: &str) -> bool {
    let lower = names.to_ascii_lowercase();
    let mut names = lower.split_ascii_whitespace();
    names.any(|name| {
        let has = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        !has(&LAYOUT) && (has(&OTHER_PARTS) || words.any(|word| OTHER_WORDS.contains(&word)))
    })
}

/// Parts of classes that only place an element on the screen: `items-end`, `pointer-events-none`.
const LAYOUT: [&str; 11] = [
    "items-", "justify-", "text-", "self-", "content-", "align-", "float-", "place-", "col-", "row-", "pointer-",
];

/// Parts of such names, and whole words of them.
const OTHER_PARTS: [&str; 10] = [
    "startdate",
    "enddate",
    "birth",
    "valid",
    "expir",
    "event",
    "dtstart",
    "dtend",
    "countdown",
    "deadline",
];
const OTHER_WORDS: [&str; 5] = ["start", "starts", "end", "ends", "until"];

/// Parts of the classes of days of change.
const CHANGED: [&str; 4] = ["updated", "modified", "-changed", "lastmod"];

/// How many elements around a day can be named so.
const MOST_CLOSELY_AROUND: usize = 3;

/// Whether a class or identifier is that of a reader's comment. The class of a post can mean that it is open to
/// comments.
fn is_comment_name(value: &str) -> bool {
    let mut names = value.split_ascii_whitespace();
    let is_comment = |name: &str| {
        let Some(end) = name.strip_prefix("comment") else {
            return false;
        };
        // The parts of a comment: `comment-body`, `comment__date`, `comment-1234`.
        let is_part = end.starts_with(['-', '_']);
        let end = end.strip_prefix('s').unwrap_or(end);
        is_part || matches!(end, "" | "list" | "-list" | "metadata")
    };
    names.any(is_comment)
}

/// Whether a text may have a date whose year has two digits. Quick: most texts have no such marks between digits.
fn may_have_short_date(raw: &str) -> bool {
    let bytes = raw.as_bytes();
    let is_mark = |at: usize, mark: u8| bytes.get(at) == Some(&mark);
    let mut marks = memchr::memchr2_iter(b'.', b'/', bytes);
    raw.len() < MOST_BYTES && marks.any(|at| is_mark(at + 3, bytes[at]) || bytes[at] == b'/' && is_mark(at + 2, b'/'))
}
