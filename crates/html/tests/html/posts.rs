//! Posts: their authors and dates are in Markdown before their text, unless the selection has them.

use dehusk_html::rendering::{Element, render_marked};
use dehusk_html::{Buffers, NodeId, Tag, TextForm, parse, render, render_text};

/// The Markdown of the texts that begin with `text`.
fn markdown(content: &str) -> String {
    let page = format!("<!doctype html><body>{content}");
    let dom = parse(&page, Buffers::default());
    let is_chosen = |id: &NodeId| dom.node(*id).tag == Tag::Text && dom.raw(*id).starts_with("text");
    let ranges: Vec<_> = (0..dom.len()).filter(is_chosen).map(|id| dom.subtree(id)).collect();
    let (mut out, mut plain) = (String::new(), String::new());
    render(&dom, &ranges, &[], TextForm::markdown(), &mut out);
    render_text(&dom, &ranges, &[], &mut plain);
    assert!(!plain.contains("Ann"), "{plain:?}");
    out
}

#[track_caller]
fn posts(content: &str, expected: &str) {
    assert_eq!(markdown(content), expected, "{content}");
}

#[test]
fn posts_have_their_authors_and_dates() {
    let expected = "**Ann**, 2024-05-01\n\ntext one\n\n**Bob**, 2024-05-02\n\ntext two";
    let two = |post: &str| {
        let second = post
            .replace("Ann", "Bob")
            .replace("05-01", "05-02")
            .replace("one", "two");
        let number = |page: String, at: &str| page.replace('#', at);
        number(post.to_owned(), "1") + &number(second, "2")
    };
    for post in [
        // schema.org.
        "<div itemscope itemtype='https://schema.org/Comment'><span itemprop=author><span itemprop=name>Ann</span></span>\
         <meta itemprop=dateCreated content='2024-05-01'><p>text one</div>",
        "<article itemtype='http://schema.org/DiscussionForumPosting'><a rel=author>Ann</a>\
         <time datetime='2024-05-01T10:00:00Z'>May 1</time><p>text one</article>",
        // Discourse, for readers without scripts.
        "<div class='topic-body crawler-post'><div class=crawler-post-meta><span class=creator itemprop=author>\
         <a href=/u/ann><span itemprop=name>Ann</span></a></span><time itemprop=datePublished datetime='2024-05-01'>x</time>\
         </div><div class=post><p>text one</div></div>",
        // phpBB.
        "<div id='p#' class='post has-profile bg1'>\
         <div class=postbody><p class=author><a>Post</a> by <a class=username-coloured>Ann</a> <time datetime='2024-05-01'>x</time></p><div class=content>text one</div></div></div>",
        // phpBB 3.0.
        "<div id='p#' class='post bg1'><dl class=postprofile><dt><a>Ann</a></dt><dd>Joined: 3 Jan 2003</dd></dl><div class=postbody>\
         <p class=author>by <strong><a class=username>Ann</a></strong> » 2024-05-01</p><div class=content>text one</div></div></div>",
        // Discourse, for readers with scripts, and of old.
        "<article class=topic-reply data-post-id=#><a class=trigger-user-card><img></a><a class=trigger-user-card>Ann</a>\
         <span class=relative-date title=2024-05-01>1d</span><div class=cooked><p>text one</div></article>",
        "<article class='boxed onscreen-post'><div class=names><span class=username><a>Ann</a></span></div>\
         <span class=relative-date title=2024-05-01>1d</span><div class=cooked><p>text one</div></article>",
        // Questions and answers.
        "<div class=answer><div class=body><p>text one</div><div class=user>answered <span title='2024-05-01 08:00:00Z'>x</span> by \
         <a href=/u/#>Ann</a></div></div>",
        // vBulletin.
        "<div class='postbitlegacy' id='post_#'><span class=date>2024-05-01</span><a class='username offline'>Ann</a>\
         <blockquote class=x>text one</blockquote></div>",
        // XenForo.
        "<article class='message message--post js-post' data-author=Ann id='js-post-#'><time class=u-dt datetime='2024-05-01'>x\
         </time><div class=bbWrapper>text one</div></article>",
        // Discuz.
        "<div id='post_#'><table><tr><td><div class=authi><a class=xw1>Ann</a></div><td><em id='authorposton#'>2024-05-01</em>\
         <div class=t_f>text one</div></table></div>",
        // Stack Exchange.
        "<div id='answer-#' class=answer><div class=s-prose><p>text one</div><div class=user-info>\
         <span class=relativetime title='2024-05-01 10:00:00Z'>x</span><div class=user-details><a href=/users/1>Ann</a></div></div></div>",
        // Others.
        "<div class=reply><div class=author>Ann <b>1,300 posts since the year 2016</b></div><i class=date>2024-05-01</i><p>text one</div>",
        "<div class=comment><cite class=fn>Ann</cite><div class=comment-date>2024-05-01</div>text one</div>",
        // Microdata that is not shown.
        "<div itemprop=suggestedAnswer itemscope><meta itemprop=author content=Ann>\
         <meta itemprop=dateCreated content='2024-05-01'><p>text one</div>",
        "<div itemprop=comment itemscope><p itemprop=author itemscope><meta itemprop=name content=Ann></p>\
         <meta itemprop=datePublished content='2024-05-01T10:00:00Z'><p>text one</div>",
    ] {
        let expected = if post.contains("blockquote") {
            "> **Ann**, 2024-05-01\n>\n> text one\n\n> **Bob**, 2024-05-02\n>\n> text two"
        } else {
            expected
        };
        posts(&two(post), expected);
    }
    let items = two("<li class=comment><b class=author>Ann:</b><time>2024-05-01</time><p>text one</p></li>");
    posts(
        &format!("<ol>{items}</ol>"),
        "1. **Ann**, 2024-05-01\n\n   text one\n\n2. **Bob**, 2024-05-02\n\n   text two",
    );
}

