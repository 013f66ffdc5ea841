"""`dehusk.read`: what is read, in which order, and what is said of it."""

import gzip
import io
import os
import signal
import threading
import time

import dehusk
import pytest
from conftest import PAGE, archive, key, record, rows_of_run, threads


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
    assert row["comments"] is None and row["metadata"]["payload_digest"] is None
    assert row["metadata"]["quality_sentences"] is None and row["metadata"]["warc_offset"] == 0
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
        ({3: {}}, None, "cannot be int"),
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


def test_a_configuration_file(tmp_path):
    path = tmp_path / "my.toml"
    path.write_text("[select]\nmin_words = 1000\n")
    assert rows(dehusk.read(archive(2), path)) == []
    with pytest.raises(dehusk.ConfigError, match="cannot be read"):
        dehusk.read(b"", tmp_path / "none.toml")


def test_an_abandoned_iterator_ends_its_threads():
    before = len(threads())
    iterator = iter(dehusk.read([archive(400)] * 20, threads=4))
    next(iterator)
    assert len(threads()) > before
    del iterator
    assert len(threads()) == before


def test_an_abandoned_iterator_over_a_python_file_ends_its_threads():
    before = len(threads())
    iterator = iter(dehusk.read([io.BytesIO(archive(3000)), io.BytesIO(archive(3000))], threads=2))
    next(iterator)
    iterator.close()
    assert list(iterator) == []
    assert len(threads()) == before


def test_other_python_threads_run_meanwhile():
    ticks = []
    ended = threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    rows(dehusk.read([archive(500)] * 4, threads=1))
    ended.set()
    thread.join()
    assert len(ticks) > 10


def test_ctrl_c_is_heard_while_a_file_hangs(python):
    script = """
import dehusk, os, signal, threading, time
class Hangs:
    def read(self, size):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(3)
        return b""
try:
    for batch in dehusk.read(Hangs()): pass
except KeyboardInterrupt:
    print("interrupted")
"""
    assert python(script).stdout == "interrupted\n"


def test_ctrl_c_is_heard_while_a_list_hangs(python):
    script = """
import dehusk, os, signal, socket, threading
server = socket.create_server(("127.0.0.1", 0))
held = []
def hang():
    held.append(server.accept())
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=hang, daemon=True).start()
try:
    dehusk.read(f"@http://127.0.0.1:{server.getsockname()[1]}/list")
except KeyboardInterrupt:
    print("interrupted")
"""
    assert python(script).stdout == "interrupted\n"


def test_the_interpreter_may_end_in_the_middle(python):
    script = """
import dehusk, io, sys
sys.path.insert(0, "tests")
from conftest import archive
iterator = iter(dehusk.read([io.BytesIO(archive(3000)) for _ in range(4)], threads=2))
next(iterator)
print("ends")
"""
    ended = python(script, cwd=os.path.dirname(os.path.dirname(__file__)))
    assert (ended.returncode, ended.stdout) == (0, "ends\n"), ended.stderr


def test_a_pool_of_forked_processes(python):
    script = """
import dehusk, multiprocessing, sys
sys.path.insert(0, "tests")
from conftest import archive
stored = archive(40)
def count(n): return sum(len(batch) for batch in dehusk.read(stored, threads=2))
iterator = iter(dehusk.read([stored] * 3))
next(iterator)
def foreign(n):
    try: next(iterator)
    except dehusk.InternalError as error: return "forked" in str(error)
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(count, range(4)), pool.map(foreign, range(2)))
"""
    ended = python(script, cwd=os.path.dirname(os.path.dirname(__file__)))
    assert ended.stdout == "[40, 40, 40, 40] [True, True]\n", ended.stderr


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


def test_ctrl_c_ends_a_run(python, tmp_path):
    script = f"""
import dehusk, os, signal, threading, time
class Hangs:
    def read(self, size):
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        time.sleep(2)
        return b""
try:
    dehusk.run(Hangs(), {str(tmp_path / "out")!r})
except KeyboardInterrupt:
    print("interrupted")
"""
    assert python(script).stdout == "interrupted\n"
    assert '"state":"interrupted"' in (tmp_path / "out" / "run.json").read_text().replace(" ", "")


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
    import pickle

    extractor = pickle.loads(pickle.dumps(dehusk.Extractor({"select": {"min_words": 500}})))
    with pytest.raises(dehusk.Dropped) as caught:
        extractor.extract(PAGE)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.reason, str(again)) == ("too_short", str(caught.value))


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
