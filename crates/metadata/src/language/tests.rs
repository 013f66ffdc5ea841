use super::*;

/// The tag of a text.
#[track_caller]
fn assert_language(text: &str, claimed: &str, expected: &str) {
    let found = detect(text, claimed);
    assert_eq!(found.tag, expected, "{text:.60} ({claimed}): {found:?}");
    assert!((0.0..=1.0).contains(&found.score), "{found:?}");
    assert_eq!(found.score > 0.0, !expected.is_empty(), "{found:?}");
}

const ENGLISH: &str =
    "We went out early in the morning, up the hill behind the village, and it rained until we were home.";
const NORWEGIAN: &str =
    "Vi gikk ut tidlig om morgenen, opp bakken bak landsbyen, og det regnet helt til vi var hjemme igjen.";
const MALAY: &str =
    "Kami keluar awal pagi dan mendaki bukit di belakang kampung, dan hujan turun sehingga kami pulang.";

#[test]
fn texts_have_the_language_that_they_are_in() {
    for (text, expected) in [
        (ENGLISH, "en"),
        (
            "Wir gingen am frühen Morgen hinaus, den Hügel hinter dem Dorf hinauf, und es regnete, bis wir daheim waren.",
            "de",
        ),
        (
            "Nous sommes sortis tôt le matin, sur la colline derrière le village, et il a plu jusqu'à notre retour.",
            "fr",
        ),
        (
            "Salimos temprano por la mañana, a la colina detrás del pueblo, y llovió hasta que llegamos a casa.",
            "es",
        ),
        (
            "Wyszliśmy wcześnie rano na wzgórze za wsią i padało, dopóki nie byliśmy w domu, ale nikt się nie skarżył.",
            "pl",
        ),
        (
            "Vyšli jsme brzy ráno na kopec za vesnicí a pršelo, dokud jsme nebyli doma, ale nikomu to nevadilo.",
            "cs",
        ),
        (NORWEGIAN, "no"),
        (
            "Мы вышли рано утром на холм за деревней, и дождь шёл, пока мы не вернулись домой, но никто не жаловался.",
            "ru",
        ),
        (
            "Ми вийшли рано вранці на пагорб за селом, і дощ ішов, поки ми не повернулися додому, але ніхто не скаржився.",
            "uk",
        ),
        (
            "Βγήκαμε νωρίς το πρωί στον λόφο πίσω από το χωριό, και έβρεχε μέχρι να γυρίσουμε στο σπίτι.",
            "el",
        ),
        (
            "خرجنا في الصباح الباكر إلى التل الذي خلف القرية، وظل المطر يهطل حتى عدنا إلى البيت.",
            "ar",
        ),
        ("朝早く村の裏の丘に登り、家に帰るまで雨が降り続いた。", "ja"),
        (
            "우리는 아침 일찍 마을 뒤 언덕에 올랐고 집에 돌아올 때까지 비가 내렸다.",
            "ko",
        ),
        (
            "ჩვენ დილით ადრე გავედით სოფლის უკან გორაკზე და სახლში დაბრუნებამდე წვიმდა.",
            "ka",
        ),
    ] {
        assert_language(text, "", expected);
        // A false claim changes nothing.
        let claimed = if expected == "en" { "it" } else { "en" };
        assert_language(text, claimed, expected);
    }
}

#[test]
fn the_script_is_named_where_a_language_has_several() {
    assert_language(
        "我们早上很早就出去，爬上村子后面的山，一直下雨，直到我们回家。",
        "zh-TW",
        "zh-Hans",
    );
    assert_language(
        "我們早上很早就出去，爬上村子後面的山，一直下雨，直到我們回家。",
        "zh-CN",
        "zh-Hant",
    );
    // No character of this text decides.
    assert_language("早上很早就出去，爬上村子後面的山", "", "zh");
    assert_language("早上很早就出去，爬上村子後面的山", "zh-TW", "zh-Hant");
    let serbian =
        "Изашли смо рано ујутру на брдо иза села и падала је киша док се нисмо вратили кући, али нико се није жалио.";
    assert_language(serbian, "", "sr-Cyrl");
    let latin =
        "Izašli smo rano ujutru na brdo iza sela i padala je kiša dok se nismo vratili kući, ali niko se nije žalio.";
    assert_language(latin, "sr", "sr-Latn");
    assert_language(latin, "hr", "hr");
}

#[test]
fn rarer_languages_are_distinguished_from_those_that_are_like_them() {
    for (text, expected) in [
        (
            "Við fórum snemma út um morguninn, upp á hæðina fyrir ofan þorpið, og það rigndi þar til við komum heim.",
            "is",
        ),
        (
            "Saímos cedo pola mañá cos nenos, e non deixou de chover ata que unha veciña nos abriu a porta, pero os cativos xa \
             están moi contentos coa súa casa.",
            "gl",
        ),
        (
            "Tulitoka mapema asubuhi kwenda kwenye kilima nyuma ya kijiji, na mvua ilinyesha kwa saa nyingi lakini hatukujali kwa \
            kuwa tulikuwa pamoja.",
            "sw",
        ),
        (
            "Chuamar amach go luath ar maidin, suas an cnoc taobh thiar den sráidbhaile, agus bhí sé ag cur báistí go dtí go \
            raibh muid sa bhaile.",
            "ga",
        ),
        (
            "Dolam heret mendaki e bregut pas fshatit dhe nuk pushoi së rëni shi deri sa u kthyem në shtëpi me të tjerët.",
            "sq",
        ),
        (
            "We went out with the others, and it was not late when the rain came down on all of us in the field.",
            "en",
        ),
        (
            "Saímos cedo de manhã com as crianças para a colina que fica atrás da aldeia, e não parou de chover até que uma \
            vizinha nos abriu a porta da sua casa.",
            "pt",
        ),
    ] {
        assert_language(text, "", expected);
    }
}

