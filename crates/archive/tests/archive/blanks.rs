//! Zeros and white space: a harmless tail where nothing else follows, and a loss where something does.

use crate::archives::make::{self, Form, archive};
use crate::archives::read::{All, read_all};
use crate::archives::within;
use dehusk_archive::Note;

const N: usize = 6;

/// Six units with a record each, and some more bytes before the unit of this number.
fn with(form: Form, at: usize, what: &[u8]) -> (Vec<u8>, usize) {
    let mut made = archive(form, &make::warcs(N, 900, 5));
    let at = *made.starts.get(at).unwrap_or(&made.bytes.len());
    made.bytes.splice(at..at, what.iter().copied());
    (made.bytes, at)
}

fn packed(form: Form, data: &[u8]) -> Vec<u8> {
    match form {
        Form::Gzip => make::gzip(data),
        Form::Zstd => make::zstd(data, &[]),
        _ => data.to_vec(),
    }
}

/// Zeros as every form holds them: as they are, and in units of their own.
fn blanks() -> Vec<(Form, Vec<u8>)> {
    let zeros = vec![0; 3000];
    let forms = [Form::Plain, Form::Gzip, Form::Zstd];
    let several = |form| [packed(form, &zeros), packed(form, b" \0\t"), packed(form, &zeros)].concat();
    let of = |form| {
        [
            (form, packed(form, &zeros)),
            (form, several(form)),
            (form, zeros.clone()),
        ]
    };
    forms.into_iter().flat_map(of).collect()
}

#[test]
fn blanks_between_records_are_skipped_ranges_of_their_whole_length() {
    for (form, blank) in blanks() {
        for at in 1..N {
            let (bytes, offset) = with(form, at, &blank);
            let all = read_all(&bytes);
            assert_eq!(
                (all.good().len(), &all.notes[..]),
                (N, &[][..]),
                "{form:?} {at}: {all:?}"
            );
            let length: u64 = all.skipped.iter().map(|s| s.stored_length).sum();
            assert_eq!(
                (all.skipped[0].offset, length),
                (offset as u64, blank.len() as u64),
                "{form:?} {at}: {all:?}"
            );
            assert_eq!(all.bytes.skipped, blank.len() as u64, "{form:?} {at}");
        }
    }
}

#[test]
fn blanks_up_to_the_end_are_padding_with_a_note() {
    for (form, blank) in blanks() {
        let (bytes, _) = with(form, N, &blank);
        let all = read_all(&bytes);
        assert_eq!((all.good().len(), all.gaps()), (N, vec![]), "{form:?}: {all:?}");
        assert!(
            all.notes.iter().all(|note| *note == Note::TailPadding) && !all.notes.is_empty(),
            "{form:?}: {all:?}"
        );
    }
}

#[test]
fn blanks_before_anything_but_padding_are_skipped() {
    for form in [Form::Gzip, Form::Zstd] {
        let zeros = packed(form, &[0; 500]);
        let pad = |what: &[u8]| [&zeros[..], what].concat();
        let notes = |what: &[u8]| {
            let all = read_all(&with(form, N, &pad(what)).0);
            assert_eq!(all.good().len(), N, "{form:?}: {all:?}");
            (all.gaps().len(), all.notes.len())
        };
        assert_eq!(notes(&packed(form, b"")), (0, 1), "{form:?}: an empty unit is padding");
        assert_eq!(notes(b"a word of text"), (0, 2), "{form:?}: text is a tail too");
        assert_eq!(
            notes(&packed(form, b"a word of text")),
            (2, 0),
            "{form:?}: text in a unit is none"
        );
        assert_eq!(notes(&[0xff; 20]), (2, 0), "{form:?}: bytes that are no unit are not");
        let mut torn = zeros.clone();
        torn.truncate(zeros.len() - 6);
        assert_eq!(notes(&torn), (2, 0), "{form:?}: a unit that is cut is not");
    }
}

#[test]
fn blanks_after_a_record_in_its_unit_are_reported_if_records_follow() {
    let entries = make::warcs(2, 900, 5);
    for form in [Form::Gzip, Form::Zstd] {
        let first = packed(form, &[&entries[0].bytes()[..], &[0; 700]].concat());
        let all = read_all(&[&first[..], &packed(form, &entries[1].bytes())].concat());
        assert_eq!((all.good().len(), all.skipped.len()), (2, 1), "{form:?}: {all:?}");
        assert!(
            all.skipped[0].is_inside() && all.skipped[0].length() == 700,
            "{form:?}: {all:?}"
        );
        let all = read_all(&first);
        assert_eq!(
            (all.skipped.len(), &all.notes[..]),
            (0, &[Note::TailPadding][..]),
            "{form:?}: {all:?}"
        );
    }
}

#[test]
fn a_flood_of_blank_units_takes_linear_time() {
    let entries = make::warcs(2, 900, 5);
    for form in [Form::Gzip, Form::Zstd] {
        let blank = packed(form, &[0; 50]);
        let flood = blank.repeat((900 << 10) / blank.len());
        let record = packed(form, &entries[0].bytes());
        let last = packed(form, &entries[1].bytes());
        let read = move |bytes: Vec<u8>| {
            within(300, "blank units", move || {
                crate::archives::read::read_some_large(&bytes)
            })
        };
        let told = |all: &All| (all.good().len(), all.skipped.is_empty());
        assert_eq!(told(&read([&record[..], &flood].concat())), (1, true), "{form:?}");
        assert_eq!(
            told(&read([&record[..], &flood, &last].concat())),
            (2, false),
            "{form:?}"
        );
    }
}
