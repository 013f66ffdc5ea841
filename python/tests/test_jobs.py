"""Jobs: an archive a run, whatever is killed, repeated or done twice at a time."""

import json
import os
import pickle
import signal
import subprocess
import sys
from pathlib import Path

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
    job = Job(tmp_path / "job", archives[:2])
    assert sorted(job.remaining()) == archives[:2]
    assert Job(tmp_path / "job").remaining() == job.remaining()


def test_an_opened_job_has_its_settings(archives, tmp_path):
    Job(tmp_path / "job", archives, CONFIG)
    job = Job(tmp_path / "job")
    assert job.run(archives[0])["state"] == "complete"
    assert job.shards()[0].endswith(".jsonl")


def test_a_file_of_settings_is_read_once(archives, tmp_path):
    settings = tmp_path / "my.toml"
    settings.write_text('[output]\ncompression = "none"\n')
    job = Job(tmp_path / "job", archives, settings)
    settings.write_text("[select]\nmin_words = 300\n")
    assert job.run(archives[0])["documents"] == 4
    with pytest.raises(dehusk.RunError, match="job.json: this job has other settings .*choose another folder"):
        Job(tmp_path / "job", archives, settings)


def test_names_are_whole_paths(archives, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    job = Job("job", ["crawl/a.warc.gz", archives[0], Path("./crawl/a.warc.gz")], CONFIG)
    monkeypatch.chdir("/")
    assert job.remaining() == [archives[0]]
    assert job.run(archives[0])["state"] == "complete"
    assert len(job.shards()) == 1


@pytest.mark.parametrize("name", ["crawl/*.warc.gz", "crawl", "@list", "-"])
def test_what_is_not_one_archive_fails_alone(archives, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    job = Job("job", [name, archives[0]], CONFIG)
    accounts = [job.run(archive) for archive in job.archives.values()]
    assert [account["state"] for account in accounts] == ["failed", "complete"]
    assert name in accounts[0]["error"]


def test_archives_of_other_jobs_are_refused(archives, tmp_path):
    job = Job(tmp_path / "job", archives[:1], CONFIG)
    with pytest.raises(dehusk.InputError, match="b.warc.gz: not an archive of .*add it to the job"):
        job.run(archives[1])
    for name in ("", "a\0b", b"a"):
        with pytest.raises(dehusk.InputError, match="not the name of an archive"):
            Job(tmp_path / "job", [name], CONFIG)


def test_a_damaged_report_is_the_failure_of_its_archive(archives, tmp_path):
    job = Job(tmp_path / "job", archives[:2], CONFIG)
    directories = [job.run(archive)["directory"] for archive in archives[:2]]
    (job.folder / directories[0] / "run.json").write_text("{")
    assert [account["state"] for account in job.accounts()] == ["failed", "damaged"]
    assert job.remaining() == [archives[0]]


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        (None, "job.json: no such file"),
        ("{", "job.json: is not JSON"),
        ('{"format": 99}', "not a job that dehusk .* can read"),
        ('{"format": 1}', "not a job that dehusk .* can read"),
        ('{"format": 1, "config_hash": "a", "config": {}, "archives": {"../../etc": "/a"}}', "was changed by another program"),
    ],
)
def test_foreign_manifests_are_named(tmp_path, manifest, message):
    if manifest is not None:
        (tmp_path / "job.json").write_text(manifest)
    with pytest.raises(dehusk.RunError, match=message):
        Job(tmp_path)


def test_a_task_does_not_carry_the_list_of_archives(tmp_path):
    job = Job(tmp_path / "job", [f"/crawl/{n}.warc.gz" for n in range(1000)], CONFIG)
    assert len(pickle.dumps(job.run)) < 1000


def test_a_task_knows_archives_that_were_added_after_an_earlier_task(archives, tmp_path):
    run = pickle.dumps(Job(tmp_path / "job", archives[:1], CONFIG).run)
    pickle.loads(run)(archives[0])
    Job(tmp_path / "job", archives[2:3], CONFIG)
    assert pickle.loads(run)(archives[2])["state"] == "complete"


def task(job, archive):
    """A process that runs an archive and prints the account."""
    script = f"import json; from dehusk.jobs import Job; print(json.dumps(Job({str(job.folder)!r}).run({str(archive)!r})))"
    return subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)


def test_tasks_for_one_archive_give_one_run(archives, tmp_path):
    job = Job(tmp_path / "job", archives, CONFIG)
    tasks = [task(job, archives[2]) for _ in range(4)]
    accounts = [json.loads(each.communicate()[0]) for each in tasks]
    assert all(account == accounts[0] for account in accounts)
    assert accounts[0]["documents"] == 12
    assert len(keys(job)) == 12


def test_a_killed_task_is_continued(tmp_path):
    path = tmp_path / "large.warc.gz"
    path.write_bytes(b"".join(conftest.archive(50, start=50 * n) for n in range(40)))
    job = Job(tmp_path / "job", [path], CONFIG)
    (directory,) = job.archives
    killed = task(job, path)
    while killed.poll() is None and not any((job.folder / directory).rglob("large*")):
        pass
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    account = job.run(path)
    assert (account["state"], account["documents"]) == ("complete", 2000)
    assert len(set(keys(job))) == len(keys(job)) == 2000


@pytest.mark.parametrize("clock", [1, 4_070_908_800])
def test_machines_whose_clocks_differ_agree(archives, tmp_path, clock):
    path = tmp_path / "large.warc.gz"
    path.write_bytes(b"".join(conftest.archive(50, start=50 * n) for n in range(40)))
    job = Job(tmp_path / "job", [archives[0], path], CONFIG)
    first = job.run(archives[0])
    directory = next(name for name, archive in job.archives.items() if archive == str(path))
    killed = task(job, path)
    while killed.poll() is None and not any((job.folder / directory).rglob("large*")):
        pass
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    # All that was written so far is of another year.
    for file in [job.folder, *job.folder.rglob("*")]:
        os.utime(file, (clock, clock))
    job = Job(job.folder)
    assert job.run(archives[0]) == first
    account = job.run(path)
    assert (account["state"], account["documents"]) == ("complete", 2000)
    assert len(set(keys(job))) == len(keys(job)) == 2004
