//! Archives that change while they are read.

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use dehusk::Stop;
use dehusk_archive::Archive;

use crate::program::{Place, Run, make};

/// Pages, and what fills the windows between them.
fn records() -> Vec<Vec<u8>> {
    let record = |i| match i % 2 {
        0 => make::page(&format!("https://a.example/{i}"), &format!("Page {i} has some words.")),
        _ => make::filler(i, 300_000),
    };
    (0..40).map(record).collect()
}

/// The archive in every form that is read in another way, with the number of threads to read it with.
fn archives() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("plain.warc", records().concat()),
        ("members.warc.gz", make::each(&records(), make::gzip)),
        ("frames.warc.zst", make::each(&records(), make::zstd)),
        ("one.warc.gz", make::gzip(&records().concat())),
    ]
}

/// Runs an archive that `change` is done to once page 8 is at work, and checks that it failed and that nothing of what
/// was emitted came from elsewhere.
fn change_meanwhile(place: &Place, name: &str, change: impl Fn(&File) + Send + Sync + 'static) -> Run {
    let path = place.path(name);
    let watch = move |text: &str| {
        if text.starts_with("Page 8 ") {
            change(&File::options().write(true).open(&path).unwrap());
        }
    };
    let report = super::run_watched(place, &[name], 1, &Stop::default(), &mut |_| {}, &mut |_| {}, watch);
    let run = super::read(place, &report);
    assert_eq!(run.archives()[0]["state"], "failed", "{name}: {}", run.report);
    assert_eq!(run.ended.status, 1);
    for (i, text) in run.texts().iter().enumerate() {
        assert_eq!(*text, format!("Page {} has some words.", 2 * i), "{name}");
    }
    run
}

/// In the middle of a page of memory, at a page's border, and to nothing.
#[test]
fn input_that_is_truncated_while_mapped_fails() {
    for (name, bytes) in archives() {
        for length in [bytes.len() as u64 / 2 + 77, 1 << 20, 300, 0] {
            let place = Place::new();
            place.write(name, &bytes);
            let run = change_meanwhile(&place, name, move |file| file.set_len(length).unwrap());
            let error = run.archives()[0]["error"].as_str().unwrap();
            let reason = format!("the file was shortened from {} to {length} bytes", bytes.len());
            assert!(error.contains(name) && error.contains(&reason), "{error}");
        }
    }
}

/// Zeros where the file was do not make it good again.
#[test]
fn input_that_is_truncated_and_grown_again_while_mapped_fails() {
    for (name, bytes) in archives() {
        let place = Place::new();
        place.write(name, &bytes);
        let length = bytes.len() as u64;
        let run = change_meanwhile(&place, name, move |file| {
            file.set_len(length / 2 + 77).unwrap();
            file.set_len(length).unwrap();
            // Clocks of file systems are coarse.
            let later = SystemTime::now() + Duration::from_secs(3600);
            file.set_times(FileTimes::new().set_modified(later)).unwrap();
        });
        let error = run.archives()[0]["error"].as_str().unwrap();
        assert!(error.contains("while it was read"), "{error}");
    }
}

/// The other archives of the run do not notice.
#[test]
fn a_truncated_archive_does_not_harm_the_others() {
    let place = Place::new();
    place.write("a.warc", records().concat());
    place.write("b.warc", super::page("b"));
    let path = place.path("a.warc");
    let report = super::run_watched(
        &place,
        &["a.warc", "b.warc"],
        2,
        &Stop::default(),
        &mut |_| {},
        &mut |_| {},
        move |text| {
            // The other archive may come first, and an archive that is empty from the start is no failure.
            if !text.contains("The page b") {
                File::options().write(true).open(&path).unwrap().set_len(0).unwrap();
            }
        },
    );
    let run = super::read(&place, &report).ends_with(1);
    assert_eq!(run.archives()[0]["state"], "failed");
    assert_eq!(run.archives()[1]["state"], "complete");
    assert_eq!(run.texts(), ["The page b has some words."]);
}

/// A crawler may continue to write after what is read.
#[test]
fn growing_input_is_read_to_its_old_end() {
    let place = Place::new();
    let path = place.write("a.warc", records().concat());
    let grow = move |text: &str| {
        if text.starts_with("Page 8 ") {
            let end = path.metadata().unwrap().len();
            File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_len(end + 5_000_000)
                .unwrap();
        }
    };
    let report = super::run_watched(&place, &["a.warc"], 1, &Stop::default(), &mut |_| {}, &mut |_| {}, grow);
    let run = super::read(&place, &report).ends_with(0);
    assert_eq!(run.total("emitted"), 20);
}

/// The library reports it, too.
#[test]
fn the_reader_reports_a_truncated_file() {
    let place = Place::new();
    for (name, bytes) in archives() {
        let path = place.write(name, bytes);
        let archive = Archive::open(&path).unwrap();
        let mut records = archive.records();
        assert!(records.next_record().is_some());
        assert!(records.take_error().is_none());
        File::options().write(true).open(&path).unwrap().set_len(100).unwrap();
        while records.next_record().is_some() {}
        let error = records.take_error().unwrap().to_string();
        assert!(error.contains("was shortened"), "{error}");
        drop(records);
        // Its place in the list of maps is used again, and with no memory of what was.
        drop(archive);
        let whole = place.write("whole.warc", super::page("whole"));
        let archive = Archive::open(whole).unwrap();
        let mut records = archive.records();
        assert!(records.next_record().is_some() && records.next_record().is_none());
        assert!(records.take_error().is_none());
    }
}
