//! Drift as a page of HTML.

use super::text::{FIGURES, languages, percent};
use super::{Drift, HostDrift};
use crate::diff::html::sides;
use dehusk_web::{escape, grouped, page, table};

/// Most languages that are listed. JSON has all.
const LANGUAGES: usize = 30;

pub(super) fn html(drift: &Drift, most: usize) -> String {
    let mut body = String::from("<h1>Two nights compared</h1>\n");
    sides(&drift.a.runs, &drift.b.runs, &mut body);
    for problem in &drift.problems {
        body.push_str(&format!("<p class=\"warning\">Not read: {}</p>\n", escape(problem)));
    }
    let row = |(name, value): &(&str, fn(&super::Night) -> String)| {
        vec![name.trim().to_owned(), value(&drift.a), value(&drift.b)]
    };
    let mut rows: Vec<_> = FIGURES.iter().map(row).collect();
    let languages = languages(drift, LANGUAGES).into_iter();
    rows.extend(languages.map(|(name, a, b)| vec![format!("language {}", escape(&name)), percent(a), percent(b)]));
    body.push_str(&table(&["", "A", "B"], &rows));
    body.push_str(&format!(
        "<h2>Hosts that have changed</h2>\n<p class=\"quiet\">{} of {} hosts with {} documents and more in A.</p>\n",
        grouped(drift.changed_hosts.len() as u64),
        grouped(drift.judged_hosts),
        grouped(drift.least_documents)
    ));
    let rows: Vec<_> = drift.changed_hosts.iter().take(most).map(host).collect();
    let headings = ["host", "documents", "words", "score", "language", "signs"];
    body.push_str(&table(&headings, &rows));
    page("Two nights compared", &body)
}

fn host(host: &HostDrift) -> Vec<String> {
    let signs: Vec<&str> = host.signs.iter().map(|sign| sign.name()).collect();
    let (a, b) = (&host.a, &host.b);
    vec![
        escape(&host.host),
        format!("{} → {}", grouped(a.documents), grouped(b.documents)),
        format!("{:.0} → {:.0}", a.words, b.words),
        format!("{:.2} → {:.2}", a.score, b.score),
        format!("{} → {}", escape(&a.language), escape(&b.language)),
        signs.join(", "),
    ]
}
