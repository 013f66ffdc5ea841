"""Many archives on many machines: each becomes a run of its own, by Spark, Ray, Slurm or any program that calls a function.

>>> from dehusk.jobs import Job
>>> job = Job("/shared/job", paths, {"output": {"format": "parquet"}})
>>> remaining = job.remaining()
>>> accounts = spark.sparkContext.parallelize(remaining, len(remaining)).map(job.run).collect()
>>> documents = spark.read.parquet(*job.shards())

All machines share the folder. Its file system needs locks, as NFS 4, Lustre and a local disk have them; a bucket has none.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ._dehusk import __version__, _config_hash, run as _run
from ._errors import ConfigError, Error, InputError, InUseError, RunError

_FORMAT = 1
_MANIFEST = "job.json"

Account = dict[str, Any]


class Job:
    """A job in a folder: one run directory for each archive, and ``job.json`` with the archives and the settings.

    A task continues what a killed task has begun, and reads nothing of a finished archive. If two tasks have the same archive, the
    second waits for the first, and holds its slot meanwhile. So nothing is lost and nothing is written twice.

    ``archives`` are added to those of the job. Each must be one archive: no glob, directory or list. ``config`` is that of
    ``dehusk.run``; a file is read once, by the driver. ``Job(folder)`` opens a job that exists, with its settings. Different settings
    raise ``RunError``. Names are written as they are, so keep passwords out of them.
    """

    #: The columns of accounts, for Spark's ``createDataFrame``.
    SCHEMA = "archive string, directory string, state string, documents bigint, failed bigint, error string"

    def __init__(
        self,
        folder: str | os.PathLike[str],
        archives: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] = (),
        config: Mapping[str, Mapping[str, Any]] | str | os.PathLike[str] | None = None,
    ) -> None:
        self.folder = Path(os.path.abspath(folder))
        added = [archives] if isinstance(archives, (str, os.PathLike)) else list(archives)
        #: The archives by the names of their directories.
        self.archives: dict[str, str] = {}
        self.config: Mapping[str, Any] = {}
        self._open(list(map(_whole_name, added)), None if config is None else _sections(config))

    def _open(self, added: list[str], config: Mapping[str, Any] | None) -> None:
        """Reads the manifest, and writes it again if there are new archives."""
        path = self.folder / _MANIFEST
        if added:
            self.folder.mkdir(parents=True, exist_ok=True)
            with _locked(self.folder):
                manifest = _manifest(path)
                known = manifest["archives"] if manifest else {}
                self.archives = {**known, **{directory_name(archive): archive for archive in added}}
                self.config = manifest["config"] if manifest and config is None else config or {}
                self._check(manifest, path)
                if len(self.archives) > len(known):
                    entry = {"format": _FORMAT, "program": f"dehusk {__version__}", "config_hash": _config_hash(self.config)}
                    _replace(path, {**entry, "config": self.config, "archives": self.archives})
            return
        manifest = _manifest(path)
        if manifest is None:
            raise RunError(f"{path}: no such file; give the archives of a new job")
        self.archives = manifest["archives"]
        self.config = manifest["config"] if config is None else config
        self._check(manifest, path)

    def _check(self, manifest: Any, path: Path) -> None:
        settings = _config_hash(self.config)
        if manifest and manifest["config_hash"] != settings:
            raise RunError(
                f"{path}: this job has other settings ({manifest['config_hash']}, not {settings}); "
                "give it the settings that it had, or choose another folder"
            )

    def __getstate__(self) -> dict[str, Any]:
        # A task needs no list of all archives.
        return {"folder": self.folder, "config": self.config, "archives": None}

    def remaining(self) -> list[str]:
        """The archives that are not finished, the largest first, so that none is left for the end.

        An archive that could not be read is among them: the next task tries it again.
        """
        archives = [archive for name, archive in self.archives.items() if not _is_finished(self._account(name, archive))]
        return sorted(archives, key=_size, reverse=True)

    def run(self, archive: str | os.PathLike[str], threads: int = 1) -> Account:
        """Runs one archive of the job, or continues with it, and returns its account. Waits while another task runs it.

        An account has the columns of ``SCHEMA``. ``state`` is "complete", "damaged" (all that can be read was read), or "failed", and
        then ``error`` gives the cause. An archive that fails raises nothing; one that is not of the job raises ``InputError``.
        """
        archive = _whole_name(archive)
        name = directory_name(archive)
        if self.archives is None:
            self.archives = _archives(self.folder / _MANIFEST)
        if name not in self.archives:
            raise InputError(f"{archive}: not an archive of {self.folder / _MANIFEST}; add it to the job first")
        account = self._account(name, archive)
        if _is_finished(account):
            return account
        # What made an earlier task fail may be gone.
        self._failure(name).unlink(missing_ok=True)
        pause = 0.1
        while True:
            try:
                account = _account_of(_run([_existing(archive)], self.folder / name, self.config, threads=threads), archive, name)
            except InUseError:
                time.sleep(pause)
                pause = min(2 * pause, 5.0)
                # The other task may have ended, well or not.
                account = self._account(name, archive)
                if account["state"] == "waiting":
                    continue
                return account
            except (Error, OSError) as error:
                account = _entry(archive, name, "failed", str(error))
                _replace(self._failure(name), account)
            return account

    def accounts(self) -> Iterator[Account]:
        """The account of each archive. ``state`` is "waiting" where no task has finished."""
        for name, archive in self.archives.items():
            yield self._account(name, archive)

    def shards(self) -> list[str]:
        """The files with the documents of the archives that are finished so far."""
        finished = (account["directory"] for account in self.accounts() if _is_finished(account))
        return [
            str(self.folder / name / shard)
            for name in finished
            for archive in self._report(name)["archives"]
            for shard in archive["shards"]
        ]

    def _failure(self, name: str) -> Path:
        """The file with the account of a run that could not begin."""
        return self.folder / f"{name}.failed.json"

    def _report(self, name: str) -> Any:
        return _read(self.folder / name / "run.json")

    def _account(self, name: str, archive: str) -> Account:
        try:
            report = self._report(name)
            if report and report["state"] == "complete":
                return _account_of(report, archive, name)
            return _read(self._failure(name)) or _entry(archive, name, "waiting", None)
        except (RunError, OSError, KeyError, TypeError) as error:
            return _entry(archive, name, "failed", str(error))


def directory_name(archive: str) -> str:
    """The name of an archive's directory: the start of its file name, and a hash of the whole name, so that no two are the same."""
    start = re.sub(r"[^A-Za-z0-9_-]+", "-", os.path.basename(archive).split(".")[0])[:80]
    return f"{start}-{hashlib.sha256(os.fsencode(archive)).hexdigest()[:16]}"


