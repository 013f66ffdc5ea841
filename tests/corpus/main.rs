//! Tests that need the evaluation corpora. They are no part of the repository: CONTRIBUTING.md describes where these
//! tests look for them. A test whose data are absent is reported as ignored.
//!
//! Standard tests cannot decide when they run whether they are ignored, so this program has its own list of them.
#![allow(clippy::unwrap_used)]

mod documents;
mod eval;
mod markdown;
mod paths;

use dehusk_testing::{archives, corpus, program};
use libtest_mimic::{Arguments, Trial};

/// A test that runs only where its data are there.
fn trial(name: &str, is_there: bool, test: impl FnOnce() + Send + 'static) -> Trial {
    let trial = Trial::test(name, move || {
        test();
        Ok(())
    });
    let reason = if is_there {
        ""
    } else {
        "its data are absent, see CONTRIBUTING.md"
    };
    trial.with_ignored_flag(!is_there).with_kind(reason)
}

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = Vec::new();
    for name in ["daniel-dev", "wcxb-dev"] {
        let is_there = corpus::archive(name).is_file();
        let mut add = |test: &str, is_there: bool, run: fn(&'static str)| {
            trials.push(trial(&format!("{name}::{test}"), is_there, move || run(name)));
        };
        add("is_read_whole_on_every_path", is_there, paths::is_read_whole);
        add("markdown_is_read_again", is_there, markdown::is_read_again);
        add("documents_are_the_pinned_ones", is_there, documents::are_pinned);
        add(
            "answers_hold_the_values_of_the_truth",
            is_there,
            eval::answers_hold_the_values_of_the_truth,
        );
        let script = "bags_of_words_are_those_of_the_corpus_script";
        add(script, is_there && eval::has_script(), eval::bags_of_words_agree);
        let long = format!("{name}::documents_are_the_pinned_ones_with_every_preset_on_every_path");
        let long = trial(&long, is_there, move || documents::are_pinned_on_every_path(name));
        trials.push(long.with_ignored_flag(true).with_kind("takes minutes"));
    }
    libtest_mimic::run(&arguments, trials).exit();
}
