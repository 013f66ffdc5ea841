//! The kinds of nodes: every HTML element, with the properties that the parser and the renderers need.
//!
//! A [`Tag`] is one byte, so that passes over the nodes read little memory. The table for looking up names is built at
//! compile time, from the same list that defines the enum.

/// Declares the enum, its names and `ALL` from one list, so that they always agree.
macro_rules! tags {
    ($($variant:ident $name:literal)*) => {
        /// The kind of a node: a text, or an element with a known or unknown name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each variant is the element of its name")]
        pub enum Tag {
            /// Text of the page.
            Text,
            /// The content of `script`, `style` and the like, which is never shown as text.
            RawText,
            /// An element whose name is not in HTML, such as a custom element.
            Other,
            $($variant,)*
        }

        impl Tag {
            /// All tags, in the order of their numbers.
            pub const ALL: &'static [Tag] = &[Tag::Text, Tag::RawText, Tag::Other, $(Tag::$variant,)*];
        }

        /// Names by number. The first three are no element names, so no lookup finds them.
        const NAMES: &[&str] = &["#text", "#raw", "#other", $($name,)*];
    };
}

tags! {
    A "a" Abbr "abbr" Acronym "acronym" Address "address" Applet "applet" Area "area" Article "article" Aside "aside"
    Audio "audio" B "b" Base "base" Basefont "basefont" Bdi "bdi" Bdo "bdo" Bgsound "bgsound" Big "big" Blink "blink"
    Blockquote "blockquote" Body "body" Br "br" Button "button" Canvas "canvas" Caption "caption" Center "center"
    Cite "cite" Code "code" Col "col" Colgroup "colgroup" Data "data" Datalist "datalist" Dd "dd" Del "del"
    Details "details" Dfn "dfn" Dialog "dialog" Dir "dir" Div "div" Dl "dl" Dt "dt" Em "em" Embed "embed"
    Fieldset "fieldset" Figcaption "figcaption" Figure "figure" Font "font" Footer "footer" Form "form" Frame "frame"
    Frameset "frameset" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" Head "head" Header "header" Hgroup "hgroup"
    Hr "hr" Html "html" I "i" Iframe "iframe" Image "image" Img "img" Input "input" Ins "ins" Isindex "isindex"
    Kbd "kbd" Keygen "keygen" Label "label" Legend "legend" Li "li" Link "link" Listing "listing" Main "main"
    Map "map" Mark "mark" Marquee "marquee" Math "math" Menu "menu" Menuitem "menuitem" Meta "meta" Meter "meter"
    Multicol "multicol" Nav "nav" Nextid "nextid" Nobr "nobr" Noembed "noembed" Noframes "noframes"
    Noscript "noscript" Object "object" Ol "ol" Optgroup "optgroup" Option "option" Output "output" P "p"
    Param "param" Picture "picture" Plaintext "plaintext" Pre "pre" Progress "progress" Q "q" Rb "rb" Rp "rp" Rt "rt"
    Rtc "rtc" Ruby "ruby" S "s" Samp "samp" Script "script" Search "search" Section "section" Select "select"
    Selectedcontent "selectedcontent" Slot "slot" Small "small" Source "source" Spacer "spacer" Span "span"
    Strike "strike" Strong "strong" Style "style" Sub "sub" Summary "summary" Sup "sup" Svg "svg" Table "table"
    Tbody "tbody" Td "td" Template "template" Textarea "textarea" Tfoot "tfoot" Th "th" Thead "thead" Time "time"
    Title "title" Tr "tr" Track "track" Tt "tt" U "u" Ul "ul" Var "var" Video "video" Wbr "wbr" Xmp "xmp"
}

/// The number of tags, for arrays indexed by tag.
pub const TAG_COUNT: usize = NAMES.len();

/// The length of the longest element name.
const LONGEST: usize = 16;
/// The number of slots in the name table: a power of two, large enough that a lookup rarely needs a second slot.
const SLOTS: usize = 1024;

/// A lower-case name of up to 16 bytes, packed into two integers. Shorter names are padded with zeros.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u64, u64);