def _whole_name(archive: str | os.PathLike[str]) -> str:
    """The name of an archive for all machines: the address, or the whole path."""
    name = os.fspath(archive)
    if not isinstance(name, str) or not name or "\0" in name:
        raise InputError(f"{name!r}: not the name of an archive")
    return name if "://" in name else os.path.abspath(name)


def _existing(archive: str) -> str:
    """The name, if it is an address or that of a file."""
    if "://" not in archive and not os.path.isfile(archive):
        problem = "is a directory; name its archives one by one" if os.path.isdir(archive) else "no such file"
        raise InputError(f"{archive}: {problem}")
    return archive


def _sections(config: Mapping[str, Mapping[str, Any]] | str | os.PathLike[str]) -> Mapping[str, Any]:
    if isinstance(config, Mapping):
        return config
    try:
        import tomllib
    except ImportError:
        raise ConfigError("reading a file of settings for a job needs Python 3.11; give the sections as a mapping") from None
    try:
        with open(config, "rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"{os.fspath(config)}: {error}") from None


def _account_of(report: Any, archive: str, name: str) -> Account:
    found = report["archives"]
    if len(found) != 1:
        return _entry(archive, name, "failed", f"{archive}: names {len(found)} archives; name them one by one")
    return {
        "archive": archive,
        "directory": name,
        "state": found[0]["state"],
        "documents": found[0]["emitted"],
        "failed": sum(found[0]["failed"].values()),
        "error": found[0].get("error"),
    }


def _is_finished(account: Account) -> bool:
    return account["state"] in ("complete", "damaged")


def _entry(archive: str, name: str, state: str, error: str | None) -> Account:
    """The account of an archive without a finished run."""
    return {"archive": archive, "directory": name, "state": state, "documents": 0, "failed": 0, "error": error}


def _size(archive: str) -> int:
    try:
        return os.stat(archive).st_size
    except OSError:
        return 0


#: The state of the manifest that a task of this process read last, and its archives.
_read_last: tuple[Any, dict[str, str]] = (None, {})


def _archives(path: Path) -> dict[str, str]:
    """The archives of a manifest, which a process reads once for all its tasks, and again if it was replaced."""
    global _read_last
    try:
        stat = path.stat()
    except FileNotFoundError:
        return {}
    state = (path, stat.st_ino, stat.st_mtime_ns, stat.st_size)
    if _read_last[0] != state:
        _read_last = state, (_manifest(path) or {"archives": {}})["archives"]
    return _read_last[1]


def _manifest(path: Path) -> Any:
    manifest = _read(path)
    if manifest is not None:
        is_one = isinstance(manifest, dict) and manifest.get("format") == _FORMAT and isinstance(manifest.get("config_hash"), str)
        archives, config = (manifest.get("archives"), manifest.get("config")) if is_one else (None, None)
        if not isinstance(config, dict) or not isinstance(archives, dict):
            raise RunError(f"{path}: not a job that dehusk {__version__} can read; choose another folder")
        if any(not isinstance(archive, str) or name != directory_name(archive) for name, archive in archives.items()):
            raise RunError(f"{path}: was changed by another program; restore it, or choose another folder")
    return manifest


def _read(path: Path) -> Any:
    """A JSON file that is replaced in one step; ``None`` where there is none."""
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise RunError(f"{path}: is not JSON ({error}); restore it, or choose another folder") from None


def _replace(path: Path, value: Any) -> None:
    handle, partial = tempfile.mkstemp(prefix=".", suffix=".partial", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(partial, 0o644)
        os.replace(partial, path)
    except BaseException:
        os.unlink(partial)
        raise


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    with open(folder / ".job.lock", "a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


__all__ = ["Account", "Job", "directory_name"]
