//! Shards are read back as they were written, and damaged shards are errors.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use dehusk::schema::{ExtractedText, FIELDS, FieldValue as Value};
use dehusk::{Config, Document, Processor};
use dehusk_documents::encode::{
    Compression, OutputFormat, PartialFile, ShardErrorKind, ShardPlace, ShardReader, read_shard,
};
use proptest::prelude::*;

use crate::checks::xml::{allowed, paragraphs};
use crate::documents::{document, with_text};

const COMPRESSIONS: [Compression; 3] = [Compression::None, Compression::Gzip(4), Compression::Zstd(3)];

/// Writes a shard with two documents in each part, and returns its bytes.
fn shard(documents: &[Document], format: OutputFormat, compression: Compression) -> Vec<u8> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("shard");
    write_shard(&path, documents, format, compression);
    fs::read(path).unwrap()
}

fn write_shard(path: &Path, documents: &[Document], format: OutputFormat, compression: Compression) {
    let mut encoder = format.encoder(compression);
    let file = PartialFile::create(path, false).unwrap();
    let mut writer = format.writer(file, compression).unwrap();
    for part in documents.chunks(2) {
        part.iter().for_each(|document| encoder.add(document));
        let mut bytes = Vec::new();
        encoder.finish_part(&mut bytes).unwrap();
        assert_eq!(encoder.pending(), 0);
        writer.write(&bytes).unwrap();
    }
    writer.finish().unwrap();
}

fn reader(shard: &[u8], format: OutputFormat) -> ShardReader {
    ShardReader::new(io::Cursor::new(shard.to_vec()), format, "a").unwrap()
}

/// Documents that one shard can hold: columns are the same for all of them.
fn documents_for(format: OutputFormat, documents: &[Document]) -> Vec<Document> {
    let mut documents = documents.to_vec();
    if matches!(format.name(), "parquet" | "sqlite") {
        let names = documents[0].more_texts.clone();
        for document in &mut documents {
            document.more_texts.clone_from(&names);
        }
    }
    documents
}

/// The document that a format keeps of another one.
fn expected(document: &Document, format: OutputFormat) -> Document {
    let mut expected = document.clone();
    if format == OutputFormat::XML {
        for field in FIELDS {
            if let Value::Text(text) = field.get(document) {
                field.set(&mut expected, Value::Text(&allowed(text))).unwrap();
            }
        }
        expected.text = paragraphs(&document.text).join("\n\n");
        expected.comments = paragraphs(&document.comments).join("\n\n");
        for more in &mut expected.more_texts {
            more.text = paragraphs(&more.text).join("\n\n");
        }
    }
    if matches!(format.name(), "parquet" | "sqlite") {
        // Their integers are signed. No offset or length of a file is beyond them.
        for field in FIELDS {
            if let Value::Integer(number) = field.get(document) {
                let number = number.min(i64::MAX as u64);
                field.set(&mut expected, Value::Integer(number)).unwrap();
            }
        }
    }
    expected
}

/// The document of a page, with its form.
fn formed(page: &str) -> Option<Document> {
    let config = Config::builder()
        .format(OutputFormat::XML)
        .extractors(["contentex"])
        .build()
        .unwrap();
    Processor::new(&config).unwrap().page(page.as_bytes(), "").ok()
}

#[test]
fn lists_tables_and_code_are_elements_of_xml() {
    let page = "<p>One<br>two words.<ol><li>a<ul><li>b</ul></ol><pre class=language-c>x\n\n  y</pre>\
                <table><tr><th>1<th>2<tr><td>3<td></table><li>c</li>d";
    let document = formed(page).unwrap();
    let shard = String::from_utf8(shard(&[document], OutputFormat::XML, Compression::None)).unwrap();
    let expected = [
        "<p>One<br/>two words.</p>",
        "<list><item><label>1.</label> a\n   <list><item><label>-</label> b</item></list></item></list>",
        "<code language=\"c\">x\n\n  y</code>",
        "<table><row><cell>1</cell> | <cell>2</cell></row>\n<row><cell>3</cell><cell></cell></row></table>",
        "<item><label>-</label> c</item>",
        "<p joined=\"line\">d</p>",
        "</document>",
    ];
    assert!(shard.contains(&expected.join("\n")), "{shard}");
}

