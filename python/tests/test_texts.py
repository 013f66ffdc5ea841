"""The text of one page, and all documents as one table, by one call each."""

import dehusk
import pytest
from conftest import PAGE

LIST = b"<html lang=en><title>Tea</title><h1>Tea</h1><p>It takes five minutes, a kettle, a pot and some patience, and it is worth it every \
single time that you make it.<ul><li>Boil the water.<li>Pour it over the leaves, and wait for three minutes.</ul><p>Then pour it into the cups, \
add some milk if you like, and drink it slowly while it is still hot, with a biscuit or two.</html>"


def test_a_page_is_text_or_markdown():
    assert dehusk.text(PAGE).startswith("We went out early")
    assert dehusk.text(PAGE.decode(), "https://a.example/") == dehusk.text(PAGE)
    assert dehusk.markdown(LIST).startswith("# Tea\n") and "\n- Boil the water." in dehusk.markdown(LIST)
    assert dehusk.text(LIST).startswith("Tea\n")
    assert dehusk.text(PAGE, extractor="coreex") == dehusk.Extractor({"extract": {"extractors": ["coreex"]}}).extract(PAGE).text


def test_a_page_without_content_is_none():
    assert dehusk.text("") is None
    assert dehusk.markdown(b"\x00\x01\x02" * 100) is None


def test_an_unknown_extractor_is_named():
    with pytest.raises(dehusk.ConfigError, match="coreex"):
        dehusk.text(PAGE, extractor="corex")


def test_all_documents_are_one_table(sample):
    rows = [row for batch in dehusk.read(sample) for row in batch.to_pylist()]
    pytest.importorskip("pyarrow")
    table = dehusk.read(sample).to_arrow()
    assert table.column("id").to_pylist() == [row["id"] for row in rows]
    pytest.importorskip("pandas")
    assert list(dehusk.read(sample).to_pandas()["text"]) == [row["text"] for row in rows]
    pytest.importorskip("polars")
    assert dehusk.read(sample).to_polars()["text"].to_list() == [row["text"] for row in rows]
