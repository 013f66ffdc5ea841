"""`dehusk.read`: what is read, in which order, and what is said of it."""

import gzip
import io
import os
import pickle
import types

import dehusk
import pytest
from conftest import PAGE, archive, key, record, rows_of_run


def rows(reader):
    return [row for batch in reader for row in batch.to_pylist()]


def test_the_documents_are_those_of_a_run(sample, tmp_path):
    dehusk.run(sample, tmp_path / "out", {"output": {"compression": "none"}})
    expected = [key(row) for row in rows_of_run(tmp_path / "out")]
    for count in (1, 2, 5):
        assert [key(row) for row in rows(dehusk.read(sample, threads=count))] == expected
    assert len(expected) > 10


def test_a_path_bytes_and_a_file_give_the_same(tmp_path):
    stored = archive(50)
    path = tmp_path / "a.warc.gz"
    path.write_bytes(stored)
    texts = [row["text"] for row in rows(dehusk.read(path))]
    assert len(texts) == 50
    for source in (str(path), [path], stored, bytearray(stored), io.BytesIO(stored), open(path, "rb"), gzip.open(path)):
        found = rows(dehusk.read(source))
        assert [row["text"] for row in found] == texts
    assert {row["metadata"]["file_path"] for row in rows(dehusk.read(stored))} == {"memory"}
    assert {row["metadata"]["file_path"] for row in rows(dehusk.read(open(path, "rb")))} == {"a.warc.gz"}


def test_several_archives_come_in_order_and_end_with_their_accounts():
    reader = dehusk.read([archive(3), io.BytesIO(archive(2, 3)), archive(4, 5)])
    urls = [row["metadata"]["url"] for row in rows(reader)]
    assert urls == [f"https://a.example/{n}" for n in range(9)]
    assert [(a["state"], a["emitted"]) for a in reader.archives] == [("complete", 3), ("complete", 2), ("complete", 4)]


def test_what_is_unknown_is_none():
    (row,) = rows(dehusk.read(archive(1)))
    assert row["source"] is None and row["metadata"]["payload_digest"] is None
    assert "quality_sentences" not in row["metadata"] and row["metadata"]["warc_offset"] == 0
    (row,) = rows(dehusk.read(archive(1), {"output": {"quality": True}}))
    assert row["metadata"]["quality_curly_brackets"] == 0


def test_an_archive_that_fails_is_said_at_the_end(tmp_path):
    good = archive(3)
    reader = dehusk.read([b"no archive, only words\n" * 9, good, tmp_path / "missing.warc", archive(2, 3)])
    urls = []
    with pytest.raises(dehusk.ArchiveError) as caught:
        for batch in reader:
            urls += [row["metadata"]["url"] for row in batch.to_pylist()]
    assert urls == [f"https://a.example/{n}" for n in range(5)]
    assert [name for name, _ in caught.value.archives] == ["memory", str(tmp_path / "missing.warc")]
    assert "missing.warc" in str(caught.value)
    quiet = dehusk.read([good, tmp_path / "missing.warc"], errors="report")
    assert len(rows(quiet)) == 3
    assert [a["state"] for a in quiet.archives] == ["complete", "failed"]


def test_reading_on_after_an_error_is_the_end(tmp_path):
    iterator = iter(dehusk.read(tmp_path / "missing.warc"))
    with pytest.raises(dehusk.ArchiveError):
        next(iterator)
    assert list(iterator) == []


def test_failed_records_are_listed():
    damaged = bytearray(archive(5))
    second = archive(1).__len__()
    damaged[second + 40] ^= 0xFF
    reader = dehusk.read(bytes(damaged))
    assert len(rows(reader)) == 4
    (failure, *_) = reader.failures
    assert failure["offset"] == second and failure["reason"]
    assert reader.archives[0]["state"] == "damaged"


def test_failures_are_bounded_and_all_are_counted():
    page = record("https://a.example/", b"<meta charset=utf-7><p>A page in a charset that is not read: +AGEAYgBj-.")
    reader = dehusk.read(page * 100_005)
    assert rows(reader) == []
    assert len(reader.failures) == 100_000
    assert reader.archives[0]["failed"] == {"charset_unsupported": 100_005}