/// The authors and dates of the posts in the whole text.
fn marked(content: &str) -> Vec<(String, String)> {
    let dom = parse(content, Buffers::default());
    let marks = render_marked(&dom, &[dom.subtree(dom.body())], &[], false, &mut String::new());
    let post = |element| match element {
        Element::Post { author, date } => Some((author, date)),
        _ => None,
    };
    marks.into_iter().filter_map(|mark| post(mark.begins?)).collect()
}

#[test]
fn rows_of_old_forums_are_posts() {
    let row = |name: &str, day: u8| {
        // The name of phpBB 2, or only a bold one; the signature is a second text.
        let cells = [
            format!(
                "<span class=name><a name={day}></a><b>{name}</b></span><br><span class=postdetails>Joined: 3 Jan 2003</span>"
            ),
            format!("<b>{name}</b><br>Joined: 3 Jan 2003"),
        ];
        let date = format!(
            "<span class=postdetails>Posted: Tue Apr 0{day}, 2003 10:00 am<span> &nbsp; Post subject: Hi</span></span>"
        );
        let text = "<span class=postbody>text</span><span class=postbody>____<br>Greetings</span>";
        let nested = format!("<table><tr><td>{date}<td>Quote<tr><td colspan=2>{text}</table>");
        let titled = format!("<span class=postdetails>Posted: Tue Apr 0{day}, 2003 10:00 am &nbsp; Hi</span>");
        [(0, &nested), (1, &nested), (1, &format!("{titled}<hr>{text}"))]
            .map(|(cell, rest)| format!("<tr><td class=row1>{}<td class=row1>{rest}", cells[cell]))
    };
    for (first, second) in row("Ann", 1).into_iter().zip(row("Bob", 2)) {
        let page = format!("<table><tr><th>Author<th>Message{first}{second}</table>");
        let post = |name: &str, date: &str| (name.to_owned(), date.to_owned());
        let expected = [
            post("Ann", "Tue Apr 01, 2003 10:00 am"),
            post("Bob", "Tue Apr 02, 2003 10:00 am"),
        ];
        assert_eq!(marked(&page), expected, "{page}");
    }
    // One row, and rows whose first cells name nobody.
    let row = |name: &str| format!("<tr><td>{name}<td><span class=postbody>text</span>");
    for rows in [row("<b>Ann</b>"), row("Ann").repeat(2)] {
        assert_eq!(marked(&format!("<table>{rows}</table>")), [], "{rows}");
    }
}

