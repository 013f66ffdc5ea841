"""The programs of `docs/feed.md` run as they stand there, over the sample archive."""

import json
import re

import dehusk
import pytest
from conftest import ROOT


def test_the_examples_of_the_feed_find_topics(sample, tmp_path, python):
    pytest.importorskip("sklearn")
    pytest.importorskip("zstandard")
    programs = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "feed.md").read_text(), re.DOTALL)
    assert len(programs) == 2
    dehusk.run(sample, tmp_path / "tonight")
    # The second program goes on where the first one ends.
    ended = python("".join(programs), cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    for name in ("sklearn.jsonl", "bertopic.jsonl"):
        lines = [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        assert len(lines) > 10
        assert all(line["topic"] or name == "bertopic.jsonl" for line in lines)
