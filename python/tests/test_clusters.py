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

    return _dehusk._shingles(text)


def test_shingles_and_their_similarity_are_those_of_the_documentation():
    from dehusk import _dehusk

    one, other = " ".join(WORDS), " ".join([*WORDS[:-1], "short"])
    assert len(features(one)) == 4 * (len(WORDS) - 4)
    assert features("One, two three?") == features("one TWO three") and features("") == b""
    # All shingles but the last are in both.
    count = len(WORDS) - 4
    assert _dehusk._jaccard(features(one), features(other)) == (count - 1) / (count + 1)
    assert len(_dehusk._minhash(features(one))) == 512
    assert _dehusk._minhash(b"") == b"\xff" * 512
    assert _dehusk._hash("") == "2d06800538d394c2"


def test_a_document_is_compared_with_those_that_are_like_none_before_them():
    from dehusk import _clusters

    texts = [" ".join(WORDS), "quite another text that has nothing to do with it", " ".join([*WORDS, "more"]), " ".join(WORDS)]
    entries = [{"n": 10 + n, "features": features(text)} for n, text in enumerate(texts)]
    kind = pa.list_(pa.struct([("n", pa.int64()), ("features", pa.binary())]))
    batch = pa.RecordBatch.from_arrays([pa.array([entries, []], kind)], ["entries"])
    (pairs,) = _clusters._compare(0.5)([batch])
    assert pairs.to_pydict() == {"a": [10, 10], "b": [12, 13]}


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
