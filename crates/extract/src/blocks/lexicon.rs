//! A lexicon of the words in `class`, `id`, `role` and `itemprop`, which show what an element is for.
//!
//! The lexicon is made by hand, and was not learned from a corpus. It holds words that web pages of all kinds have in
//! common, in English and in some other languages, and names of widgets that many sites use. A page without any of them
//! has no such features, and the models learn to do without.

use std::sync::OnceLock;

/// A set of kinds, a bit each.
pub(crate) type Kinds = u32;

/// A kind of element: its name, the weight that it has in the sums along a path, and its words.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) weight: i16,
    words: &'static str,
}

const fn kind(name: &'static str, weight: i16, words: &'static str) -> Kind {
    Kind { name, weight, words }
}

/// All kinds. The place of a kind in the list is its bit.
pub(crate) static KINDS: [Kind; 31] = [
    kind(
        "content",
        3,
        "content contents contenido conteudo contenu inhalt contenuto tresc main body richtext prose wysiwyg rte editor formatted",
    ),
    kind(
        "article",
        3,
        "article articles articulo articolo artikel artykul artigo story news noticia noticias entry post posts blog editorial permalink nota mainentity single hentry newsarticle blogposting",
    ),
    kind(
        "text",
        2,
        "text texto testo texte tekst paragraph para lead lede intro introduction abstract standfirst chapeau copy storytext articletext",
    ),
    kind(
        "teaser",
        -1,
        "teaser excerpt preview snippet blurb summary resumen tease deck",
    ),
    kind(
        "comment",
        -1,
        "comment comments commenting respond disqus reply replies kommentar kommentare comentario comentarios commentaire commentaires komentarz komentarze commento commenti livefyre guestbook usercomments",
    ),
    kind(
        "forum",
        1,
        "thread forum message messages discussion question answer posting postbody bbcode qa replycontent postcontent answers questions postmessage bbwrapper acceptedanswer suggestedanswer",
    ),
    kind(
        "author",
        -1,
        "author authors byline autor auteur autore writer contributor avatar profile user username bio signature",
    ),
    kind(
        "time",
        -1,
        "date time published timestamp fecha datum updated posted datetime pubdate datepublished posttime",
    ),
    kind(
        "share",
        -3,
        "share sharing social socials follow facebook twitter tweet linkedin pinterest whatsapp addthis addtoany sharebar shareing rss reddit telegram sharethis vkontakte weibo instagram youtube",
    ),
    kind(
        "related",
        -3,
        "related recommend recommended recommendation recommendations more also popular trending latest recent similar suggest suggested readmore upnext outbrain taboola relacionadas relacionados mehr correlati powiazane crosslink upsell crosssell mostread alsolike zergnet",
    ),
    kind(
        "nav",
        -3,
        "nav navi navigation navbar menu menus breadcrumb breadcrumbs crumb crumbs toc sitemap dropdown submenu megamenu subnav topnav sidenav mainnav navlink linklist quicklinks hamburger",
    ),
    kind(
        "pager",
        -2,
        "pagination pager paging pages pagenav paginator next prev previous loadmore pagenumbers nextprev",
    ),
    kind(
        "foot",
        -3,
        "foot footer footnote bottom copyright colophon legal disclaimer terms privacy imprint impressum contentinfo pagefooter sitefooter",
    ),
    kind(
        "head",
        -1,
        "header head masthead topbar banner hero logo brand branding siteheader pageheader toolbar top jumbotron",
    ),
    kind(
        "title",
        1,
        "title headline heading subtitle kicker titulo titel titre titolo tytul subheading caption name",
    ),
    kind(
        "side",
        -3,
        "side sidebar widget widgets aside rail secondary complementary rightcol leftcol rightcolumn leftcolumn right left gutter sidecol seitenleiste",
    ),
    kind(
        "ad",
        -3,
        "ad ads adv advert adverts advertisement advertising sponsor sponsored sponsors promo promos promotion promotions promoted dfp gpt adsense doubleclick werbung anzeige reklama publicidad publicite partner partners affiliate adslot adbox adunit",
    ),
    kind(
        "signup",
        -2,
        "newsletter subscribe subscription subscriber signup login signin register registration account paywall donate mailing optin leadform",
    ),
    kind(
        "control",
        -2,
        "button buttons btn cta form input field fieldset label action actions submit select checkbox toolbox control controls dropdowns",
    ),
    kind(
        "modal",
        -3,
        "modal popup cookie cookies consent gdpr overlay lightbox dialog alert notice toast tooltip ccpa onetrust cookiebar cookiebanner interstitial drawer offcanvas flyout notification",
    ),
    kind(
        "product",
        1,
        "product products produkt producto price prices preis precio cart basket buy sku shop checkout stock offer offers purchase variant quantity wishlist pdp",
    ),
    kind(
        "detail",
        2,
        "description desc descr spec specs specification specifications feature features detail details attribute attributes overview info information about beschreibung descripcion",
    ),
    kind(
        "review",
        0,
        "review reviews rating ratings stars testimonial testimonials feedback score bewertung",
    ),
    kind(
        "tag",
        -2,
        "tag tags category categories categoria topic topics keyword keywords taxonomy meta metadata postmeta tagcloud catlinks",
    ),
    kind(
        "media",
        -1,
        "image images img photo photos picture gallery carousel slider slide slideshow swiper video media figure thumb thumbnail thumbnails credit embed player icon icons foto galerie imagen audio podcast",
    ),
    kind(
        "list",
        0,
        "list lists grid card cards tile tiles item items result results listing listings archive collection feed loop masonry row rows catalog directory index",
    ),
    kind(
        "tab",
        0,
        "tab tabs accordion collapse collapsible toggle panel panels faq expand expander faqs pane",
    ),
    kind(
        "search",
        -2,
        "search searchbox filter filters facet facets sort sorting suche buscar recherche sortby refine query",
    ),
    kind(
        "code",
        2,
        "code highlight codeblock docs doc documentation api markdown wiki readme syntax mediawiki document page section chapter tutorial guide",
    ),
    kind(
        "hidden",
        -1,
        "hidden hide invisible sronly visuallyhidden screenreader offscreen print noprint mobile desktop skip skiplink fallback noscript",
    ),
    kind(
        "layout",
        0,
        "wrapper wrap container inner outer layout column columns col block module component region area center primary middle box group",
    ),
];

