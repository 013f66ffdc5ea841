use proptest::strategy::{Strategy, ValueTree};
use proptest::string::string_regex;
use proptest::test_runner::TestRunner;

use super::*;

fn all() -> Patterns {
    Patterns::compile(None).expect("the built-in patterns compile")
}

fn could_be(text: &str, kind: PatternKinds) -> bool {
    let all = all();
    all.could_be(text, text.is_ascii())
        .union(all.with_digits(text))
        .has_any(kind)
}

#[test]
fn statements_are_known_in_many_languages() {
    let all = all();
    for text in [
        "© 2011 A Paper Ltd.",
        "Copyright (c) 1999-2012 The Shore",
        "ALL RIGHT RESERVED",
        "Alle Rechte vorbehalten.",
        "Tous droits réservés",
        "Todos los derechos reservados",
        "Wszelkie prawa zastrzeżone",
        "Με την επιφύλαξη παντός δικαιώματος",
        "Все права защищены",
        "版权所有 某某网",
        "未经书面许可不得转载",
        "無断転載を禁じます",
        "جميع الحقوق محفوظة",
        "Disclaimer: use with care",
        "The opinions expressed here are not those of the owner",
        "Alle Angaben ohne Gewähr",
        "Le site décline toute responsabilité",
        "Redakcja nie ponosi odpowiedzialności za treść komentarzy",
        "Администрация не несёт ответственности за сообщения",
        "本帖仅代表作者个人观点，不代表本站立场",
        "المشاركات تعبر عن رأي صاحبها",
        "You may not post new threads",
        "You cannot reply to topics in this forum",
        "Du darfst keine neuen Themen erstellen",
        "Vous ne pouvez pas poster de nouveaux sujets",
        "No puedes crear nuevos temas",
        "Nie możesz pisać nowych tematów",
        "Δεν μπορείτε να δημοσιεύετε νέα θέματα",
        "Вы не можете начинать темы",
        "请自觉遵守国家有关法律、法规",
        "誹謗中傷はおやめください",
        "لا تستطيع إضافة مواضيع جديدة",
    ] {
        assert!(all.matches(PatternKinds::STATEMENT, text), "{text}");
    }
    for text in [
        "The court spoke about copyright for an hour.",
        "Nach dem Gesetz gelten die Regeln für alle.",
        "他违反了法律，被法院判刑。",
        "Правительство обсудило новые правила поведения.",
        "I may post more about it tomorrow.",
        "You can't upload a form in the free version.",
        "Modules may not be published at all.",
    ] {
        assert!(!all.matches(PatternKinds::STATEMENT, text), "{text}");
    }
}

#[test]
fn times_are_known_in_many_languages() {
    let all = all();
    for text in [
        "2010-5-1 12:30",
        "发表于2010-5-1",
        "2010-05-01T12:30:59Z",
        "1/5/10",
        "12:30",
        "March 3rd, 2010",
        "3 Mar 2010",
        "2 hours ago",
        "5. März 2010",
        "vor 3 Stunden",
        "3 mars 2010",
        "il y a 5 minutes",
        "3 de marzo de 2010",
        "3 października 2010",
        "5 minut temu",
        "3 Μαρτίου 2010",
        "πριν από 5 λεπτά",
        "3 марта 2010 г.",
        "2 часа назад",
        "2010年5月1日",
        "5分钟前",
        "２０１０年５月１日（土）",
        "3時間前",
        "2010년 5월 1일",
        "٣ مارس ٢٠١٠",
        "منذ 5 دقائق",
    ] {
        assert!(
            (could_be(text, PatternKinds::TIME) && all.times(text).next().is_some()),
            "{text}"
        );
    }
    for text in [
        "3.14159",
        "on Monday",
        "in 2010",
        "10 martians",
        "chapter 3, 2010 words",
    ] {
        assert!(
            !(could_be(text, PatternKinds::TIME) && all.times(text).next().is_some()),
            "{text}"
        );
    }
}

