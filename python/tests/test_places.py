"""dehusk in the places that other programs have for an extractor or a source. Those that are absent are skipped."""

import pickle

import dehusk
import pytest
from conftest import PAGE, archive

TEXT = dehusk.text(PAGE)


def test_datatrove_takes_the_extractor():
    data = pytest.importorskip("datatrove.data")
    from dehusk.datatrove import DehuskExtractor

    pages = [PAGE.decode(), "", "<title>Nothing</title>", PAGE.decode()]
    documents = [data.Document(text=page, id=str(n), metadata={"url": "https://a.example/"}) for n, page in enumerate(pages)]
    # A pipeline hands its steps to other processes.
    step = pickle.loads(pickle.dumps(DehuskExtractor({"output": {"text": "plain"}})))
    assert [(document.id, document.text) for document in step.run(iter(documents))] == [("0", TEXT), ("3", TEXT)]
    counted = {name: stat.total for name, stat in step.stats.stats.items()}
    assert (counted["total"], counted["forwarded"], counted["dropped"]) == (4, 2, 2)
    assert sum(count for name, count in counted.items() if name.startswith("dropped_")) == 2
    assert step.extract(PAGE.decode()) == TEXT and step.extract("") == ""


def test_nemo_curator_takes_the_algorithm():
    pytest.importorskip("nemo_curator.stages.text.download.html_extractors")
    from dehusk.nemo_curator import DehuskExtractor

    algorithm = pickle.loads(pickle.dumps(DehuskExtractor()))
    assert algorithm.extract_text(PAGE.decode(), frozenset({"the"}), "ENGLISH") == TEXT.split("\n\n")
    assert algorithm.extract_text("", frozenset(), "ENGLISH") is None


def test_ray_reads_archives(tmp_path):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.data")
    from dehusk.ray import read

    paths = []
    for number in range(3):
        paths.append(str(tmp_path / f"{number}.warc.gz"))
        (tmp_path / f"{number}.warc.gz").write_bytes(archive(4, 4 * number))
    with pytest.raises(dehusk.ConfigError):
        read(paths, {"extract": {"extractors": ["corex"]}})
    ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR")
    try:
        expected = sorted(row["id"] for batch in dehusk.read(paths) for row in batch.to_pylist())
        assert sorted(row["id"] for row in read(paths).take_all()) == expected
        assert len(expected) == 12
        lost = [*paths, str(tmp_path / "absent.warc.gz")]
        assert sorted(row["id"] for row in read(lost, errors="report").take_all()) == expected
    finally:
        ray.shutdown()
