//! The topics as a page for a browser: a row for each topic with its days on one axis of time, which opens to show the
//! topic's details.
//!
//! The page works without its script: it shows all rows. With the script, it shows 50 at a time, and a filter chooses
//! among them.
//!
//! - `page.js`: the script, which takes all that it needs from the rows
//! - `page.css`: the style of what only this page has

use super::describe::{Day, StoryLine, Topic};
use super::moment;
use super::summary::Summary;
use dehusk_web::{Extras, escape, figures, grouped, page_with};

/// The topics that are shown. `topics.jsonl` has all.
const SHEXTRAS: usize = 2_000;

/// The topics of a page.
const PAGE: usize = 50;

/// Terms in the name of a topic.
const NAME: usize = 4;

/// The style and the script of this page alone.
const EXTRAS: Extras = Extras {
    style: include_str!("page.css"),
    script: include_str!("page.js"),
    script_hash: "sha256-n9B9roKROmkS9eCzXrh5mnO1n/Oi+b2TGBt1lgSluRc=",
};

pub(super) fn html(summary: &Summary, topics: &[Topic]) -> String {
    let mut body = String::from("<h1>Topics</h1>\n");
    let axis = Axis::new(topics);
    if let Some(axis) = &axis {
        body.push_str(&format!(
            "<p class=\"quiet\">{} to {} (UTC)</p>\n",
            moment::date(axis.first),
            moment::date(axis.last)
        ));
    }
    for warning in &summary.incomplete {
        body.push_str(&format!("<p class=\"warning\">{}</p>\n", escape(warning)));
    }
    body.push_str(&figures(&[
        ("documents", grouped(summary.documents)),
        ("stories", grouped(summary.stories)),
        ("near-duplicates", grouped(summary.near_duplicates)),
        ("topics", grouped(summary.topics)),
        ("stories in topics", grouped(summary.stories_in_topics)),
        ("too short", grouped(summary.short)),
        ("without a date", grouped(summary.undated)),
        ("without a language", grouped(summary.without_language)),
    ]));
    body.push_str(
        "<p class=\"quiet\">A story is a document without its near-duplicates. A topic is a group of stories in one \
         language that share rare words and came within a few days of each other.</p>\n",
    );
    if topics.is_empty() {
        body.push_str("<p>No two stories belong together.</p>\n");
        return page_with("Topics", &body, &EXTRAS);
    }
    body.push_str("<h2 id=\"topics\">Topics, the largest first</h2>\n");
    let shown = &topics[..topics.len().min(SHEXTRAS)];
    filter(shown, axis.as_ref(), &mut body);
    contents(shown.len(), &mut body);
    if let Some(axis) = &axis {
        axis.labels(&mut body);
    }
    for (number, topic) in shown.iter().enumerate() {
        if shown.len() > PAGE && number % PAGE == 0 {
            let last = shown.len().min(number + PAGE);
            body.push_str(&format!(
                "<h3 class=\"sheet\" id=\"from{0}\">{0} to {last}</h3>\n",
                number + 1
            ));
        }
        row(topic, axis.as_ref(), &mut body);
    }
    if topics.len() > SHEXTRAS {
        body.push_str(&format!(
            "<p class=\"quiet\">{} smaller topics are in topics.jsonl.</p>\n",
            grouped((topics.len() - SHEXTRAS) as u64)
        ));
    }
    body.push_str(
        "<p class=\"quiet\">The axis is to scale: a bar is a day on which documents of the topic came out. Its height \
         is the square root of their number.</p>\n",
    );
    page_with("Topics", &body, &EXTRAS)
}

/// The axis of time, in days since 1970.
struct Axis {
    first: i64,
    last: i64,
    /// The most documents of a topic on a day.
    most: u32,
}

impl Axis {
    /// `None` if no document has a date.
    fn new(topics: &[Topic]) -> Option<Self> {
        let days = || topics.iter().take(SHEXTRAS).flat_map(|topic| &topic.days);
        Some(Self {
            first: days().map(|day| day.number).min()?,
            last: days().map(|day| day.number).max()?,
            most: days().map(|day| day.documents).max()?,
        })
    }

    fn days(&self) -> i64 {
        self.last - self.first + 1
    }

    /// Dates at each quarter of the axis; at its ends, if it is short.
    fn labels(&self, body: &mut String) {
        body.push_str(&format!(
            "<div class=\"row axis\"><span></span><div id=\"axis\" data-first=\"{}\" data-last=\"{}\">",
            self.first, self.last
        ));
        let quarters: &[i64] = match self.days() {
            1 => &[0],
            2..5 => &[0, 4],
            _ => &[0, 1, 2, 3, 4],
        };
        for quarter in quarters {
            let day = (self.first + self.days() * quarter / 4).min(self.last);
            body.push_str(&format!(
                "<span style=\"left:{}%\">{}</span>",
                quarter * 25,
                moment::date(day)
            ));
        }
        body.push_str("</div></div>\n");
    }

