"""What the processes that a check has started take, while it runs."""

import os
import re
import threading
import time
from pathlib import Path

# By their command lines. A driver in `local` mode has its executors in it.
KINDS = {"executors": "CoarseGrainedExecutorBackend", "driver": "SparkSubmit", "workers": "pyspark"}


def descendants():
    """This process' children and theirs: the numbers and the command lines."""
    children = {}
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit():
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                children.setdefault(parent, []).append((int(entry.name), command))
        except OSError:
            pass  # It has ended.
    waiting = [os.getpid()]
    while waiting:
        for number, command in children.get(waiting.pop(), []):
            waiting.append(number)
            yield number, command


class Watch(threading.Thread):
    """Keeps the CPU seconds of each process, also of those that have ended, and how much memory and disk they had at most."""

    def __init__(self, folder=None, pause=0.2):
        super().__init__(daemon=True)
        self.folder, self.pause = folder, pause
        self.is_done = threading.Event()
        self.spent, self.kinds = {}, {}
        # Bytes of memory by kinds: the most, and those over the seconds since the start. Pages that processes share count once.
        self.peaks, self.memory = {}, []
        self.disk = 0
        self.began = time.monotonic()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.join()

    def run(self):
        while not self.is_done.wait(self.pause):
            self.look()
            self.look_at_memory()

    def look(self):
        for number, command in descendants():
            try:
                fields = Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue  # It has ended.
            # The kind first: `used` looks up that of each process whose seconds are known.
            self.kinds[number] = next((kind for kind, mark in KINDS.items() if mark in command), "others")
            self.spent[number] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def look_at_memory(self):
        """At most every second, because it takes time."""
        now = time.monotonic() - self.began
        if self.memory and now < self.memory[-1][0] + 1:
            return
        found = dict.fromkeys([*KINDS, "all"], 0)
        for number, kind in list(self.kinds.items()):
            try:
                pages = Path(f"/proc/{number}/smaps_rollup").read_text()
            except OSError:
                continue
            size = 1024 * int(re.search(r"Pss: +(\d+)", pages)[1])
            found["all"] += size
            found[kind] = found.get(kind, 0) + size
        self.memory.append((now, found))
        self.peaks = {kind: max(self.peaks.get(kind, 0), size) for kind, size in found.items()}
        if self.folder:
            self.disk = max(self.disk, on_disk(self.folder))

    def used(self, kind=None):
        """CPU seconds so far, of one kind of processes or of all."""
        self.look()
        return sum(seconds for number, seconds in list(self.spent.items()) if kind in (None, self.kinds[number]))


def on_disk(folder):
    """The bytes that a folder takes."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(place, name)).st_blocks * 512
            except OSError:
                pass  # It has gone.
    return total
