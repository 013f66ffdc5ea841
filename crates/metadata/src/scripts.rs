//! Pages whose text only their scripts would write.

use dehusk_html::{Dom, NodeId, Tag};

/// More words than this in the body, scripts left out, are a page of its own.
const MOST_WORDS: u32 = 40;

/// The ids of the elements that common frameworks fill: React, Vue, Next, Nuxt, Gatsby, Angular, Ember and Svelte.
const ROOTS: [&str; 9] = [
    "root",
    "app",
    "__next",
    "__nuxt",
    "___gatsby",
    "app-root",
    "react-root",
    "ember-app",
    "svelte",
];

/// Whether a page needs its scripts to have a text: it runs some, has few words, and either asks for JavaScript in a
/// `noscript` or has an empty element that scripts fill.
pub fn needs_script(dom: &Dom<'_>) -> bool {
    if dom.words(dom.body()) > MOST_WORDS {
        return false;
    }
    let has_script = dom.nodes().iter().any(|node| node.tag == Tag::Script);
    let has_sign = || (0..).zip(dom.nodes()).any(|(id, node)| is_sign(dom, id, node.tag));
    has_script && has_sign()
}

fn is_sign(dom: &Dom<'_>, id: NodeId, tag: Tag) -> bool {
    match tag {
        // Every language has the word.
        Tag::Noscript => dehusk_html::text_of(dom, id).to_lowercase().contains("javascript"),
        Tag::Div | Tag::Main | Tag::Section => dom.words(id) == 0 && is_root(dom, id),
        _ => dom.name(id).eq_ignore_ascii_case("app-root"),
    }
}

fn is_root(dom: &Dom<'_>, id: NodeId) -> bool {
    dom.attribute(id, "id")
        .is_some_and(|name| ROOTS.iter().any(|root| name.trim().eq_ignore_ascii_case(root)))
}

#[cfg(test)]
mod tests {
    use dehusk_html::{Buffers, parse};

    use super::needs_script;

    #[test]
    fn a_page_that_waits_for_its_scripts_is_no_empty_one() {
        let needs = |html: &str| needs_script(&parse(html, Buffers::default()));
        let script = "<script src=main.js></script>";
        for page in [
            format!("<body><div id=root></div>{script}"),
            format!("<body><div id=__next><div></div></div>{script}"),
            format!("<body><noscript>You need to enable JavaScript.</noscript>{script}"),
            format!("<body><app-root></app-root>{script}"),
        ] {
            assert!(needs(&page), "{page}");
        }
        for page in [
            "<body><div id=root></div>".to_owned(),
            format!("<body>{script}"),
            format!("<body><div id=other></div>{script}"),
            format!("<body><div id=root>{}</div>{script}", "word ".repeat(50)),
            String::new(),
        ] {
            assert!(!needs(&page), "{page}");
        }
    }
}
