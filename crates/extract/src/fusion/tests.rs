//! The extractor on made pages: ranges, features and odd pages.

use dehusk_html::{Buffers, Dom, NodeId, Tag, TextForm, parse, render_text};
use fearless_simd::Level;
use proptest::prelude::*;

use super::matrix::Matrix;
use super::workspace::{PageBlocks, Workspace};
use super::{comments, explain, features, ranges};
use crate::blocks::{Blocks, MOST_BLOCKS};
use crate::{ExplainedBlock, PageContext, Parameters, Selection, Value, registry};

fn cut(dom: &Dom<'_>) -> Blocks {
    let mut blocks = Blocks::default();
    blocks.cut(dom);
    blocks
}

/// Which blocks stay of a page of which all are kept.
pub(super) fn kept_after(page: &str, drop: impl Fn(&Dom<'_>, &Blocks, &mut [bool])) -> Vec<bool> {
    let dom = parse(page, Buffers::default());
    let blocks = cut(&dom);
    let mut kept = vec![true; blocks.blocks.len()];
    drop(&dom, &blocks, &mut kept);
    kept
}

fn texts(page: &str) -> Vec<String> {
    let dom = parse(page, Buffers::default());
    let blocks = cut(&dom);
    let text = |block| {
        let ranges: Vec<_> = blocks.texts_of(block).iter().map(|text| *text..*text + 1).collect();
        let mut text = String::new();
        render_text(&dom, &ranges, &[], &mut text);
        text
    };
    blocks.blocks.iter().map(text).collect()
}

fn kept_text(page: &str, kept: &[bool]) -> String {
    let dom = parse(page, Buffers::default());
    let mut text = String::new();
    let ranges = ranges::of_kept(&dom, &cut(&dom), kept, &mut Default::default());
    render_text(&dom, &ranges, &[], &mut text);
    text
}

#[test]
fn blocks_end_at_borders_and_breaks() {
    assert_eq!(
        texts("<p>One <b>two</b> three<br>four<table><tr><td>five<td>six</table><button>seven</button>eight"),
        ["One two three", "four", "five", "six", "seven", "eight"]
    );
    assert_eq!(
        texts("<div>a<select><option>b</select><textarea>c</textarea><script>d</script><style>e</style>f</div>"),
        ["a", "f"]
    );
    assert_eq!(
        texts("<noscript>for all</noscript><p hidden>hidden"),
        ["for all", "hidden"]
    );
    assert_eq!(texts(""), [""; 0]);
}

#[test]
fn kept_text_is_whole_and_nothing_else() {
    let page = "<div>one <i>two<br>three</i> four<p>five <a href=/>six</a>.</p><p>seven</div>eight";
    assert_eq!(texts(page), ["one two", "three four", "five six.", "seven", "eight"]);
    let keep = |kept: [u8; 5]| kept_text(page, &kept.map(|kept| kept == 1));
    assert_eq!(keep([1, 0, 0, 0, 0]), "one two");
    assert_eq!(keep([0, 1, 0, 0, 0]), "three four");
    assert_eq!(keep([0, 0, 1, 0, 1]), "five six.\n\neight");
    assert_eq!(keep([1, 1, 1, 1, 0]), "one two\nthree four\n\nfive six.\n\nseven");
    assert_eq!(keep([0; 5]), "");
}

#[test]
fn copies_have_the_same_text_however_it_is_written() {
    let mut page = PageBlocks::default();
    let html = "<p>Tea &amp; cake, here<p>Tea &#38;\n\n cake, h<b>ere</b><p>Tea &amp; ink, there<p>Tea &amp; cake, he<i>re</i><p>more";
    page.compute(&parse(html, Buffers::default()));
    let column = |name: &str| {
        let column = features::names().iter().position(|known| known == name);
        let column = page.features().column(column.expect("a feature"));
        column[..page.len()].to_vec()
    };
    assert_eq!(column("copies"), [192, 192, 0, 192, 0]);
    assert_eq!(column("is_first_copy"), [1024, 0, 1024, 0, 1024]);
    // As many characters as the others, and another text.
    page.compute(&parse("<p>one two<p>two one<p>one two", Buffers::default()));
    let text = |block| page.buffers.text_hash(block);
    assert!(text(0) == text(2) && text(0) != text(1) && text(1).is_some());
}

#[test]
fn lines_end_where_they_end_in_the_page_whatever_is_kept() {
    let page = "<div>one<br><br>two<br>three<br><br>four <b>five<br></b><br>six</div>";
    assert_eq!(texts(page), ["one", "two", "three", "four five", "six"]);
    let keep = |kept: [u8; 5]| kept_text(page, &kept.map(|kept| kept == 1));
    assert_eq!(keep([1; 5]), "one\n\ntwo\nthree\n\nfour five\n\nsix");
    assert_eq!(keep([1, 1, 0, 0, 1]), "one\n\ntwo\n\nsix");
    assert_eq!(keep([0, 1, 1, 1, 0]), "two\nthree\n\nfour five");
    let code = "<p>one</p><pre>two {\n  <b>three</b>\n<br>    four\n}</pre>";
    assert_eq!(texts(code), ["one", "two {\n  three", "    four\n}"]);
    assert_eq!(kept_text(code, &[false, true, true]), "two {\n  three\n\n    four\n}");
    assert_eq!(kept_text(code, &[true, false, true]), "one\n\n    four\n}");
}

#[test]
fn features_are_the_same_whatever_the_processor_has() {
    let menu: String = (0..40)
        .map(|i| format!("<li class=menu-{i}><a href=/{i}>to {i}</a>"))
        .collect();
    let text: String = (0..90)
        .map(|i| {
            format!(
                "<h{}>A heading</h2><p class=c{}>{}.",
                i % 4 + 1,
                i % 3,
                "Some words, ".repeat(i % 13)
            )
        })
        .collect();
    for page in [
        "<p>word",
        &text,
        &format!("<title>A heading</title><ul>{menu}</ul><main><div>{text}</div>{menu}"),
    ] {
        let dom = parse(page, Buffers::default());
        let blocks = cut(&dom);
        let [best, least] = [Level::new(), Level::baseline()].map(|level| {
            let mut matrix = Matrix::default();
            features::compute_at(level, &dom, &blocks, &mut Default::default(), &mut matrix);
            matrix
        });
        for (number, name) in features::names().iter().enumerate() {
            assert_eq!(best.column(number), least.column(number), "{name}");
        }
    }
}

#[test]
fn names_are_unique_and_all_columns_are_named() {
    let names = features::names();
    let unique: std::collections::HashSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len());
    assert!(
        names
            .iter()
            .all(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b)))
    );
}

