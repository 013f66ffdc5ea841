//! The words by which rows of other things and panels are recognised.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use crate::blocks::lexicon::{Kinds, RELATED, SEARCH};

/// The kind of part that a text is the heading of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heading {
    /// Other things than those of the page.
    Others,
    /// Products, which may be those of the page.
    Products,
    /// Filters or sorting.
    Panel,
}

/// The purpose of an element, by its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Others,
    Panel,
}

/// The kinds that the classes below have in the lexicon.
pub(super) const KINDS: Kinds = RELATED | SEARCH;

/// In headings of rows, in any place.
const OTHERS: &[&str] = &[
    // English
    "also like",
    "also love",
    "also enjoy",
    "also bought",
    "also viewed",
    "also purchased",
    "also ordered",
    "also be interested",
    "also consider",
    "also searched",
    "also search for",
    "recently viewed",
    "browsing history",
    "bought together",
    "sponsored products",
    "recommended for you",
    "picked for you",
    "picks for you",
    "inspired by your",
    "items to consider",
    "more to consider",
    "related to this item",
    "goes well with",
    "pairs well with",
    "customers who bought",
    "customers who viewed",
    "people who bought",
    "people who viewed",
    // German
    "auch gefallen",
    "auch interessieren",
    "kauften auch",
    "kaufen auch",
    "auch gekauft",
    "sahen auch",
    "auch angesehen",
    "zuletzt angesehen",
    "zusammen gekauft",
    "kunden, die diese",
    "empfehlungen für sie",
    "empfehlungen für dich",
    // French
    "aimerez aussi",
    "aimer aussi",
    "aussi vous plaire",
    "ont aussi acheté",
    "ont également acheté",
    "ayant acheté",
    "récemment consultés",
    "vus récemment",
    "achetés ensemble",
    "recommandé pour vous",
    "recommandés pour vous",
    // Spanish and Portuguese
    "también te puede",
    "también te podría",
    "también le puede",
    "te puede gustar",
    "también compraron",
    "también vieron",
    "que compraron",
    "vistos recientemente",
    "comprados juntos",
    "recomendado para ti",
    "também pode gostar",
    "também poderá gostar",
    "também compraram",
    "comprou também",
    "viu também",
    "comprados juntos",
    "vistos recentemente",
    // Italian
    "potrebbe piacerti",
    "potrebbe anche piacerti",
    "potrebbero piacerti",
    "potrebbero interessarti",
    "hanno acquistato anche",
    "acquistati insieme",
    "visti di recente",
    "visualizzati di recente",
    // Dutch
    "ook leuk",
    "kochten ook",
    "bekeken ook",
    "recent bekeken",
    "samen gekocht",
    "aanbevolen voor jou",
    // Polish and Czech
    "może ci się spodobać",
    "kupili również",
    "kupili też",
    "ostatnio oglądane",
    "líbit",
    "zakoupili také",
    "naposledy prohlížené",
    // Swedish, Danish, Norwegian, Finnish
    "också gilla",
    "köpte också",
    "senast visade",
    "også lide",
    "også like",
    "købte også",
    "kjøpte også",
    "sist sett",
    "ostivat myös",
    "pitää myös",
    // Turkish
    "bunları da",
    "birlikte alınan",
    "son görüntülenen",
    "da beğenebilirsiniz",
    // Russian and Ukrainian
    "также покупают",
    "этим товаром",
    "вы недавно смотрели",
    "недавно просмотренные",
    "может понравиться",
    "может заинтересовать",
    "вы смотрели",
    "також купують",
    "цим товаром",
    "переглянуті товари",
    // Chinese
    "猜你喜欢",
    "猜您喜欢",
    "可能还喜欢",
    "可能也喜欢",
    "可能喜欢",
    "還買了",
    "还买了",
    "还购买了",
    "看了又看",
    "也購買了",
    "可能也喜歡",
    "可能會喜歡",
    "猜你喜歡",
    "最近浏览",
    "最近瀏覽",
    "为您推荐",
    "為您推薦",
    // Japanese
    "この商品を買った人",
    "この商品を見た人",
    "この商品をチェックした人",
    "こんな商品も",
    "こちらもおすすめ",
    "この商品に関連する",
    "最近チェックした",
    "最近見た",
    "一緒に購入",
    "あなたへのおすすめ",
    // Korean
    "함께 구매",
    "함께 본",
    "최근 본 상품",
    "이 상품과 함께",
    "추천 상품",
    // Arabic and Hebrew
    "قد يعجبك",
    "اشتروا أيضا",
    "شاهدتها مؤخرا",
    "אולי יעניין",
    "אולי תאהב",
    "קנו גם",
];

