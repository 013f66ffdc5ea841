"""Clusters by Spark: the functions that Spark calls, which need no Spark, and the whole job where Spark and Java are."""

import os
import shutil
import sys

import pytest
from conftest import archive, record

pa = pytest.importorskip("pyarrow")

WORDS = "the ferry left harbour before dawn while gulls circled over nets that men had mended all winter long".split()


def features(text):
    from dehusk import _dehusk

    return _dehusk._features("shingles", [text])[0]


def test_features_are_those_of_the_documentation():
    from dehusk import _dehusk

    assert len(features(" ".join(WORDS))) == 4 * (len(WORDS) - 4)
    assert features("One, two three?") == features("one TWO three") and features("") == b""
    assert _dehusk._features("spotsigs", ["AQAAAAIAAAA=", ""]) == [b"\1\0\0\0\2\0\0\0", b""]
    assert _dehusk._hashes([""]) == ["2d06800538d394c2"]


def test_documents_that_share_a_band_or_all_features_are_a_set():
    from dehusk import _dehusk

    bands = _dehusk._Bands("shingles")
    one, other, near = " ".join(WORDS), " ".join(word[::-1] for word in WORDS), " ".join([*WORDS, "more"])
    rows = [(5 << 33) + row for row in (7, 8, 9, 10, 11)]
    assert not bands.add(rows, [one, other, "", near, one.upper()])
    entries = bands.take()
    assert bands.take() == [] and sum(len(piece) - 8 for _, piece in entries) == 4 * 43 * 12
    pieces = [piece for part in range(1 << 12) for piece in _dehusk._buckets([piece for at, piece in entries if at == part])]
    buckets, copies, of_sets = _dehusk._sets([piece for _, piece in pieces])
    sets = {}
    for place, copied in enumerate(copies):
        bucket, row = (numbers[8 * place:8 * place + 8] for numbers in (buckets, of_sets))
        sets.setdefault((bucket, copied), []).append(int.from_bytes(row, "little"))
    assert sorted((copied, found) for (_, copied), found in sets.items()) == [
        (False, [rows[0], rows[3], rows[4]]),
        (False, [rows[0], rows[4]]),
        (True, [rows[0], rows[4]]),
    ]


def test_a_document_is_compared_with_those_that_are_like_none_before_them():
    from dehusk import _clusters

    texts = [" ".join(WORDS), "quite another text that has nothing to do with it", " ".join([*WORDS, "more"]), " ".join(WORDS)]
    names = ["bucket", "n", "features"]
    batch = pa.RecordBatch.from_arrays([pa.array([1] * 4), pa.array([10, 11, 12, 13]), pa.array(map(features, texts))], names)
    # The bucket goes on in the next batch, and another one begins.
    more = pa.RecordBatch.from_arrays([pa.array([1, 2]), pa.array([14, 15]), pa.array(map(features, texts[:2]))], names)
    found = [batch.to_pydict() for batch in _clusters._compare(0.5)([batch, more])]
    assert found == [{"a": [10, 10], "b": [12, 13]}, {"a": [10], "b": [14]}]


def test_other_documents_in_the_second_reading_are_an_error():
    from dehusk import _clusters

    rows = [(3 << 33) + n for n in range(4)]
    batches = [pa.RecordBatch.from_arrays([pa.array(rows[at:at + 2]), pa.array([at + 5, 9])], ["row", "check"]) for at in (0, 2)]
    assert len(list(_clusters._checked(batches, {3: 5 ^ 7}))) == 2
    with pytest.raises(RuntimeError, match="write them to files"):
        list(_clusters._checked(batches, {3: 5}))


def test_arguments_are_checked():
    pytest.importorskip("pyspark")
    from dehusk import spark

    with pytest.raises(ValueError, match="by is"):
        spark.clusters(None, by="words")
    with pytest.raises(ValueError, match="threshold"):
        spark.clusters(None, threshold=0)


@pytest.fixture(scope="module")
def session():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("java is absent")
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    yield session
    session.stop()


def test_near_duplicates_have_one_cluster(session, tmp_path):
    from dehusk import spark

    def page(url, words):
        return record(url, b"<html><body><p>" + " ".join(words).encode() + b".</p></body></html>")

    other = [word[::-1] for word in WORDS]
    near = [*WORDS[:-1], "short"]
    stored = page("https://a.example/1", WORDS) + page("https://b.example/2", other) + page("https://c.example/3", near)
    path = tmp_path / "a.warc"
    path.write_bytes(stored)
    (tmp_path / "b.warc.gz").write_bytes(archive(2) + b"no archive")
    paths = session.createDataFrame([(str(path),), (str(tmp_path / "b.warc.gz"),)], "path string")
    config = {"extract": {"extractors": ["coreex-modern"]}}
    documents = paths.mapInArrow(spark.documents(config), spark.schema(config))
    rows = [row.asDict() for row in spark.clusters(documents).collect()]
    assert [row["size"] for row in rows] == [2, 1, 2, 2, 2]
    assert rows[0]["cluster"] == rows[2]["cluster"] != rows[1]["cluster"]
    # The longer text represents both, as the crawl dates are the same.
    assert [row["representative"] for row in rows] == [True, True, False, True, False]
