"""The Arrow stream and Parquet, as other libraries see them. Those that are absent are skipped."""

from datetime import datetime

import dehusk
import pytest
from conftest import archive, key

pa = pytest.importorskip("pyarrow")


def test_pyarrow_takes_the_stream_and_the_batches(sample):
    reader = dehusk.read(sample)
    table = pa.table(reader)
    assert pa.schema(reader) == table.schema
    batches = [pa.record_batch(batch) for batch in reader]
    assert pa.Table.from_batches(batches) == table
    rows = [row for batch in reader for row in batch.to_pylist()]
    assert rows[0]["created"].endswith("Z")
    for row in rows:
        row["created"] = datetime.fromisoformat(row["created"].replace("Z", "+00:00"))
    assert table.to_pylist() == rows
    assert table.schema.field("created").type == pa.timestamp("us", "UTC")
    metadata = {field.name: field for field in table.schema.field("metadata").type}
    assert metadata["warc_offset"].type == pa.int64() and not metadata["warc_offset"].nullable
    assert metadata["title"].type == pa.string() and metadata["title"].nullable


def test_a_stream_that_nobody_reads_reads_nothing(tmp_path):
    reader = dehusk.read(tmp_path / "missing.warc")
    for _ in range(3):
        pa.RecordBatchReader.from_stream(reader).schema
    assert reader.archives == []
    with pytest.raises(Exception, match="missing.warc"):
        pa.table(reader)


def test_further_extractors_are_columns(sample):
    config = {"extract": {"extractors": ["fusion", "coreex", "cetd-ds"]}}
    table = pa.table(dehusk.read(sample, config))
    assert table.column_names[-2:] == ["text_cetd-ds", "text_coreex"]
    assert table.column("text_coreex").null_count == 0


def test_duckdb_reads_the_stream_more_than_once(sample):
    duckdb = pytest.importorskip("duckdb")
    reader = dehusk.read(sample)
    count = len(pa.table(reader))
    for _ in range(2):
        rows = duckdb.sql("select id, metadata.warc_offset from reader where metadata.words > 0").fetchall()
        assert len(rows) == count


def test_polars_and_pandas_take_the_stream(sample):
    polars = pytest.importorskip("polars")
    reader = dehusk.read(sample)
    frame = polars.DataFrame(reader)
    assert frame.height == len(pa.table(reader)) and frame["source"].null_count() == frame.height
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame.from_arrow(reader)) == frame.height


def test_parquet_has_the_rows_of_the_stream(sample, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    expected = pa.table(dehusk.read(sample))
    for compression in ("zstd", "gzip", "none"):
        out = tmp_path / compression
        dehusk.run(sample, out, {"output": {"format": "parquet", "compression": compression}})
        table = parquet.read_table(out / "documents" / "sample.parquet")
        assert table.schema.remove_metadata() == expected.schema
        assert [key(row) for row in table.to_pylist()] == [key(row) for row in expected.to_pylist()]
        assert table.equals(expected.combine_chunks())


def test_duckdb_and_polars_read_parquet(sample, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    polars = pytest.importorskip("polars")
    dehusk.run(sample, tmp_path / "out", {"output": {"format": "parquet"}})
    path = str(tmp_path / "out" / "documents" / "sample.parquet")
    expected = pa.table(dehusk.read(sample)).to_pylist()
    found = duckdb.sql(f"select id, metadata.title, metadata.words from '{path}'").fetchall()
    assert found == [(row["id"], row["metadata"]["title"], row["metadata"]["words"]) for row in expected]
    assert polars.read_parquet(path).to_dicts() == expected


def test_spark_rows_are_documents_and_failures(tmp_path):
    from dehusk import spark

    good, bad = tmp_path / "a.warc.gz", tmp_path / "b.warc.gz"
    good.write_bytes(archive(4))
    bad.write_bytes(b"no archive")
    paths = pa.record_batch({"path": [str(good), str(bad), "@none", None]})
    rows = pa.Table.from_batches(spark.documents()([paths])).to_pylist()
    assert [row["failure"] is None for row in rows] == [True] * 4 + [False] * 3
    assert "none: cannot be read" in rows[5]["failure"]["reason"] and rows[5]["failure"]["archive"] is None
    assert rows[4]["failure"]["archive"] == str(bad) and rows[4]["text"] is None
    with pytest.raises(dehusk.ArchiveError):
        list(spark.documents(errors="raise")([paths]))
    assert spark.schema().startswith("id string, text string, source string, created timestamp, ")
    config = {"output": {"signatures": ["minhash"]}, "extract": {"extractors": ["coreex", "cetd-ds"]}}
    assert "minhash" not in spark.schema() and "minhash: string" in spark.schema(config)
    assert "`text_cetd-ds` string" in spark.schema(config)
    names = pa.schema(dehusk.read(b"", config)).names
    assert [part.split()[0].strip("`") for part in spark.schema(config).split(", ") if ":" not in part][:5] == names[:5]