#[test]
fn authors_and_dates_are_in_the_row_before_that_of_the_text() {
    let subsilver = |name: &str, day: u8| {
        format!(
            "<tr class=row1><td align=center><a name=p{day}></a><b class=postauthor>{name}</b></td><td><table><tr>\
             <td class=gensmall><div><b>Post subject:</b> Re: Summer of 2004</div><div><b>Posted:</b> Tue May 0{day}, 2007 \
             10:00 am&nbsp;</div></td></table></td></tr><tr class=row1><td class=profile><span class=postdetails><b>Joined:</b> \
             Mon Jan 01, 2006 1:00 am</span></td><td><table><tr><td><div class=postbody>text</div></table></td></tr>\
             <tr class=row1><td class=profile><strong><a>Top</a></strong></td><td><b>Profile</b></td></tr>"
        )
    };
    // In IPB 2 the text has the number of the post, in IPB 1 it has none.
    let ipb = |name: &str, day: u8, id: &str| {
        format!(
            "<tr><td class=row4><a name=entry{day}></a><span class=normalname><a>{name}</a></span></td><td class=row4>\
             <div><span class=postdetails><b><img></b>May {day} 2007, 10:00 AM</span></div><div>Post #{day}</div></td></tr>\
             <tr><td class=post1><span class=postdetails>Member<br>Posts: 12<br>Joined: 3-March 03</span></td>\
             <td class=post1><div class=postcolor {id}>text</div></td></tr>"
        )
    };
    let post = |name: &str, date: &str| (name.to_owned(), date.to_owned());
    let of_ipb = [post("Ann", "May 1 2007, 10:00 AM"), post("Bob", "May 2 2007, 10:00 AM")];
    let of_phpbb = [
        post("Ann", "Tue May 01, 2007 10:00 am"),
        post("Bob", "Tue May 02, 2007 10:00 am"),
    ];
    for (rows, expected) in [
        (subsilver("Ann", 1) + &subsilver("Bob", 2), of_phpbb),
        (ipb("Ann", 1, "") + &ipb("Bob", 2, ""), of_ipb.clone()),
        (ipb("Ann", 1, "id=post-1") + &ipb("Bob", 2, "id=post-2"), of_ipb),
    ] {
        assert_eq!(marked(&format!("<table>{rows}</table>")), expected, "{rows}");
    }
    // Without the row before, nobody is named.
    let row = "<tr><td class=profile><b>Joined:</b> May 2006</td><td><div class=postbody>text</div></td></tr>";
    assert_eq!(marked(&format!("<table>{}</table>", row.repeat(2))), []);
}

#[test]
fn a_row_whose_cells_come_after_many_other_elements_is_no_post() {
    let row = |others: usize| {
        let others = "<span class=postbody>text</span>".repeat(others);
        format!("<tr>{others}<td><b>Ann</b><td><span class=postbody>text</span>")
    };
    assert_eq!(marked(&format!("<table>{}</table>", row(8).repeat(2))).len(), 2);
    assert_eq!(marked(&format!("<table>{}</table>", row(80).repeat(2))), []);
}

#[test]
fn the_day_on_which_an_author_joined_is_not_that_of_the_post() {
    let post = "<div class=post><div class=user><b>Di</b><br>Joined: 5 May 2004</div><p>text</div>";
    assert_eq!(marked(&post.repeat(2))[0].1, "");
}

