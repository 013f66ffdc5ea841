//! Pages of the kinds that are common in crawls, made of words by a fixed rule: the same on every machine.

use std::fmt::Write;

/// The number of kinds of pages. [`all`] starts with one page of each kind.
pub const KINDS: usize = 6;

/// Pages of each kind.
const EACH: usize = 4;

const WORDS: &[&str] = &[
    "the", "of", "and", "a", "to", "in", "is", "was", "that", "for", "rain", "river", "council", "market", "said",
    "after", "morning", "bridge", "people", "Tuesday", "price", "harbour", "year", "children", "winter", "report",
    "old", "new", "minister", "train", "station", "garden", "twelve", "percent", "would", "with", "their", "from",
    "Müller", "café", "über", "señor", "could", "window", "letter", "between", "because", "nothing", "however",
];

const CHINESE: &[&str] = &[
    "我们", "今天", "城市", "发展", "新闻", "报道", "的", "是", "在", "和", "一个", "人民", "经济", "问题", "学校",
];

/// The pages of the workload, kind after kind in turn.
pub fn all() -> Vec<String> {
    let mut maker = Maker { state: 0x9e37_79b9 };
    let makes: [fn(&mut Maker) -> String; KINDS] = [
        Maker::article,
        Maker::forum,
        Maker::portal,
        Maker::tables,
        Maker::chinese,
        Maker::shop,
    ];
    (0..EACH).flat_map(|_| makes).map(|make| make(&mut maker)).collect()
}

struct Maker {
    state: u32,
}