#[test]
fn pages_with_few_blocks_or_none_have_selections() {
    for name in ["fusion", "fusion-quality"] {
        let preset = registry::preset(name).expect("a preset");
        for page in ["", "<p>", "<p>word", "<frameset><frame>", "<p>.", "<body><br><br>x<br>"] {
            let dom = parse(page, Buffers::default());
            let selection = PageContext::new(&dom, "").selection(&preset).as_ref().clone();
            assert!((0.0..=1.0).contains(&selection.score), "{page}: {}", selection.score);
        }
    }
}

#[test]
fn a_page_of_very_many_blocks_has_a_bounded_number() {
    let page = "<p>a word<br>".repeat(2 * MOST_BLOCKS);
    let dom = parse(&page, Buffers::default());
    let blocks = cut(&dom);
    assert_eq!(blocks.blocks.len(), MOST_BLOCKS);
    let words: u32 = blocks.blocks.iter().map(|block| block.words).sum();
    assert_eq!(words, 4 * MOST_BLOCKS as u32);
    let all = vec![true; MOST_BLOCKS];
    let ranges = ranges::of_kept(&dom, &blocks, &all, &mut Default::default());
    assert_eq!(ranges, [dom.subtree(dom.body())]);
}

#[test]
fn comments_are_kept_dropped_or_set_apart() {
    let article =
        "<p>The ferry will sail again from Monday, the harbour office said, after the storm damaged its pier.</p>"
            .repeat(6);
    let page = format!(
        "<title>Ferry</title><h1>Ferry</h1><article>{article}</article><section class=comments><h2>Comments</h2>\
         <div class=comment><p>At last, I have waited for weeks, and the bus takes hours.</p><a href=/reply>Reply</a></div>\
         <form><label>Your comment</label></form></section>"
    );
    let dom = parse(&page, Buffers::default());
    let with = |comments| {
        let mut changes = Parameters::new();
        changes.set("comments", Value::Text(String::from(comments)));
        let preset = registry::build("own", "fusion", &changes).expect("a preset");
        let context = PageContext::new(&dom, "");
        let selection = context.selection(&preset);
        let view = context.view(preset.strip());
        let (mut text, mut apart) = (String::new(), String::new());
        selection.render_text(&view, &mut text);
        selection.render_comments(&view, TextForm::plain(), &mut apart);
        (text.contains("At last"), text.contains("Reply"), apart)
    };
    assert_eq!(with("keep"), (true, false, String::new()));
    assert_eq!(with("drop"), (false, false, String::new()));
    let (in_text, reply, apart) = with("separate");
    assert!(!in_text && !reply);
    assert!(
        apart.contains("At last") && !apart.contains("Reply") && !apart.contains("Your comment"),
        "{apart}"
    );
    assert_eq!(with("auto").2, "");
}

