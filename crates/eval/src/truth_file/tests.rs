use super::*;
use proptest::prelude::*;

const FOREIGN: &str = "{ \"record_id\": \"<urn:a>\", \"text\": \"A\", \"title\": \"T\", \"markdown\": \"# A\" }\n";

fn page(id: &str, text: &str) -> MarkedPage {
    MarkedPage {
        record_id: id.to_owned(),
        text: text.to_owned(),
        marked: Some(Marked::new("a.warc".to_owned(), "7".to_owned(), 3, vec![0, 2])),
        ..MarkedPage::default()
    }
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("truth.jsonl");
    (folder, path)
}

fn message(path: &Path) -> String {
    TruthFile::open(path).unwrap_err().to_string()
}

#[test]
fn every_change_can_be_undone_to_the_byte() {
    let (_folder, path) = folder();
    fs::write(&path, FOREIGN).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    let mut states = vec![fs::read(&path).unwrap()];
    file.mark(page("urn:b", "B")).unwrap();
    states.push(fs::read(&path).unwrap());
    file.mark(page("urn:a", "A2")).unwrap();
    states.push(fs::read(&path).unwrap());
    assert!(file.remove("urn:a").unwrap());
    assert!(!file.remove("urn:a").unwrap());
    // The line of another tool is at its place and as it was, until its page is marked.
    assert!(states[1].starts_with(FOREIGN.as_bytes()) && !states[2].starts_with(FOREIGN.as_bytes()));
    while let Some(state) = states.pop() {
        assert!(file.undo().unwrap().is_some());
        assert_eq!(fs::read(&path).unwrap(), state);
    }
    assert_eq!(file.undo().unwrap(), None);
}

#[test]
fn changes_of_an_earlier_process_can_be_undone() {
    let (_folder, path) = folder();
    fs::write(&path, FOREIGN).unwrap();
    let mut states = Vec::new();
    let open = || TruthFile::open(&path).unwrap();
    let mut state = || states.push(fs::read(&path).unwrap());
    state();
    open().mark(page("urn:b", "B")).unwrap();
    state();
    open().mark(page("urn:a", "A2")).unwrap();
    state();
    // A change that is undone cannot be undone again.
    let mut file = open();
    assert!(file.remove("urn:b").unwrap());
    file.undo().unwrap();
    drop(file);
    assert!(open().remove("urn:a").unwrap());
    while let Some(state) = states.pop() {
        assert!(open().undo().unwrap().is_some());
        assert_eq!(fs::read(&path).unwrap(), state);
    }
    assert!(!open().can_undo());
}

#[test]
fn what_another_program_changed_is_not_undone_by_the_journal() {
    let (folder, path) = folder();
    TruthFile::open(&path).unwrap().mark(page("urn:b", "B")).unwrap();
    let written = fs::read_to_string(&path).unwrap();
    assert!(TruthFile::open(&path).unwrap().can_undo());
    fs::write(&path, format!("{written}{FOREIGN}")).unwrap();
    assert!(!TruthFile::open(&path).unwrap().can_undo());
    // A crash cut the last line of the journal, or left one of a change that was never written.
    fs::write(&path, &written).unwrap();
    let journal = folder.path().join(".truth.jsonl.undo");
    let good = fs::read_to_string(&journal).unwrap();
    fs::write(
        &journal,
        format!("{good}{}\n{{\"bef", good.trim().replace("\"length\":", "\"length\":1")),
    )
    .unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    file.undo().unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
    drop(file);
    // One with places that are not there, and one with lines that are none.
    let header = good.lines().next().unwrap();
    for wrong in [
        good.replace("\"at\":0", "\"at\":7"),
        format!("{header}\n\0\u{1}[]\n{{}}"),
    ] {
        fs::write(&path, &written).unwrap();
        fs::write(&journal, wrong).unwrap();
        assert!(!TruthFile::open(&path).unwrap().can_undo());
    }
}

#[test]
fn marks_are_truth_and_are_read_again() {
    let (_folder, path) = folder();
    fs::write(&path, FOREIGN).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(page("urn:a", "A2")).unwrap();
    file.mark(page("urn:b", "B")).unwrap();
    let truth = Truth::read(std::slice::from_ref(&path)).unwrap();
    let line = &truth.lines[truth.find("urn:a").unwrap()];
    // The title is still right. The form of the old content is not.
    assert_eq!((&*line.text, &*line.title), ("A2", "T"));
    assert!(!fs::read_to_string(&path).unwrap().contains("markdown"));
    drop(file);
    let again = TruthFile::open(&path).unwrap();
    assert_eq!(again.find("urn:b"), Some(&page("urn:b", "B")));
}

