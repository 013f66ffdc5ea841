"""The types of the package, as a type checker sees them."""

import subprocess
import sys

import pytest

PROGRAM = """
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import dehusk
from dehusk import spark

report: dict[str, Any] = dehusk.run(["a.warc.gz"], "out", {"select": {"min_words": 9}}, part=(1, 2), since="before")
for batch in dehusk.read("a.warc.gz", threads=2):
    rows: list[dict[str, Any]] = batch.to_pylist()
ddl: str = spark.schema({"extract": {"extractors": ["coreex"]}})
text: str | None = dehusk.markdown("<p>a", "https://a.example/", extractor="coreex")
job = spark.documents({"select": {"min_words": 50}}, column="path", errors="raise")
from dehusk.jobs import Job
remaining: list[str] = Job("job", ["a.warc.gz"], {"output": {"format": "parquet"}}).remaining()
DATATROVE
"""

DATATROVE = """
from dehusk.datatrove import DehuskExtractor, DehuskReader
step = DehuskExtractor({"output": {"text": "markdown"}})
reader = DehuskReader("crawl", glob_pattern="*.warc.gz", threads=2)
name: str = reader.name
"""

WRONG = [
    "dehusk.run('a', 'out', overwrite='yes')",
    "dehusk.run('a', 'out', part=3)",
    "dehusk.read('a', errors='ignore')",
    "spark.schema(config=3)",
    "spark.documents(errors='report')",
    "job: int = spark.documents()",
]


def check(tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(program)
    # Spark, Arrow and datatrove bring no types, or need not be here.
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--follow-untyped-imports", str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    return ended.returncode, ended.stdout + ended.stderr


def test_programs_are_checked_with_the_types_of_the_package(tmp_path):
    pytest.importorskip("mypy")
    try:
        import datatrove  # noqa: F401

        right = PROGRAM.replace("DATATROVE", DATATROVE)
    except ImportError:
        right = PROGRAM.replace("DATATROVE", "")
    status, output = check(tmp_path, right)
    assert status == 0, output
    status, output = check(tmp_path, "import dehusk\nfrom dehusk import spark\n" + "\n".join(WRONG) + "\n")
    assert status == 1
    for line in range(3, 3 + len(WRONG)):
        assert f"program.py:{line}:" in output, output
