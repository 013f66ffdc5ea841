"""Makes the pictures of docs/inspector.md: `cargo xtask pictures` runs it with the folder to write them to."""

import io
import shutil
import sys
import tempfile
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


def main(folder):
    with tempfile.TemporaryDirectory() as place, serving(SAMPLE, "--truth-out", Path(place) / "truth.jsonl") as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, prepare in [("inspector", inspector), ("marking", marking)]:
            page = browser.new_page(viewport=SIZE, reduced_motion="reduce")
            page.set_default_timeout(PATIENCE)
            page.goto(f"{address}/{PAGE}")
            expect(page.locator("#page-title")).to_contain_text("Night ferry")
            expect(page.locator("#stop")).to_be_hidden()
            prepare(page)
            # A palette takes a third of the bytes.
            shot = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(128, dither=Image.Dither.NONE)
            shot.save(Path(folder) / f"{name}.png", optimize=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main((ROOT / sys.argv[1]).resolve())