/// At the starts of headings of rows.
const STARTS_OF_OTHERS: &[&str] = &[
    "you may like",
    "you might like",
    "you may enjoy",
    "you might enjoy",
    "you'll love",
    "you’ll love",
    "you'll also love",
    "you’ll also love",
    "we know you'll love",
    "we know you’ll love",
    "other posts you may",
    "other products you may",
    "related items",
    "similar items",
    "similar listings",
    "explore related items",
    "explore similar items",
    "related searches",
    "shoppers also",
    "others also",
];

/// At the starts of headings of products.
const STARTS_OF_PRODUCTS: &[&str] = &[
    "related products",
    "similar products",
    "shop similar",
    "recommended products",
    "complete the look",
    "complete your look",
    "shop the look",
    "more like this",
    "similar homes",
    "similar properties",
    "ähnliche produkte",
    "ähnliche artikel",
    "passende produkte",
    "passend dazu",
    "dazu passt",
    "dazu passend",
    "produits similaires",
    "produits associés",
    "produits apparentés",
    "produits complémentaires",
    "productos relacionados",
    "productos similares",
    "produtos relacionados",
    "produtos semelhantes",
    "compre junto",
    "prodotti correlati",
    "prodotti simili",
    "gerelateerde producten",
    "vergelijkbare producten",
    "podobne produkty",
    "produkty powiązane",
    "polecane produkty",
    "podobné produkty",
    "související produkty",
    "liknande produkter",
    "relaterade produkter",
    "lignende produkter",
    "relaterede produkter",
    "relaterte produkter",
    "benzer ürünler",
    "похожие товары",
    "рекомендуемые товары",
    "сопутствующие товары",
    "схожі товари",
    "相关商品",
    "相关产品",
    "相關商品",
    "相關產品",
    "推荐商品",
    "推薦商品",
    "関連商品",
    "おすすめ商品",
    "類似商品",
    "관련 상품",
    "비슷한 상품",
    "منتجات ذات صلة",
    "منتجات مشابهة",
    "מוצרים קשורים",
    "מוצרים דומים",
];

/// Whole headings of panels.
const PANELS: &[&str] = &[
    "filter",
    "filters",
    "filter by",
    "filter results",
    "filter products",
    "refine",
    "refine by",
    "refine results",
    "refine your search",
    "refine search",
    "shop by",
    "narrow by",
    "narrow results",
    "sort",
    "sort by",
    "filtern",
    "filtern nach",
    "filter zurücksetzen",
    "sortieren",
    "sortieren nach",
    "sortierung",
    "filtres",
    "filtrer",
    "filtrer par",
    "trier",
    "trier par",
    "filtros",
    "filtrar",
    "filtrar por",
    "ordenar",
    "ordenar por",
    "filtri",
    "filtra",
    "filtra per",
    "ordina per",
    "filteren",
    "sorteren",
    "sorteer op",
    "filtry",
    "filtruj",
    "sortuj",
    "filtrovat",
    "seřadit",
    "filtrera",
    "sortera",
    "sortér",
    "sorter etter",
    "suodata",
    "järjestä",
    "filtrele",
    "sırala",
    "фильтр",
    "фильтры",
    "сортировка",
    "сортировать",
    "фільтри",
    "筛选",
    "篩選",
    "排序",
    "絞り込み",
    "絞り込む",
    "並び替え",
    "並べ替え",
    "필터",
    "정렬",
    "تصفية",
    "ترتيب حسب",
    "סינון",
    "מיון",
];

/// Parts of classes, without what is no letter.
const CLASSES_OF_OTHERS: &[&str] = &[
    "upsell",
    "crosssell",
    "alsolike",
    "alsobought",
    "alsoviewed",
    "alsoenjoy",
    "recentlyviewed",
    "relatedproducts",
    "productsrelated",
    "similarproducts",
    "recommendedproducts",
    "productrecommendations",
];
const CLASSES_OF_PANELS: &[&str] = &["filter", "facet", "refine", "sortby", "sorting", "sortorder", "sortbar"];

