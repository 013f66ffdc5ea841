//! What a page calls itself: the names of several vocabularies, normalised to one short list.

/// The kinds that documents name, each with the names that mean it: types of schema.org and of Open Graph in lower case. A
/// name stands once.
const KINDS: &[(&str, &[&str])] = &[
    (
        "article",
        &[
            "article",
            "newsarticle",
            "blogposting",
            "techarticle",
            "scholarlyarticle",
            "reportagenewsarticle",
            "opinionnewsarticle",
            "analysisnewsarticle",
            "backgroundnewsarticle",
            "reviewnewsarticle",
            "report",
            "medicalscholarlyarticle",
            "advertisercontentarticle",
            "satiricalarticle",
            "liveblogposting",
            "socialmediaposting",
            "post",
            "news",
            "story",
            "essay",
            "blog.post",
            "howto",
        ],
    ),
    (
        "audio",
        &[
            "audioobject",
            "podcastepisode",
            "podcastseries",
            "radioepisode",
            "musicrecording",
            "musicalbum",
            "musicplaylist",
            "music.song",
            "music.album",
            "music.playlist",
            "music.radio_station",
            "song",
            "album",
        ],
    ),
    ("book", &["book", "books.book", "audiobook", "chapter"]),
    ("course", &["course", "courseinstance", "learningresource"]),
    ("dataset", &["dataset", "datacatalog"]),
    (
        "event",
        &[
            "event",
            "events",
            "musicevent",
            "sportsevent",
            "businessevent",
            "educationevent",
            "festival",
            "theaterevent",
        ],
    ),
    ("forum", &["discussionforumposting", "discussion", "forum", "thread"]),
    ("job", &["jobposting", "job"]),
    (
        "list",
        &[
            "collectionpage",
            "itemlist",
            "searchresultspage",
            "offercatalog",
            "product.group",
            "productcollection",
            "blog",
        ],
    ),
    (
        "organization",
        &[
            "organization",
            "localbusiness",
            "corporation",
            "newsmediaorganization",
            "store",
            "restaurant",
            "company",
            "business.business",
            "educationalorganization",
            "governmentorganization",
            "ngo",
            "onlinestore",
            "professionalservice",
            "medicalbusiness",
            "hotel",
            "school",
            "university",
        ],
    ),
    (
        "page",
        &[
            "webpage",
            "aboutpage",
            "contactpage",
            "itempage",
            "checkoutpage",
            "medicalwebpage",
            "realestatelisting",
        ],
    ),
    ("person", &["person", "profile", "profilepage", "author"]),
    (
        "place",
        &["place", "place.place", "city", "landmark", "touristattraction"],
    ),
    (
        "product",
        &[
            "product",
            "productgroup",
            "productmodel",
            "individualproduct",
            "product.item",
            "og:product",
            "vehicle",
            "car",
        ],
    ),
    ("question", &["question", "qapage", "faqpage"]),
    ("recipe", &["recipe"]),
    ("review", &["review", "criticreview", "aggregatereview"]),
    (
        "software",
        &[
            "softwareapplication",
            "webapplication",
            "mobileapplication",
            "videogame",
            "softwaresourcecode",
            "app",
            "game",
        ],
    ),
    (
        "video",
        &[
            "videoobject",
            "movie",
            "tvseries",
            "tvepisode",
            "clip",
            "video",
            "video.other",
            "video.movie",
            "video.episode",
            "video.tv_show",
        ],
    ),
    ("website", &["website"]),
];

/// Longest name that is looked up, in bytes.
const LONGEST: usize = 64;

/// The kind that a name means.
pub(super) fn of(name: &str) -> Option<&'static str> {
    if name.len() > LONGEST {
        return None;
    }
    let name = name.trim().to_ascii_lowercase();
    let name = name.rsplit(['/', '#']).next().unwrap_or_default();
    let name = name.strip_prefix("schema:").unwrap_or(name);
    let kind = KINDS.iter().find(|(_, names)| names.contains(&name));
    kind.map(|(kind, _)| *kind)
}