impl Key {
    /// Packs a name with its ASCII letters in lower case. The caller checks the length.
    #[inline]
    const fn pack(name: &[u8]) -> Key {
        let (mut low, mut high) = (0u64, 0u64);
        let mut i = 0;
        while i < name.len() {
            let byte = name[i].to_ascii_lowercase() as u64;
            if i < 8 {
                low |= byte << (8 * i);
            } else {
                high |= byte << (8 * (i - 8));
            }
            i += 1;
        }
        Key(low, high)
    }

    /// The first slot to try.
    #[inline]
    const fn slot(self) -> usize {
        (self.0 ^ self.1.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> (64 - SLOTS.trailing_zeros())
    }
}

/// Keys by tag number. The three tags without a name have empty keys.
const KEYS: [Key; TAG_COUNT] = {
    let mut keys = [Key(0, 0); TAG_COUNT];
    let mut i = Tag::A as usize;
    while i < TAG_COUNT {
        keys[i] = Key::pack(NAMES[i].as_bytes());
        i += 1;
    }
    keys
};

/// By tag number, the bits of the name and the `>` after it among eight bytes, and their values. A name of more than seven
/// bytes, or none, is equal to nothing.
static PLAIN_ENDS: [(u64, u64); TAG_COUNT] = {
    let mut ends = [(0, 1); TAG_COUNT];
    let mut i = Tag::A as usize;
    while i < TAG_COUNT {
        let length = NAMES[i].len();
        if length < 8 {
            ends[i] = (u64::MAX >> (56 - 8 * length), KEYS[i].0 | (b'>' as u64) << (8 * length));
        }
        i += 1;
    }
    ends
};

/// A hash table with open addressing: the tag is in the slot of its key or in one of the next. [`Tag::Other`] is an
/// empty slot.
static TABLE: [Tag; SLOTS] = {
    let mut table = [Tag::Other; SLOTS];
    let mut i = Tag::A as usize;
    while i < TAG_COUNT {
        let mut slot = KEYS[i].slot();
        while table[slot] as u8 != Tag::Other as u8 {
            slot = (slot + 1) % SLOTS;
        }
        table[slot] = Tag::ALL[i];
        i += 1;
    }
    table
};

const VOID: u16 = 1;
const BLOCK: u16 = 1 << 1;
const SPACED: u16 = 1 << 2;
const HEADING: u16 = 1 << 3;
const RAW: u16 = 1 << 4;
const SPECIAL: u16 = 1 << 5;
const SCOPE: u16 = 1 << 6;
const FORMATTING: u16 = 1 << 7;
const CLOSES_P: u16 = 1 << 8;
const IMPLIED_END: u16 = 1 << 9;
const HEAD_CONTENT: u16 = 1 << 10;
const BREAKOUT: u16 = 1 << 11;
const MARKER: u16 = 1 << 12;
const HIDDEN: u16 = 1 << 13;

/// Properties by tag number.
static PROPERTIES: [u16; TAG_COUNT] = {
    use Tag::*;
    let lists: &[(u16, &[Tag])] = &[
        (
            VOID,
            &[
                Area, Base, Basefont, Bgsound, Br, Col, Embed, Frame, Hr, Image, Img, Input, Keygen, Link, Meta, Param,
                Source, Track, Wbr,
            ],
        ),
        (
            BLOCK,
            &[
                Address, Article, Aside, Blockquote, Body, Caption, Center, Dd, Details, Dialog, Dir, Div, Dl, Dt,
                Fieldset, Figcaption, Figure, Footer, Form, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr,
                Html, Legend, Li, Listing, Main, Menu, Multicol, Nav, Ol, Optgroup, Option, P, Plaintext, Pre, Search,
                Section, Summary, Table, Tbody, Tfoot, Thead, Title, Tr, Ul, Xmp,
            ],
        ),
        (SPACED, &[Td, Th, Button, Select, Textarea]),
        (HEADING, &[H1, H2, H3, H4, H5, H6]),
        (RAW, &[Script, Style, Iframe, Noembed, Noframes]),
        (
            SPECIAL,
            &[
                Address, Applet, Area, Article, Aside, Base, Basefont, Bgsound, Blockquote, Body, Br, Button, Caption,
                Center, Col, Colgroup, Dd, Details, Dir, Div, Dl, Dt, Embed, Fieldset, Figcaption, Figure, Footer,
                Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, Html, Iframe, Img, Input,
                Isindex, Keygen, Li, Link, Listing, Main, Marquee, Menu, Meta, Nav, Noembed, Noframes, Noscript,
                Object, Ol, P, Param, Plaintext, Pre, Script, Search, Section, Select, Source, Style, Summary, Table,
                Tbody, Td, Template, Textarea, Tfoot, Th, Thead, Title, Tr, Track, Ul, Wbr, Xmp,
            ],
        ),
        (
            SCOPE,
            &[Applet, Caption, Html, Table, Td, Th, Marquee, Object, Select, Template],
        ),
        (
            FORMATTING,
            &[A, B, Big, Code, Em, Font, I, Nobr, S, Small, Strike, Strong, Tt, U],
        ),
        (
            CLOSES_P,
            &[
                Address, Article, Aside, Blockquote, Center, Details, Dialog, Dir, Div, Dl, Fieldset, Figcaption,
                Figure, Footer, Header, Hgroup, Main, Nav, Ol, P, Search, Section, Summary, Ul, Menu, H1, H2, H3, H4,
                H5, H6, Pre, Listing, Form, Li, Dd, Dt, Plaintext, Hr, Xmp,
            ],
        ),
        (IMPLIED_END, &[Dd, Dt, Li, Optgroup, Option, P, Rb, Rp, Rt, Rtc]),
        (
            HEAD_CONTENT,
            &[
                Base, Basefont, Bgsound, Link, Meta, Title, Noscript, Noframes, Style, Script, Template,
            ],
        ),
        (
            BREAKOUT,
            &[
                B, Big, Blockquote, Body, Br, Center, Code, Dd, Div, Dl, Dt, Em, Embed, H1, H2, H3, H4, H5, H6, Head,
                Hr, I, Img, Li, Listing, Menu, Meta, Nobr, Ol, P, Pre, Ruby, S, Small, Span, Strong, Strike, Sub, Sup,
                Table, Tt, U, Ul, Var,
            ],
        ),
        (MARKER, &[Applet, Caption, Marquee, Object, Td, Template, Th]),
        (
            HIDDEN,
            &[Head, Iframe, Noembed, Noframes, RawText, Script, Style, Template, Title],
        ),
    ];
    let mut properties = [0u16; TAG_COUNT];
    let mut i = 0;
    while i < lists.len() {
        let (bit, tags) = lists[i];
        let mut j = 0;
        while j < tags.len() {
            properties[tags[j] as usize] |= bit;
            j += 1;
        }
        i += 1;
    }
    properties
};

impl Tag {
    /// The tag of an element name in any case. [`Tag::Other`] if HTML has no such element.
    #[inline]
    pub fn from_name(name: &[u8]) -> Tag {
        if name.len() > LONGEST || name.last() == Some(&0) {
            return Tag::Other;
        }
        // In a packed name, a NUL at the end would look like padding.
        Tag::with_key(Key::pack(name))
    }