#[test]
fn a_file_is_written_first_when_something_is_marked() {
    let (folder, path) = folder();
    let mut file = TruthFile::open(&path).unwrap();
    assert!(!path.exists());
    // A crash left this.
    fs::write(folder.path().join(".truth.jsonl.partial"), "half a li").unwrap();
    file.mark(page("urn:b", "B")).unwrap();
    assert_eq!(Truth::read(std::slice::from_ref(&path)).unwrap().lines.len(), 1);
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, [".truth.jsonl.lock", ".truth.jsonl.undo", "truth.jsonl"]);
}

#[test]
fn what_another_program_wrote_is_kept() {
    let (_folder, path) = folder();
    let mut file = TruthFile::open(&path).unwrap();
    fs::write(&path, FOREIGN).unwrap();
    assert!(matches!(
        file.mark(page("urn:b", "B")),
        Err(TruthFileError::Changed { .. })
    ));
    assert_eq!(fs::read_to_string(&path).unwrap(), FOREIGN);
    assert!(!file.can_undo());
}

#[test]
fn what_is_no_plain_truth_is_refused() {
    let (folder, path) = folder();
    for (bytes, expected) in [
        (&b"\x1f\x8b\x08"[..], "is compressed"),
        (b"WARC/1.0\r\n", "is a record of an archive"),
        (b"[1]\n", "is a list"),
        (
            b"{\"record_id\": \"a\", \"text\": \"\"}\n{\"record_id\": \"a\", \"text\": \"\"}\n",
            "earlier line",
        ),
    ] {
        fs::write(&path, bytes).unwrap();
        assert!(message(&path).contains(expected), "{}", message(&path));
    }
    assert!(message(folder.path()).contains("is a directory"));
    assert!(message(&folder.path().join("no/truth.jsonl")).contains("does not exist"));
}

fn at(archive: &str, at: &str) -> MarkedPage {
    let mut page = page("urn:a", at);
    page.marked = Some(Marked::new(archive.to_owned(), at.to_owned(), 3, vec![0]));
    page
}

#[test]
fn marks_of_another_record_with_the_same_id_are_refused() {
    let (folder, path) = folder();
    let archive = folder.path().join("a.warc");
    fs::write(&archive, "").unwrap();
    let name = archive.to_str().unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(at(name, "7")).unwrap();
    let before = fs::read(&path).unwrap();
    for other in [at(name, "9"), at("b.warc", "7"), at("elsewhere/a.warc", "7")] {
        let refused = file.mark(other).unwrap_err();
        assert!(matches!(refused, TruthFileError::OtherRecord { .. }), "{refused}");
        assert!(refused.to_string().contains(&format!("{name}@7")), "{refused}");
    }
    assert_eq!(fs::read(&path).unwrap(), before);
    // It is the same record, by another name of its archive, or where that has moved.
    file.mark(at(&name.replace("a.warc", "./a.warc"), "7")).unwrap();
    fs::remove_file(archive).unwrap();
    file.mark(at("elsewhere/a.warc", "7")).unwrap();
    assert_eq!(file.pages().count(), 1);
}

#[test]
fn a_change_that_makes_the_file_too_large_is_refused() {
    let (_folder, path) = folder();
    let mut line = FOREIGN.trim_end().to_owned();
    line.push_str(&" ".repeat(LIMIT as usize - line.len() - 20));
    line.push('\n');
    fs::write(&path, &line).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    assert!(matches!(
        file.mark(page("urn:b", "B")),
        Err(TruthFileError::Full { .. })
    ));
    assert!(fs::read(&path).unwrap() == line.as_bytes());
    // The file can be worked on still.
    assert!(file.remove("urn:a").unwrap());
}

#[test]
#[cfg(unix)]
fn a_file_that_is_read_only_is_left_alone() {
    let (_folder, path) = folder();
    fs::write(&path, FOREIGN).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    assert!(
        file.mark(page("urn:b", "B"))
            .unwrap_err()
            .to_string()
            .contains("is read-only")
    );
    assert_eq!(fs::read_to_string(&path).unwrap(), FOREIGN);
    drop(file);
    assert!(message(&path).contains("is read-only"));
}

