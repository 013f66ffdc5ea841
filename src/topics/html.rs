//! The topics as a page for a browser: a timeline with a row for each topic, and below it what is known of each.

use super::describe::{StoryLine, Topic};
use super::write::Summary;
use crate::web::{escape, figures, grouped, page};

/// The topics that are shown. `topics.jsonl` has all.
const SHOWN: usize = 200;

/// The rows of the timeline.
const ROWS: usize = 40;

/// The columns of a timeline, at most: of some days each, if there are more days.
const COLUMNS: usize = 60;

/// Terms in the name of a topic.
const NAME: usize = 4;

pub(super) fn html(summary: &Summary, topics: &[Topic]) -> String {
    let mut body = String::from("<h1>Topics</h1>\n");
    let axis = Axis::of(topics);
    if let (Some(first), Some(last)) = (axis.days.first(), axis.days.last()) {
        body.push_str(&format!(
            "<p class=\"quiet\">{} to {} (UTC)</p>\n",
            escape(first),
            escape(last)
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
        return page("Topics", &body);
    }
    if !axis.days.is_empty() {
        timeline(topics, &axis, &mut body);
    }
    body.push_str("<h2>Topics, the largest first</h2>\n");
    for topic in topics.iter().take(SHOWN) {
        card(topic, &mut body);
    }
    if topics.len() > SHOWN {
        body.push_str(&format!(
            "<p class=\"quiet\">{} smaller topics are in topics.jsonl.</p>\n",
            grouped((topics.len() - SHOWN) as u64)
        ));
    }
    page("Topics", &body)
}

/// The days of the timeline.
struct Axis {
    /// Every day that has a document of a topic, in order.
    days: Vec<String>,
    /// Days in a column.
    step: usize,
}

impl Axis {
    fn of(topics: &[Topic]) -> Self {
        let mut days: Vec<String> = topics
            .iter()
            .take(SHOWN)
            .flat_map(|topic| topic.days.iter().map(|day| day.day.clone()))
            .collect();
        days.sort_unstable();
        days.dedup();
        Self {
            step: days.len().div_ceil(COLUMNS).max(1),
            days,
        }
    }

    fn columns(&self) -> usize {
        self.days.len().div_ceil(self.step)
    }

    /// The documents of a topic by column.
    fn sums(&self, topic: &Topic) -> Vec<u32> {
        let mut sums = vec![0; self.columns()];
        for day in &topic.days {
            if let Ok(place) = self.days.binary_search(&day.day) {
                sums[place / self.step] += day.documents;
            }
        }
        sums
    }
}

fn timeline(topics: &[Topic], axis: &Axis, body: &mut String) {
    let rows: Vec<(&Topic, Vec<u32>)> = topics
        .iter()
        .take(ROWS)
        .map(|topic| (topic, axis.sums(topic)))
        .collect();
    let most = rows
        .iter()
        .flat_map(|(_, sums)| sums)
        .copied()
        .max()
        .unwrap_or(0)
        .max(1);
    body.push_str("<h2>Timeline</h2>\n<div class=\"timeline\">\n");
    for (topic, sums) in &rows {
        body.push_str(&format!(
            "<a href=\"#t{}\">{}</a><div class=\"days\" style=\"grid-template-columns:repeat({},1fr)\">",
            escape(&topic.topic),
            escape(&name(topic)),
            sums.len()
        ));
        for (column, sum) in sums.iter().enumerate() {
            // The area grows with the number, so that one document can still be seen beside a hundred.
            let height = (f64::from(*sum) / f64::from(most)).sqrt() * 100.0;
            let days = &axis.days[column * axis.step..axis.days.len().min((column + 1) * axis.step)];
            let label = match days {
                [day] => day.clone(),
                [first, .., last] => format!("{first} to {last}"),
                [] => String::new(),
            };
            body.push_str(&format!(
                "<span title=\"{}: {sum} documents\"><i style=\"height:{height:.0}%\"></i></span>",
                escape(&label)
            ));
        }
        body.push_str("</div>\n");
    }
    if let (Some(first), Some(last)) = (axis.days.first(), axis.days.last()) {
        body.push_str(&format!(
            "<span></span><div class=\"ends quiet\"><span>{}</span><span>{}</span></div>\n",
            escape(first),
            escape(last)
        ));
    }
    body.push_str(
        "</div>\n<p class=\"quiet\">Each column is a day, or some days, on which documents of a topic came out; days \
                   without any are left out. The height is the square root of the number of documents.</p>\n",
    );
}

fn card(topic: &Topic, body: &mut String) {
    body.push_str(&format!(
        "<div class=\"example\" id=\"t{}\"><p><strong>{}</strong></p>\n<p class=\"quiet\">{}: {} stories, {} documents, \
         {} sites{}</p>\n<p>",
        escape(&topic.topic),
        escape(&name(topic)),
        escape(&topic.language),
        grouped(topic.stories.into()),
        grouped(topic.documents.into()),
        grouped(topic.sites),
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
    let title = match is_link {
        true => format!("<a href=\"{}\" rel=\"noreferrer\">{title}</a>", escape(&story.url)),
        false => title,
    };
    format!("{title} <span class=\"quiet\">{}</span>", escape(&story.date))
}
