//! A page that makes a worker panic costs that page.

use dehusk::Stop;
use dehusk::report::RunState;

use crate::program::{Place, make};

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
        place.write(name, bytes);
        let report = super::run_watched(&place, &[name], 2, &Stop::default(), &mut |_| {}, &mut |_| {}, |text| {
            assert!(!text.contains("boo"), "a defect for a test");
        });
        assert_eq!((report.state, report.exit_status()), (RunState::Complete, 3));
        let run = super::read(&place, &report);
        assert_eq!(run.archives()[0]["state"], "damaged");
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
