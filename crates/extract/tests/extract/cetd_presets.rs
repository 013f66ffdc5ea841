//! The three algorithms of CETD side by side, on ten pages whose selections were worked out from the definitions of
//! section 3 and algorithm 2 by searching and marking subtrees, as the paper has it.
//!
//! `a80` means eighty letters a. Beside each page is the density of the body, then those of its children: text
//! densities, smoothed composite ones, composite ones.

use dehusk_extract::{Cetd, Extractor, PageContext};
use dehusk_html::{Buffers, NodeId, parse};

/// The text that is kept of a page, each run of one letter as that letter; and the densities of the body and its
/// children.
fn kept(page: &str, cetd: Cetd) -> (String, Vec<f64>) {
    let mut html = String::new();
    for part in page.split_inclusive([' ', '>']) {
        match part.strip_suffix(' ') {
            Some(text) => html.push_str(&text[..1].repeat(text[1..].parse().unwrap())),
            None => html.push_str(part),
        }
    }
    let html = html.replace("<a>", "<a href=x>");
    let dom = parse(&html, Buffers::default());
    let page = PageContext::new(&dom, "");
    let view = page.view(&cetd.strip());
    let selection = cetd.extract(&page);
    let mut text = String::new();
    selection.render_text(&view, &mut text);
    let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphabetic()).collect();
    letters.dedup();
    let nodes = std::iter::once(dom.body()).chain(dom.children(dom.body()));
    let densities = nodes.map(|id: NodeId| selection.score_of(id).unwrap()).collect();
    (letters.into_iter().collect(), densities)
}

/// A page, what the three keep of it, and the densities, to two digits.
struct Case {
    page: &'static str,
    cetd_ds: (&'static str, &'static str),
    cectd_s: (&'static str, &'static str),
    cectd_ds: (&'static str, &'static str),
}

const CASES: [Case; 10] = [
    // An article between menus.
    Case {
        page: "<body><div><a>m4 </a><a>n4 </a></div><div><p>a80 </p><p>b120 </p></div><div><a>f6 </a><a>g8 \
            </a></div></body>",
        cetd_ds: ("ab", "24.67: 4.00, 100.00, 7.00"),
        cectd_s: ("ab", "56.65: 175.76, 263.64, 175.76"),
        cectd_ds: ("ab", "56.65: 0.00, 527.28, 0.00"),
    },
    // Two articles apart.
    Case {
        page: "<body><div><p>a90 </p><p>b70 </p></div><div><a>m5 </a><a>n5 </a><a>o5 </a></div><div><p>c60 </p><p>d100 \
            </p></div></body>",
        cetd_ds: ("abmnocd", "33.50: 80.00, 5.00, 80.00"),
        cectd_s: ("abcd", "115.01: 371.15, 278.37, 371.15"),
        cectd_ds: ("abcd", "115.01: 556.73, 0.00, 556.73"),
    },
    // A short paragraph between long ones.
    Case {
        page: "<body><div><a>m6 </a><a>n6 </a></div><div><p>a150 </p><p>s8 </p><p>b150 </p></div></body>",
        cetd_ds: ("asb", "45.71: 6.00, 102.67"),
        cectd_s: ("asb", "173.57: 239.05, 478.10"),
        cectd_ds: ("asb", "173.57: 0.00, 717.15"),
    },
    // A link in a sentence.
    Case {
        page: "<body><div><a>m6 </a><a>n6 </a></div><div><p>a60 <a>l10 </a>b40 </p><p>c90 </p></div></body>",
        cetd_ds: ("albc", "30.29: 6.00, 66.67"),
        cectd_s: ("abc", "69.31: 72.20, 144.39"),
        cectd_ds: ("albc", "69.31: 0.00, 216.59"),
    },
    // A paragraph of links.
    Case {
        page: "<body><div><p>a100 </p><p><a>l20 </a><a>k20 </a></p><p>b100 </p></div><div><a>m4 </a></div></body>",
        cetd_ds: ("alkb", "30.50: 48.00, 4.00"),
        cectd_s: ("ab", "53.77: 57.25, 28.63"),
        cectd_ds: ("alkb", "53.77: 85.88, 0.00"),
    },
    // A notice as dense as the article.
    Case {
        page: "<body><div><p>a100 </p><p>b100 </p></div><div><a>m6 </a></div><div><p>n90 </p></div></body>",
        cetd_ds: ("abn", "42.29: 100.00, 6.00, 90.00"),
        cectd_s: ("abn", "249.05: 615.84, 475.24, 651.48"),
        cectd_ds: ("abn", "249.05: 923.76, 0.00, 977.22"),
    },
    // A thread.
    Case {
        page: "<body><div><a>m6 </a><a>n6 </a></div><div><div><a>u5 </a><p>a60 </p></div><div><a>v5 </a><p>b80 \
            </p></div><div><a>w5 </a><p>c100 </p></div></div></body>",
        cetd_ds: ("uavbwc", "20.54: 6.00, 28.33"),
        cectd_s: ("uavbwc", "47.34: 27.85, 55.70"),
        cectd_ds: ("uavbwc", "47.34: 0.00, 83.54"),
    },
    // Text right in the container.
    Case {
        page: "<body><div><a>m6 </a><a>n6 </a></div><div>a120 <p>b60 </p>c90 </div></body>",
        cetd_ds: ("mnabc", "56.40: 6.00, 270.00"),
        cectd_s: ("abc", "192.17: 516.26, 1032.51"),
        cectd_ds: ("mnabc", "192.17: 0.00, 1548.77"),
    },
    // A list of links with texts.
    Case {
        page: "<body><div><p>a200 </p></div><div><div><a>k30 </a><p>x10 </p></div><div><a>l30 </a><p>y10 \
            </p></div></div></body>",
        cetd_ds: ("akxly", "31.11: 200.00, 13.33"),
        cectd_s: ("a", "59.33: 530.75, 270.76"),
        cectd_ds: ("akxly", "59.33: 790.74, 10.77"),
    },
    // A heading and a byline.
    Case {
        page: "<body><div><a>m6 </a></div><div><h1>h20 </h1><p>s5 </p><p>a110 </p><p>b90 </p></div></body>",
        cetd_ds: ("hsab", "33.00: 6.00, 56.25"),
        cectd_s: ("hsab", "185.95: 166.89, 333.78"),
        cectd_ds: ("hsab", "185.95: 0.00, 500.67"),
    },
];

#[test]
fn the_three_algorithms_keep_what_was_worked_out_by_hand() {
    for case in CASES {
        for (name, cetd, (kept_by_hand, densities)) in [
            ("CETD-DS", Cetd::cetd_ds(), case.cetd_ds),
            ("CECTD-S", Cetd::cectd_s(), case.cectd_s),
            ("CECTD-DS", Cetd::cectd_ds(), case.cectd_ds),
        ] {
            let (text, values) = kept(case.page, cetd);
            assert_eq!(text, kept_by_hand, "{name} on {}", case.page);
            let told: Vec<String> = values.iter().map(|v| format!("{v:.2}")).collect();
            assert_eq!(
                format!("{}: {}", told[0], told[1..].join(", ")),
                densities,
                "{name} on {}",
                case.page
            );
        }
    }
}
