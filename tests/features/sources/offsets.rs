//! Some records of a remote archive cost few requests.

use dehusk::ArchiveInput;

use super::{config, make, quiet_run, records};
use crate::server::Server;

#[test]
fn a_record_by_offset_and_length_costs_one_request() {
    let members: Vec<Vec<u8>> = records(12, 100_000).iter().map(|record| make::gzip(record)).collect();
    let bytes = members.concat();
    let starts: Vec<u64> = members
        .iter()
        .scan(0, |at, member| Some(std::mem::replace(at, *at + member.len() as u64)))
        .collect();
    for number in [0, 10, 22] {
        let range = starts[number]..starts[number] + members[number].len() as u64;
        let server = Server::of(&bytes);
        let input = ArchiveInput::from(server.url("/x.warc.gz")).only(vec![range.clone()]);
        let ran = quiet_run(&config(), &[input]);
        let ledger = &ran.report.totals.ledger;
        assert_eq!(
            (ran.report.exit_status(), ledger.emitted),
            (0, 1),
            "{}",
            ran.report.archives[0].error
        );
        let asked: Vec<_> = server.asked().iter().map(|asked| asked.range()).collect();
        assert_eq!(asked, [Some((range.start as usize, range.end as usize - 1))]);
        assert_eq!(ledger.not_selected_bytes, (bytes.len() - members[number].len()) as u64);
    }
    // Without a length: what a record is expected to have at most.
    let server = Server::of(&bytes);
    let start = starts[10]..starts[10] + 1;
    let input = ArchiveInput::from(server.url("/x.warc.gz")).only(vec![start]);
    let ran = quiet_run(&config(), &[input]);
    assert_eq!((ran.report.exit_status(), ran.report.totals.ledger.emitted), (0, 1));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn near_records_are_asked_for_together() {
    let members: Vec<Vec<u8>> = records(1000, 300).iter().map(|record| make::gzip(record)).collect();
    let bytes = members.concat();
    let mut at = 0;
    let mut ranges = Vec::new();
    for member in &members {
        ranges.push(at..at + member.len() as u64);
        at += member.len() as u64;
    }
    let chosen: Vec<_> = ranges.iter().step_by(2).cloned().collect();
    let asked = |settings: &[(&str, u64)]| {
        let server = Server::of(&bytes);
        let input = ArchiveInput::from(server.url("/x.warc.gz")).only(chosen.clone());
        let mut config = config();
        for (key, value) in settings {
            config.set(key, *value as i64).unwrap();
        }
        let ran = quiet_run(&config, &[input]);
        assert_eq!(ran.report.exit_status(), 0, "{}", ran.report.archives[0].error);
        let asked: Vec<_> = server.asked().iter().filter_map(|asked| asked.range()).collect();
        (asked, ran.report.totals.ledger.clone())
    };
    let (joined, ledger) = asked(&[]);
    assert!(
        joined.len() * 10 <= chosen.len(),
        "{} requests for {}",
        joined.len(),
        chosen.len()
    );
    let limit = bytes.len() as u64 / 20;
    let (small, same) = asked(&[("remote.part_bytes", limit)]);
    assert_eq!(same, ledger);
    assert!(
        small.len() >= 20 && small.iter().all(|(from, to)| ((to - from) as u64) < limit),
        "{small:?}"
    );
    // They are asked for in order.
    let (apart, same) = asked(&[("remote.join_gap", 0), ("remote.read_ahead", 0)]);
    assert_eq!((apart.len(), same), (chosen.len(), ledger));
    assert!(apart.is_sorted(), "{apart:?}");
}
