//! Records that an index in Parquet names, as Common Crawl's columnar index does.

use std::fs::File;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::program::{Place, make};

/// The columns of an index that these tests use, as Common Crawl's has them.
const SCHEMA: &str = "message index {
    required binary url_host_registered_domain (UTF8);
    optional binary content_languages (UTF8);
    required int32 fetch_status;
    required binary warc_filename (UTF8);
    required int32 warc_record_offset;
    required int32 warc_record_length;
}";

/// A row: domain, languages, archive, offset, length.
type IndexRow<'r> = (&'r str, Option<&'r str>, &'r str, i32, i32);

/// Writes an index, with a row group for each list of rows.
fn write(place: &Place, name: &str, schema: &str, groups: &[Vec<IndexRow<'_>>]) {
    write_packed(place, name, schema, groups, Compression::UNCOMPRESSED);
}

/// The same, packed.
fn write_packed(place: &Place, name: &str, schema: &str, groups: &[Vec<IndexRow<'_>>], compression: Compression) {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let file = File::create(place.path(name)).unwrap();
    let properties = Arc::new(WriterProperties::builder().set_compression(compression).build());
    let mut writer = SerializedFileWriter::new(file, Arc::clone(&schema), properties).unwrap();
    for rows in groups {
        let mut group = writer.next_row_group().unwrap();
        for field in schema.get_fields() {
            let mut column = group.next_column().unwrap().unwrap();
            let texts = |of: fn(&IndexRow<'_>) -> String| -> Vec<ByteArray> {
                rows.iter().map(|row| of(row).into_bytes().into()).collect()
            };
            let numbers = |of: fn(&IndexRow<'_>) -> i32| -> Vec<i32> { rows.iter().map(of).collect() };
            match field.name() {
                "url_host_registered_domain" => {
                    let values = texts(|row| row.0.to_owned());
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&values, None, None)
                        .unwrap();
                }
                "content_languages" => {
                    let values: Vec<ByteArray> = rows.iter().filter_map(|row| row.1).map(ByteArray::from).collect();
                    let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&values, Some(&levels), None)
                        .unwrap();
                }
                "warc_filename" => {
                    let values = texts(|row| row.2.to_owned());
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&values, None, None)
                        .unwrap();
                }
                name if field.get_physical_type() == parquet::basic::Type::BYTE_ARRAY => {
                    assert_eq!(name, "warc_record_offset");
                    let values = texts(|row| row.3.to_string());
                    column
                        .typed::<ByteArrayType>()
                        .write_batch(&values, None, None)
                        .unwrap();
                }
                name => {
                    let values = match name {
                        "fetch_status" => numbers(|_| 200),
                        "fetch_day" => numbers(|row| 19_783 + i32::from(row.3 > 0)),
                        "fetch_time" => numbers(|row| 19_783 + i32::from(row.3 > 0)),
                        "price" => numbers(|row| if row.3 > 0 { -150 } else { 1250 }),
                        "hour" => numbers(|_| 0),
                        "warc_record_offset" => numbers(|row| row.3),
                        _ => numbers(|row| row.4),
                    };
                    if field.get_physical_type() == parquet::basic::Type::INT64 {
                        let factor = match name {
                            "fetch_time" if format!("{field:?}").contains("NANOS") => 86_400_000_000_000,
                            "fetch_time" => 86_400_000,
                            _ => 1,
                        };
                        let values: Vec<i64> = values.into_iter().map(|value| factor * i64::from(value)).collect();
                        column.typed::<Int64Type>().write_batch(&values, None, None).unwrap();
                    } else {
                        column.typed::<Int32Type>().write_batch(&values, None, None).unwrap();
                    }
                }
            }
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    writer.close().unwrap();
}

/// An archive with a page of each host, and the offset and length of each.
fn archive(place: &Place, name: &str, hosts: &[&str]) -> Vec<(i32, i32)> {
    let (mut bytes, mut places) = (Vec::new(), Vec::new());
    for host in hosts {
        let member = make::gzip(&make::page(&format!("https://{host}/"), "A page of some words."));
        places.push((bytes.len() as i32, member.len() as i32));
        bytes.extend(member);
    }
    place.write(name, bytes);
    places
}

fn hosts(place: &Place, folder: &str, arguments: &[&str]) -> Vec<String> {
    let run = place.run_to(folder, arguments).ends_with(0);
    let host = |document: &serde_json::Value| document["metadata"]["hostname"].as_str().unwrap().to_owned();
    run.documents().iter().map(host).collect()
}

#[test]
fn records_of_a_columnar_index_are_read_in_order_and_chosen_by_its_columns() {
    let place = Place::new();
    let at = archive(&place, "crawl/x/a.warc.gz", &["a.is", "b.is", "c.de", "d.is"]);
    let row = |i: usize, domain, languages| (domain, languages, "x/a.warc.gz", at[i].0, at[i].1);
    let groups = [
        vec![row(3, "d.is", Some("isl")), row(0, "a.is", Some("isl,eng"))],
        vec![row(1, "b.is", None), row(2, "c.de", Some("deu"))],
    ];
    for (name, schema) in [
        ("index.parquet", SCHEMA.to_owned()),
        ("wide.parquet", SCHEMA.replace("int32 warc", "int64 warc")),
    ] {
        write(&place, name, &schema, &groups);
        let read = |folder: &str, conditions: &[&str]| {
            let flags: Vec<&str> = conditions.iter().flat_map(|c| ["--offsets-where", *c]).collect();
            let arguments = [&["--offsets", name, "--offsets-base", "crawl"], &flags[..]].concat();
            hosts(&place, &format!("{folder}-{name}"), &arguments)
        };
        assert_eq!(read("all", &[]), ["a.is", "b.is", "c.de", "d.is"]);
        assert_eq!(
            read("language", &["content_languages ~ isl", "fetch_status = 200"]),
            ["a.is", "d.is"]
        );
        assert_eq!(read("domain", &["url_host_registered_domain = c.de"]), ["c.de"]);
        assert_eq!(
            read("offset", &["warc_record_offset > 0", "fetch_status < 300"]).len(),
            3
        );
    }
}

#[test]
fn an_index_may_be_packed_as_the_usual_writers_pack_it() {
    let place = Place::new();
    let at = archive(&place, "a.warc.gz", &["a.is", "b.is"]);
    let rows = vec![
        ("a.is", None, "a.warc.gz", at[0].0, at[0].1),
        ("b.is", Some("isl"), "a.warc.gz", at[1].0, at[1].1),
    ];
    let packings = [
        ("gzip", Compression::GZIP(Default::default())),
        ("snappy", Compression::SNAPPY),
        ("zstd", Compression::ZSTD(Default::default())),
    ];
    for (name, compression) in packings {
        write_packed(&place, name, SCHEMA, std::slice::from_ref(&rows), compression);
        assert_eq!(
            hosts(&place, &format!("of-{name}"), &["--offsets", name]),
            ["a.is", "b.is"]
        );
    }
}

#[test]
fn days_times_and_decimals_are_compared_by_their_meaning() {
    let place = Place::new();
    let at = archive(&place, "a.warc.gz", &["a.is", "b.is"]);
    let rows = vec![
        ("a.is", None, "a.warc.gz", at[0].0, at[0].1),
        ("b.is", None, "a.warc.gz", at[1].0, at[1].1),
    ];
    let more = "required int32 fetch_day (DATE);
        required int64 fetch_time (TIMESTAMP(MILLIS,true));
        required int32 price (DECIMAL(9,2));
        required int32 hour (TIME(MILLIS,true));
    }";
    let schema = SCHEMA.replace('}', more);
    write(&place, "millis", &schema, std::slice::from_ref(&rows));
    write(
        &place,
        "nanos",
        &schema.replace("TIMESTAMP(MILLIS", "TIMESTAMP(NANOS"),
        &[rows],
    );
    for name in ["millis", "nanos"] {
        for (number, (condition, expected)) in [
            ("fetch_day = 2024-03-01", "a.is"),
            ("fetch_day > 2024-03-01", "b.is"),
            ("fetch_time < 2024-03-02", "a.is"),
            ("fetch_time >= 2024-03-02T00:00:00Z", "b.is"),
            ("fetch_time ~ ^2024-03-01T", "a.is"),
            ("price = 12.5", "a.is"),
            ("price < -1", "b.is"),
        ]
        .into_iter()
        .enumerate()
        {
            let arguments = ["--offsets", name, "--offsets-where", condition];
            assert_eq!(
                hosts(&place, &format!("{name}-{number}"), &arguments),
                [expected],
                "{condition}"
            );
        }
    }
    for (condition, says) in [
        (
            "fetch_time > 1709251200",
            "fetch_time: “1709251200” is not a day or a time such as 2024-03-01",
        ),
        ("hour = 5", "the column hour holds times of the day"),
    ] {
        let ended = place.dehusk(&["run", "--offsets", "millis", "--offsets-where", condition, "-o", "no"]);
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
}

#[test]
fn the_index_gives_the_language_if_it_is_asked() {
    let place = Place::new();
    let at = archive(&place, "a.warc.gz", &["a.is", "b.is"]);
    let rows = vec![
        ("a.is", Some("isl,eng"), "a.warc.gz", at[0].0, at[0].1),
        ("b.is", None, "a.warc.gz", at[1].0, at[1].1),
    ];
    write(&place, "index", SCHEMA, &[rows]);
    let set = r#"extract.language_from=["index"]"#;
    let run = place.run(&["--offsets", "index", "--set", set]).ends_with(0);
    let languages: Vec<_> = run
        .documents()
        .iter()
        .map(|d| d["metadata"]["language"].clone())
        .collect();
    assert_eq!(languages, ["is", ""]);
    // The column is damaged, and read only if it is asked for.
    let mut bytes = std::fs::read(place.path("index")).unwrap();
    let label = bytes.windows(7).position(|part| part == b"isl,eng").unwrap();
    bytes[label - 4..label].fill(0xff);
    place.write("damaged", bytes);
    assert_eq!(hosts(&place, "unasked", &["--offsets", "damaged"]), ["a.is", "b.is"]);
    let ended = place.dehusk(&["run", "--offsets", "damaged", "--set", set, "-o", "no"]);
    assert_eq!(ended.status, 2, "{}", ended.stderr);
}

#[test]
fn a_mistake_in_an_index_is_named_with_its_column_or_row() {
    let place = Place::new();
    let at = archive(&place, "a.warc.gz", &["a.is"]);
    let row = ("a.is", None, "a.warc.gz", at[0].0, at[0].1);
    let refused = |name: &str, flags: &[&str], says: &str| {
        let ended = place.dehusk(&[&["run", "--offsets", name, "-o", "no"], flags].concat());
        assert_eq!(ended.status, 2, "{}", ended.stderr);
        let says = format!("{name}: {says}");
        assert!(ended.stderr.contains(&says), "{}", ended.stderr);
    };
    let without = SCHEMA.replace("warc_record_length", "record_length");
    write(&place, "without.parquet", &without, &[vec![row]]);
    refused(
        "without.parquet",
        &[],
        "has no column warc_record_length; did you mean “record_length”?",
    );
    let text = SCHEMA.replace("int32 warc_record_offset", "binary warc_record_offset (UTF8)");
    write(&place, "text.parquet", &text, &[vec![row]]);
    refused("text.parquet", &[], "the column warc_record_offset is a ");
    let negative = ("a.is", None, "a.warc.gz", -3, 5);
    write(&place, "negative.parquet", SCHEMA, &[vec![row], vec![row, negative]]);
    refused("negative.parquet", &[], "row 3: warc_record_offset is -3");
    let nameless = ("a.is", None, "", 0, 5);
    write(&place, "nameless.parquet", SCHEMA, &[vec![nameless]]);
    refused("nameless.parquet", &[], "row 1: warc_filename is missing");
    write(&place, "good.parquet", SCHEMA, &[vec![row]]);
    refused(
        "good.parquet",
        &["--offsets-where", "fetch_stauts = 200"],
        "has no column fetch_stauts; did you mean “fetch_status”?",
    );
    refused(
        "good.parquet",
        &["--offsets-where", "fetch_status = ok"],
        "fetch_status: “ok” is not a number",
    );
    let bytes = std::fs::read(place.path("good.parquet")).unwrap();
    for cut in [5, bytes.len() / 2, bytes.len() - 1] {
        place.write("cut.parquet", &bytes[..cut]);
        refused("cut.parquet", &[], "is damaged, or no Parquet");
    }
    // An offset at which no record begins.
    let foreign = ("a.is", None, "a.warc.gz", 7, 20);
    write(&place, "foreign.parquet", SCHEMA, &[vec![foreign, row]]);
    let run = place.run(&["--offsets", "foreign.parquet"]).ends_with(3);
    assert_eq!(run.failed[0]["reason"], "no_record");
    assert_eq!(run.documents().len(), 1);
}