class Broken(io.RawIOBase):
    """Gives a part of an archive, and then what a test asks for."""

    def __init__(self, then):
        self.stored = io.BytesIO(archive(30))
        self.then = then
        self.calls = 0

    def read(self, size=-1):
        self.calls += 1
        if self.calls > 1:
            return self.then(size)
        return self.stored.read(size // 2)


def bad_read(_):
    raise ValueError("no more")


@pytest.mark.parametrize(
    "then, message",
    [
        (bad_read, "read() raised ValueError: no more"),
        (lambda size: "text", "read() gave str, not bytes"),
        (lambda size: b"x" * (size + 1), "more than the"),
        (lambda size: None, "read() gave NoneType"),
        (lambda size: 7, "read() gave int"),
    ],
)
def test_a_file_that_misbehaves_fails_its_archive_only(then, message):
    reader = dehusk.read([Broken(then), archive(3, 50)])
    urls = []
    with pytest.raises(dehusk.ArchiveError) as caught:
        for batch in reader:
            urls += [row["metadata"]["url"] for row in batch.to_pylist()]
    assert message in str(caught.value)
    assert urls[-3:] == [f"https://a.example/{n}" for n in (50, 51, 52)]
    assert len(caught.value.archives) == 1


def test_a_file_that_gives_nothing_is_empty():
    reader = dehusk.read(io.BytesIO(b""))
    assert rows(reader) == []
    assert reader.archives[0]["notes"] == {"empty_input": 1}


def test_a_file_that_can_seek_is_read_again_from_where_it_stood():
    file = io.BytesIO(b"junk" + archive(3))
    file.seek(4)
    reader = dehusk.read(file)
    assert len(rows(reader)) == len(rows(reader)) == 3


def test_a_file_may_be_read_by_several():
    file = io.BytesIO(archive(3))
    twice, once = dehusk.read([file, file]), dehusk.read(file)
    file.seek(7)
    assert len(rows(twice)) == 6
    assert len(rows(once)) == 3


def test_a_file_in_text_mode_is_named_as_such(tmp_path):
    path = tmp_path / "a.warc.gz"
    path.write_bytes(archive(3))
    with open(path, encoding="utf-8") as file, pytest.raises(dehusk.ArchiveError, match="open the file in binary mode"):
        rows(dehusk.read(file))


def test_a_pipe_is_read_once():
    read_end, write_end = os.pipe()
    with open(write_end, "wb") as writer:
        writer.write(archive(3))
    reader = dehusk.read(open(read_end, "rb"))
    assert len(rows(reader)) == 3
    with pytest.raises(dehusk.ArchiveError, match="only once"):
        rows(reader)


def test_nothing_else_is_an_archive():
    with pytest.raises(TypeError, match="an archive is a path, bytes or a file"):
        dehusk.read(7)
    with pytest.raises(TypeError):
        dehusk.read([None])
    with pytest.raises(dehusk.InputError, match="no archive is named"):
        dehusk.read([])
    with pytest.raises(ValueError, match="errors is"):
        dehusk.read(b"", errors="ignore")


@pytest.mark.parametrize(
    "config, key, message",
    [
        ({"select": {"min_word": 3}}, "select.min_word", "unknown key “select.min_word”; did you mean “min_words”?"),
        ({"select": {"min_words": "3"}}, "select.min_words", "takes a whole number, not a string"),
        ({"select": {"min_words": None}}, "select.min_words", "“select.min_words” cannot be NoneType"),
        ({"select": {"min_words": 2**70}}, "select.min_words", "a number of this size"),
        ({"slect": {}}, "slect", "did you mean “select”?"),
        ({"select": 3}, "select", "takes a section"),
        ({3: {}}, None, "“a key of config” cannot be int"),
        ({"select": {"min_words": b"3"}}, "select.min_words", "cannot be bytes"),
        ({"output": {"source": "\ud800"}}, "output.source", "a half of a surrogate pair"),
        ({"extract": {"extractors": ["corex"]}}, "extract.extractors", "did you mean “coreex”?"),
        (7, "config", "cannot be int"),
    ],
)
def test_a_mistake_in_the_configuration_has_the_message_of_the_program(config, key, message):
    for call in (lambda: dehusk.read(b"", config), lambda: dehusk.Extractor(config)):
        with pytest.raises(dehusk.ConfigError) as caught:
            call()
        assert message in str(caught.value)
        assert key is None or caught.value.key == key


def test_a_configuration_may_be_any_mapping():
    class Whole:
        def __index__(self):
            return 500

    config = types.MappingProxyType({"select": {"min_words": Whole()}})
    assert rows(dehusk.read(archive(2), config)) == []
    with pytest.raises(dehusk.Dropped):
        dehusk.Extractor(config).extract(PAGE)


def test_a_configuration_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[select]\nmin_words = 1000\n")
    assert rows(dehusk.read(archive(2), path)) == []
    with pytest.raises(dehusk.ConfigError, match="cannot be read"):
        dehusk.read(b"", tmp_path / "none.toml")


def test_run_gives_the_report(sample, tmp_path):
    report = dehusk.run(sample, tmp_path / "out", threads=1)
    assert report["state"] == "complete" and report["totals"]["framed"] == 65
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "mine").write_text("not a run's")
    with pytest.raises(dehusk.RunError):
        dehusk.run(sample, foreign)
    assert dehusk.run(sample, tmp_path / "out", overwrite=True)["state"] == "complete"
    with pytest.raises(dehusk.InputError):
        dehusk.run(tmp_path / "missing.warc", tmp_path / "other")


