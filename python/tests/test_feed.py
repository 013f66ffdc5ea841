"""Other programs' own readers take a run unchanged. Those that are absent are skipped."""

import importlib.util
import json
import sys
import zipfile
from pathlib import Path

import dehusk
import pytest
from conftest import rows_of_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The shards of runs over the sample, by format and compression, and their documents."""
    from conftest import SAMPLE

    folder = tmp_path_factory.mktemp("runs")
    for form, compression in (("jsonl", "none"), ("jsonl", "zstd"), ("jsonl", "gzip"), ("parquet", "zstd")):
        output = {"output": {"format": form, "compression": compression}}
        dehusk.run(str(SAMPLE), folder / f"{form}-{compression}", output)
    documents = rows_of_run(folder / "jsonl-none")
    assert len(documents) > 10

    def shards(form, compression):
        return str(folder / f"{form}-{compression}" / "documents")

    return shards, documents


def texts(documents):
    return [(document["id"], document["text"]) for document in documents]


@pytest.mark.parametrize("compression", ["none", "zstd", "gzip"])
def test_datatrove_reads_jsonl(run, compression):
    readers = pytest.importorskip("datatrove.pipeline.readers")
    pytest.importorskip("orjson")
    shards, documents = run
    found = list(readers.JsonlReader(shards("jsonl", compression))())
    assert [(document.id, document.text) for document in found] == texts(documents)
    for document, row in zip(found, documents):
        assert row["metadata"].items() <= document.metadata.items()


def test_the_reader_for_datatrove_gives_the_documents_of_a_run(run, tmp_path):
    pytest.importorskip("datatrove")
    from conftest import SAMPLE
    from dehusk.datatrove import DehuskReader

    _, documents = run
    found = list(DehuskReader(str(SAMPLE.parent), glob_pattern="*.warc.gz", default_metadata={"night": 3})())
    assert [(document.id, document.text) for document in found] == texts(documents)
    assert [document.metadata["warc_offset"] for document in found] == [row["metadata"]["warc_offset"] for row in documents]
    assert {document.metadata["night"] for document in found} == {3}
    # A run refuses an archive that a ZIP file compresses; in a stream, its records would be found.
    with zipfile.ZipFile(tmp_path / "a.warc", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.write(SAMPLE, "archive/a.warc.gz")
    reader = DehuskReader(str(tmp_path))
    assert list(reader()) == [] and reader.stats.stats["failed_archives"].total == 1
    with pytest.raises(dehusk.ArchiveError, match="ZIP"):
        list(DehuskReader(str(tmp_path), errors="raise")())


def test_datatrove_reads_parquet(run):
    readers = pytest.importorskip("datatrove.pipeline.readers")
    pytest.importorskip("pyarrow")
    shards, documents = run
    found = list(readers.ParquetReader(shards("parquet", "zstd"))())
    assert [(document.id, document.text) for document in found] == texts(documents)
    assert [document.metadata["url"] for document in found] == [row["metadata"]["url"] for row in documents]


@pytest.mark.parametrize("form, compression", [("jsonl", "none"), ("jsonl", "zstd"), ("jsonl", "gzip"), ("parquet", "zstd")])
def test_datasets_loads_a_run(run, form, compression, tmp_path):
    datasets = pytest.importorskip("datasets")
    shards, documents = run
    loader = {"jsonl": "json", "parquet": "parquet"}[form]
    loaded = datasets.load_dataset(loader, data_dir=shards(form, compression), split="train", cache_dir=str(tmp_path))
    assert texts(loaded) == texts(documents)
    assert [row["metadata"]["words"] for row in loaded] == [row["metadata"]["words"] for row in documents]


def test_a_document_has_the_shape_of_dolma(run):
    """dolma's own types, without the rest of dolma, which needs many more packages."""
    msgspec = pytest.importorskip("msgspec")
    dolma = importlib.util.find_spec("dolma")
    if dolma is None:
        pytest.skip("dolma is absent")
    path = Path(dolma.submodule_search_locations[0]) / "core" / "data_types.py"
    spec = importlib.util.spec_from_file_location("dolma_data_types", path)
    types = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = types
    spec.loader.exec_module(types)
    shards, documents = run
    decoder = msgspec.json.Decoder(types.InputSpecWithMetadata)
    (shard,) = Path(shards("jsonl", "none")).glob("*.jsonl")
    found = [decoder.decode(line) for line in shard.read_bytes().split(b"\n") if line]
    assert [(document.id, document.text) for document in found] == texts(documents)
    for document, row in zip(found, documents):
        assert (document.source, document.created, document.version) == (row["source"], row["created"], row["version"])
        assert document.metadata == row["metadata"]


@pytest.mark.parametrize("path, form", [("json", "jsonl"), ("parquet", "parquet")])
def test_text_dedup_loads_a_run(run, path, form, tmp_path):
    """The loader of all of its methods, which numbers the documents and keeps their ids."""
    loader = pytest.importorskip("text_dedup.utils.load")
    arguments = pytest.importorskip("text_dedup.utils.args")
    shards, documents = run
    source = arguments.IOArgs(
        path=path, output="", data_dir=shards(form, "zstd"), split="train", cache_dir=str(tmp_path), num_proc=1
    )
    dataset, identifiers = loader.load_hf_dataset(source, arguments.MetaArgs(column="text", batch_size=16, idx_column="id"))
    assert texts(dataset) == texts(documents)
    assert identifiers == {place: row["id"] for place, row in enumerate(documents)}


def test_duckdb_and_polars_read_every_shard_at_once(run):
    shards, documents = run
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(f"select id, text from '{shards('parquet', 'zstd')}/*.parquet'").fetchall()
    assert found == texts(documents)
    found = duckdb.sql(f"select id, text from read_json('{shards('jsonl', 'zstd')}/*.jsonl.zst')").fetchall()
    assert found == texts(documents)
    polars = pytest.importorskip("polars")
    frame = polars.scan_parquet(shards("parquet", "zstd") + "/*.parquet").select("id", "text").collect()
    assert frame.rows() == texts(documents)


def test_every_line_is_json_for_the_standard_library(run):
    shards, documents = run
    (shard,) = Path(shards("jsonl", "none")).glob("*.jsonl")
    assert [json.loads(line)["id"] for line in shard.open()] == [row["id"] for row in documents]