/// The kind of what leads through the page or the site.
pub(crate) const NAV: Kinds = 1 << 10;

/// The kind of what is beside the text.
pub(crate) const SIDE: Kinds = 1 << 15;

/// The kind of what leads to other things, such as those that are recommended.
pub(crate) const RELATED: Kinds = 1 << 9;

/// The kind of what searches, filters and sorts.
pub(crate) const SEARCH: Kinds = 1 << 27;

/// The kind of the comments of readers.
pub(crate) const COMMENT: Kinds = 1 << 4;

/// A trie over the letters `a` to `z`: the node after each letter, and the kind that a word ends with.
struct Trie {
    next: Vec<[u16; 26]>,
    ends: Vec<Option<u8>>,
    /// The third letters of words by their first two, a bit each.
    starts: [[u32; 26]; 26],
}

impl Trie {
    fn new() -> Self {
        let mut trie = Self {
            next: vec![[0; 26]],
            ends: vec![None],
            starts: [[0; 26]; 26],
        };
        for (kind, word) in KINDS
            .iter()
            .enumerate()
            .flat_map(|(k, kind)| kind.words.split(' ').map(move |w| (k, w)))
        {
            if let [first, second, third, ..] = word.as_bytes() {
                trie.starts[usize::from(first - b'a')][usize::from(second - b'a')] |= 1 << (third - b'a');
            }
            let mut at = 0;
            for letter in word.bytes().map(|b| usize::from(b - b'a')) {
                if trie.next[at][letter] == 0 {
                    trie.next[at][letter] = trie.next.len() as u16;
                    trie.next.push([0; 26]);
                    trie.ends.push(None);
                }
                at = usize::from(trie.next[at][letter]);
            }
            // The first kind that lists a word has it.
            trie.ends[at].get_or_insert(kind as u8);
        }
        trie
    }

    /// The length and the kind of the longest word that `text` starts with.
    fn longest(&self, text: &[u8], may_be: impl Fn(usize) -> bool) -> Option<(usize, u8)> {
        let (mut at, mut found) = (0, None);
        for (i, byte) in text.iter().enumerate() {
            at = usize::from(self.next[at][usize::from(byte - b'a')]);
            if at == 0 {
                break;
            }
            if let Some(kind) = self.ends[at]
                && may_be(i + 1)
            {
                found = Some((i + 1, kind));
            }
        }
        found
    }
}

/// Looks up attribute values. Remembers runs of letters that it has seen, since pages repeat them.
#[derive(Debug)]
pub(crate) struct Lexicon {
    /// Runs of up to 12 letters with their kinds. A run has one slot, and the last run with that slot is remembered.
    seen: Vec<(u64, Kinds)>,
}

impl Default for Lexicon {
    fn default() -> Self {
        Self {
            seen: vec![(0, 0); 1 << SLOT_BITS],
        }
    }
}

const SLOT_BITS: u32 = 12;

/// The number of each letter, 1 to 26; 0 for other bytes.
static LETTERS: [u8; 256] = {
    let mut letters = [0; 256];
    let mut letter = b'a';
    while letter <= b'z' {
        letters[letter as usize] = letter - b'a' + 1;
        letters[letter.to_ascii_uppercase() as usize] = letter - b'a' + 1;
        letter += 1;
    }
    letters
};

/// The longest run of letters that is remembered: a letter takes five bits.
const LONGEST_SEEN: usize = 12;