#[test]
fn posts_of_nodebb_are_components() {
    let post = |name: &str, day: u8| {
        format!(
            "<div component=post data-username={name}><a>{name}</a><i class=timeago title=2024-05-0{day}T10:00:00Z>{day} May</i>\
             <p component=post/content>text</div>"
        )
    };
    posts(
        &(post("Ann", 1) + &post("Bob", 2)),
        "**Ann**, 2024-05-01\n\ntext\n\n**Bob**, 2024-05-02\n\ntext",
    );
}

#[test]
fn a_question_and_its_answer_are_posts() {
    let of = |name: &str, day: u8| format!("<i class=user>asked <b title=2024-05-0{day}>x</b> by <a>{name}</a></i>");
    posts(
        &format!(
            "<div id=question><p>text one</p>{}</div><div class=answer><p>text two</p>{}</div>",
            of("Ann", 1),
            of("Bob", 2)
        ),
        "**Ann**, 2024-05-01\n\ntext one\n\n**Bob**, 2024-05-02\n\ntext two",
    );
}

#[test]
fn a_count_of_milliseconds_is_not_written() {
    let post = "<div class=topic-reply><a class=trigger-user-card>Ann</a><b class=relative-date data-time=1585735200000>1d</b>\
                <p>text one</div>";
    posts(&post.repeat(2), "**Ann**\n\ntext one\n\n**Ann**\n\ntext one");
}

#[test]
fn what_is_no_post_has_no_line() {
    let article = "<article class=post><a rel=author>Ann</a><p>text one</p></article>";
    posts(article, "text one");
    let answers = "<div class=answer><p>text one</div><div class=answer><p>text two</div>";
    posts(answers, "text one\n\ntext two");
    // The article of a page with comments is no post.
    let comment = "<div class=comment><b class=author>Bob</b><p>text two</div>";
    posts(
        &format!("{article}{comment}{comment}"),
        "text one\n\n**Bob**\n\ntext two\n\n**Bob**\n\ntext two",
    );
}

#[test]
fn an_author_in_the_selection_is_not_written_twice() {
    let post = "<div class=post><b class=author>text Bob</b><time datetime='2024-05-01'>x</time><p>text one</div>";
    posts(
        &post.repeat(2),
        "2024-05-01\n\n**text Bob**\n\ntext one\n\n2024-05-01\n\n**text Bob**\n\ntext one",
    );
}

#[test]
fn a_date_has_a_year_and_an_author_follows_by() {
    for (says, expected) in [
        ("<i class=fn>Ann</i><span class=time>5 min read</span>", "**Ann**"),
        (
            "<a class=date title='Link to comment 5'>March 3, 2024</a>",
            "March 3, 2024",
        ),
        (
            "<p class=author>Posted in <a>News</a> by <a>Ann</a></p><time datetime=2024-03-03>x</time>",
            "**Ann**, 2024-03-03",
        ),
    ] {
        let post = format!("<div class=comment>{says}<p>text one</div>");
        let expected = format!("{expected}\n\ntext one");
        posts(&post.repeat(2), &format!("{expected}\n\n{expected}"));
    }
}

#[test]
fn a_reply_in_a_comment_has_its_own_line() {
    posts(
        "<li class=comment><i class=fn>Ann</i><p>text one<ul><li class=comment><i class=fn>Bob</i><p>text two</ul>",
        "- **Ann**\n\n  text one\n\n  - **Bob**\n\n    text two",
    );
}

const THREAD: &str = "<div><p>Ask here<div><p>text of the question that she has</div><hr><p>Bob says:<div><p>text <b>in reply</b> \
                      of Bob</div><a id=c3></a><p>text 3</p></div>";

fn described(script: &str, page: &str) -> String {
    format!("<script type='application/ld+json'>{script}</script>{page}")
}