#[test]
fn a_blank_line_is_no_page() {
    let (_folder, path) = folder();
    let before = format!("\n{FOREIGN}");
    fs::write(&path, &before).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    assert!(!file.remove("").unwrap());
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

#[test]
fn the_fields_of_a_line_outlive_its_byte_order_mark() {
    let (_folder, path) = folder();
    fs::write(&path, format!("\u{feff}{FOREIGN}")).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(page("urn:a", "A2")).unwrap();
    let truth = Truth::read(std::slice::from_ref(&path)).unwrap();
    assert_eq!((&*truth.lines[0].text, &*truth.lines[0].title), ("A2", "T"));
}

#[test]
fn a_file_is_open_in_one_process_at_a_time() {
    let (_folder, path) = folder();
    let first = TruthFile::open(&path).unwrap();
    assert!(
        message(&path).contains("another server marks pages in it"),
        "{}",
        message(&path)
    );
    drop(first);
    TruthFile::open(&path).unwrap();
}

#[test]
fn what_was_undone_does_not_come_back() {
    let (_folder, path) = folder();
    fs::write(&path, FOREIGN).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(page("urn:b", "B")).unwrap();
    file.remove("urn:b").unwrap();
    file.undo().unwrap();
    file.undo().unwrap();
    drop(file);
    // Both changes led to the state that the file has now.
    assert!(!TruthFile::open(&path).unwrap().can_undo());
}

#[test]
fn a_cut_line_of_the_journal_takes_no_other_with_it() {
    let (folder, path) = folder();
    TruthFile::open(&path).unwrap().mark(page("urn:a", "A")).unwrap();
    let journal = folder.path().join(".truth.jsonl.undo");
    let whole = fs::read(&journal).unwrap();
    for cut in [0, 5, whole.len() - 1] {
        fs::write(&journal, &whole[..cut]).unwrap();
        TruthFile::open(&path).unwrap().mark(page("urn:b", "B")).unwrap();
        assert!(TruthFile::open(&path).unwrap().undo().unwrap().is_some(), "{cut}");
    }
}

#[test]
fn a_change_that_is_not_made_leaves_nothing_in_the_journal() {
    let (folder, path) = folder();
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(page("urn:a", "A")).unwrap();
    // Nothing can take the place of a directory.
    let partial = folder.path().join(".truth.jsonl.partial");
    fs::create_dir(&partial).unwrap();
    assert!(file.mark(page("urn:b", "B")).is_err());
    assert!(file.find("urn:b").is_none());
    fs::remove_dir(&partial).unwrap();
    file.mark(page("urn:c", "C")).unwrap();
    let journal = fs::read_to_string(folder.path().join(".truth.jsonl.undo")).unwrap();
    assert_eq!(journal.lines().count(), 3, "{journal}");
    drop(file);
    let mut file = TruthFile::open(&path).unwrap();
    while file.undo().unwrap().is_some() {}
    assert_eq!(fs::read_to_string(&path).unwrap(), "");
}

#[test]
fn a_journal_of_another_program_is_left_alone() {
    let (folder, path) = folder();
    let journal = folder.path().join(".truth.jsonl.undo");
    for bytes in ["notes of somebody\n", "{\"dehusk_undo\":2}\n"] {
        fs::write(&journal, bytes).unwrap();
        let message = message(&path);
        assert!(
            message.contains(".undo") && message.contains("move it away"),
            "{message}"
        );
        assert_eq!(fs::read_to_string(&journal).unwrap(), bytes);
    }
    // One that is none is found at the start, and one that comes later is not written to.
    fs::remove_file(&journal).unwrap();
    fs::create_dir(&journal).unwrap();
    assert!(message(&path).contains("cannot be opened"), "{}", message(&path));
    fs::remove_dir(&journal).unwrap();
    let mut file = TruthFile::open(&path).unwrap();
    fs::write(&journal, "notes").unwrap();
    assert!(file.mark(page("urn:a", "A")).is_err());
    assert_eq!(fs::read_to_string(&journal).unwrap(), "notes");
    assert!(!path.exists());
}

#[test]
fn a_large_journal_keeps_the_newest_changes() {
    let (folder, path) = folder();
    let journal = folder.path().join(".truth.jsonl.undo");
    let mut file = TruthFile::open(&path).unwrap();
    // Each change keeps the text before it in the journal.
    for number in 0..7 {
        file.mark(page("urn:a", &format!("{number}{}", "x".repeat(3 << 20))))
            .unwrap();
        assert!(fs::metadata(&journal).unwrap().len() <= journal::LIMIT);
    }
    drop(file);
    let undone = || {
        let mut file = TruthFile::open(&path).unwrap();
        let mut undone = 0;
        while file.undo().unwrap().is_some() {
            undone += 1;
        }
        (undone, file.find("urn:a").unwrap().text.as_bytes()[0])
    };
    let before = fs::read(&path).unwrap();
    let bytes = fs::read(&journal).unwrap();
    // Changes 2 to 6 would be too many for half of the journal, and one more came after that.
    let (count, text) = undone();
    assert!((2..=4).contains(&count), "{count}");
    assert_eq!(text, b'6' - count);
    // A larger one than may be is no reason not to start.
    fs::write(&path, before).unwrap();
    let header = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let blank = vec![b'\n'; journal::LIMIT as usize];
    fs::write(&journal, [&bytes[..header], &blank, &bytes[header..]].concat()).unwrap();
    let (count, text) = undone();
    assert!(count >= 1 && text == b'6' - count, "{count}");
    assert!(fs::metadata(&journal).unwrap().len() <= journal::LIMIT);
}

#[test]
#[cfg(unix)]
fn the_journal_is_as_private_as_the_truth() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (folder, path) = folder();
    let journal = folder.path().join(".truth.jsonl.undo");
    TruthFile::open(&path).unwrap().mark(page("urn:a", "A")).unwrap();
    assert_eq!(mode(&journal), 0o600);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    TruthFile::open(&path).unwrap().mark(page("urn:b", "B")).unwrap();
    assert_eq!((mode(&journal), mode(&path)), (0o640, 0o640));
}

