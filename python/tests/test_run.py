"""`dehusk.run`: its arguments, beside those of the program."""

import os

import dehusk
import pytest
from conftest import archive, rows_of_run

PLAIN = {"output": {"compression": "none"}}


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "crawl"
    folder.mkdir()
    for n in range(4):
        (folder / f"{n}.warc.gz").write_bytes(archive(3, 10 * n))
    return folder


def urls(directory):
    return sorted(row["metadata"]["url"] for row in rows_of_run(directory))


def test_parts_of_a_list_are_the_list(folder, tmp_path):
    dehusk.run(folder, tmp_path / "all", PLAIN)
    for number in (1, 2, 3):
        report = dehusk.run(folder, tmp_path / f"part-{number}", PLAIN, part=(number, 3))
        assert len(report["archives"]) in (1, 2)
    parts = [url for number in (1, 2, 3) for url in urls(tmp_path / f"part-{number}")]
    assert sorted(parts) == urls(tmp_path / "all")
    for part in ((0, 3), (4, 3), (1, 0)):
        with pytest.raises(ValueError, match="such as"):
            dehusk.run(folder, tmp_path / "wrong", PLAIN, part=part)
    assert not (tmp_path / "wrong").exists()


def test_archives_are_taken_over_from_another_run(folder, tmp_path):
    dehusk.run(folder, tmp_path / "before", PLAIN)
    (folder / "9.warc.gz").write_bytes(archive(2, 90))
    dehusk.run(folder, tmp_path / "after", PLAIN, since=tmp_path / "before")
    before, after = (tmp_path / name / "documents" / "0.jsonl" for name in ("before", "after"))
    assert after.samefile(before)
    assert len(urls(tmp_path / "after")) == 14


def test_archives_are_compared_by_their_digests(folder, tmp_path):
    dehusk.run(folder, tmp_path / "out", PLAIN)
    path = folder / "0.warc.gz"
    times, stored = path.stat(), bytearray(path.read_bytes())
    # The time of the first member, which no size shows.
    stored[4] ^= 1
    path.write_bytes(stored)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert not any(a["changed"] for a in dehusk.run(folder, tmp_path / "out", PLAIN)["archives"] if a.get("changed"))
    with pytest.warns(UserWarning, match="0.warc.gz"):
        dehusk.run(folder, tmp_path / "out", PLAIN, verify=True)
