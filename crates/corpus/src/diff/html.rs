//! A comparison as a page of HTML.

use super::comparison::{Comparison, Example, Side};
use dehusk_web::{Bar, bars, escape, figures, grouped, page, table};

/// Most archives that are listed. JSON has all.
const ARCHIVES: usize = 1000;

/// The comparison for a browser.
pub fn html(comparison: &Comparison) -> String {
    let counts = &comparison.totals;
    let mut body = String::from("<h1>Two runs compared</h1>\n");
    sides(&comparison.a, &comparison.b, &mut body);
    for problem in &comparison.problems {
        body.push_str(&format!("<p class=\"warning\">Not read: {}</p>\n", escape(problem)));
    }
    body.push_str(&figures(&[
        ("documents of A", grouped(counts.documents_a)),
        ("documents of B", grouped(counts.documents_b)),
        ("same", grouped(counts.same)),
        ("changed text", grouped(counts.changed)),
        ("other fields changed", grouped(counts.other_fields)),
        ("gone", grouped(counts.gone)),
        ("added", grouped(counts.added)),
        ("mean similarity", counts.similarity_text()),
    ]));
    body.push_str(&format!(
        "<p class=\"quiet\">Similarity is the share of words that two texts have in common, in order. \
         Of the changed texts, {} are longer and {} are shorter; they lost {} words and won {}. \
         Documents that are gone had {} words, and those that were added have {}.</p>\n",
        grouped(counts.longer),
        grouped(counts.shorter),
        grouped(counts.words_removed),
        grouped(counts.words_added),
        grouped(counts.words_gone),
        grouped(counts.words_new)
    ));
    charts(comparison, &mut body);
    archives(comparison, &mut body);
    reasons(comparison, &mut body);
    for (title, examples) in [
        ("Changed most", &comparison.changed),
        ("Gone, the longest", &comparison.gone),
        ("Added, the longest", &comparison.added),
    ] {
        if !examples.is_empty() {
            body.push_str(&format!("<h2>{title}</h2>\n"));
            examples.iter().for_each(|e| example(e, &mut body));
        }
    }
    page("Two runs compared", &body)
}

/// A paragraph for each run of both sides.
pub(super) fn sides(a: &[Side], b: &[Side], body: &mut String) {
    let of_a = a.iter().map(|side| ("A", side));
    for (name, side) in of_a.chain(b.iter().map(|side| ("B", side))) {
        body.push_str(&format!(
            "<p><strong>{name}</strong> {} <span class=\"quiet\">{}, configuration {}, {}</span></p>\n",
            escape(&side.directory),
            escape(&side.program),
            escape(&side.config_hash),
            escape(&side.state)
        ));
    }
}

fn charts(comparison: &Comparison, body: &mut String) {
    let named = |(name, n): (&String, &u64)| Bar {
        name: name.clone(),
        value: *n,
    };
    let group = |group: &super::comparison::Group| Bar {
        name: format!("{} to {}", group.from, group.to),
        value: group.documents,
    };
    for (title, list) in [
        (
            "Changed texts by similarity",
            comparison.similarity.iter().map(group).collect(),
        ),
        ("Fields that differ", comparison.fields.iter().map(named).collect()),
        ("Gone, by reason", comparison.gone_by_reason.iter().map(named).collect()),
        (
            "Added, by reason",
            comparison.added_by_reason.iter().map(named).collect(),
        ),
    ] {
        let list: Vec<Bar> = list;
        if list.iter().any(|bar| bar.value > 0) {
            body.push_str(&format!("<h2>{title}</h2>\n{}", bars(&list)));
        }
    }
}

fn archives(comparison: &Comparison, body: &mut String) {
    let headings = [
        "archive",
        "in A",
        "in B",
        "same",
        "changed",
        "gone",
        "added",
        "similarity",
    ];
    let documents = |is_there: bool, n: u64| if is_there { grouped(n) } else { "–".to_owned() };
    let row = |archive: &super::comparison::ArchiveCounts| {
        let counts = &archive.counts;
        vec![
            escape(&archive.archive),
            documents(archive.in_a, counts.documents_a),
            documents(archive.in_b, counts.documents_b),
            grouped(counts.same),
            grouped(counts.changed + counts.other_fields),
            grouped(counts.gone),
            grouped(counts.added),
            counts.similarity_text(),
        ]
    };
    let rows: Vec<_> = comparison.archives.iter().take(ARCHIVES).map(row).collect();
    body.push_str(&format!("<h2>Archives</h2>\n{}", table(&headings, &rows)));
    let left = comparison.archives.len().saturating_sub(ARCHIVES);
    if left > 0 {
        body.push_str(&format!(
            "<p class=\"quiet\">{} more archives are not listed.</p>\n",
            grouped(left as u64)
        ));
    }
}

fn reasons(comparison: &Comparison, body: &mut String) {
    let row = |reason: &super::comparison::Reason| {
        let name = match reason.reason.as_str() {
            "" => reason.class.to_owned(),
            name => format!("{}: {name}", reason.class),
        };
        let difference = i128::from(reason.b) - i128::from(reason.a);
        let difference = if difference == 0 {
            String::new()
        } else {
            format!("{difference:+}")
        };
        vec![escape(&name), grouped(reason.a), grouped(reason.b), difference]
    };
    let rows: Vec<_> = comparison.reasons.iter().map(row).collect();
    body.push_str(&format!(
        "<h2>Records by reason</h2>\n{}",
        table(&["records", "A", "B", "B − A"], &rows)
    ));
}

fn example(example: &Example, body: &mut String) {
    let reason = match example.reason.as_str() {
        "" => String::new(),
        reason => format!(", {}", escape(reason)),
    };
    body.push_str(&format!(
        "<div class=\"example\"><p><strong>{:.3}</strong> {} → {} words{reason}</p>\n<p>{}</p>\n\
         <p class=\"quiet\">{}</p>\n",
        example.similarity,
        grouped(example.words_a),
        grouped(example.words_b),
        escape(&example.url),
        escape(&example.place())
    ));
    for (class, lines) in [("gone", &example.lines.removed), ("added", &example.lines.added)] {
        for line in lines {
            body.push_str(&format!("<p class=\"{class}\">{}</p>\n", escape(line)));
        }
    }
    body.push_str("</div>\n");
}
