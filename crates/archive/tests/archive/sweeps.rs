//! Sweeps: an archive cut at every byte, flipped at every byte, and with bytes put in and taken out.

use crate::archives::make::{self, Entry, Form, Made, archive};
use crate::archives::read::{self, All, read_some};
use crate::archives::{Random, damage, within};

fn small() -> Vec<Entry> {
    make::warcs(5, 420, 17)
}

/// Every good record is one that was written, byte by byte, and in order; returns which.
fn genuine(all: &All, entries: &[Entry], what: &str) -> Vec<usize> {
    let mut numbers = Vec::new();
    for got in all.good() {
        let number = entries
            .iter()
            .position(|e| e.block == got.block && e.head == got.header);
        let Some(number) = number else {
            panic!("{what}: {got:?} was never written; {all:?}")
        };
        assert!(numbers.last().is_none_or(|last| *last < number), "{what}: {all:?}");
        numbers.push(number);
    }
    numbers
}

fn bytes_of(entries: &[Entry], n: usize) -> usize {
    entries[..n].iter().map(|e| e.bytes().len()).sum()
}

#[test]
fn no_cut_record_passes_as_whole() {
    for entries in [small(), make::arcs(4, 420, 17)] {
        for form in Form::ALL {
            let made = archive(form, &entries);
            for at in 0..=made.bytes.len() {
                let what = format!("{form:?} cut at {at} of {}", made.bytes.len());
                let (bytes, name, entries) = (damage::cut(&made.bytes, at), what.clone(), entries.clone());
                let numbers = within(10, &what, move || {
                    read_some(&bytes)
                        .map(|all| genuine(&all, &entries, &name))
                        .unwrap_or_default()
                });
                // Every record whose units lie before the cut is there.
                let whole = whole_before(form, &made.starts, at, made.bytes.len(), made.starts.len());
                assert!(numbers.len() >= whole, "{what}: {numbers:?} of {whole}");
                assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>(), "{what}");
            }
        }
    }
}

/// How many records end before the cut, as far as the units show it.
fn whole_before(form: Form, starts: &[usize], at: usize, size: usize, units: usize) -> usize {
    let ended = starts.iter().skip(1).chain([&size]).filter(|end| **end <= at).count();
    match form {
        Form::Plain | Form::Gzip | Form::Zstd => ended,
        Form::ZstdDictionary | Form::ZstdDictionaryCompressed => ended.saturating_sub(1),
        Form::GzipSplit | Form::ZstdSplit | Form::ZstdSkippable => ended / 2,
        Form::GzipSeveral => (ended * 3).min(5),
        Form::GzipWhole | Form::ZstdWhole | Form::GzipBlocks => {
            if ended == units {
                5
            } else {
                0
            }
        }
    }
}

#[test]
fn a_flipped_byte_costs_one_record() {
    let entries = small();
    for form in [
        Form::Gzip,
        Form::GzipSplit,
        Form::Zstd,
        Form::ZstdSplit,
        Form::ZstdSkippable,
        Form::ZstdDictionaryCompressed,
    ] {
        let made = archive(form, &entries);
        let first = if form == Form::ZstdDictionaryCompressed {
            made.starts[1]
        } else {
            0
        };
        for at in first..made.bytes.len() {
            for mask in [1, 0x80, 0xff] {
                let what = format!("{form:?} flipped by {mask} at {at} of {}", made.bytes.len());
                let (bytes, name, entries) = (damage::flip(&made.bytes, at, mask), what.clone(), entries.clone());
                let numbers = within(10, &what, move || genuine(&read_some(&bytes).unwrap(), &entries, &name));
                assert!(numbers.len() >= 4, "{what}: {numbers:?}");
            }
        }
    }
}

#[test]
fn a_flipped_byte_in_a_larger_unit_gives_nothing_false() {
    let entries = small();
    for form in [Form::GzipSeveral, Form::GzipWhole, Form::GzipBlocks, Form::ZstdWhole] {
        let made = archive(form, &entries);
        for at in 0..made.bytes.len() {
            let what = format!("{form:?} flipped at {at} of {}", made.bytes.len());
            let (bytes, name, entries) = (damage::flip(&made.bytes, at, 4), what.clone(), entries.clone());
            within(10, &what, move || {
                read_some(&bytes)
                    .map(|all| genuine(&all, &entries, &name))
                    .unwrap_or_default()
            });
        }
    }
}

#[test]
fn a_flipped_byte_in_a_plain_archive_keeps_the_others() {
    for (entries, arc) in [(small(), false), (make::arcs(4, 420, 17), true)] {
        let made = archive(Form::Plain, &entries);
        for at in 0..made.bytes.len() {
            let what = format!("plain (ARC: {arc}) flipped at {at} of {}", made.bytes.len());
            let bytes = damage::flip(&made.bytes, at, 0x11);
            let all = within(10, &what, move || read_some(&bytes).unwrap());
            let hit = (0..entries.len()).rfind(|n| bytes_of(&entries, *n) <= at).unwrap();
            for (n, entry) in entries.iter().enumerate().filter(|(n, _)| *n != hit) {
                let there = all
                    .good()
                    .iter()
                    .any(|r| r.block == entry.block && r.header == entry.head);
                // ARC parts its records by one line end: where that is hit, or the line after it, they are one.
                let parting = n + 1 == hit || n == hit + 1 && at + 1 == bytes_of(&entries, n);
                assert!(there || arc && parting, "{what}: {n} is lost: {all:?}");
            }
        }
    }
}