impl Maker {
    /// A number less than `n`, by Marsaglia's xorshift.
    fn below(&mut self, n: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 17;
        self.state ^= self.state << 5;
        self.state as usize % n
    }

    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len())]
    }

    fn words(&mut self, n: usize) -> String {
        let words: Vec<_> = (0..n).map(|_| self.pick(WORDS)).collect();
        words.join(" ")
    }

    fn sentence(&mut self) -> String {
        let (before, n, after) = (1 + self.below(8), 1 + self.below(3), 1 + self.below(9));
        let (before, middle, after) = (self.words(before), self.words(n), self.words(after));
        match self.below(8) {
            0 => format!("{before} <a href=\"/{n}/{middle}\">{middle}</a> {after}. "),
            1 => format!("{before}, <b>{middle}</b> {after}! "),
            2 => format!("{before} &ndash; {middle} &amp;&nbsp;{after}.\n"),
            3 => format!("{before} <span class=q>&ldquo;{middle}&rdquo;</span>, {after}?\n"),
            _ => format!("{before}, {middle} {after}. "),
        }
    }

    fn sentences(&mut self, n: usize) -> String {
        (0..n).map(|_| self.sentence()).collect()
    }

    fn links(&mut self, n: usize) -> String {
        let mut out = String::from("<ul class=\"menu\">\n");
        for i in 0..n {
            let words = 1 + self.below(4);
            let text = self.words(words);
            let _ = writeln!(
                out,
                "  <li class=\"item item-{i}\"><a href='/section/{i}?ref=menu&amp;id={i}' title=\"{text}\">{text}</a></li>"
            );
        }
        out + "</ul>\n"
    }

    /// A page with the header, menu, scripts, sidebar and footer of most sites around `main`.
    fn site(&mut self, language: &str, main: &str) -> String {
        let (title, menu, more) = (self.words(7), self.links(24), self.links(12));
        let script: String = (0..40)
            .map(|i| format!("  if (a[{i}] < b && c) {{ d.push('<div id=\"{i}\">' + \"</div>\"); }}\n"))
            .collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} | Daily</title>\n\
             <meta property=\"og:title\" content=\"{title}\">\n<meta name=author content=\"A. Writer\">\n\
             <link rel=stylesheet href=/style.css>\n<style>body {{ margin: 0 }} .a > .b {{ color: red }}</style>\n\
             <script>\n{script}</script>\n</head>\n<body class=\"home page\">\n<!-- header -->\n\
             <div id=header><form action=/search><input name=q><button>Search</button></form>\n<nav>{menu}</nav></div>\n\
             <div id=\"main\" class=\"wide\">\n<h1>{title}</h1>\n{main}</div>\n\
             <div class=\"sidebar\"><h3>Most read</h3>{more}</div>\n\
             <div id=footer><p>Copyright &copy; 2024 Daily Ltd. All rights reserved.</p><p><a href=/terms>Terms</a> | \
             <a href=/privacy>Privacy</a></p></div>\n<script>{script}</script>\n</body>\n</html>\n"
        )
    }

    fn article(&mut self) -> String {
        let mut main = String::from("<p class=byline>By A. Writer, 12 January 2024, 10:01</p>\n");
        for i in 0..24 {
            let _ = match i % 8 {
                3 => writeln!(main, "<h2>{}</h2>", self.words(5)),
                5 => writeln!(main, "<blockquote><p>{}</p></blockquote>", self.sentences(2)),
                6 => writeln!(
                    main,
                    "<figure><img src=/{i}.jpg alt='{}'><figcaption>{}</figcaption></figure>",
                    self.words(4),
                    self.sentence()
                ),
                _ => writeln!(main, "<p>{}</p>", self.sentences(6)),
            };
        }
        self.site("en", &main)
    }

    fn forum(&mut self) -> String {
        let mut main = String::new();
        for i in 0..40 {
            let (name, n) = (self.pick(WORDS), 1 + self.below(6));
            let text = self.sentences(n);
            let quote = self.sentence();
            let _ = writeln!(
                main,
                "<div class=\"post\" id=post{i}><div class=head><a href=/u/{i}>{name}{i}</a> <span class=date>Posted on \
                 2024-01-{:02} 10:{:02}</span></div><div class=body><div class=quote>{quote}</div>{text}<br><br>{quote}</div>\
                 <div class=tools><a href=#r{i}>Reply</a> | <a href=#q{i}>Quote</a></div></div>",
                1 + i % 28,
                i % 60
            );
        }
        main.push_str("<p>You may not post new threads. You may not post replies.</p>\n");
        self.site("en", &main)
    }

    fn portal(&mut self) -> String {
        let mut main = String::new();
        for i in 0..30 {
            let (title, teaser, links) = (self.words(6), self.sentence(), self.links(6));
            let _ = writeln!(
                main,
                "<section><h3><a href=/{i}>{title}</a></h3><p>{teaser}<a href=/{i}>more</a></p>{links}</section>"
            );
        }
        self.site("en", &main)
    }

    /// Nested tables with unclosed elements, as before style sheets.
    fn tables(&mut self) -> String {
        let mut main = String::from("<TABLE WIDTH=100% BORDER=0><TR><TD WIDTH=150>");
        main += &self.links(20);
        main += "<TD><TABLE CELLPADDING=2>\n";
        for i in 0..40 {
            let (name, text) = (self.words(2), self.sentences(3));
            let _ = writeln!(
                main,
                "<TR BGCOLOR=#eeeeee><TD NOWRAP><FONT SIZE=2><B>{name}</B></FONT><TD><FONT SIZE=2>{text}<BR>\n{i}</FONT>"
            );
        }
        main += "</TABLE></TABLE>\n<P>";
        main += &self.sentences(8);
        self.site("en", &main)
    }

    fn chinese(&mut self) -> String {
        let mut main = String::new();
        for _ in 0..30 {
            main += "<p>\u{3000}\u{3000}";
            for i in 1..120 {
                main += self.pick(CHINESE);
                main += match i % 12 {
                    0 => "。",
                    6 => "，",
                    _ => "",
                };
            }
            main += "</p>\n";
        }
        self.site("zh", &main)
    }

    fn shop(&mut self) -> String {
        let mut main = String::from("<form action=/cart method=post>\n<select name=size>");
        (0..60).for_each(|i| main += &format!("<option value={i}>Size {i}</option>"));
        main += "</select>\n";
        for i in 0..40 {
            let (name, text) = (self.words(3), self.sentence());
            let _ = writeln!(
                main,
                "<div class=product><img src=\"/p/{i}.png\"><a href=\"/p/{i}\">{name}</a><span style=\"display: none\">{text}</span>\
                 <span class=price>{i}.99&nbsp;&euro;</span><input type=hidden name=id value={i}><button>Buy</button></div>"
            );
        }
        main += "</form>\n<h2>Description</h2>\n<p>";
        main += &self.sentences(10);
        self.site("en", &main)
    }
}