/// Classes of what is filtered or sorted, and words that hold one of the above.
const CLASSES_OF_THINGS: &[&str] = &["filterable", "filtered", "refinery", "resort"];

static IN_HEADINGS_OF_OTHERS: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(OTHERS).expect("the words fit into an automaton"));

/// The starts of headings, and whole headings of panels, by their first bytes: hundreds are compared with each short text.
static BY_FIRST_BYTE: LazyLock<[Vec<(&str, Heading)>; 256]> = LazyLock::new(|| {
    let mut by_byte = std::array::from_fn(|_| Vec::new());
    let lists = [
        (STARTS_OF_OTHERS, Heading::Others),
        (STARTS_OF_PRODUCTS, Heading::Products),
        (PANELS, Heading::Panel),
    ];
    for (words, heading) in lists {
        for word in words {
            by_byte[usize::from(word.as_bytes()[0])].push((*word, heading));
        }
    }
    by_byte
});

/// The kind of part that a short text is the heading of, if that is a row or a panel.
pub(super) fn heading(text: &str) -> Option<Heading> {
    let text = text.to_lowercase();
    let text = text.trim_matches(|c: char| !c.is_alphanumeric());
    let first = *text.as_bytes().first()?;
    let is_one = |(word, heading): &&(&str, Heading)| match heading {
        Heading::Panel => text == *word,
        _ => text.starts_with(word),
    };
    let found = BY_FIRST_BYTE[usize::from(first)]
        .iter()
        .find(is_one)
        .map(|(_, heading)| *heading);
    if found != Some(Heading::Others) && names_others(text) {
        return Some(Heading::Others);
    }
    found
}

/// Whether a heading names other things in whole words. Scripts without spaces, and those that join endings to words, have
/// no borders of words to look at.
fn names_others(text: &str) -> bool {
    // Each of the words has a space, or is of such a script.
    if !text.contains(' ') && text.is_ascii() {
        return false;
    }
    let is_of_word = |c: char| c.is_alphabetic() && c < '\u{530}';
    IN_HEADINGS_OF_OTHERS
        .find_iter(text)
        .any(|found| !text[..found.start()].ends_with(is_of_word) && !text[found.end()..].starts_with(is_of_word))
}

/// The meaning of a class or an `id`.
pub(super) fn class(value: &str) -> Option<Class> {
    /// The words that name an element come first.
    const MOST: usize = 256;
    let letters = value.bytes().take(MOST).filter(u8::is_ascii_alphabetic);
    let letters: String = letters.map(|letter| char::from(letter.to_ascii_lowercase())).collect();
    let has = |classes: &[&str]| classes.iter().any(|class| letters.contains(class));
    let is_sort = || {
        value
            .split(|c: char| !c.is_alphanumeric())
            .any(|word| word.eq_ignore_ascii_case("sort"))
    };
    if has(CLASSES_OF_OTHERS) {
        Some(Class::Others)
    } else {
        let is_panel = has(CLASSES_OF_PANELS) && !has(CLASSES_OF_THINGS);
        (is_panel || is_sort()).then_some(Class::Panel)
    }
}

/// Whether a text names a currency.
pub(super) fn has_currency(text: &str) -> bool {
    const SIGNS: [char; 10] = ['$', '€', '£', '¥', '₹', '₽', '₩', '₺', '₴', '￥'];
    /// Parts of words, too, unless a number is before them.
    const SIGNS_AFTER_NUMBERS: [char; 2] = ['円', '元'];
    const CODES: [&str; 8] = ["EUR", "USD", "GBP", "CHF", "kr", "zł", "Kč", "руб"];
    const REFERENCES: [&str; 3] = ["&euro;", "&pound;", "&yen;"];
    text.contains(SIGNS)
        || text
            .match_indices(SIGNS_AFTER_NUMBERS)
            .any(|(at, _)| text[..at].trim_end().ends_with(char::is_numeric))
        || REFERENCES.iter().any(|reference| text.contains(reference))
        || text
            .split(|c: char| !c.is_alphabetic())
            .any(|word| CODES.contains(&word))
}
