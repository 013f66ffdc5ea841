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
    // What is undone is no change that could be undone.
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
    // One with places that are not there, and one that is none.
    for wrong in [good.replace("\"at\":0", "\"at\":7"), "\0\u{1}[]\n{}".to_owned()] {
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
    assert_eq!(names, [".truth.jsonl.undo", "truth.jsonl"]);
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