proptest! {
    #[test]
    fn the_text_of_a_page_comes_back_from_its_elements(
        page in "(a|b c|\n| |<p>|<br>|<br>|<ul>|</ul>|<ol>|</ol>|<li>|<pre>|</pre>|<table>|</table>|<tr>|<td>|<th>|<div>|</div>|<h2>|</h2>\
                 |<blockquote>|<code>|<dl>|<dt>|<dd>|&lt;){0,40}"
    ) {
        if let Some(document) = formed(&page) {
            let shard = shard(std::slice::from_ref(&document), OutputFormat::XML, Compression::None);
            let back: Result<Vec<Document>, _> = reader(&shard, OutputFormat::XML).collect();
            prop_assert_eq!(back.unwrap(), [document]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_shard_s_documents_are_those_that_were_written(documents in proptest::collection::vec(document(), 1..6)) {
        for format in OutputFormat::ALL.iter().copied() {
            let documents = documents_for(format, &documents);
            for compression in COMPRESSIONS {
                let shard = shard(&documents, format, compression);
                let back: Result<Vec<Document>, _> = reader(&shard, format).collect();
                let expected = Vec::from_iter(documents.iter().map(|d| expected(d, format)));
                prop_assert_eq!(back.unwrap(), expected, "{:?} {:?}", format, compression);
            }
        }
    }
}

#[test]
fn the_format_comes_from_the_name_of_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let documents = [with_text("one"), with_text("two"), with_text("three")];
    for format in OutputFormat::ALL.iter().copied() {
        for compression in COMPRESSIONS {
            let name = format!("a.b.{}", format.file_extension(compression));
            if directory.path().join(&name).exists() {
                // The compression is not in its name.
                continue;
            }
            let path = directory.path().join(name);
            write_shard(&path, &documents, format, compression);
            let back: Result<Vec<Document>, _> = read_shard(&path).unwrap().collect();
            assert_eq!(back.unwrap(), documents, "{}", path.display());
        }
    }
    let error = read_shard(directory.path().join("run.json")).unwrap_err();
    assert!(matches!(error.kind, ShardErrorKind::UnknownFormat(_)), "{error}");
    let missing = read_shard(directory.path().join("none.xml")).unwrap_err();
    assert!(missing.to_string().contains("none.xml"), "{missing}");
}

#[test]
fn no_clip_passes_as_a_whole_shard() {
    let mut documents = ["one\n\ntwo", "three & four", "five"].map(with_text);
    documents[0]
        .more_texts
        .push(ExtractedText::new("cetd", "other\n\ntext"));
    // Databases have a test of their own: opening one at each of its many lengths would take too long.
    let formats = OutputFormat::ALL.iter().copied();
    for format in formats.filter(|format| format.name() != "sqlite") {
        let documents = documents_for(format, &documents);
        for compression in COMPRESSIONS {
            let whole = shard(&documents, format, compression);
            // JSONL that ends between two parts cannot be distinguished from a shorter shard; uncompressed, between two
            // lines.
            let borders: Vec<usize> = match (format != OutputFormat::JSONL, compression) {
                (true, _) => Vec::new(),
                (_, Compression::None) => (1..3)
                    .map(|n| shard(&documents[..n], format, compression).len())
                    .collect(),
                _ => vec![shard(&documents[..2], format, compression).len()],
            };
            for length in 0..whole.len() {
                let results = Vec::from_iter(reader(&whole[..length], format));
                let read = results.iter().filter_map(|result| result.as_ref().ok());
                assert!(read.eq(documents.iter().take(results.iter().filter(|r| r.is_ok()).count())));
                let place = format!("{format:?} {compression:?} cut to {length} of {} bytes", whole.len());
                match results.last() {
                    Some(Err(e)) => assert!(matches!(e.kind, ShardErrorKind::Truncated), "{place}: {e}"),
                    // The last line of an XML shard may lack its line end.
                    _ => assert!(
                        borders.contains(&length) || format == OutputFormat::XML && length == whole.len() - 1,
                        "{place}"
                    ),
                }
            }
        }
    }
}

#[test]
fn an_error_names_its_line_in_jsonl_and_its_byte_in_xml() {
    let documents = [with_text("one"), with_text("two")];
    let jsonl = shard(&documents, OutputFormat::JSONL, Compression::None);
    let damaged = String::from_utf8(jsonl).unwrap().replace("\"two\"", "2");
    let mut reader_of_jsonl = reader(damaged.as_bytes(), OutputFormat::JSONL);
    assert_eq!(reader_of_jsonl.next().unwrap().unwrap(), documents[0]);
    let error = reader_of_jsonl.next().unwrap().unwrap_err();
    assert_eq!(error.place, ShardPlace::Line(2));
    let message = error.to_string();
    assert!(
        message.starts_with("a: line 2: is not a document: invalid type"),
        "{message}"
    );
    assert!(reader_of_jsonl.next().is_none());

    let xml = shard(&documents, OutputFormat::XML, Compression::None);
    let damaged = String::from_utf8(xml)
        .unwrap()
        .replacen("words=\"0\"", "words=\"-1\"", 1);
    let error = reader(damaged.as_bytes(), OutputFormat::XML)
        .next()
        .unwrap()
        .unwrap_err();
    let tag_end = damaged.find("\n<title>").unwrap() as u64;
    assert_eq!(error.place, ShardPlace::Byte(tag_end));
    let message = error.to_string();
    assert!(
        message.ends_with("words cannot be \"-1\": it is a whole number of 32 bits"),
        "{message}"
    );
}

#[test]
fn damaged_compression_is_an_error() {
    let documents = vec![with_text(&"text ".repeat(1000)); 4];
    for compression in [Compression::Gzip(4), Compression::Zstd(3)] {
        let mut shard = shard(&documents, OutputFormat::JSONL, compression);
        let middle = shard.len() / 2;
        for byte in &mut shard[middle..middle + 8] {
            *byte ^= 0x55;
        }
        let error = reader(&shard, OutputFormat::JSONL).find_map(Result::err).unwrap();
        assert!(
            matches!(error.kind, ShardErrorKind::Read(_)),
            "{compression:?}: {error}"
        );
    }
}

#[test]
fn what_is_no_shard_is_an_error() {
    for (format, text) in [
        (OutputFormat::JSONL, "{}\n"),
        (OutputFormat::JSONL, "[1]\n"),
        (OutputFormat::JSONL, "\n"),
        (OutputFormat::XML, "<html><body/></html>"),
        (OutputFormat::XML, "<documents><document/></documents>"),
        (OutputFormat::XML, "<documents></documents><documents></documents>"),
        (
            OutputFormat::XML,
            "<documents><document id=\"&unknown;\"></document></documents>",
        ),
    ] {
        let error = reader(text.as_bytes(), format).find_map(Result::err).unwrap();
        assert!(matches!(error.kind, ShardErrorKind::Invalid(_)), "{text}: {error}");
    }
}

#[test]
fn what_later_versions_add_is_ignored() {
    let line =
        r#"{"id":"i","text":"t","source":"","created":"","version":"","new":[1],"metadata":{"url":"u","new":{}}}"#;
    let document = reader(format!("{line}\n").as_bytes(), OutputFormat::JSONL)
        .next()
        .unwrap()
        .unwrap();
    assert_eq!((document.id.as_str(), document.metadata.url.as_str()), ("i", "u"));
    let xml = "<documents><!-- --><new><document/></new>\
               <document id='i' new='1'><new><p>no</p></new><p>a \
               <b>no</b>b</p><p/><p><![CDATA[&c]]></p></document></documents>";
    let document = reader(xml.as_bytes(), OutputFormat::XML).next().unwrap().unwrap();
    assert_eq!((document.id.as_str(), document.text.as_str()), ("i", "a b\n\n\n\n&c"));
}

#[test]
fn a_document_beyond_the_limit_is_an_error() {
    let documents = [with_text("short"), with_text(&"long ".repeat(100_000))];
    for format in OutputFormat::ALL.iter().copied() {
        let shard = shard(&documents, format, Compression::Zstd(3));
        let mut reader = ShardReader::with_limit(io::Cursor::new(shard), format, "a", 100_000).unwrap();
        assert_eq!(reader.next().unwrap().unwrap(), documents[0]);
        let error = reader.next().unwrap().unwrap_err();
        assert!(matches!(error.kind, ShardErrorKind::TooLarge(100_000)), "{error}");
    }
}

#[test]
fn an_input_that_fails_is_an_error() {
    struct Fails;

    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }

    let start = shard(&[with_text("one")], OutputFormat::XML, Compression::None);
    let input = io::Cursor::new(start).take(100).chain(Fails);
    let error = ShardReader::new(input, OutputFormat::XML, "a")
        .unwrap()
        .next()
        .unwrap()
        .unwrap_err();
    assert!(
        matches!(&error.kind, ShardErrorKind::Read(e) if e.raw_os_error() == Some(5)),
        "{error}"
    );
}
