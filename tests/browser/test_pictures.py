"""The pictures of the inspector against the inspector of today. `cargo xtask pictures` makes them again."""

import pytest
from conftest import ROOT
from pictures import LABELS, PICTURES, view


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_the_headings_and_labels_of_today(chromium, tmp_path, name):
    with view(chromium, name, tmp_path) as page:
        recorded = (ROOT / f"docs/pictures/{name}.txt").read_text()
        assert page.evaluate(LABELS) == recorded, f"{name}.png is out of date: cargo xtask pictures"
