//! The five papers' methods on real pages.

use super::{cetd, contentex, coreex, econ, nce};
use dehusk_extract::{Cetd, CoreEx, Econ, Nce, contentex::Parameters};
use dehusk_testing::corpus;

/// Most bytes of a page that the programs here are asked about.
const MOST_BYTES: usize = 60_000;

/// Needs the corpora: CONTRIBUTING.md lists their places.
#[test]
#[ignore = "needs the corpora"]
fn real_pages_come_out_as_the_papers_define() {
    for name in ["wcxb-dev", "daniel-dev"] {
        let pages = corpus::pages(name).into_iter().map(|page| page.html);
        let pages: Vec<String> = pages.filter(|html| html.len() <= MOST_BYTES).collect();
        let mut checked = 0;
        for page in pages.iter().step_by(pages.len() / 100).take(100) {
            coreex::check(page, CoreEx::paper());
            coreex::check(page, CoreEx::modern());
            contentex::check(page, Parameters::paper());
            contentex::check(page, Parameters::modern());
            nce::check(page, Nce::paper());
            nce::check(page, Nce::modern());
            econ::check(page, Econ::paper());
            econ::check(page, Econ::modern());
            for paper in [Cetd::cetd_ds(), Cetd::cectd_s(), Cetd::cectd_ds()] {
                cetd::check(page, paper);
                cetd::check(page, paper.code());
                cetd::check(page, paper.modern());
            }
            checked += 1;
        }
        assert_eq!(checked, 100, "{name}");
    }
}