def test_a_run_says_what_has_changed_since_the_one_before(tmp_path):
    out = tmp_path / "out"
    dehusk.run(archive(3), out)
    with pytest.warns(UserWarning, match="memory: .*it is not read again, unless changed=True"):
        report = dehusk.run(archive(5), out)
    assert report["totals"]["emitted"] == 3
    assert dehusk.run(archive(5), out, changed=True)["totals"]["emitted"] == 5
    with pytest.raises(dehusk.RunError, match="pass changed=True"):
        dehusk.run(archive(5), out, {"select": {"min_words": 3}})


def test_an_extractor_gives_the_document_or_the_reason():
    extractor = dehusk.Extractor()
    document = extractor.extract(PAGE, "https://blog.example/walk")
    assert document.text.startswith("We went out early") and document.metadata["title"] == "A walk"
    assert document.to_dict()["text"] == document.text and document.comments is None
    assert extractor.extract(PAGE.decode()).text == document.text
    with pytest.raises(dehusk.Dropped) as caught:
        extractor.extract(b"")
    assert (caught.value.kind, caught.value.reason) == ("filtered", "empty")
    with pytest.raises(dehusk.Dropped) as caught:
        dehusk.Extractor({"select": {"quality": ["words >= 500"]}}).extract(PAGE)
    assert (caught.value.reason, caught.value.rule) == ("quality", "words >= 500")
    with pytest.raises(TypeError, match="a page is bytes or str"):
        extractor.extract(7)
    with pytest.raises(UnicodeEncodeError):
        extractor.extract("\ud800")


def test_extractors_and_exceptions_can_be_pickled():
    extractor = pickle.loads(pickle.dumps(dehusk.Extractor({"select": {"min_words": 500}})))
    with pytest.raises(dehusk.Dropped) as caught:
        extractor.extract(PAGE)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.reason, str(again)) == ("too_short", str(caught.value))


def test_an_extractor_keeps_its_configuration():
    config = {"select": {"min_words": 500}}
    extractor = dehusk.Extractor(config)
    config["select"]["min_words"] = 0
    with pytest.raises(dehusk.Dropped):
        pickle.loads(pickle.dumps(extractor)).extract(PAGE)


def test_several_threads_share_an_extractor():
    from concurrent.futures import ThreadPoolExecutor

    extractor = dehusk.Extractor()
    with ThreadPoolExecutor(4) as pool:
        texts = set(pool.map(lambda _: extractor.extract(PAGE).text, range(200)))
    assert len(texts) == 1


def test_everything_public_is_described():
    for name in dehusk.__all__:
        if name != "__version__":
            assert getattr(dehusk, name).__doc__, name
