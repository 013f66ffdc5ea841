//! The pages of the inspector: HTML, style and scripts, which are inside the program.

use hyper::header::HeaderValue;

use crate::http::{Answer, answer_with_policy};

/// The permissions of the inspector's own page: its own script and style, its own answers, its own frames. Its script
/// cannot make markup of a string, because that needs trusted types, of which there are none.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const ICON: &str = "image/svg+xml";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Path, type and content.
static ASSETS: [(&str, &str, &str); 14] = [
    ("/", HTML, include_str!("../../assets/inspector.html")),
    ("/inspector.css", STYLE, include_str!("../../assets/inspector.css")),
    ("/icon.svg", ICON, include_str!("../../assets/icon.svg")),
    ("/inspector.js", SCRIPT, include_str!("../../assets/inspector.js")),
    ("/records.js", SCRIPT, include_str!("../../assets/records.js")),
    ("/page.js", SCRIPT, include_str!("../../assets/page.js")),
    ("/comparison.js", SCRIPT, include_str!("../../assets/comparison.js")),
    ("/marking.js", SCRIPT, include_str!("../../assets/marking.js")),
    ("/layout.js", SCRIPT, include_str!("../../assets/layout.js")),
    ("/marks.js", SCRIPT, include_str!("../../assets/marks.js")),
    ("/search.js", SCRIPT, include_str!("../../assets/search.js")),
    ("/curve.js", SCRIPT, include_str!("../../assets/curve.js")),
    ("/tabs.js", SCRIPT, include_str!("../../assets/tabs.js")),
    ("/dom.js", SCRIPT, include_str!("../../assets/dom.js")),
];

/// The asset of a path.
pub(crate) fn asset(path: &str) -> Option<Answer> {
    let (_, content_type, content) = ASSETS.iter().find(|(known, ..)| *known == path)?;
    let policy = HeaderValue::from_static(POLICY);
    Some(answer_with_policy(200, content_type, policy, *content))
}
