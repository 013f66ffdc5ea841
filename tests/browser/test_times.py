"""How long the inspector takes, printed and not judged: DEHUSK_BROWSER_TIMES=large.warc.gz .ci/browser PROGRAM -k times -s"""

import os
import statistics
import time

import pytest
from conftest import record, serving

LARGE = os.environ.get("DEHUSK_BROWSER_TIMES", "")
TURNS = 5

SHOWN = """async (hash) => {
    const start = performance.now();
    const painted = (done) => requestAnimationFrame(() => requestAnimationFrame(done));
    const shown = new Promise((done) => document.querySelector("#frame").addEventListener("load", () => painted(done), { once: true }));
    location.hash = hash;
    await shown;
    return (performance.now() - start) / 1000;
}"""

MARKED = """async (hash) => {
    const start = performance.now();
    const blocks = document.querySelector("#blocks");
    const painted = (done) => requestAnimationFrame(() => requestAnimationFrame(done));
    const shown = new Promise((done) => new MutationObserver((_, observer) => { observer.disconnect(); painted(done); }).observe(blocks, { childList: true }));
    location.hash = hash;
    await shown;
    return (performance.now() - start) / 1000;
}"""


def large_page():
    """2 MB and 20,000 nodes: 4,000 paragraphs of a text with a word in bold."""
    words = "Words of a long page that goes on and on, so that it has two million bytes in all when it is done. " * 5
    return "<title>Large</title>" + "".join(f"<p>{number} {words[:240]}<b>{number}</b> {words[:245]}" for number in range(4_000))


def told(what, seconds):
    print(f"{what}: {statistics.median(seconds):.2f} s (median of {len(seconds)}; {min(seconds):.2f} to {max(seconds):.2f})")


@pytest.mark.skipif(not LARGE, reason="names no archive in DEHUSK_BROWSER_TIMES")
def test_times(chromium, tmp_path):
    page_of, other = record("http://large.example/", large_page()), record("http://small.example/", "<p>A small page.")
    archive = tmp_path / "large.warc"
    archive.write_bytes(page_of + other)
    print(f"\nthe page has {len(page_of)} bytes")
    with serving(archive, "--truth-out", tmp_path / "truth.jsonl") as address:
        page = chromium.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        shown, marked = [], []
        for _ in range(TURNS):
            page.goto("about:blank")
            page.goto(f"{address}/")
            page.wait_for_selector("#list button")
            shown.append(page.evaluate(SHOWN, "input=0&at=0"))
            page.evaluate(SHOWN, f"input=0&at={len(page_of)}")
            marked.append(page.evaluate(MARKED, "input=0&at=0&mark=1"))
        page.close()
        told("a page of 2 MB and 20,000 nodes is shown", shown)
        told("and shown to mark it", marked)
    started, listed = [], []
    for _ in range(TURNS):
        start = time.perf_counter()
        with serving(LARGE) as address:
            started.append(time.perf_counter() - start)
            page = chromium.new_page()
            start = time.perf_counter()
            page.goto(f"{address}/")
            page.wait_for_selector("#list button")
            listed.append(time.perf_counter() - start)
            page.close()
    told(f"the server of {os.path.getsize(LARGE):,} bytes listens", started)
    told("and its start page lists records", listed)
