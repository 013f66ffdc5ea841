import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "docs" / "sample" / "sample.warc.gz"
PAGE = b"<html lang=en><title>A walk</title><p>We went out early in the morning, up the hill behind the village, and it \
rained until we were home.<p>Nobody minded, because the view from the top was worth every wet sock that we had to dry.</html>"


def record(url, body, kind="response"):
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" if kind == "response" else b""
    block = head + body
    header = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:test:{url}>\r\nWARC-Target-URI: {url}\r\n"
    header += f"WARC-Date: 2026-01-02T03:04:05Z\r\nContent-Length: {len(block)}\r\n\r\n"
    return header.encode() + block + b"\r\n\r\n"


def archive(count, start=0):
    """Gzip members, one a page."""
    pages = (PAGE.replace(b"A walk", f"Walk {n}".encode()) for n in range(start, start + count))
    return b"".join(gzip.compress(record(f"https://a.example/{start + n}", page)) for n, page in enumerate(pages))


@pytest.fixture
def sample():
    return str(SAMPLE)


@pytest.fixture
def python():
    """Runs a script in a Python of its own, which has to end within a minute."""

    def run(script, **options):
        arguments = [sys.executable, "-c", script]
        return subprocess.run(arguments, capture_output=True, text=True, timeout=60, **options)

    return run


def threads():
    """This process's threads."""
    return set(os.listdir("/proc/self/task"))


def rows_of_run(directory):
    """The documents of a run without compression."""
    lines = []
    for shard in sorted((Path(directory) / "documents").glob("*.jsonl")):
        lines += [json.loads(line) for line in shard.read_text().split("\n") if line]
    return lines


def key(row):
    metadata = row["metadata"]
    return (metadata["file_path"], metadata["warc_offset"], metadata["offset_in_member"], row["id"], metadata["text_hash"])
