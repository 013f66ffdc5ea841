"""The programs of the documentation run as they stand there, over the sample archive."""

import json
import re
from pathlib import Path

import dehusk
import pytest
from conftest import ROOT


def programs(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)


def test_the_job_for_datatrove_is_a_program(sample, tmp_path, python):
    pytest.importorskip("datatrove")
    job = next(program for program in programs("reach.md") if "datatrove" in program)
    (tmp_path / "job.py").write_text(job.replace("/data/documents", "documents").replace("/data", str(Path(sample).parent)))
    ended = python("import runpy; runpy.run_path('job.py', run_name='__main__')", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert len(list((tmp_path / "documents").iterdir())) == 1


def test_the_examples_of_the_feed_find_topics(sample, tmp_path, python):
    pytest.importorskip("sklearn")
    pytest.importorskip("zstandard")
    dehusk.run(sample, tmp_path / "tonight")
    # The second program imports the first one.
    examples = ROOT / "python" / "examples"
    ended = python(f"import runpy, sys; sys.path.insert(0, {str(examples)!r}); runpy.run_path({str(examples / 'topics_bertopic.py')!r})", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for name in ("sklearn.jsonl", "bertopic.jsonl"):
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert len(lines) > 10
        assert all(line["topic"] or name == "bertopic.jsonl" for line in lines)