#[test]
fn without_a_heading_most_of_the_page_is_no_comment() {
    let sentence = "The ferry will sail again from Monday, the harbour office said, after the storm damaged its pier. ";
    let page = format!(
        "<div class=comments-open><p>{}</p></div><div class=comments><p>At last, I have waited for weeks.</p></div>",
        sentence.repeat(3)
    );
    let dom = parse(&page, Buffers::default());
    let found = comments::find(&cut(&dom), None);
    assert_eq!(
        found.iter().map(|found| found.is_comment).collect::<Vec<_>>(),
        [false, true]
    );
}

#[test]
fn a_comment_that_is_a_copy_is_not_kept_again() {
    let comment = "<p>At last, I have waited for weeks, and the bus takes hours, every single day of the year.</p>";
    let article =
        "<p>The ferry will sail again from Monday, the harbour office said, after the storm damaged its pier.</p>";
    let page = format!(
        "<h1>Ferry</h1><article>{}<p>{}</article><section class=comments>{comment}</section>",
        article.repeat(6),
        comment.trim_start_matches("<p>").trim_end_matches("</p>")
    );
    let mut changes = Parameters::new();
    changes.set("comments", Value::Text("keep".to_owned()));
    let preset = registry::build("own", "fusion", &changes).expect("a preset");
    let dom = parse(&page, Buffers::default());
    let context = PageContext::new(&dom, "");
    let mut text = String::new();
    let view = context.view(preset.strip());
    context.selection(&preset).render_text(&view, &mut text);
    assert_eq!(text.matches("At last").count(), 1, "{text}");
}

/// A page in a language that no model was trained on.
#[test]
fn a_page_in_hindi_comes_out_right() {
    let paragraphs = [
        "नदी के किनारे बसे छोटे से गाँव में इस साल फिर से नाव प्रतियोगिता हुई, जिसमें आसपास के बारह गाँवों के लोग आए।",
        "सुबह से ही घाट पर भीड़ थी, और बच्चों ने अपने हाथों से बनी रंगीन झंडियाँ पेड़ों पर बाँध दी थीं।",
        "आयोजकों ने बताया कि पिछले साल बाढ़ के कारण यह मेला नहीं हो सका था, इसलिए इस बार तैयारी दो महीने पहले शुरू कर दी गई।",
        "पहला इनाम उत्तर टोला की टीम को मिला, जिसने चार किलोमीटर की दूरी केवल अठारह मिनट में पूरी की।",
        "शाम को गीत और नृत्य का कार्यक्रम हुआ, जो देर रात तक चलता रहा।",
    ];
    let page = format!(
        "<title>नाव प्रतियोगिता में उत्तर टोला की जीत - ग्राम समाचार</title><ul><li><a href=/>मुख पृष्ठ</a><li><a href=/1>समाचार</a>\
         <li><a href=/2>खेल</a><li><a href=/3>संपर्क</a></ul><div><h1>नाव प्रतियोगिता में उत्तर टोला की जीत</h1><p>{}</div>\
         <div><h3>और पढ़ें</h3><ul><li><a href=/4>मेले की तैयारी पूरी</a><li><a href=/5>बाढ़ के बाद का गाँव</a></ul></div>\
         <div>© 2024 ग्राम समाचार, सर्वाधिकार सुरक्षित</div>",
        paragraphs.join("<p>")
    );
    for name in ["fusion", "fusion-quality"] {
        let preset = registry::preset(name).expect("a preset");
        let dom = parse(&page, Buffers::default());
        let context = PageContext::new(&dom, "");
        let mut text = String::new();
        context
            .selection(&preset)
            .render_text(&context.view(preset.strip()), &mut text);
        let title = text.strip_prefix("नाव प्रतियोगिता में उत्तर टोला की जीत\n\n");
        assert_eq!(title.unwrap_or(&text), paragraphs.join("\n\n"), "{name}");
    }
}

