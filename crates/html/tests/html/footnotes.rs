//! Footnotes in Markdown: a reference and its note.

use dehusk_html::TextForm;

use super::markdown::markdown;
use super::markdown::with;

#[test]
fn footnotes() {
    let notes = "<ol><li id=n1>One <a href=#r1>↩</a><li id=n2><p>Two<p>More</ol>";
    let referring = |text: &str, notes: &str, expected: &str| markdown(&format!("<p>{text}</p>{notes}"), expected);
    let two = "[^1]: One\n\n[^2]: Two\n\n    More";
    referring(
        "a<sup id=r1><a href=#n1>1</a></sup> b<a href=#n2><sup>[2]</sup></a>",
        notes,
        &format!("a[^1] b[^2]\n\n{two}"),
    );
    // The text after a reference makes no link or note of it, and the text before it makes no image.
    referring(
        "!<sup><a href=#n1>1</a></sup>(b) <sup><a href=#n2>2</a></sup><sup><a href=#n1>1</a></sup>: c",
        notes,
        &format!("\\![^1]\\(b) [^2][^1]: c\n\n{two}"),
    );
    referring(
        "<a href=#n1><sup>1</sup></a>: a<a href=#n2><sup>2</sup></a>",
        notes,
        &format!("[^1]\\: a[^2]\n\n{two}"),
    );
    // The number at the start of a note is in its form.
    for note in [
        "<p id=n7><sup>7</sup> Seven</p>",
        "<p><a name=n7 href=#r7>[7]</a> Seven <a href=#r7>^</a></p>",
        "<div id=n7><p><span><a href=#r7>7.</a></span> Seven</p></div>",
        "<aside id=n7>Seven</aside>",
    ] {
        referring("a<sup><a href=#n7>7</a></sup>", note, "a[^7]\n\n[^7]: Seven");
    }
    // Letters are marks, and so is a link that is marked as one. A link to the reference leads back.
    for (reference, note, mark) in [
        (
            "<sup><a href=#n7 id=r7>[a]</a></sup>",
            "<p id=n7>Seven <a href=#r7>back</a></p>",
            "a",
        ),
        ("<sup><a href=#n7>iv</a></sup>", "<p id=n7>Seven</p>", "iv"),
        ("<a href=#n7 role=doc-noteref>7</a>", "<p id=n7>Seven</p>", "7"),
        (
            "<a href=#n7 class=footnote-reference>[7]</a>",
            "<p id=n7>[7] Seven</p>",
            "7",
        ),
    ] {
        let expected = if note.contains("[7]") { "\\[7\\] Seven" } else { "Seven" };
        referring(
            &format!("a{reference}"),
            note,
            &format!("a[^{mark}]\n\n[^{mark}]: {expected}"),
        );
    }
    let word = with(
        "<p>a<sup><a href=#n7>top</a></sup></p><p id=n7>b</p>",
        TextForm::markdown(),
    );
    assert_eq!(word, "atop\n\nb");
    // Without its note, or where the note has no block of its own, a reference is a text.
    for note in [
        "",
        "<p id=other>7 Seven</p>",
        "<table><tr><td>7<td id=n7>Seven<tr><td>8<td>x</table>",
    ] {
        let page = format!("<p>a<sup><a href=#n7>7</a></sup></p>{note}");
        let text = with(&page, TextForm::markdown());
        assert!(text.starts_with("a\\[7") || text.starts_with("a[7]"), "{text}");
    }
    // Nor is a number above the line a reference.
    markdown("<p>10<sup>2</sup></p><p id=2>b</p>", "10^2\n\nb");
    // A note that nothing in the selection refers to is what it was.
    markdown("<ol><li id=n1>One <a href=#r1>x</a></ol>", "1. One x");
}

#[test]
fn links_in_a_note_are_left_out_only_where_they_lead_back() {
    let note = |content: &str, expected: &str| {
        let page = format!("<p>a<sup><a href=#n1 id=r1>1</a></sup></p><ol><li id=n1>{content}</ol>");
        markdown(&page, &format!("a[^1]\n\n[^1]: {expected}"));
    };
    for words in ["Smith, The Book, 1999.", "Smith 1999"] {
        note(&format!("<a href=#r1>{words}</a>"), words);
    }
    note(
        "As shown in <a href=#r1>the discussion</a> above",
        "As shown in the discussion above",
    );
    note("Shown <a href=#r1>^</a> above <a href=#r1>back</a>", "Shown above");
    note(
        "<a href=#r1>a</a> <a href=#r1>b</a> One <a href=#r1>in the text</a>.",
        "One in the text.",
    );
    note("One <a href=#r1>back</a> &#8617;\n", "One ↩");
    // Docutils puts the links to several references in brackets.
    note(
        "<em>(<a href=#r1>1</a>,<a href=#r1>2</a>)</em> <i>One</i> <b>[<a href=#r1>↩</a>]</b>",
        "*One*",
    );
    note("One <a href=#r1>is a longer text</a>", "One is a longer text");
}

#[test]
fn footnotes_of_sphinx_and_wikipedia() {
    let aside = "<aside class='footnote brackets' id=n1 role=doc-footnote><span class=label><span>[</span><a href=#r1>1</a>\
                 <span>]</span></span><p>One</p></aside>";
    markdown(
        &format!(
            "<p>a<a class='footnote-reference brackets' href=#n1 id=r1><span>[</span>1<span>]</span></a></p>{aside}"
        ),
        "a[^1]\n\n[^1]: One",
    );
    // A link back is a superscript, too, and so is each end of a note of a word processor.
    let wikipedia = "<p><sup id=r1><a href=#n1>[1]</a></sup> a</p><ol><li id=n1><a href=#r1><sup><i><b>a</b></i></sup></a> One</ol>";
    markdown(wikipedia, "[^1] a\n\n[^1]: One");
    let word = "<p><a href=#n1 name=r1><sup>1</sup></a> a</p><p><a href=#r1 name=n1><sup>1</sup></a> One</p>";
    markdown(word, "[^1] a\n\n[^1]: One");
}

#[test]
fn notes_whose_letters_differ_only_in_case_are_one_label() {
    markdown(
        "<p>x<sup><a href=#n1>a</a></sup> y<sup><a href=#n2>A</a></sup></p><p id=n1>One</p><p id=n2>Two</p>",
        "x[^a] yA\n\n[^a]: One\n\nTwo",
    );
}
