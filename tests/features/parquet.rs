//! Parquet shards: what is null, how row groups are cut, and what a damaged or foreign file gives.

use std::fs;
use std::path::Path;

use dehusk::schema::{ExtractedText, FIELDS, FieldValue};
use dehusk::{Config, Document};
use dehusk_documents::encode::{OutputFormat, ShardErrorKind, ShardPlace, read_shard};
use dehusk_extract::registry::DEFAULT_PRESET;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::documents::with_text;
use crate::shards;

fn write(path: &Path, documents: &[Document], in_part: usize) {
    shards::write(OutputFormat::PARQUET, path, documents, in_part);
}

fn metadata(path: &Path) -> ParquetMetaData {
    let file = fs::File::open(path).unwrap();
    ParquetMetaDataReader::new().parse_and_finish(&file).unwrap()
}

#[test]
fn a_run_s_documents_are_those_of_the_iterator_for_every_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let run = |threads| shards::run(OutputFormat::PARQUET, directory.path(), threads, &[DEFAULT_PRESET]).0;
    let shards: Vec<_> = [1, 2, 5].map(run).into();
    let bytes = |path| fs::read(path).unwrap();
    assert!(shards.iter().all(|shard| bytes(shard) == bytes(&shards[0])));
    let back: Result<Vec<Document>, _> = read_shard(&shards[0]).unwrap().collect();
    let config = Config::default();
    let expected: Result<Vec<Document>, _> = dehusk::documents(&config, ["docs/sample/sample.warc.gz"])
        .unwrap()
        .collect();
    assert_eq!(back.unwrap(), expected.unwrap());
}

#[test]
fn an_unknown_value_is_null() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let mut document = with_text("some words");
    document.metadata.title = "A title".into();
    write(&path, &[document.clone(), Document::default()], 1);
    let file = fs::File::open(&path).unwrap();
    let batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batch = batches.map(Result::unwrap).next().unwrap();
    let inner = batch.column_by_name("metadata").unwrap();
    let inner = inner.as_any().downcast_ref::<arrow_array::StructArray>().unwrap();
    for field in FIELDS {
        let column = if field.is_in_metadata() {
            inner.column_by_name(field.name())
        } else {
            batch.column_by_name(field.name())
        };
        let column = column.unwrap();
        for (row, document) in [&document, &Document::default()].into_iter().enumerate() {
            assert_eq!(
                arrow_array::Array::is_null(column, row),
                field.is_unknown(document),
                "{}",
                field.key()
            );
        }
    }
    let is_unknown = |name: &str, document: &Document| {
        let field = FIELDS.iter().find(|field| field.name() == name).unwrap();
        field.is_unknown(document)
    };
    // A number that was computed is known, and may be 0.
    assert!(!is_unknown("quality_sentences", &document) && !is_unknown("words", &document));
    assert!(!is_unknown("title", &document) && is_unknown("author", &document));
    assert!(!is_unknown("warc_offset", &Document::default()) && !is_unknown("truncated", &Document::default()));
}

#[test]
fn row_groups_hold_many_parts() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let documents: Vec<Document> = (0..90).map(|n| with_text(&format!("{n} ").repeat(1 << 19))).collect();
    write(&path, &documents, 3);
    let metadata = metadata(&path);
    let rows: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    // 64 MiB of these texts, and what is left.
    assert_eq!(rows, [48, 42]);
    assert_eq!(
        metadata.file_metadata().created_by(),
        Some(concat!("dehusk ", env!("CARGO_PKG_VERSION")))
    );
    let back: Result<Vec<Document>, _> = read_shard(&path).unwrap().collect();
    assert!(back.unwrap() == documents);
}

#[test]
fn columns_have_statistics_and_those_whose_values_repeat_a_dictionary() {
    use parquet::file::statistics::Statistics;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let documents: Vec<Document> = (0..90u32)
        .map(|n| {
            let mut document = with_text(&format!("{n}"));
            document.metadata.words = 100 - n;
            document.metadata.hostname = format!("h{}.example", n % 3);
            document.metadata.title = if n < 60 { String::new() } else { format!("title {n}") };
            document.more_texts = vec![ExtractedText::new("cetd", "more")];
            document.created = "2026-05-04T08:00:34Z".into();
            document
        })
        .collect();
    write(&path, &documents, 7);
    let metadata = metadata(&path);
    let group = metadata.row_group(0);
    assert_eq!((metadata.num_row_groups(), group.num_rows()), (1, 90));
    let column = |name: &str| {
        let mut columns = group.columns().iter();
        columns.find(|column| column.column_path().string() == name).unwrap()
    };
    let Some(Statistics::Int64(words)) = column("metadata.words").statistics() else {
        panic!("no statistics of words");
    };
    assert_eq!(
        (words.min_opt(), words.max_opt(), words.null_count_opt()),
        (Some(&11), Some(&100), Some(0))
    );
    let titles = column("metadata.title").statistics().unwrap();
    assert_eq!(titles.min_bytes_opt(), Some(&b"title 60"[..]));
    assert_eq!(
        (titles.max_bytes_opt(), titles.null_count_opt()),
        (Some(&b"title 89"[..]), Some(60))
    );
    let hosts = column("metadata.hostname");
    assert!(hosts.dictionary_page_offset().is_some() && column("metadata.words").dictionary_page_offset().is_none());
    assert_eq!(hosts.statistics().unwrap().max_bytes_opt(), Some(&b"h2.example"[..]));
    assert!(column("text").statistics().is_none() && column("text_cetd").statistics().is_none());
    assert!(matches!(column("created").statistics(), Some(Statistics::Int64(_))));
    let back: Result<Vec<Document>, _> = read_shard(&path).unwrap().collect();
    assert!(back.unwrap() == documents);
}

#[test]
fn damage_is_an_error_or_another_document_and_never_a_panic() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    write(&path, &["one", "two", "three"].map(with_text), 2);
    shards::check_damage(&path, 7);
}

#[test]
fn a_file_of_another_kind_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    fs::write(&path, "{\"id\": 1}\n{\"id\": 2}\n").unwrap();
    let error = read_shard(&path).unwrap().next().unwrap().unwrap_err();
    assert!(matches!(error.kind, ShardErrorKind::Invalid(_)), "{error}");
    fs::write(&path, "").unwrap();
    let error = read_shard(&path).unwrap().next().unwrap().unwrap_err();
    assert!(
        matches!(
            (error.place, &error.kind),
            (ShardPlace::File, ShardErrorKind::Truncated)
        ),
        "{error}"
    );
}

#[test]
fn a_number_that_is_not_finite_is_unknown() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.parquet");
    let mut document = with_text("words");
    document.metadata.score = f64::NAN;
    document.metadata.language_score = f64::INFINITY;
    write(&path, &[document], 1);
    let back = read_shard(&path).unwrap().next().unwrap().unwrap();
    let floats = FIELDS.iter().filter_map(|field| match field.get(&back) {
        FieldValue::Float(n) => Some(n),
        _ => None,
    });
    assert!(floats.into_iter().all(|n| n == 0.0));
}