#[inline]
fn mix(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Lexicon {
    /// The kinds that an attribute's value names, and a hash of the value in which all digits are equal.
    ///
    /// The value is cut into runs of letters; `postBody` is two. A run may be made of several words, such as
    /// `sidebarright`. A word of up to three letters must be a whole run, and one of four must start or end it: `ads`
    /// is not a part of `roads`.
    pub(crate) fn read(&mut self, value: &str) -> (Kinds, u64) {
        let bytes = value.as_bytes();
        let mut kinds = 0;
        let mut masked = 0u64;
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            let from = at;
            let mut letter = LETTERS[usize::from(first)];
            if letter == 0 {
                let byte = if first.is_ascii_digit() { b'#' } else { first };
                masked = masked.rotate_left(8) ^ u64::from(byte);
                at += 1;
                continue;
            }
            // The letters as one number. It is exact for so many as are remembered.
            let mut key = 0u64;
            while letter != 0 {
                key = key.rotate_left(5) ^ u64::from(letter);
                let is_small = bytes[at] >= b'a';
                at += 1;
                let next = bytes.get(at).copied().unwrap_or(b' ');
                // A capital after a small letter starts a word.
                letter = if is_small && next <= b'Z' {
                    0
                } else {
                    LETTERS[usize::from(next)]
                };
            }
            let mixed = mix(masked ^ key);
            masked = mixed ^ mixed >> 32;
            match at - from {
                1 => {}
                2..=LONGEST_SEEN => {
                    let slot = &mut self.seen[(mix(key) >> (64 - SLOT_BITS)) as usize];
                    if slot.0 != key {
                        *slot = (key, kinds_of_run(&bytes[from..at]));
                    }
                    kinds |= slot.1;
                }
                ..=LONGEST_RUN => kinds |= kinds_of_run(&bytes[from..at]),
                // A code and no word.
                _ => {}
            }
        }
        (kinds, masked)
    }
}

/// The kinds of the words that a run of letters is made of.
fn kinds_of_run(letters: &[u8]) -> Kinds {
    static TRIE: OnceLock<Trie> = OnceLock::new();
    let trie = TRIE.get_or_init(Trie::new);
    let mut run = [0; LONGEST_RUN];
    let len = letters.len().min(LONGEST_RUN);
    let run = &mut run[..len];
    run.copy_from_slice(&letters[..len]);
    run.make_ascii_lowercase();
    let mut kinds = 0;
    let mut from = 0;
    // No word has one letter.
    while from + 1 < len {
        // At most places no word begins. One of two letters must be a whole run.
        if let [first, second, third, ..] = run[from..]
            && trie.starts[usize::from(first - b'a')][usize::from(second - b'a')] >> (third - b'a') & 1 == 0
        {
            from += 1;
            continue;
        }
        let may_be = |word: usize| match word {
            0..=3 => from == 0 && word == len,
            4 => from == 0 || from + word == len,
            _ => true,
        };
        match trie.longest(&run[from..], may_be) {
            Some((word, kind)) => {
                kinds |= 1 << kind;
                from += word;
            }
            None => from += 1,
        }
    }
    kinds
}

/// Longer runs of letters have no kinds.
const LONGEST_RUN: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    fn names(value: &str) -> Vec<&'static str> {
        let (found, _) = Lexicon::default().read(value);
        let is_found = |(bit, _): &(usize, &Kind)| found >> bit & 1 == 1;
        KINDS
            .iter()
            .enumerate()
            .filter(is_found)
            .map(|(_, kind)| kind.name)
            .collect()
    }

    #[test]
    fn words_are_found_in_runs_of_letters() {
        assert_eq!(names("post-body"), ["content", "article"]);
        assert_eq!(names("StoryBody_articleText__x7d2"), ["content", "article", "text"]);
        assert_eq!(names("sidebarright"), ["side"]);
        assert_eq!(names("SIDEBAR"), ["side"]);
        assert_eq!(names("copyright"), ["foot"]);
        assert_eq!(names("navBar"), ["nav"]);
    }

    #[test]
    fn kinds_have_their_bits() {
        for (kind, name) in [
            (COMMENT, "comment"),
            (NAV, "nav"),
            (RELATED, "related"),
            (SEARCH, "search"),
            (SIDE, "side"),
        ] {
            assert_eq!(KINDS[kind.trailing_zeros() as usize].name, name);
        }
    }

    #[test]
    fn short_words_must_be_alone() {
        assert_eq!(names("roads adamant badge"), [""; 0]);
        assert_eq!(names("ads"), ["ad"]);
        assert_eq!(names("top-ad"), ["head", "ad"]);
        assert_eq!(names("context"), ["text"]);
        assert_eq!(names("discrete"), [""; 0]);
    }

    #[test]
    fn digits_are_equal_and_nothing_else() {
        let hash = |value: &str| Lexicon::default().read(value).1;
        assert_eq!(hash("post-123 odd"), hash("post-456 odd"));
        for other in [
            "post-12 odd",
            "post-123 odD ",
            "post-123 old",
            "post_123 odd",
            "odd post-123",
        ] {
            assert_ne!(hash("post-123 odd"), hash(other), "{other}");
        }
    }

    #[test]
    fn odd_values_have_no_kind() {
        for value in ["", "é ü 123 _-_", &"q".repeat(10_000), &"post".repeat(100)] {
            assert_eq!(names(value), [""; 0], "{value}");
        }
    }
}
