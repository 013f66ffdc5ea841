"""The programs of the documentation run as they are, over the sample archive."""

import json
import re
import shutil
from pathlib import Path

import dehusk
import pytest
from conftest import PAGE, ROOT

# What programs need that is tested by `python/checks` alone, and what the page says beside a program.
NOT_HERE = {"pyspark": "needs Spark", "dehusk.ray": "needs Ray", "nemo_curator": "needs NeMo Curator", "session.read": "needs Spark", "husk.schema": "needs Spark"}
BESIDE = {
    "io.TextIOWrapper": "import io, zstandard; path = 'out/documents/crawl.jsonl.zst'",
    'text = row["text"]': "row = {'text': 'A text.', 'metadata': {'title': 'A title', 'title_in_text': False}}",
    "html": f"html = {PAGE!r}.decode()",
}


def programs():
    """The programs of all pages, each with the name of its page."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "python/README.md", ROOT / "crates/similarity/README.md"]
    found = [(page, program) for page in pages for program in re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)]
    assert len(found) > 8
    return [pytest.param(program, id=f"{page.parent.name}/{page.name}-{number}") for number, (page, program) in enumerate(found)]


@pytest.fixture(scope="session")
def crawls(tmp_path_factory):
    """A folder with the archives and runs that the programs name."""
    folder = tmp_path_factory.mktemp("crawls")
    for name in ["crawl.warc.gz", "crawl/a.warc.gz", "data/a.warc.gz", "data/b.warc.gz"]:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "docs/sample/sample.warc.gz", folder / name)
    (folder / "archives.txt").write_text("crawl.warc.gz\ncrawl/a.warc.gz\n" * 4)
    for run in ["monday", "tuesday", "out-before"]:
        dehusk.run([str(folder / "crawl.warc.gz")], folder / run)
    return folder


@pytest.mark.parametrize("program", programs())
def test_a_program_of_the_documentation_runs(program, crawls, tmp_path, python):
    for name, reason in NOT_HERE.items():
        if re.search(rf"\b{re.escape(name)}\b", program):
            pytest.skip(reason)
    for module in re.findall(r"^(?:import|from) (datatrove|duckdb|pandas|xxhash)", program, re.MULTILINE):
        pytest.importorskip(module)
    shutil.copytree(crawls, tmp_path, dirs_exist_ok=True)
    program = "\n".join([*(line for word, line in BESIDE.items() if word in program), program])
    # The pages read what `dehusk run` wrote of the sample, as JSONL or as Parquet.
    if "out/documents" in program or "documents/*" in program:
        options = {"output": {"format": "parquet"}} if ".parquet" in program else {}
        dehusk.run([str(ROOT / "docs/sample/sample.warc.gz"), str(tmp_path / "crawl.warc.gz")], tmp_path / "out", options)
    (tmp_path / "program.py").write_text(program.replace("/data", "data"))
    ended = python("import runpy; runpy.run_path('program.py', run_name='__main__')", cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    if "JsonlWriter" in program:
        assert any((tmp_path / "data/documents").iterdir())


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
