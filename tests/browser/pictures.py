"""Makes the pictures of docs/inspector.md: `cargo xtask pictures` runs it with the folder to write them to.

Beside each picture is a list of the headings and labels that it shows, by which `test_pictures.py` tells when it is out of date.
"""

import io
import shutil
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

from conftest import PATIENCE, ROOT, SAMPLE, serving
from PIL import Image
from playwright.sync_api import expect, sync_playwright

SIZE = {"width": 1280, "height": 800}
PAGE = "#input=0&at=341"


def inspector(page):
    """A page with its explanation, the node that was chosen, and the list of nodes."""
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#outline button.kept").first.click()
    expect(page.frame_locator("#frame").locator(":target")).to_be_visible()


def marking(page):
    """A page under marks, one of them changed."""
    page.locator("#mark").click()
    chosen = page.locator("#blocks [aria-selected=true]")
    chosen.nth(1).click()
    expect(page.locator("#blocks .changed")).to_have_count(1)


PICTURES = {"inspector": inspector, "marking": marking}

# Those of the list of records are pages of the sample.
LABELS = """() => {
    const isShown = element => {
        const box = element.getBoundingClientRect();
        const isInside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;
        return isInside && element.checkVisibility({visibilityProperty: true}) && !element.closest("#list, #outline, #blocks");
    };
    const elements = [...document.querySelectorAll("h1, h2, h3, th, dt, legend, label, summary, button, [role=tab]")];
    const text = element => {
        const options = [...element.querySelectorAll("select")].map(select => select.innerText);
        return options.reduce((text, options) => text.replace(options, ""), element.innerText).replace(/\\s+/g, " ").trim();
    };
    const texts = elements.filter(isShown).map(text);
    return texts.filter(text => text).map(text => text + "\\n").join("");
}"""


@contextmanager
def view(browser, name, place):
    """The page that a picture shows."""
    with serving(SAMPLE, "--truth-out", Path(place) / f"{name}.jsonl") as address:
        page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE)
        page.goto(f"{address}/{PAGE}")
        expect(page.locator("#page-title")).to_contain_text("Night ferry")
        expect(page.locator("#stop")).to_be_hidden()
        PICTURES[name](page)
        yield page
        page.close()


def main(folder):
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name in PICTURES:
            with view(browser, name, place) as page:
                (folder / f"{name}.txt").write_text(page.evaluate(LABELS))
                # A palette takes a third of the bytes.
                shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(128, dither=Image.Dither.NONE)
            shot.save(folder / f"{name}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main((ROOT / sys.argv[1]).resolve())
