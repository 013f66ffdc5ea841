"""Finished runs: `cat`, `diff`, `cluster` and `topics`, beside what a run wrote."""

import json

import dehusk
import pytest
from conftest import archive, rows_of_run

PLAIN = {"output": {"compression": "none"}}


@pytest.fixture
def runs(tmp_path):
    for name, stored in (("monday", archive(5)), ("tuesday", archive(4, 3))):
        dehusk.run(stored, tmp_path / name, PLAIN)
    return [tmp_path / "monday", str(tmp_path / "tuesday")]


def test_the_documents_of_runs_are_theirs(runs):
    expected = [row["id"] for run in runs for row in rows_of_run(run)]
    documents = list(dehusk.cat(runs))
    assert [document["id"] for document in documents] == expected
    assert documents[0] == next(iter(dehusk.cat(runs[0])))
    assert documents[0]["source"] is None and documents[0]["metadata"]["words"] > 20


def test_conditions_and_fields_choose(runs):
    url = "https://a.example/4"
    assert [row["metadata"]["url"] for row in dehusk.cat(runs, f"url = {url}")] == [url, url]
    rows = list(dehusk.cat(runs, [f"url = {url}", "words >= 1000"]))
    assert rows == []
    joined = f"(url = {url} or url = https://a.example/1) and not words >= 1000"
    assert [row["url"] for row in dehusk.cat(runs[0], joined, fields=["url"])] == ["https://a.example/1", url]
    (row, _) = dehusk.cat(runs, f"url = {url}", fields=["url", "words", "payload_digest"])
    assert list(row) == ["url", "words", "payload_digest"]
    assert (row["url"], row["payload_digest"]) == (url, None) and row["words"] > 20
    for arguments in ({"where": "wrods >= 50"}, {"where": "not (wrods >= 50)"}, {"fields": ["ulr"]}):
        with pytest.raises(ValueError, match="did you mean"):
            dehusk.cat(runs, **arguments)


def test_what_cannot_be_read_is_an_error(runs, tmp_path):
    with pytest.raises(dehusk.RunError, match="run.json"):
        dehusk.cat(tmp_path / "missing")
    with pytest.raises(dehusk.RunError, match="did you mean"):
        dehusk.cat(tmp_path / "monday" / "documents")
    with pytest.raises(TypeError, match="not int"):
        dehusk.cat(3)
    (shard,) = (tmp_path / "tuesday" / "documents").iterdir()
    shard.write_bytes(b"no documents\n")
    rows = dehusk.cat(runs)
    found = []
    with pytest.raises(dehusk.RunError, match="memory.jsonl"):
        found.extend(rows)
    assert len(found) == 0 or len(found) == 5
    assert list(rows) == []


def test_a_run_that_is_not_finished_gives_a_warning(runs, tmp_path):
    account = tmp_path / "monday" / "run.json"
    report = json.loads(account.read_text())
    account.write_text(json.dumps({**report, "state": "interrupted"}))
    with pytest.warns(UserWarning, match="documents may be missing"):
        rows = dehusk.cat(runs[0])
    assert len(list(rows)) == 5


def test_an_iterator_that_is_dropped_or_closed_ends(runs):
    rows = dehusk.cat(runs)
    next(rows)
    rows.close()
    assert list(rows) == []


def test_two_runs_are_compared(runs, tmp_path):
    dehusk.run(archive(5), tmp_path / "same", PLAIN)
    assert dehusk.diff(runs[0], tmp_path / "same")["totals"]["same"] == 5
    totals = dehusk.diff(*runs)["totals"]
    assert (totals["documents_a"], totals["documents_b"], totals["same"] + totals["other_fields"]) == (5, 4, 2)
    assert (totals["gone"], totals["added"]) == (3, 2)


def test_several_runs_are_compared_and_a_folder_stands_for_its_runs(runs, tmp_path):
    totals = dehusk.diff(runs, tmp_path)["totals"]
    assert (totals["documents_a"], totals["documents_b"], totals["same"]) == (9, 9, 9)
    assert [row["id"] for row in dehusk.cat(tmp_path)] == [row["id"] for row in dehusk.cat(runs)]


def test_near_duplicates_are_clustered(runs, tmp_path):
    summary = dehusk.cluster(runs, tmp_path / "near", deduplicated=tmp_path / "unique", threads=2)
    lines = [json.loads(line) for line in (tmp_path / "near" / "clusters.jsonl").read_text().splitlines()]
    # All pages have one text.
    assert (summary["documents"], summary["clusters"], len(lines)) == (9, 1, 9)
    assert len(list(dehusk.cat(tmp_path / "unique"))) == 1
    with pytest.raises(dehusk.RunError, match="overwrite"):
        dehusk.cluster(runs, tmp_path / "near")
    dehusk.cluster(runs, tmp_path / "near", overwrite=True)
    for wrong in ({"by": "words"}, {"threshold": 0.0}, {"threshold": 1.5}):
        with pytest.raises(ValueError):
            dehusk.cluster(runs, tmp_path / "other", **wrong)


def test_clusters_last_from_night_to_night(runs, tmp_path):
    store = tmp_path / "clusters.store"
    assert dehusk.cluster(runs[0], tmp_path / "one", index=store)["index"]["documents"] == 5
    assert dehusk.cluster(runs[1], tmp_path / "two", index=store)["index"]["documents"] == 9


def test_topics_are_found(runs, tmp_path):
    summary = dehusk.topics(runs, tmp_path / "topics")
    assert summary["documents"] == 9
    assert (tmp_path / "topics" / "topics.html").exists()
    clusters = dehusk.cluster(runs, tmp_path / "near")
    again = dehusk.topics(runs, tmp_path / "again", clusters=tmp_path / "near")
    assert clusters["documents"] == again["documents"]