    /// The tag of a name of less than eight bytes, none of them NUL or a capital letter. The first is the lowest of
    /// `name`; zeros follow the last.
    #[inline]
    pub(super) fn from_short_name(name: u64) -> Tag {
        Tag::with_key(Key(name, 0))
    }

    /// Whether eight bytes, the lowest first, start with the tag's name in small letters and `>`.
    #[inline]
    pub(super) fn starts_plain_end(self, eight: u64) -> bool {
        let (bits, end) = PLAIN_ENDS[self as usize];
        eight & bits == end
    }

    #[inline]
    fn with_key(key: Key) -> Tag {
        let mut slot = key.slot();
        loop {
            let tag = TABLE[slot];
            if tag == Tag::Other || KEYS[tag as usize] == key {
                return tag;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// The element name in lower case. `#text`, `#raw` and `#other` for the tags without a name of their own.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }

    #[inline]
    const fn has(self, bit: u16) -> bool {
        PROPERTIES[self as usize] & bit != 0
    }

    /// Whether the node is a text, visible or not.
    #[inline]
    pub fn is_text(self) -> bool {
        matches!(self, Tag::Text | Tag::RawText)
    }

    /// Whether the element has no content and no end tag, like `br`.
    #[inline]
    pub fn is_void(self) -> bool {
        self.has(VOID)
    }

    /// Whether the element is a block: its start and end separate paragraphs.
    #[inline]
    pub const fn is_block(self) -> bool {
        self.has(BLOCK)
    }

    /// Whether the start and end of the element separate words, but not paragraphs: table cells and form controls.
    #[inline]
    pub const fn is_spaced(self) -> bool {
        self.has(SPACED)
    }

    /// Whether the element is one of `h1` to `h6`.
    #[inline]
    pub fn is_heading(self) -> bool {
        self.has(HEADING)
    }

    /// Whether the content of the element is a [`Tag::RawText`]: `script`, `style`, and the fallback of frames and
    /// plug-ins.
    #[inline]
    pub fn is_raw(self) -> bool {
        self.has(RAW)
    }

    /// Whether the content of the element is never shown as text of the page: [`Tag::is_raw`], `head`, `title`,
    /// `template`, and raw text itself.
    #[inline]
    pub const fn is_hidden(self) -> bool {
        self.has(HIDDEN)
    }

    /// Whether the element is "special" in the specification. The end tag of an ordinary element does not close it.
    #[inline]
    pub fn is_special(self) -> bool {
        self.has(SPECIAL)
    }

    /// Whether the element limits the specification's default scope. The end tag of a block does not close it.
    #[inline]
    pub fn is_scope(self) -> bool {
        self.has(SCOPE)
    }

    /// Whether the element is a formatting element in the specification: `a`, `b`, `font` and so on.
    #[inline]
    pub fn is_formatting(self) -> bool {
        self.has(FORMATTING)
    }

    /// Whether the start tag closes an open `p`.
    #[inline]
    pub fn closes_p(self) -> bool {
        self.has(CLOSES_P)
    }

    /// Whether the end tag is optional before the end of an enclosing element.
    #[inline]
    pub fn has_implied_end(self) -> bool {
        self.has(IMPLIED_END)
    }

    /// Whether the element is allowed in `head`.
    #[inline]
    pub fn is_head_content(self) -> bool {
        self.has(HEAD_CONTENT)
    }

    /// Whether the start tag closes an `svg` or `math` that it is in.
    #[inline]
    pub fn leaves_foreign(self) -> bool {
        self.has(BREAKOUT)
    }

    /// Whether formatting elements outside of the element have no effect inside.
    #[inline]
    pub fn is_marker(self) -> bool {
        self.has(MARKER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_in_any_case() {
        assert_eq!(Tag::ALL.len(), TAG_COUNT);
        for (number, &tag) in Tag::ALL.iter().enumerate() {
            assert_eq!(tag as usize, number);
            if number >= Tag::A as usize {
                assert!(tag.name().len() <= LONGEST);
                assert_eq!(Tag::from_name(tag.name().as_bytes()), tag);
                assert_eq!(Tag::from_name(tag.name().to_ascii_uppercase().as_bytes()), tag);
            }
        }
    }

    #[test]
    fn unknown_names_are_other() {
        for name in [
            "",
            "#text",
            "#raw",
            "x",
            "h7",
            "divv",
            "my-element",
            "blockquotes",
            "foreignobject",
            "h\u{11}",
            "a\0",
            "é",
        ] {
            assert_eq!(Tag::from_name(name.as_bytes()), Tag::Other, "{name:?}");
        }
        assert_eq!(Tag::from_name(&[b'a'; 100]), Tag::Other);
    }

    #[test]
    fn properties_are_as_expected() {
        assert!(Tag::Br.is_void() && !Tag::P.is_void());
        assert!(Tag::Tr.is_block() && Tag::Li.is_block() && !Tag::Td.is_block() && !Tag::Span.is_block());
        assert!(Tag::Td.is_spaced() && Tag::Th.is_spaced());
        assert!(Tag::H6.is_heading() && !Tag::Header.is_heading());
        assert!(Tag::Script.is_raw() && !Tag::Title.is_raw());
        assert!(Tag::Text.is_text() && Tag::RawText.is_text() && !Tag::A.is_text());
    }
}