#[test]
fn of_a_long_title_the_first_words_count() {
    let words = |count: usize| (0..count).map(|word| format!("w{word} ")).collect::<String>();
    let features = |count: usize| {
        let words = words(count);
        let page = format!(
            "<title>{words}</title><meta name=description content='{words}'><h1>w1 w2 w3 w4</h1><p>w300 w301 w302"
        );
        let mut blocks = PageBlocks::default();
        blocks.compute(&parse(&page, Buffers::default()));
        (0..features::names().len())
            .map(|f| blocks.features().column(f).to_vec())
            .collect::<Vec<_>>()
    };
    assert_eq!(features(70_000), features(200));
}

#[test]
fn memory_is_given_back_after_a_page_of_many_nodes() {
    let mut workspace = Workspace::default();
    for (page, is_kept) in [("<p>word".to_owned(), true), ("<i>a</i>".repeat(1 << 17), false)] {
        let dom = parse(&page, Buffers::default());
        workspace.page.compute(&dom);
        workspace.shrink();
        assert_eq!(!workspace.page.is_empty(), is_kept);
    }
}

/// Pages of random pieces.
fn page() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<div class=post-body>",
        "</div>",
        "<p>",
        "</p>",
        "<a href=/x>",
        "</a>",
        "<br>",
        "<b>",
        "</b>",
        "<ul><li>",
        "<li>",
        "</ul>",
        "<table><tr><td>",
        "<td>",
        "</table>",
        "<h1>",
        "</h1>",
        "<h2>",
        "<section id=comments>",
        "</section>",
        "<span>",
        "</span>",
        "<select><option>",
        "</select>",
        "<form>",
        "</form>",
        "<script>x</script>",
        "<nav role=navigation>",
        "</nav>",
        "Some words of text. ",
        "word",
        " ",
        "日本語の文章です。",
        "مرحبا بالعالم، نص",
        "1 234,50 €",
        "© 2020",
        "<div hidden>",
        "<i>",
        "</i>",
        "<img src=a>",
        "A long sentence, with commas, goes on for a while until there are some twenty words in it, and then it ends. ",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn ranges_hold_just_the_kept_blocks(page in page(), bits in any::<u64>()) {
        let dom = parse(&page, Buffers::default());
        let blocks = cut(&dom);
        let kept: Vec<bool> = (0..blocks.blocks.len()).map(|block| bits >> (block % 64) & 1 == 1).collect();
        let ranges = ranges::of_kept(&dom, &blocks, &kept, &mut Default::default());
        prop_assert!(ranges.iter().all(|range| !range.is_empty()));
        prop_assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
        for (block, kept) in blocks.blocks.iter().zip(&kept) {
            for text in blocks.texts_of(block) {
                prop_assert_eq!(ranges.iter().any(|range| range.contains(text)), *kept, "text {} of {}", text, page);
            }
        }
    }

    #[test]
    fn the_text_of_all_blocks_is_the_text_of_the_page(page in page()) {
        let preset = registry::preset("fusion").expect("a preset");
        let dom = parse(&page, Buffers::default());
        let context = PageContext::new(&dom, "");
        let view = context.view(preset.strip());
        let text = |ranges| {
            let mut text = String::new();
            Selection::new(ranges).render_text(&view, &mut text);
            text
        };
        // A part of an item has the item's marker, so only words are looked for.
        let words = |ranges| {
            let mut words = String::new();
            Selection::new(ranges).render_words(&view, &mut words);
            words
        };
        let blocks = cut(&dom);
        let all = vec![true; blocks.blocks.len()];
        let body = vec![dom.subtree(dom.body())];
        prop_assert_eq!(text(ranges::of_kept(&dom, &blocks, &all, &mut Default::default())), text(body.clone()));
        let whole = words(body);
        for block in 0..all.len() {
            let mut kept = vec![false; all.len()];
            kept[block] = true;
            let alone = words(ranges::of_kept(&dom, &blocks, &kept, &mut Default::default()));
            prop_assert!(whole.contains(&alone), "{:?} is not in {:?}", alone, whole);
        }
    }

    #[test]
    fn the_blocks_of_a_node_are_those_with_a_text_in_it(page in page()) {
        let dom = parse(&page, Buffers::default());
        let mut blocks = PageBlocks::default();
        blocks.compute(&dom);
        for node in 0..dom.len() {
            let subtree = dom.subtree(node);
            let has_text = |block: &usize| blocks.texts(*block).iter().any(|text| subtree.contains(text));
            let expected: Vec<usize> = (0..blocks.len()).filter(has_text).collect();
            prop_assert_eq!(explain::blocks_in(&blocks, &subtree).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn features_do_not_depend_on_earlier_pages(first in page(), second in page()) {
        let [first, second] = [&first, &second].map(|page| parse(page, Buffers::default()));
        let (mut fresh, mut used) = (PageBlocks::default(), PageBlocks::default());
        fresh.compute(&second);
        used.compute(&first);
        used.compute(&second);
        prop_assert_eq!(fresh.len(), used.len());
        let same = |feature: usize| Matrix::column(fresh.features(), feature) == used.features().column(feature);
        if !fresh.is_empty() {
            for feature in 0..features::names().len() {
                prop_assert!(same(feature), "{}", features::names()[feature]);
            }
        }
    }
}

#[test]
fn the_explanation_names_what_was_filled_and_what_blocks_alike_moved() {
    let preset = registry::preset("fusion").expect("a preset");
    let husk = "<pre class='nav share'><a href=x>Another letter</a> <a href=y>Share</a> <a href=z>Print</a></pre>";
    let page = include_str!("../../tests/pages/letter.html").replace("as you will", &format!("{husk}as you will"));
    let dom = parse(&page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let blocks = preset.extractor.explain_blocks(&page);
    let block = |text: &str| {
        blocks
            .iter()
            .find(|block| block.text.starts_with(text))
            .expect("a block")
    };
    let (filled, moved) = (block("Another"), block("Treasurer"));
    assert!(filled.is_kept && filled.is_filled);
    assert!(moved.is_kept && !moved.is_filled && (moved.probability - moved.probability_alone).abs() > 0.01);
    let node = |block: &ExplainedBlock| dom.node(block.node).parent;
    let told = preset
        .extractor
        .explain(&page, &page.selection(&preset), &[node(filled), node(moved)]);
    let rules: Vec<_> = told.iter().map(|explanation| explanation.rule.name).collect();
    assert_eq!(rules, ["fusion.filled", "fusion.kept-like"]);
}

#[test]
fn the_explanation_names_what_is_around_the_things_of_a_shop() {
    let preset = registry::preset("fusion").expect("a preset");
    let page = include_str!("../../tests/pages/shop.html");
    let dom = parse(page, Buffers::default());
    let page = PageContext::new(&dom, "");
    let node = |text: &str| {
        let is_text = |id: &NodeId| dom.node(*id).tag == Tag::Text && dom.raw(*id).starts_with(text);
        dom.node((0..dom.len()).find(is_text).expect("a text")).parent
    };
    let nodes = ["Filter by", "You may", "Add to"].map(node);
    let told = preset.extractor.explain(&page, &page.selection(&preset), &nodes);
    let rules: Vec<_> = told.iter().map(|explanation| explanation.rule.name).collect();
    assert_eq!(rules, ["fusion.around", "fusion.around", "fusion.button"]);
}