#[test]
fn authors_and_dates_that_are_only_in_a_script_are_found_by_the_text_and_the_address() {
    let expected = "**Ann**, 2024-05-01\n\ntext of the question that she has\n\n**Bob**, 2024-05-02\n\ntext\n\n2024-05-03\n\ntext 3";
    let person = |name: &str| format!(r#"{{"@type": "Person", "name": "{name}"}}"#);
    let (ann, bob) = (person("Ann"), person("Bob"));
    let facts = |author: &str, day: u8| format!(r#""author": {author}, "dateCreated": "2024-05-0{day}T10:00:00Z""#);
    let third = r#""datePublished": "2024-05-03", "url": "https://a.example/thread#c3""#;
    for script in [
        format!(
            r#"{{"@type": "DiscussionForumPosting", "text": "Text of the question, that she has", {}, "comment": [
            {{"@type": "Comment", "text": "<p>text <b>in reply<\/b> of Bob<\/p>", {}}},
            {{"@type": "Comment", "text": "text 3", {third}}}]}}"#,
            facts(&ann, 1),
            facts(&bob, 2),
        ),
        // Not in the order of the page, with names alone, and one by its address.
        format!(
            r#"{{"@type": "QAPage", "mainEntity": {{"@type": "Question", "text": "text of the question that she has", {},
            "acceptedAnswer": {{"@type": "Answer", {third}}},
            "suggestedAnswer": [{{"@type": ["Answer"], "text": "text in&nbsp;reply of Bob", {}}}]}}}}"#,
            facts(r#""Ann""#, 1),
            facts(r#"["Bob"]"#, 2),
        ),
    ] {
        posts(&described(&script, THREAD), expected);
    }
}

#[test]
fn a_script_completes_what_elements_lack() {
    let script = r#"{"@type": "DiscussionForumPosting", "text": "text one is here", "author": {"name": "Ann"}, "dateCreated": "2024-05-01",
        "comment": [{"@type": "Comment", "text": "text two is here", "author": {"name": "Zoe"}, "dateCreated": "2024-05-02"}]}"#;
    let post =
        |author: &str, text: &str| format!("<div class=post><b class=author>{author}</b><p>text {text} is here</div>");
    // The second is of another author, who may quote.
    posts(
        &described(script, &(post("Ann", "one") + &post("Bob", "two"))),
        "**Ann**, 2024-05-01\n\ntext one is here\n\n**Bob**\n\ntext two is here",
    );
}

#[test]
fn scripts_that_describe_no_thread_add_nothing() {
    let one = r#"{"@type": "Question", "text": "text one is here", "author": "Ann"}"#;
    let page = "<div><p>text one is here</div><div><p>text two is here</div>";
    let plain = "text one is here\n\ntext two is here";
    posts(&described(one, page), plain);
    let elsewhere = format!(r#"[{one}, {{"@type": "Answer", "text": "not on this page", "author": "Bob"}}]"#);
    posts(&described(&elsewhere, page), plain);
    // Questions and answers of the site itself have no authors.
    let faq = r#"{"@type": "FAQPage", "mainEntity": [{"@type": "Question", "text": "text one is here",
        "acceptedAnswer": {"@type": "Answer", "text": "text two is here"}}]}"#;
    posts(&described(faq, page), plain);
    posts(&described("{\"@type\": \"Answer\", \"text\": \"text one", page), plain);
}

#[test]
fn the_value_of_a_meta_element_is_written_though_the_whole_post_is_selected() {
    let post = "<div itemscope itemtype=https://schema.org/Comment><meta itemprop=author content=Ann>\
                <meta itemprop=dateCreated content=2024-05-01><p>text</div>";
    let page = post.repeat(2);
    let dom = parse(&page, Buffers::default());
    let mut out = String::new();
    render(&dom, &[dom.subtree(dom.body())], &[], TextForm::markdown(), &mut out);
    let one = "**Ann**, 2024-05-01\n\ntext";
    assert_eq!(out, format!("{one}\n\n{one}"));
}
