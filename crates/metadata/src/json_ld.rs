//! JSON-LD: the facts about the page in `script` elements of type `application/ld+json`.
//!
//! Of all the things that such a script describes, one is the page's subject: the first article, posting, product or
//! similar at the top, in a `@graph`, or as the `mainEntity` of the page. A page with several articles of
//! equal standing is a list of them, and none of them is the page's subject.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use dehusk_html::json::{Json, JsonId as Id, JsonKind, local_name, unescape};
use dehusk_html::references::decode_references;
use dehusk_html::{Dom, NodeId, Tag};
use memchr::memmem::Finder;

use super::evidence::{Claims, Field, LONGEST, Source};
use super::kind::kind_of;

/// The most bytes of one script that are read. The rest is ignored.
const MOST_BYTES: usize = 1 << 20;

/// The most scripts of a page that are read.
const MOST_SCRIPTS: usize = 32;

/// How deep subjects are looked for: `@graph` in an array, `mainEntity` in a page, and so on.
const DEEPEST: usize = 5;

/// Kinds of things that a page shows or writes about. Their licenses are not those of its text.
const SHOWN: [&str; 6] = ["audio", "dataset", "product", "review", "software", "video"];

/// More articles than this at the top are a list of articles.
const MOST_ARTICLES: usize = 1;

/// Collects the facts in a page's scripts.
#[derive(Debug, Default)]
pub(super) struct Scripts {
    seen: usize,
    bytes: usize,
}

impl Scripts {
    /// Reads one `script` element if it is of the right type.
    pub(super) fn read(&mut self, dom: &Dom<'_>, id: NodeId, claims: &mut Claims) {
        if !is_json_ld(dom, id) || self.seen == MOST_SCRIPTS || self.bytes >= MOST_BYTES {
            return;
        }
        let raw_text = |child: &NodeId| dom.node(*child).tag == Tag::RawText;
        let Some(text) = dom.children(id).find(raw_text) else {
            return;
        };
        self.seen += 1;
        let text = dom.raw(text);
        let text = &text[..text.floor_char_boundary(MOST_BYTES - self.bytes)];
        self.bytes += text.len();
        read_text(text, &mut |json| describe(json, claims));
    }
}

/// Whether a `script` element is of the right type.
fn is_json_ld(dom: &Dom<'_>, id: NodeId) -> bool {
    static TYPE: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("ld+json"));
    TYPE.find(dom.raw(id).as_bytes()).is_some()
}

/// Gives the addresses of licenses that a `script` element states for the page or its subject, if it is of the right
/// type. Those of pictures and other parts are left out.
pub(super) fn licenses(dom: &Dom<'_>, id: NodeId, each: &mut dyn FnMut(&str)) {
    let raw_text = |child: &NodeId| dom.node(*child).tag == Tag::RawText;
    let has_license = |id: NodeId| memchr::memmem::find(dom.raw(id).as_bytes(), b"license").is_some();
    let Some(text) = dom
        .children(id)
        .find(raw_text)
        .filter(|text| is_json_ld(dom, id) && has_license(*text))
    else {
        return;
    };
    let text = dom.raw(text);
    read_text(&text[..text.floor_char_boundary(MOST_BYTES)], &mut |json| {
        let things = Things::new(json);
        let mut subjects = subjects(json);
        subjects.retain(|subject| !SHOWN.contains(&subject.kind));
        let main = main_subject(&subjects).filter(|_| !is_list(&subjects));
        let pages = subjects.iter().filter(|subject| subject.relation == Relation::Page);
        for license in main.into_iter().chain(pages).filter_map(|s| json.get(s.id, "license")) {
            things.addresses(license, 0, each);
        }
    });
}

/// Reads the text of a script, which may be escaped once more.
fn read_text(text: &str, take: &mut dyn FnMut(&Json<'_>)) {
    let start = text.find(['{', '[', '"']).map_or("", |at| &text[at..]);
    let inner = |text: &str| text.trim_start_matches(['{', '[']).trim_start().to_owned();
    let glance = inner(&start[..start.floor_char_boundary(64)]);
    if glance.starts_with("&quot;") || glance.starts_with("&#34;") {
        return take(&Json::read(&decode_references(text)));
    }
    if glance.starts_with("\\\"") || glance.starts_with("\\n") {
        return take(&Json::read(&unescape(start)));
    }
    let json = Json::read(text);
    let mut roots = json.roots();
    match roots.next() {
        // The whole text is a string that holds JSON.
        Some(root) if json.kind(root) == JsonKind::String => take(&Json::read(&json.string(root))),
        _ => take(&json),
    }
}

/// Claims the facts in the values of a script.
fn describe(json: &Json<'_>, claims: &mut Claims) {
    let subjects = subjects(json);
    let things = Things::new(json);
    if let Some(main) = main_subject(&subjects) {
        Subject::claim(&things, main, 0, claims);
    }
    for subject in &subjects {
        match subject.relation {
            Relation::Page => Subject::claim(&things, subject, 10, claims),
            Relation::Site => {
                if let Some(name) = json.get(subject.id, "name") {
                    claims.add(Field::Site, Source::JsonLd, 1, &json.string(name));
                }
            }
            Relation::Subject => {}
        }
    }
}

/// The relation of a described thing to the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// Its subject.
    Subject,
    /// The page itself.
    Page,
    /// The site that it is on.
    Site,
}

