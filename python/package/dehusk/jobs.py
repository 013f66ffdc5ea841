"""Many archives on many machines: each becomes a run of its own, by Spark, Ray, Slurm or whatever calls a function.

>>> from dehusk.jobs import Job
>>> job = Job("/shared/job", paths, {"output": {"format": "parquet"}})
>>> tasks = spark.sparkContext.parallelize(job.remaining(), 1000)
>>> accounts = tasks.map(job.run).collect()
>>> documents = spark.read.parquet(*job.shards())

All machines share the folder, and its file system has locks (NFS 4, Lustre, a disk; no object store).
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._dehusk import __version__, _config_hash, run as _run
from ._errors import InputError, InUseError, RunError

_FORMAT = 1
_MANIFEST = "job.json"

Account = dict[str, Any]


class Job:
    """A job in a folder: one run directory for each archive, and ``job.json``, which lists these directories.

    A task that was killed is continued by the next one for its archive. A task for a finished archive reads nothing. Of two tasks
    for one archive, the second waits for the first. So nothing is lost and nothing is there twice, whatever is repeated.

    ``archives`` are added to those that the job has; without them, a job is only looked at. Each name is one archive. ``config`` is
    that of ``dehusk.run``; a path must lead to the same file on all machines. A job keeps its settings: other ones raise ``RunError``.
    """

    #: The columns of accounts, as Spark's ``createDataFrame`` takes them.
    SCHEMA = "archive string, directory string, state string, documents bigint, failed bigint, error string"

    def __init__(
        self,
        folder: str | os.PathLike[str],
        archives: Iterable[str | os.PathLike[str]] = (),
        config: Mapping[str, Mapping[str, Any]] | str | os.PathLike[str] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.config = config
        self.archives = {directory_name(os.fspath(archive)): os.fspath(archive) for archive in archives}
        self.directories = self._enter()

    def __getstate__(self) -> dict[str, Any]:
        # A task runs one archive, and needs no list of all.
        return {"folder": self.folder, "config": self.config, "archives": {}, "directories": []}

    def _enter(self) -> list[str]:
        """Adds the archives to the manifest. Returns the directories that it lists."""
        path = self.folder / _MANIFEST
        if self.archives:
            self.folder.mkdir(parents=True, exist_ok=True)
        elif not path.exists():
            raise RunError(f"{path}: no such file; give the archives of a new job")
        with _locked(self.folder):
            manifest = _read(path)
            known: list[str] = manifest["directories"] if manifest else []
            if not self.archives:
                return known
            settings = _config_hash(self.config)
            if manifest and manifest["config_hash"] != settings:
                raise RunError(
                    f"{path}: this job has other settings ({manifest['config_hash']}, not {settings}); "
                    "give it the settings that it had, or choose another folder"
                )
            seen = set(known)
            directories = [*known, *(name for name in self.archives if name not in seen)]
            if manifest is None or len(directories) > len(known):
                entry = {"format": _FORMAT, "program": f"dehusk {__version__}", "config_hash": settings, "directories": directories}
                _replace(path, json.dumps(entry, indent=1) + "\n")
            return directories

    def remaining(self) -> list[str]:
        """The archives that this job was given and that are not finished, the largest first, so that none is left for the end.

        An archive that could not be read is among them: the next task tries it again.
        """
        archives = [archive for name, archive in self.archives.items() if not _is_finished(self._account(name))]
        return sorted(archives, key=_size, reverse=True)

    def run(self, archive: str | os.PathLike[str], threads: int = 1) -> Account:
        """Runs one archive into its directory, or continues with it, and returns its account. Waits while another task runs it.

        An account has the columns of ``SCHEMA``. ``state`` is "complete", "damaged" (all that can be read was read), or "failed", and
        then ``error`` says why. A failure raises nothing.
        """
        archive = os.fspath(archive)
        name = directory_name(archive)
        pause = 0.1
        while True:
            try:
                _run([archive], self.folder / name, self.config, threads=threads)
            except InUseError:
                time.sleep(pause)
                pause = min(2 * pause, 5.0)
                continue
            except (InputError, RunError) as error:
                account = _entry(archive, name, "failed", str(error))
                _replace(self._failure(name), json.dumps(account) + "\n")
                return account
            self._failure(name).unlink(missing_ok=True)
            return self._account(name) or _entry(archive, name, "failed", "the run left no account")

    def accounts(self) -> Iterator[Account]:
        """The account of each archive of the job. ``state`` is "waiting" where no task has ended one."""
        for name in self.directories:
            waiting = _entry(self.archives.get(name), name, "waiting", None)
            yield self._account(name) or _read(self._failure(name)) or waiting

    def shards(self) -> list[str]:
        """The files with the documents of finished archives."""
        reports = ((name, self._report(name)) for name in self.directories)
        return [
            str(self.folder / name / shard)
            for name, report in reports
            if report and report["state"] == "complete"
            for archive in report["archives"]
            for shard in archive["shards"]
        ]

    def _failure(self, name: str) -> Path:
        """The file with the account of a run that could not begin."""
        return self.folder / f"{name}.failed.json"

    def _report(self, name: str) -> Any:
        return _read(self.folder / name / "run.json")

    def _account(self, name: str) -> Account | None:
        """The account of an archive whose run has ended."""
        report = self._report(name)
        if not report or report["state"] != "complete":
            return None
        (archive,) = report["archives"]
        return {
            "archive": archive["path"],
            "directory": name,
            "state": archive["state"],
            "documents": archive["emitted"],
            "failed": sum(archive["failed"].values()),
            "error": archive.get("error"),
        }


def directory_name(archive: str) -> str:
    """The name of an archive's directory: the start of its file name, and a hash of the whole name, so that no two are the same."""
    start = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(archive).split(".")[0])[:80]
    return f"{start}-{hashlib.sha256(os.fsencode(archive)).hexdigest()[:16]}"


def _is_finished(account: Account | None) -> bool:
    return account is not None and account["state"] in ("complete", "damaged")


def _entry(archive: str | None, name: str, state: str, error: str | None) -> Account:
    """The account of an archive without a run."""
    return {"archive": archive, "directory": name, "state": state, "documents": 0, "failed": 0, "error": error}


def _size(archive: str) -> int:
    try:
        return os.stat(archive).st_size
    except OSError:
        return 0


def _read(path: Path) -> Any:
    """A JSON file that is replaced in one step; ``None`` where there is none."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        found = json.loads(text)
    except ValueError as error:
        raise RunError(f"{path}: is no JSON ({error}); restore it, or choose another folder") from None
    if path.name == _MANIFEST and (not isinstance(found, dict) or found.get("format") != _FORMAT):
        raise RunError(f"{path}: no job of this version of dehusk; choose another folder")
    return found


def _replace(path: Path, text: str) -> None:
    # Two tasks may fail at the same archive at a time.
    partial = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}")
    with open(partial, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with open(folder / ".job.lock", "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


__all__ = ["Account", "Job", "directory_name"]
