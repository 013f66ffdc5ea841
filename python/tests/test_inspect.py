"""`dehusk.inspect`: single records, and what a run makes of them."""

import dehusk
import pytest
from conftest import SAMPLE, archive, rows_of_run


def test_all_records_are_listed_with_what_a_run_makes_of_them(sample, tmp_path):
    report = dehusk.run(sample, tmp_path / "out", {"output": {"compression": "none"}})
    rows = list(dehusk.inspect(sample, verdicts=True))
    records = [row for row in rows if "skipped" not in row]
    assert len(records) == report["totals"]["framed"]
    emitted = [(row["offset"], row["offset_in_member"]) for row in records if row["outcome"] == "emitted"]
    documents = [row["metadata"] for row in rows_of_run(tmp_path / "out")]
    assert emitted == [(m["warc_offset"], m["offset_in_member"]) for m in documents]
    filtered = sum(row["outcome"] == "filtered" for row in records)
    assert filtered == sum(report["totals"]["filtered"].values())
    failed = [row for row in records if row["outcome"] == "failed"]
    assert sum(report["totals"]["failed"].values()) == len(failed) > 0


def test_a_record_is_explained(sample):
    first = next(row for row in dehusk.inspect(sample, verdicts=True) if row["outcome"] == "emitted")
    (row,) = dehusk.inspect(sample, offset=first["offset"])
    assert row["header"].startswith("WARC/1.") and row["http_header"].startswith("HTTP/1.1 200")
    assert row["document"]["text"] and row["document"]["id"] == row["id"]
    assert row["explanation"][0]["extractor"] == "fusion"
    (coreex,) = dehusk.inspect(sample, {"extract": {"extractors": ["coreex"]}}, offset=first["offset"])
    assert coreex["document"]["metadata"]["extractor"] == "coreex"


def test_a_stream_and_bytes_are_archives(sample):
    expected = [(row["offset"], row.get("url")) for row in dehusk.inspect(sample)]
    stored = SAMPLE.read_bytes()
    assert [(row["offset"], row.get("url")) for row in dehusk.inspect(stored)] == expected
    with open(sample, "rb") as file:
        assert [(row["offset"], row.get("url")) for row in dehusk.inspect(file)] == expected


def test_a_place_without_a_record_is_an_error(sample):
    for offset in (1, 1 << 40):
        with pytest.raises(dehusk.ArchiveError, match="sample.warc.gz"):
            list(dehusk.inspect(sample, offset=offset))
    with pytest.raises(dehusk.ArchiveError):
        list(dehusk.inspect("missing.warc.gz"))
    with pytest.raises(ValueError, match="one archive"):
        dehusk.inspect([archive(1), archive(1)])


def test_a_skipped_range_has_its_reason():
    damaged = archive(1) + b"junk between the members" * 9 + archive(1, 1)
    (_, skipped, _) = dehusk.inspect(damaged)
    assert skipped["skipped"] == "gzip_gap" and skipped["length"] == 24 * 9 and skipped["reason"]