/// A described thing.
#[derive(Debug)]
struct Subject {
    id: Id,
    relation: Relation,
    kind: &'static str,
}

/// Everything of a script that may be the page, its subject or its site, in the order of the script.
fn subjects(json: &Json<'_>) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for root in json.roots() {
        find_subjects(json, root, 0, &mut subjects);
    }
    subjects
}

/// Whether the page is a list of articles, none of which is its subject.
fn is_list(subjects: &[Subject]) -> bool {
    subjects.iter().filter(|subject| subject.is_article()).count() > MOST_ARTICLES
}

/// The page's own subject.
fn main_subject(subjects: &[Subject]) -> Option<&Subject> {
    let is_list = is_list(subjects);
    let mut main = subjects.iter().filter(|s| s.relation == Relation::Subject);
    main.find(|subject| !(is_list && subject.is_article()))
}

fn find_subjects(json: &Json<'_>, id: Id, depth: usize, subjects: &mut Vec<Subject>) {
    if depth > DEEPEST || subjects.len() > 64 {
        return;
    }
    if json.kind(id) == JsonKind::Array {
        json.items(id)
            .for_each(|item| find_subjects(json, item, depth + 1, subjects));
        return;
    }
    if json.kind(id) != JsonKind::Object {
        return;
    }
    if let Some(subject) = subject(json, id) {
        subjects.push(subject);
    }
    for item in json.items(id) {
        if matches!(json.key(item), "@graph" | "mainEntity" | "mainEntityOfPage") {
            find_subjects(json, item, depth + 1, subjects);
        }
    }
}

fn subject(json: &Json<'_>, id: Id) -> Option<Subject> {
    let types = json.get(id, "@type")?;
    let names: Vec<_> = match json.kind(types) {
        JsonKind::Array => json.items(types).map(|name| json.string(name)).collect(),
        _ => vec![json.string(types)],
    };
    let kind = names.iter().find_map(|name| kind_of(local_name(name)))?;
    let is_page_type = names.iter().any(|name| name.ends_with("Page"));
    let relation = match kind {
        "page" | "list" => Relation::Page,
        "website" => Relation::Site,
        "organization" | "person" | "place" if !is_page_type => return None,
        _ if is_page_type => Relation::Page,
        _ => Relation::Subject,
    };
    Some(Subject { id, relation, kind })
}

impl Subject {
    fn is_article(&self) -> bool {
        self.relation == Relation::Subject && self.kind == "article"
    }

    /// Claims the facts about a subject. `base` is added to the ranks.
    fn claim(things: &Things<'_, '_>, subject: &Subject, base: u8, claims: &mut Claims) {
        let json = things.json;
        claims.add(Field::Kind, Source::JsonLd, base, subject.kind);
        for item in json.items(subject.id) {
            let mut claim = |field, rank: u8, value: &str| claims.add(field, Source::JsonLd, base + rank, value);
            let mut plain = |field, rank| {
                if json.len(item) <= LONGEST {
                    claim(field, rank, &json.string(item));
                }
            };
            match json.key(item) {
                "headline" => plain(Field::Title, 0),
                "name" => plain(Field::Title, 1),
                "datePublished" => plain(Field::Published, 0),
                "uploadDate" | "datePosted" => plain(Field::Published, 1),
                "dateCreated" => plain(Field::Published, 2),
                "dateModified" => plain(Field::Modified, 0),
                "description" => plain(Field::Description, 0),
                "url" => plain(Field::Canonical, 0),
                "author" => things.names(item, 0, &mut |rank, name| claim(Field::Author, rank, name)),
                "creator" => things.names(item, 0, &mut |rank, name| claim(Field::Author, rank + 2, name)),
                "publisher" => things.names(item, 0, &mut |_, name| claim(Field::Site, 2, name)),
                "keywords" => texts(json, item, &mut |text| claim(Field::Keywords, 0, text)),
                "image" => {
                    if let Some(image) = image(json, item) {
                        claim(Field::Image, 0, &json.string(image));
                    }
                }
                _ => {}
            }
        }
    }
}

