//! A page that makes a worker panic costs that page.
#![allow(clippy::unwrap_used)]

mod program;

use std::sync::Arc;

use dehusk::Config;
use dehusk::config::Rules;
use dehusk::dom::view::View;
use dehusk::extract::{CoreEx, Extractor, Preset, Selection};
use dehusk::pipeline::{Progress, Stop};
use dehusk::run::{ArchiveState, RunOptions, RunState, run_with};
use dehusk::strip::Strip;
use program::{Ended, Place, make};

/// An extractor with a defect.
#[derive(Debug)]
struct Touchy(CoreEx);

impl Extractor for Touchy {
    fn strip(&self) -> Strip {
        self.0.strip()
    }

    fn extract(&self, view: &View<'_>) -> Selection {
        let selection = self.0.extract(view);
        let mut text = String::new();
        selection.render_text(view, &mut text);
        assert!(!text.contains("boo"), "a defect for a test");
        selection
    }
}

#[test]
fn a_panic_costs_one_page() {
    let place = Place::new();
    let mut records = Vec::new();
    for i in 0..40 {
        let text = if i % 10 == 3 {
            "This page says boo to workers."
        } else {
            "A page of quiet words."
        };
        records.push(make::page(&format!("https://a.example/{i}"), text));
    }
    let archives = [
        ("plain", records.concat()),
        ("members", make::each(&records, make::gzip)),
        ("one", make::gzip(&records.concat())),
    ];
    for (name, bytes) in archives {
        let path = place.write(name, bytes);
        let mut config = Config::default();
        config.run.threads = 2;
        let mut rules = Rules::new(&config).unwrap();
        rules.presets = vec![Preset {
            name: "touchy".into(),
            extractor: Arc::new(Touchy(CoreEx::modern())),
        }];
        let mut seen = 0;
        let options = RunOptions {
            overwrite: false,
            progress: &Progress::default(),
            stop: &Stop::default(),
            finished: &mut |archive| {
                assert_eq!(archive.state, ArchiveState::Damaged);
                seen += 1;
            },
        };
        let folder = format!("{name}-out");
        let inputs = [path.to_str().unwrap().to_owned()];
        let report = run_with(&Arc::new(rules), &inputs, &place.path(&folder), options).unwrap();
        assert_eq!((report.state, report.exit_status(), seen), (RunState::Complete, 3, 1));
        let ended = Ended {
            status: 3,
            stdout: Vec::new(),
            stderr: String::new(),
        };
        let run = place.read(&folder, ended);
        assert_eq!((run.total("emitted"), run.total("failed.panic")), (36, 4));
        assert!(run.texts().iter().all(|t| t == "A page of quiet words."));
        let ids: Vec<_> = run.failed.iter().map(|f| f["id"].as_str().unwrap()).collect();
        assert_eq!(
            ids,
            [3, 13, 23, 33].map(|i| format!("urn:test:response:https://a.example/{i}"))
        );
        assert!(run.failed.iter().all(|f| f["reason"] == "panic"));
    }
}
