//! CETD's Figures 3 and 4: the text density and the composite text density of each tag, down a page.

use super::Truth;
use super::nodes::Labels;
use dehusk_extract::cetd::Threshold;
use dehusk_extract::{Cetd, Extractor, PageContext};
use dehusk_web::{Histogram, histograms};

/// The densities of the tags of a page's body, in document order. They are not smoothed, as in the paper's figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Densities {
    /// Text density (definition 1), and the threshold of CETD-DS (section 4.2).
    pub text: (Vec<f64>, f64),
    /// Composite text density (definition 2), and the threshold of CECTD-DS.
    pub composite: (Vec<f64>, f64),
    /// Whether at least half of the words under each tag are in answers.
    pub content: Vec<bool>,
}

impl Densities {
    /// Measures a page whose nodes are labelled.
    pub(super) fn new(page: &PageContext<'_>, labels: &Labels) -> Self {
        let measure = |cetd: Cetd| {
            let view = page.view(&cetd.strip());
            let dom = view.dom();
            let body = if dom.is_empty() { 0..0 } else { dom.subtree(dom.body()) };
            let (densities, sums) = (cetd.densities(&view), cetd.density_sums(&view));
            let all = body.map(|id| (id, densities.density(id)));
            // Texts and what is masked have no density.
            let (ids, values): (Vec<_>, Vec<f64>) = all.filter(|(_, density)| !density.is_nan()).unzip();
            let threshold = densities.threshold(&sums, Threshold::Path);
            let is_content = |id| labels.is_mostly_answers(dom.subtree(id));
            let threshold = if threshold.is_nan() { 0.0 } else { threshold };
            ((values, threshold), ids.into_iter().map(is_content).collect())
        };
        let (text, content) = measure(Cetd::cetd_ds());
        let (composite, _) = measure(Cetd::cectd_ds());
        Self {
            text,
            composite,
            content,
        }
    }

    /// Both figures as an SVG file, under a heading.
    pub fn svg(&self, heading: &str) -> String {
        let panel = |title: &str, (values, threshold): &(Vec<f64>, f64)| Histogram {
            title: title.to_owned(),
            axis: "tags in document order".to_owned(),
            bars: values.iter().copied().zip(self.content.iter().copied()).collect(),
            names: ["at least half of its words are content".to_owned(), "less".to_owned()],
            level: ("threshold".to_owned(), *threshold),
        };
        let panels = [
            panel("Text density of each tag (CETD, Figure 3)", &self.text),
            panel("Composite text density of each tag (CETD, Figure 4)", &self.composite),
        ];
        histograms(heading, &panels)
    }
}

/// The type of the paper's page.
const ARTICLE: &str = "article";

/// A line of each truth file whose page is like the paper's: an article, if the file has any, with a text of median
/// length.
pub fn examples(truth: &Truth) -> Vec<usize> {
    let of_file = |file: usize| {
        let own = || (0..truth.lines.len()).filter(move |line| truth.lines[*line].file == file);
        let mut lines: Vec<usize> = own().filter(|line| truth.lines[*line].page_type == ARTICLE).collect();
        if lines.is_empty() {
            lines = own().collect();
        }
        lines.sort_by_key(|line| truth.lines[*line].text.len());
        lines.get(lines.len() / 2).copied()
    };
    (0..truth.files.len()).filter_map(of_file).collect()
}

/// The name of the file for a page's figures: its record id, with `-` for what file names do not take everywhere.
pub fn file_name(record_id: &str) -> String {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name: String = record_id.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    format!("{name}.svg")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::TruthLine;
    use dehusk_html::{Buffers, parse};
    use dehusk_similarity::lexicon::Lexicon;
    use std::path::PathBuf;

    /// The paper's Example 1, whose densities are in its Example 2.
    #[test]
    fn the_example_of_the_paper_has_its_densities() {
        let text = "The announcement came as......";
        let page = format!(
            "<div class=main><div class=article><div class=articleHeadline>\
             South Korea to Hold Artillery Drills on Island</div><div class=articleBody>{text}\
             <a href=x>Bill Richardson</a></div></div></div>"
        );
        let dom = parse(&page, Buffers::default());
        let mut lexicon = Lexicon::default();
        let mut truth = Vec::new();
        lexicon.read(text, &mut truth);
        let labels = Labels::new(&dom, &mut lexicon, &truth);
        let found = Densities::new(&PageContext::new(&dom, ""), &labels);
        let shown: Vec<String> = found.text.0.iter().map(|density| format!("{density:.2}")).collect();
        let chars = text.len() as f64;
        let all = 46.0 + chars + 15.0;
        let expected = [all / 5.0, all / 4.0, all / 3.0, 46.0, chars + 15.0, 15.0].map(|d| format!("{d:.2}"));
        assert_eq!(shown, expected);
        assert_eq!(
            found.composite.0.last(),
            Some(&0.0),
            "a link alone has no composite density"
        );
        assert_eq!(found.content, [false, false, false, false, true, false]);
        let svg = found.svg("<a page>");
        assert!(svg.contains("&lt;a page&gt;") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn an_example_is_an_article_of_median_length() {
        let line = |page_type: &str, file: usize, text: &str| TruthLine {
            page_type: page_type.to_owned(),
            file,
            text: text.to_owned(),
            ..TruthLine::default()
        };
        let lines = vec![
            line("forum", 0, "ab"),
            line("article", 0, "abcd"),
            line("article", 0, "a"),
            line("article", 0, "abc"),
            line("", 1, "a"),
        ];
        let mut truth = Truth::default();
        truth.files.extend([PathBuf::from("a"), PathBuf::from("b")]);
        truth.lines.extend(lines);
        assert_eq!(examples(&truth), [3, 4]);
    }
}
