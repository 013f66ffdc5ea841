//! The fast parser against references that are not part of the repository: the strict parser on the pages of two
//! corpora, and html5lib's test cases. Tests whose reference is absent are reported as ignored.
#![allow(clippy::unwrap_used)]

mod divergences;
mod html5lib;

use dehusk_testing::corpus;
use libtest_mimic::{Arguments, Trial};

fn main() -> std::process::ExitCode {
    let mut tests = vec![trial(
        "divergences::a_known_departure_is_found",
        true,
        divergences::a_known_departure_is_found,
    )];
    for name in ["wcxb-dev", "daniel-dev"] {
        let is_present = corpus::archive(name).is_file();
        let test = format!("divergences::both_parsers_read_the_same_words_in_{name}");
        tests.push(trial(&test, is_present, move || {
            divergences::both_parsers_read_the_same_words(name);
        }));
    }
    let has_cases = html5lib::cases::root().is_some();
    tests.push(trial("html5lib::trees", has_cases, html5lib::trees));
    tests.push(trial("html5lib::encodings", has_cases, html5lib::encodings));
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn trial(name: &str, is_present: bool, test: impl FnOnce() + Send + 'static) -> Trial {
    let run = || {
        test();
        Ok(())
    };
    Trial::test(name, run).with_ignored_flag(!is_present)
}