    /// The days of a topic, a unit wide each.
    fn chart(&self, days: &[Day], body: &mut String) {
        body.push_str(&format!(
            "<svg viewBox=\"0 0 {} 100\" preserveAspectRatio=\"none\">",
            self.days()
        ));
        for day in days {
            // The area grows with the number, so that one document can still be seen beside a hundred.
            let height = (f64::from(day.documents) / f64::from(self.most)).sqrt() * 100.0;
            body.push_str(&format!(
                "<rect x=\"{}\" y=\"{:.0}\" width=\"1\" height=\"100\"><title>{}: {} document{}</title></rect>",
                day.number - self.first,
                100.0 - height,
                escape(&day.day),
                grouped(day.documents.into()),
                if day.documents == 1 { "" } else { "s" },
            ));
        }
        body.push_str("</svg>");
    }
}

/// Writes the controls that filter the topics. Only the script shows them.
fn filter(topics: &[Topic], axis: Option<&Axis>, body: &mut String) {
    body.push_str(
        "<form class=\"filter\" id=\"filter\" hidden>\n<label>Search <input type=\"search\" name=\"search\"></label>\n",
    );
    let mut languages: Vec<&str> = topics.iter().map(|topic| topic.language.as_str()).collect();
    languages.sort_unstable();
    languages.dedup();
    if languages.len() > 1 {
        body.push_str("<label>Language <select name=\"language\"><option value=\"\">all</option>");
        for language in languages {
            body.push_str(&format!("<option>{}</option>", escape(language)));
        }
        body.push_str("</select></label>\n");
    }
    if let Some(axis) = axis {
        for (name, label) in [("from", "From"), ("to", "To")] {
            body.push_str(&format!(
                "<label>{label} <input type=\"date\" name=\"{name}\" min=\"{}\" max=\"{}\"></label>\n",
                moment::date(axis.first),
                moment::date(axis.last)
            ));
        }
    }
    body.push_str(
        "<button type=\"button\" id=\"clear\">Clear</button>\n</form>\n<p class=\"pages\" id=\"pages\" hidden>\
         <button type=\"button\" id=\"back\">Back</button> <button type=\"button\" id=\"next\">Next</button> \
         <span id=\"place\" role=\"status\"></span></p>\n",
    );
}

/// Links to each 50 topics, for a browser without scripts.
fn contents(topics: usize, body: &mut String) {
    if topics <= PAGE {
        return;
    }
    body.push_str("<p class=\"pages sheet\">");
    for first in (1..=topics).step_by(PAGE) {
        let last = topics.min(first + PAGE - 1);
        body.push_str(&format!("<a href=\"#from{first}\">{first} to {last}</a> "));
    }
    body.push_str("</p>\n");
}

fn row(topic: &Topic, axis: Option<&Axis>, body: &mut String) {
    body.push_str(&format!(
        "<details class=\"topic\" id=\"t{}\" data-language=\"{}\">\
         <summary class=\"row\"><span class=\"name\"><span class=\"quiet\">{}</span> {}</span>",
        escape(&topic.topic),
        escape(&topic.language),
        grouped(topic.stories.into()),
        escape(&name(topic))
    ));
    if let Some(axis) = axis {
        axis.chart(&topic.days, body);
    }
    body.push_str("</summary>\n");
    card(topic, body);
    body.push_str("</details>\n");
}

fn card(topic: &Topic, body: &mut String) {
    body.push_str(&format!(
        "<div class=\"example\"><p class=\"quiet\">{}: {} stories, {} documents, {} site{}{}</p>\n<p>",
        escape(&topic.language),
        grouped(topic.stories.into()),
        grouped(topic.documents.into()),
        grouped(topic.sites),
        if topic.sites == 1 { "" } else { "s" },
        days(topic)
    ));
    for term in &topic.terms {
        body.push_str(&format!("<span class=\"term\">{}</span> ", escape(&term.term)));
    }
    body.push_str(&format!("</p>\n<p>First: {}</p>\n", story(&topic.first)));
    for line in topic.titles.iter().filter(|line| line.id != topic.first.id) {
        body.push_str(&format!("<p>{}</p>\n", story(line)));
    }
    body.push_str("</div>\n");
}

/// The first terms.
fn name(topic: &Topic) -> String {
    let terms: Vec<&str> = topic.terms.iter().take(NAME).map(|term| term.term.as_str()).collect();
    terms.join(", ")
}

fn days(topic: &Topic) -> String {
    match topic.days.as_slice() {
        [] => String::new(),
        [day] => format!(", {}", escape(&day.day)),
        [first, .., last] => format!(", {} to {}", escape(&first.day), escape(&last.day)),
    }
}

fn story(story: &StoryLine) -> String {
    let title = match story.title.as_str() {
        "" => &story.url,
        title => title,
    };
    let title = escape(title);
    // Other schemes, such as `javascript:`, are no links.
    let is_link = story.url.starts_with("http://") || story.url.starts_with("https://");
    let title = if is_link {
        format!("<a href=\"{}\" rel=\"noreferrer\">{title}</a>", escape(&story.url))
    } else {
        title
    };
    format!("{title} <span class=\"quiet\">{}</span>", escape(&story.date))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use sha2::Digest;

    /// A browser does not run the script if its hash is another.
    #[test]
    fn the_hash_is_that_of_the_script() {
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(EXTRAS.script));
        assert_eq!(EXTRAS.script_hash, format!("sha256-{hash}"));
    }
}
