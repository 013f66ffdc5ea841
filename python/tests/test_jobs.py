"""Jobs: an archive a run, whatever is killed, repeated or done twice at a time."""

import json
import pickle
import signal
import subprocess
import sys
import threading

import conftest
import pytest

import dehusk
from dehusk.jobs import Job

CONFIG = {"output": {"compression": "none"}}


@pytest.fixture
def archives(tmp_path):
    """Three archives, of which the second is damaged and the third the largest; and the name of one that is missing."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    paths = [folder / f"{name}.warc.gz" for name in ("a", "b", "c", "missing")]
    for number, path in enumerate(paths[:3]):
        path.write_bytes(conftest.archive(4 * (number + 1), start=100 * number))
    damaged = bytearray(paths[1].read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    paths[1].write_bytes(damaged)
    return [str(path) for path in paths]


def keys(job):
    return sorted(conftest.key(json.loads(line)) for shard in job.shards() for line in open(shard, encoding="utf-8"))


def test_each_archive_is_a_run_with_an_account(archives, tmp_path):
    job = Job(tmp_path / "job", archives, CONFIG)
    assert job.remaining()[0] == archives[2], "the largest is first"
    accounts = {account["archive"]: account for account in map(job.run, job.remaining())}
    assert [accounts[archive]["state"] for archive in archives] == ["complete", "damaged", "complete", "failed"]
    assert accounts[archives[1]]["documents"] == 7
    assert "no such file" in accounts[archives[3]]["error"]
    assert [account["state"] for account in Job(job.folder).accounts()] == ["complete", "damaged", "complete", "failed"]
    expected = dehusk.read(archives[:3], CONFIG, errors="report")
    assert keys(job) == sorted(conftest.key(row) for batch in expected for row in batch.to_pylist())


def test_a_finished_archive_is_not_read_again(archives, tmp_path):
    job = Job(tmp_path / "job", archives, CONFIG)
    first = [job.run(archive) for archive in archives[:3]]
    files = {shard: open(shard, "rb").read() for shard in job.shards()}
    assert job.remaining() == [archives[3]]
    assert [job.run(archive) for archive in archives[:3]] == first
    assert {shard: open(shard, "rb").read() for shard in job.shards()} == files


def test_a_job_is_opened_by_its_folder_alone(archives, tmp_path):
    job = Job(tmp_path / "job", archives, CONFIG)
    job.run(archives[0])
    seen = Job(tmp_path / "job")
    assert [account["state"] for account in seen.accounts()] == ["complete", "waiting", "waiting", "waiting"]
    assert seen.shards() == job.shards()


def test_archives_are_added_to_a_job(archives, tmp_path):
    Job(tmp_path / "job", archives[:1], CONFIG)
    job = Job(tmp_path / "job", archives[:2], CONFIG)
    assert len(job.directories) == 2
    assert sorted(job.remaining()) == archives[:2]


def test_other_settings_are_refused(archives, tmp_path):
    Job(tmp_path / "job", archives, CONFIG)
    with pytest.raises(dehusk.RunError, match="job.json: this job has other settings .*choose another folder"):
        Job(tmp_path / "job", archives, {"select": {"min_words": 3}})


def test_a_folder_without_a_job_and_foreign_manifests_are_named(tmp_path):
    with pytest.raises(dehusk.RunError, match="job.json: no such file"):
        Job(tmp_path)
    (tmp_path / "job.json").write_text("{")
    with pytest.raises(dehusk.RunError, match="job.json: is no JSON"):
        Job(tmp_path)
    (tmp_path / "job.json").write_text('{"format": 99}')
    with pytest.raises(dehusk.RunError, match="no job of this version"):
        Job(tmp_path)


def test_a_task_does_not_carry_the_list_of_archives(tmp_path):
    job = Job(tmp_path / "job", [f"/crawl/{n}.warc.gz" for n in range(1000)], CONFIG)
    assert len(pickle.dumps(job.run)) < 1000


def test_two_tasks_for_one_archive_give_one_run(archives, tmp_path):
    job = Job(tmp_path / "job", archives, CONFIG)
    accounts = []
    tasks = [threading.Thread(target=lambda: accounts.append(job.run(archives[2]))) for _ in range(4)]
    for task in tasks:
        task.start()
    for task in tasks:
        task.join()
    assert len(accounts) == 4
    assert all(account == accounts[0] for account in accounts)
    assert accounts[0]["documents"] == 12


def test_a_killed_task_is_continued(tmp_path):
    path = tmp_path / "large.warc.gz"
    path.write_bytes(b"".join(conftest.archive(50, start=50 * n) for n in range(40)))
    job = Job(tmp_path / "job", [path], CONFIG)
    script = f"from dehusk.jobs import Job; Job({str(job.folder)!r}, [{str(path)!r}], {CONFIG!r}).run({str(path)!r})"
    directory = job.folder / job.directories[0]
    task = subprocess.Popen([sys.executable, "-c", script])
    while task.poll() is None and not (directory / "run.json").exists():
        pass
    task.send_signal(signal.SIGKILL)
    task.wait()
    account = job.run(path)
    assert (account["state"], account["documents"]) == ("complete", 2000)
    assert len({key for key in keys(job)}) == len(keys(job)) == 2000