#[test]
fn a_journal_that_was_edited_makes_no_wrong_truth() {
    let (folder, path) = folder();
    let journal = folder.path().join(".truth.jsonl.undo");
    let mut file = TruthFile::open(&path).unwrap();
    file.mark(page("urn:a", "A")).unwrap();
    file.mark(page("urn:b", "B")).unwrap();
    file.remove("urn:a").unwrap();
    drop(file);
    let good = fs::read_to_string(&journal).unwrap();
    assert!(TruthFile::open(&path).unwrap().can_undo());
    // A line that is two, and an id that is there already.
    for (old, new) in [("\"line\":\"{", "\"line\":\"{\\n"), ("urn:a", "urn:b")] {
        assert!(good.contains(old), "{good}");
        fs::write(&journal, good.replace(old, new)).unwrap();
        assert!(!TruthFile::open(&path).unwrap().can_undo(), "{new}");
    }
}

#[test]
fn what_undoes_changes_takes_a_bounded_memory() {
    let (_folder, path) = folder();
    let mut file = TruthFile::open(&path).unwrap();
    let bytes = 8 << 20;
    for number in 0..6 {
        file.mark(page("urn:a", &format!("{number}{}", "x".repeat(bytes))))
            .unwrap();
    }
    let mut undone = 0;
    while file.undo().unwrap().is_some() {
        undone += 1;
    }
    // Each one holds the line and the text of it.
    assert_eq!(undone, UNDONE_BYTES / (2 * bytes) - 1);
}

proptest! {
    /// Whatever a file holds, it is refused, or a change that is undone leaves its lines as they were.
    #[test]
    fn changes_leave_the_other_lines_alone(
        lines in prop::collection::vec(
            prop_oneof![
                (0..4u8).prop_map(|id| format!("{{\"record_id\":\"<urn:{id}>\",\"text\":\"T\",\"x\": 1 }}\r")),
                (4..8u8).prop_map(|id| format!(" {{\"text\":\"é\", \"record_id\":\"urn:{id}\", \"marked\": {id}}}")),
                Just(String::new()),
                "\\PC{0,12}",
            ],
            0..6,
        ),
        id in 0..8u8,
    ) {
        let (_folder, path) = folder();
        let before = format!("{}\n", lines.join("\n"));
        fs::write(&path, &before).unwrap();
        let Ok(mut file) = TruthFile::open(&path) else { return Ok(()) };
        let is_empty = file.pages().next().is_none();
        file.mark(page(&format!("urn:{id}"), "new")).unwrap();
        let truth = Truth::read(std::slice::from_ref(&path)).unwrap();
        prop_assert_eq!(&truth.lines[truth.find(&format!("urn:{id}")).unwrap()].text, "new");
        file.undo().unwrap();
        let after = fs::read_to_string(&path).unwrap();
        prop_assert_eq!(after, if is_empty { String::new() } else { before });
    }
}
