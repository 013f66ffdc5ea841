"""Clusters by Spark: the functions that Spark calls, which need no Spark, and the whole job where Spark and Java are."""

import json
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
    # The bucket continues in the next batch, and another one begins.
    more = pa.RecordBatch.from_arrays([pa.array([1, 2]), pa.array([14, 15]), pa.array(map(features, texts[:2]))], names)
    found = [batch.to_pydict() for batch in _clusters._compare(0.5)([batch, more])]
    assert found == [{"a": [10, 10], "b": [12, 13]}, {"a": [10], "b": [14]}]


def test_other_documents_in_the_second_reading_are_an_error():
    from dehusk import _clusters

    batches = [pa.RecordBatch.from_arrays([pa.array([check, 9])], ["check"]) for check in (5, 7)]
    assert len(list(_clusters._checked(batches, {3: 5 ^ 7}, 3))) == 2
    assert list(_clusters._checked([], {3: 5 ^ 7}, 4)) == []
    for found, partition in [(batches[:1], 3), (batches, 4), ([], 3)]:
        with pytest.raises(RuntimeError, match="write them to files .* spark.sql.files.minPartitionNum"):
            list(_clusters._checked(found, {3: 5 ^ 7}, partition))


def test_large_sets_travel_alone_and_are_kept_once(monkeypatch):
    from dehusk import _clusters, _dehusk

    bands = _dehusk._Bands("shingles")
    bands.add(list(range(100)), [" ".join(WORDS)] * 98 + [" ".join([*WORDS, "more"])] * 2)
    entries = pa.RecordBatch.from_arrays([pa.array([piece for _, piece in bands.take()], pa.binary())], ["piece"])

    def sets():
        batches = list(_clusters._buckets([entries]))
        return batches, [batch.to_pydict() for batch in _clusters._each_once(batches)]

    whole, expected = sets()
    monkeypatch.setattr(_clusters, "_LARGE_SET", 400)
    monkeypatch.setattr(_clusters, "_BATCH", 2000)
    batches, found = sets()
    assert len(whole) == 1 < len(batches)
    assert sorted(zip(*found[0].values())) == sorted(zip(*expected[0].values()))
    pieces = [piece for batch in batches for piece in batch.column("piece").to_pylist()]
    assert all(sum(map(len, batch.column("piece").to_pylist())) <= 2000 for batch in batches)
    # All hundred share some bands, the 98 copies share the others and all features.
    large = [piece for piece in pieces if len(piece) > 400]
    assert {len(piece) for piece in large} == {4 + 8 * 98, 4 + 8 * 100} and len(large) == 43 and len(set(large)) == 3


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


def page_rows():
    texts = [" ".join(WORDS), "quite another text that has nothing to do with it", " ".join([*WORDS, "more"])] * 2
    return [
        {"id": f"urn:{n}", "text": text, "created": "2024-01-01T00:00:00Z", "row": "theirs", "check": "theirs",
         "metadata": {"words": len(text.split()), "file_path": "a.warc", "warc_offset": n, "offset_in_member": 0}}
        for n, text in enumerate(texts)
    ]


def stored_pages(session, folder):
    with open(folder / "documents.json", "w") as file:
        file.writelines(json.dumps(row) + "\n" for row in page_rows())
    return session.read.json(str(folder))


def test_documents_in_memory_have_the_clusters_of_those_in_files(session, tmp_path):
    from dehusk import spark

    from_files = stored_pages(session, tmp_path)
    sources = [from_files, session.createDataFrame(page_rows(), from_files.schema)]
    if session.version >= "4":
        sources.append(session.createDataFrame(pa.Table.from_pylist(page_rows())))
    for documents in sources:
        rows = [tuple(row) for row in spark.clusters(documents).collect()]
        assert [(name, size, best) for name, _, size, best in rows] == [
            ("urn:0", 4, False),
            ("urn:1", 2, True),
            ("urn:2", 4, True),
            ("urn:3", 4, False),
            ("urn:4", 2, False),
            ("urn:5", 4, False),
        ]
        assert len({cluster for _, cluster, _, _ in rows}) == 2


def test_other_texts_in_the_second_reading_are_an_error(session, tmp_path):
    from dehusk import spark
    from pyspark.sql import functions as F

    another = F.udf(lambda text: f"{text} {os.urandom(8).hex()}").asNondeterministic()
    with pytest.raises(Exception, match="the documents were others"):
        spark.clusters(stored_pages(session, tmp_path).withColumn("text", another("text")))


def test_nothing_stays_persisted(session, tmp_path):
    from dehusk import spark

    spark.clusters(stored_pages(session, tmp_path))
    assert session._jsparkSession.sharedState().cacheManager().isEmpty()


def test_tables_are_kept_without_a_context():
    from dehusk import _clusters

    pytest.importorskip("pyspark")

    class Table:
        """A table of Spark Connect, whose session has no `sparkContext`."""

        sparkSession = object()

        def localCheckpoint(self, eager=True, storageLevel=None):
            return storageLevel.useDisk, storageLevel.useMemory

    assert _clusters._kept(Table()) == (True, False)