/// A name, and whether it is that of an organization.
#[derive(Clone, Copy, Debug)]
struct Name {
    id: Id,
    is_organization: bool,
}

/// The things that a script describes.
struct Things<'j, 't> {
    json: &'j Json<'t>,
    /// Names by `@id`, made when one is first asked for: a page can refer to others thousands of times.
    names: OnceCell<HashMap<Cow<'t, str>, Name>>,
    /// The values of `url` by `@id`, made in the same way.
    urls: OnceCell<HashMap<Cow<'t, str>, Id>>,
}

impl<'j, 't> Things<'j, 't> {
    fn new(json: &'j Json<'t>) -> Self {
        Self {
            json,
            names: OnceCell::new(),
            urls: OnceCell::new(),
        }
    }

    /// The names of persons (rank 0) and organizations (rank 1).
    fn names(&self, id: Id, depth: usize, each: &mut dyn FnMut(u8, &str)) {
        let json = self.json;
        match json.kind(id) {
            JsonKind::Literal => {}
            JsonKind::String => each(0, &json.string(id)),
            JsonKind::Array if depth < 2 => json.items(id).for_each(|item| self.names(item, depth + 1, each)),
            JsonKind::Array => {}
            JsonKind::Object => {
                if let Some(name) = self.name(id).or_else(|| self.referenced(id)) {
                    let rank = u8::from(name.is_organization);
                    texts(json, name.id, &mut |name| each(rank, name));
                }
            }
        }
    }

    fn name(&self, id: Id) -> Option<Name> {
        let of_type = self.json.get(id, "@type");
        Some(Name {
            id: self.json.get(id, "name")?,
            is_organization: of_type.is_some_and(|t| self.json.string(t).ends_with("Organization")),
        })
    }

    /// The name of an object that is only an `@id`, and described elsewhere in the script.
    fn referenced(&self, id: Id) -> Option<Name> {
        let reference = self.json.get(id, "@id")?;
        let names = self.names.get_or_init(|| self.by_id(|id| self.name(id)));
        names.get(&self.json.string(reference)).copied()
    }

    /// The results of `value` for the objects that have an `@id`, by that; of several with the same, the first.
    fn by_id<V>(&self, value: impl Fn(Id) -> Option<V>) -> HashMap<Cow<'t, str>, V> {
        let mut values = HashMap::new();
        for id in 0..self.json.count() {
            if let (Some(own), Some(value)) = (self.json.get(id, "@id"), value(id)) {
                values.entry(self.json.string(own)).or_insert(value);
            }
        }
        values
    }

    /// Gives the addresses that a value is, has or refers to.
    fn addresses(&self, id: Id, depth: usize, each: &mut dyn FnMut(&str)) {
        let json = self.json;
        match json.kind(id) {
            JsonKind::String => each(json.string(id).trim()),
            JsonKind::Array if depth == 0 => json.items(id).for_each(|item| self.addresses(item, 1, each)),
            JsonKind::Object => {
                if let Some(address) = json.get(id, "url").or_else(|| self.referenced_url(id)) {
                    each(json.string(address).trim());
                }
            }
            _ => {}
        }
    }

    /// The `url` of the object that an `@id` refers to; without one, the `@id`, which is an address itself.
    fn referenced_url(&self, id: Id) -> Option<Id> {
        let reference = self.json.get(id, "@id")?;
        let urls = self.urls.get_or_init(|| self.by_id(|id| self.json.get(id, "url")));
        Some(urls.get(&self.json.string(reference)).copied().unwrap_or(reference))
    }
}

/// A string, or each string of an array.
fn texts(json: &Json<'_>, id: Id, each: &mut dyn FnMut(&str)) {
    match json.kind(id) {
        JsonKind::String => each(&json.string(id)),
        JsonKind::Array => json.items(id).for_each(|item| {
            if json.kind(item) == JsonKind::String {
                each(&json.string(item));
            }
        }),
        JsonKind::Object => {
            if let Some(value) = json.get(id, "@value") {
                each(&json.string(value));
            }
        }
        JsonKind::Literal => {}
    }
}

/// The address of an image: a string, the `url` of an object, or the first of an array.
fn image(json: &Json<'_>, id: Id) -> Option<Id> {
    let id = match json.kind(id) {
        JsonKind::Array => json.items(id).next()?,
        _ => id,
    };
    match json.kind(id) {
        JsonKind::Object => json.get(id, "url").or_else(|| json.get(id, "contentUrl")),
        JsonKind::String => Some(id),
        _ => None,
    }
}