#[test]
fn inserted_or_deleted_bytes_cost_what_they_touch() {
    let entries = small();
    for form in Form::ALL {
        let made = archive(form, &entries);
        for seed in 1..=150 {
            let mut random = Random(seed * 7919);
            let n = 1 + random.below(64);
            let at = random.below(made.bytes.len() - n);
            let inserting = random.below(2) == 0;
            let bytes = if inserting {
                damage::insert(&made.bytes, at, &random.bytes(n))
            } else {
                damage::delete(&made.bytes, at..at + n)
            };
            let what = format!(
                "{form:?}, seed {seed}: {n} bytes {} {at}",
                if inserting { "in at" } else { "out at" }
            );
            let plain = form == Form::Plain;
            let (name, originals) = (what.clone(), entries.clone());
            let good = within(10, &what, move || {
                let Ok(all) = read_some(&bytes) else { return None };
                // In a plain archive nothing shows that a body was changed and its length mended.
                Some(if plain {
                    all.good().len()
                } else {
                    genuine(&all, &originals, &name).len()
                })
            });
            let dictionary =
                matches!(form, Form::ZstdDictionary | Form::ZstdDictionaryCompressed) && at < made.starts[1];
            if matches!(
                form,
                Form::Plain | Form::Gzip | Form::Zstd | Form::GzipSplit | Form::ZstdSplit
            ) || !dictionary && form == Form::ZstdDictionary
            {
                assert!(good.is_some_and(|good| good >= 3), "{what}: {good:?}");
            }
        }
    }
}

/// A hundred records, and what is left of them after damage made from each of these seeds.
fn hundred(
    form: Form,
    seeds: std::ops::RangeInclusive<u64>,
    least: usize,
    damage: impl Fn(&Made, &mut Random) -> Vec<u8>,
) {
    let entries = make::warcs(100, 900, 31);
    let made = archive(form, &entries);
    assert_eq!(read::map(&made.bytes, read::FIRM).unwrap().good().len(), 100);
    let mut lost_two = 0;
    for seed in seeds {
        let what = format!("{form:?}, seed {seed}");
        let bytes = damage(&made, &mut Random(seed * 7919));
        let all = read::map(&bytes, read::FIRM).unwrap();
        assert_eq!(all.bytes.sum(), bytes.len() as u64, "{what}");
        let good = genuine(&all, &entries, &what).len();
        assert!(good >= least, "{what}: {good} of 100; {all:?}");
        lost_two += usize::from(good < 99);
    }
    eprintln!("{form:?}: two records lost {lost_two} times");
}

#[test]
fn a_thousand_flips_cost_a_record_of_a_hundred_each() {
    for form in [Form::Gzip, Form::Zstd] {
        hundred(form, 1..=1000, 99, |made, random| {
            let at = random.below(made.bytes.len());
            damage::flip(&made.bytes, at, 1 + random.below(255) as u8)
        });
    }
    // A flip in the dictionary itself is a fault of all frames.
    hundred(Form::ZstdDictionaryCompressed, 1..=200, 99, |made, random| {
        let at = made.starts[1] + random.below(made.bytes.len() - made.starts[1]);
        damage::flip(&made.bytes, at, 1 + random.below(255) as u8)
    });
}

/// A part that is taken out at a border touches two records.
#[test]
fn two_hundred_deletions_and_insertions_cost_what_they_touch() {
    for form in [Form::Gzip, Form::Zstd] {
        hundred(form, 1..=200, 98, |made, random| {
            let n = 1 + random.below(64);
            let at = random.below(made.bytes.len() - n);
            damage::delete(&made.bytes, at..at + n)
        });
        hundred(form, 1..=200, 99, |made, random| {
            let n = 1 + random.below(64);
            let at = random.below(made.bytes.len());
            damage::insert(&made.bytes, at, &random.bytes(n))
        });
    }
}

#[test]
fn every_prefix_of_fifty_records_keeps_the_whole_ones() {
    let entries = make::warcs(50, 120, 23);
    for form in [Form::Plain, Form::Gzip, Form::GzipWhole, Form::Zstd, Form::ZstdWhole] {
        let made = archive(form, &entries);
        let entries = entries.clone();
        within(300, &format!("the prefixes of {form:?}"), move || {
            for at in 0..=made.bytes.len() {
                let what = format!("{form:?} cut at {at} of {}", made.bytes.len());
                let all = read::stream(&made.bytes[..at], usize::MAX, read::FIRM);
                let numbers = all.map(|all| genuine(&all, &entries, &what)).unwrap_or_default();
                let size = made.bytes.len();
                let ends = made.starts.iter().skip(1).chain([&size]);
                let units = ends.filter(|end| **end <= at).count();
                let whole = if made.starts.len() == 1 { units * 50 } else { units };
                assert!(numbers.len() >= whole, "{what}: {} of {whole}", numbers.len());
                assert_eq!(numbers, (0..numbers.len()).collect::<Vec<_>>(), "{what}");
            }
        });
    }
}
