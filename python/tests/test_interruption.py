"""Signals, threads, forks and the end of the interpreter, while something is read."""

import io
import os
import threading
import time

import dehusk
import pytest
from conftest import archive, threads


def assert_ended(before):
    """All threads but those of before are gone, or soon will be: the system removes one a moment after it has ended."""
    deadline = time.monotonic() + 60
    while threads() - before and time.monotonic() < deadline:
        os.sched_yield()
    assert not threads() - before


def test_an_abandoned_iterator_ends_its_threads():
    before = threads()
    iterator = iter(dehusk.read([archive(400)] * 20, threads=4))
    next(iterator)
    assert threads() - before
    del iterator
    assert_ended(before)


def test_an_abandoned_iterator_over_a_python_file_ends_its_threads():
    before = threads()
    iterator = iter(dehusk.read([io.BytesIO(archive(3000)), io.BytesIO(archive(3000))], threads=2))
    next(iterator)
    iterator.close()
    assert list(iterator) == []
    assert_ended(before)


def test_other_python_threads_run_meanwhile():
    ticks = []
    ended = threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(1)
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    for _ in dehusk.read([archive(500)] * 4, threads=1):
        pass
    ended.set()
    thread.join()
    assert ticks


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


def test_a_handler_of_a_signal_may_use_the_iterator(python):
    script = """
import dehusk, os, signal, threading
closed = threading.Event()
class Hangs:
    def read(self, size):
        os.kill(os.getpid(), signal.SIGTERM)
        closed.wait()
        return b""
iterator = iter(dehusk.read(Hangs()))
def close(*_):
    iterator.close()
    closed.set()
signal.signal(signal.SIGTERM, close)
print(list(iterator))
"""
    assert python(script).stdout == "[]\n"


def test_an_iterator_that_waits_can_be_closed_by_another_thread(python):
    script = """
import dehusk, threading
waits, closed = threading.Event(), threading.Event()
class Hangs:
    def read(self, size):
        waits.set()
        closed.wait()
        return b""
iterator = iter(dehusk.read(Hangs()))
def close():
    waits.wait()
    iterator.close()
    closed.set()
threading.Thread(target=close).start()
print(list(iterator))
"""
    assert python(script).stdout == "[]\n"


def test_a_forked_process_may_end_as_any_other(python):
    script = """
import dehusk, os, sys, warnings
sys.path.insert(0, "tests")
from conftest import archive
# Python warns of forks beside threads, which are what is tried.
warnings.simplefilter("ignore")
iterator = iter(dehusk.read([archive(3000)] * 4, threads=2))
next(iterator)
forked = os.fork()
if forked == 0:
    sys.exit(0)
print(os.waitpid(forked, 0)[1])
"""
    ended = python(script, cwd=os.path.dirname(os.path.dirname(__file__)))
    assert (ended.stdout, ended.stderr) == ("0\n", "")


def test_what_ends_python_is_raised_unchanged_from_a_file(tmp_path):
    class Raises:
        def __init__(self, error):
            self.error = error

        def read(self, size):
            raise self.error

    for error in (KeyboardInterrupt(), SystemExit(7)):
        with pytest.raises(type(error)) as caught:
            list(dehusk.read([archive(2), Raises(error), archive(2)]))
        assert caught.value is error
        with pytest.raises(type(error)) as caught:
            dehusk.run(Raises(error), tmp_path / type(error).__name__)
        assert caught.value is error
    # An ordinary error is that of its archive, and the others are read.
    reader = dehusk.read([archive(2), Raises(ValueError("no")), archive(3)], errors="report")
    assert sum(len(batch) for batch in reader) == 5
    assert "ValueError: no" in reader.archives[1]["error"]


def test_a_consumer_of_an_arrow_stream_is_told_what_a_file_raised():
    pyarrow = pytest.importorskip("pyarrow")

    class Raises:
        def read(self, size):
            raise KeyboardInterrupt("enough")

    # The consumer makes an error of its own of it.
    with pytest.raises(pyarrow.ArrowException, match="KeyboardInterrupt: enough"):
        pyarrow.table(dehusk.read(Raises()))
