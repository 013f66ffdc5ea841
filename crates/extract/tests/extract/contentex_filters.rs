//! ContentEx's filters of common patterns, and what its strips mask, on small pages.

use crate::support::contentex::{links, near, only, run};
use dehusk_extract::contentex::{CopyrightText, Filter, Parameters, Unit};
use dehusk_extract::strip::Forms;
use dehusk_html::Tag;

#[test]
fn times_are_removed_alone_or_with_a_few_words_around_them() {
    let page = "<p>2010-5-1 12:30</p><p>posted by Joe on March 3rd, 2010</p><p>发表于 2010年5月1日</p>\
                <p>he came home late at night on 2010-5-1</p><p>no time at all</p>";
    let seen = run(page, only(|p| (p.time, p.time_words) = (true, 4)));
    // Four words beside the time are few, seven are not; each Chinese character is a word.
    assert_eq!(
        seen.removed(),
        [
            (Filter::Time, "2010-5-1 12:30"),
            (Filter::Time, "posted by Joe on March 3rd, 2010"),
            (Filter::Time, "发表于 2010年5月1日"),
        ]
    );
    // The paper's texts "consist of a few words and these words match".
    let seen = run(page, only(|p| p.time = true));
    assert_eq!(seen.removed(), [(Filter::Time, "2010-5-1 12:30")]);
    let long = format!("<p>{}</p>", "12:30 ".repeat(17));
    assert_eq!(run(&long, only(|p| p.time = true)).removed(), []);
}

#[test]
fn addresses_are_removed_with_a_few_words_around_them() {
    let page = "<p>IP: 218.64.*.*</p><p>from 10.0.0.1</p><p>the host at 10.0.0.1 answered at once</p>";
    let seen = run(page, only(|p| p.ip = true));
    assert_eq!(
        seen.removed(),
        [(Filter::Ip, "IP: 218.64.*.*"), (Filter::Ip, "from 10.0.0.1")]
    );
}

#[test]
fn texts_that_end_in_a_colon_are_removed() {
    let page = "<p><b>Author:</b> Joe</p><p>作者：</p><p>a b c d e f g:</p><p>one: two</p><p>three&#58;</p>";
    let texts = |colon_words| {
        let seen = run(page, only(|p| (p.colon, p.colon_words) = (true, colon_words)));
        seen.text
    };
    assert_eq!(texts(0), "Joe\n\none: two");
    assert_eq!(texts(4), "Joe\n\na b c d e f g:\n\none: two");
}

#[test]
fn texts_that_say_all_rights_reserved_are_removed() {
    let page = "<p>All right reserved.</p><p>Copyright. All rights reserved by the shore</p><p>Все права защищены</p>\
                <p>rights and wrongs</p>";
    // The paper's string, with and without the s that it lacks; or the patterns.
    let paper = run(page, only(|p| p.copyright = true)).text;
    assert_eq!(paper, "Все права защищены\n\nrights and wrongs");
    let patterns = |p: &mut Parameters| (p.copyright, p.copyright_text) = (true, CopyrightText::Patterns);
    assert_eq!(run(page, only(patterns)).text, "rights and wrongs");
    let short = only(|p| {
        patterns(p);
        p.copyright_words = 3;
    });
    assert_eq!(
        run(page, short).text,
        "Copyright. All rights reserved by the shore\n\nrights and wrongs"
    );
}

#[test]
fn short_repeated_texts_are_removed() {
    let page = "<p>Reply</p><p>one post</p><p>Reply</p><p>two posts</p><p>Reply</p><p>twice</p><p>twice</p>\
                <p>a b c d e</p><p>a b c d e</p><p>a b c d e</p><p>|</p><p>|</p><p>|</p>";
    let with = |repeated_words, repeated_times| {
        let set = |p: &mut Parameters| {
            (p.repeated, p.repeated_words, p.repeated_times) = (true, repeated_words, repeated_times);
        };
        let kept = run(page, only(set)).text;
        kept.split("\n\n").map(str::to_owned).collect::<Vec<_>>().join("/")
    };
    // Marks without words are no texts.
    assert_eq!(
        with(4, 3),
        "one post/two posts/twice/twice/a b c d e/a b c d e/a b c d e/|/|/|"
    );
    assert_eq!(with(5, 3), "one post/two posts/twice/twice/|/|/|");
    assert_eq!(with(4, 2), "one post/two posts/a b c d e/a b c d e/a b c d e/|/|/|");
}

#[test]
fn repeated_words_in_running_text_are_kept_when_lines_are_counted() {
    let page = "<p>call <code>f</code> and then <code>f</code></p><p><code>f</code>.</p>\
                <table><tr><td>Reply<td>Reply</table>one<br>Reply<br>two";
    let with = |repeated_unit| {
        let set = |p: &mut Parameters| (p.repeated, p.repeated_times, p.repeated_unit) = (true, 3, repeated_unit);
        let seen = run(page, only(set));
        seen.removed.into_iter().map(|(_, text)| text).collect::<Vec<_>>()
    };
    assert_eq!(with(Unit::Text), ["f", "f", "f", "Reply", "Reply", "Reply"]);
    // The third f has a period beside it, which is no word, but is alone there: one f is no repetition.
    assert_eq!(with(Unit::Line), ["Reply", "Reply", "Reply"]);
}

#[test]
fn filters_see_what_earlier_filters_left() {
    // The third "Reply" goes with its link table, so two are left.
    let page = "<p>Reply</p><p>a b c</p><p>Reply</p><ul><li>Reply <a href=x>1</a><a href=x>2</a></ul>";
    let both = Parameters {
        repeated: true,
        ..links()
    };
    assert_eq!(run(page, both).text, "Reply\n\na b c\n\nReply");
}

#[test]
fn statements_are_masked_with_their_block() {
    let page = "<body><p>one two three</p><p>© 2011 <a href=x>A Paper</a>. <i>See terms</i></p>\
                <div>You may not post new threads<br>Posting rules</div>Все права защищены";
    let with = only(|p| p.statements = true);
    assert_eq!(run(page, with).text, "one two three");
    // Masked words and links are not counted.
    near(&run(page, only(|p| p.statements = true)).scores(Tag::Body), &[1.0]);
    assert!(run(page, links()).text.contains("© 2011 A Paper. See terms"));
}

#[test]
fn only_the_statement_is_removed_from_a_long_or_nested_block() {
    let short = |p: &mut Parameters| (p.statements, p.statement_words) = (true, 6);
    // Seven words in the block, four in the text.
    let page = "<p>© 2011 The Shore <b>and so much more</b></p>";
    assert_eq!(run(page, only(short)).text, "and so much more");
    let page = "<div>© 2011 The Shore <p>and more</p></div>";
    assert_eq!(run(page, only(short)).text, "and more");
    // A text of seven words is no statement.
    let page = "<p>© 2011 a b c d e f</p>";
    assert_eq!(run(page, only(short)).text, "© 2011 a b c d e f");
}

#[test]
fn forms_and_scripts_are_stripped_as_asked() {
    let page = "<body><form><p>one two three four five</p></form><p>six</p><script>seven</script>";
    assert_eq!(run(page, links()).text, "six");
    let with = |forms, scripts| {
        run(
            page,
            Parameters {
                forms,
                scripts,
                ..links()
            },
        )
        .text
    };
    assert_eq!(with(Forms::IgnoreSmall, true), "one two three four five\n\nsix");
    assert_eq!(with(Forms::Ignore, false), "six\n\nseven");
}