#[test]
fn a_rarer_language_that_trigrams_know_keeps_their_score() {
    let javanese =
        "Dina esuk aku lunga menyang pasar karo ibu kanggo tuku sayuran, banjur mulih lan masak bebarengan ing pawon.";
    let tagalog = "Hindi ako makakapunta bukas dahil may sakit ang anak ko at kailangan ko siyang dalhin sa doktor.";
    for (text, claimed, expected) in [
        (javanese, "", "jv"),
        (javanese, "id", "jv"),
        (tagalog, "", "tl"),
        (tagalog, "fil", "tl"),
        (tagalog, "en", "tl"),
    ] {
        let found = detect(text, claimed);
        assert!(
            found.tag == expected && found.score >= SURE,
            "{text} ({claimed}): {found:?}"
        );
    }
}

#[test]
fn labels_of_other_detectors_become_tags_of_documents() {
    let tag = |text: &str, label: &str| labelled(text, label, 1.0).map(|found| found.tag);
    for (label, expected) in [
        ("isl", "is"),
        ("glg,spa", "gl"),
        ("rus_Cyrl", "ru"),
        ("pt-BR", "pt"),
        ("bxr", "bxr"),
        ("srp", "sr-Latn"),
        ("zho", "zh"),
    ] {
        assert_eq!(tag(ENGLISH, label).as_deref(), Some(expected), "{label}");
    }
    // Codes of ISO 639-2 for libraries, and of members of a language that has a code of two letters.
    let labels = "fre ger dut gre chi per rum cze ice may tib wel arm geo bur mac slo alb baq mao arb zsm swh khk kmr pbt \
                  plt gaz fil";
    let tags = "fr de nl el zh fa ro cs is ms bo cy hy ka my mk sk sq eu mi ar ms sw mn ku ps mg om tl";
    for (label, expected) in labels.split(' ').zip(tags.split(' ')) {
        assert_eq!(tag("", label).as_deref(), Some(expected), "{label}");
    }
    assert_eq!(tag("我们早上很早就出去", "zho").as_deref(), Some("zh-Hans"));
    assert_eq!(tag("", "zh-TW").as_deref(), Some("zh"));
    for label in ["", "und", "zxx", "unk", "english", "12", "-"] {
        assert_eq!(tag(ENGLISH, label), None, "{label}");
    }
    assert_eq!(labelled(ENGLISH, "eng", 7.0).map(|found| found.score), Some(1.0));
}

#[test]
fn a_claim_decides_between_languages_that_are_alike() {
    assert_language(NORWEGIAN, "nn", "nn");
    assert_language(MALAY, "ms", "ms");
    assert_language(MALAY, "en", "id");
    let galician = "Saímos cedo pola mañá, ao outeiro que hai detrás da aldea, e choveu ata que chegamos á casa.";
    assert_language(galician, "gl", "gl");
}

#[test]
fn a_claim_is_taken_where_the_text_does_not_decide() {
    for text in ["12,50 € 14:30 2024-03-11", "", "OK", "iPhone 12 Pro Max"] {
        let found = detect(text, "fr-CA");
        assert_eq!(found, Language::new("fr", CLAIMED), "{text}");
        assert_language(text, "", "");
        assert_language(text, "utf-8", "");
    }
    // Greek is not written in these letters.
    assert_language("OK", "el", "");
}

#[test]
fn the_language_of_most_of_a_mixed_text_counts() {
    let text = format!("{} {}", ENGLISH.repeat(3), "Der Hügel hinter dem Dorf ist nicht hoch.");
    assert_language(&text, "de", "en");
    let text = "我们早上很早就出去，爬上村子后面的山 (Wudang Shan Scenic Area, Shiyan City)，一直下雨，直到我们回家。";
    assert_language(text, "en", "zh-Hans");
}

#[test]
fn any_text_has_a_score_in_range() {
    for text in [
        "a".repeat(1 << 20),
        "是".repeat(1 << 20),
        "\u{300}".repeat(5000),
        "x\n".repeat(1 << 20),
        "http://".repeat(10_000),
    ] {
        for claimed in ["", "en", "zh", "\u{0}", "-----"] {
            let found = detect(&text, claimed);
            assert!((0.0..=1.0).contains(&found.score), "{found:?}");
        }
    }
}

#[test]
fn a_list_of_languages_names_languages_or_their_scripts() {
    let list = |items: &[&str]| -> Vec<String> { items.iter().map(|item| (*item).to_owned()).collect() };
    assert!(is_among("zh-Hant", &list(&["en", "zh"])));
    assert!(is_among("zh-Hant", &list(&["zh-Hant"])));
    assert!(!is_among("zh-Hans", &list(&["zh-Hant"])));
    assert!(!is_among("zh", &list(&["zh-Hant"])));
    assert!(!is_among("", &list(&["en"])));
    assert_eq!(normalized("EN").as_deref(), Some("en"));
    assert_eq!(normalized("zh-hant").as_deref(), Some("zh-Hant"));
    assert_eq!(normalized("en-US"), None);
    assert_eq!(normalized("english"), None);
}