#[test]
fn addresses_and_colons_are_known() {
    let all = all();
    for text in [
        "218.64.1.254",
        "IP: 218.64.*.*",
        "来自218.64.1.*",
        "10.0.xxx.xxx",
        "fe80:0:0:0:1:2:3:4",
    ] {
        assert!(
            (could_be(text, PatternKinds::IP) && all.ips(text).next().is_some()),
            "{text}"
        );
    }
    for text in ["1.2.3", "version 4.300.2.1", "a.b.c.d"] {
        assert!(
            !(could_be(text, PatternKinds::IP) && all.ips(text).next().is_some()),
            "{text}"
        );
    }
    for text in ["Author:", "作者：", "From :"] {
        assert!(all.matches(PatternKinds::COLON, text), "{text}");
    }
    assert!(!all.matches(PatternKinds::COLON, "Note: this"));
}

#[test]
fn a_file_adds_to_what_is_built_in_and_is_known_by_its_hash() {
    let more = Patterns::extended("[statement.posting]\nxx = ['^be nice$']\n[ip]\nxx = ['from space']").expect("valid");
    assert!(
        more.matches(PatternKinds::STATEMENT, "Be nice")
            && more.matches(PatternKinds::STATEMENT, "© 2010")
            && more.ips("FROM SPACE").next().is_some()
    );
    assert!(more.hash().is_some() && more != all() && all().hash().is_none());
    assert_ne!(Patterns::extended("").expect("valid"), more);
}

#[test]
fn what_a_pattern_matches_passes_its_screen() {
    let passes = |prefilter: &Prefilter, text: &str| {
        let mut passes = false;
        prefilter.visit(text, text.is_ascii(), |_| passes = true);
        prefilter.visit_digits(text, |_| passes = true);
        passes
    };
    let mut runner = TestRunner::deterministic();
    let file: File = toml::from_str(BUILT_IN).expect("valid");
    let lists = [&file.time, &file.ip, &file.colon, &file.copyright];
    let patterns = lists.into_iter().flat_map(flat).chain(file.statement.all());
    for pattern in patterns.map(|pattern| with_ascii_borders(&pattern)) {
        let compiled = compile(&pattern).expect("a built-in pattern compiles");
        let prefilter = Prefilter::new([(pattern.as_str(), true)].into_iter());
        // The texts are made from the pattern without its borders and ends.
        let plain = pattern.replace(r"(?-u:\b)", "").replace(['^', '$'], "");
        let texts = string_regex(&plain).expect("a pattern that texts are made from");
        for _ in 0..50 {
            let text = texts.new_tree(&mut runner).expect("a text").current();
            for text in [text.to_uppercase(), text.to_lowercase(), text] {
                assert!(
                    !compiled.is_match(&text) || passes(&prefilter, &text),
                    "{pattern} {text}"
                );
            }
        }
    }
}

#[test]
fn what_is_wrong_with_a_file_is_named() {
    let error = |text: &str| Patterns::extended(text).expect_err("an error").to_string();
    assert!(
        error("[tiem]\nen = []").contains("tiem"),
        "{}",
        error("[tiem]\nen = []")
    );
    assert!(error("[time]\nen = ['(']").contains("time pattern “(”"));
    assert!(error("[time]\nen = 'x'").contains("sequence"));
    // Alternatives of one pattern stay within it, and so do its comments.
    assert!(Patterns::extended("[time]\nen = [')|(']").is_err());
    assert!(error("[time]\nen = ['(?x) foo # a comment']").contains("a comment” is no regular expression"));
    assert!(error("[colon]\nen = ['a*']").contains("“a*” matches every text"));
    let many = vec!["'x1'"; MOST_PATTERNS].join(",");
    assert!(error(&format!("[colon]\nen = [{many}]")).contains("more than"));
}
