"""Renders pages in headless Chromium and writes the box of every text: what a visual wrapper sees.

    python boxes.py ARCHIVE.warc.gz TRUTH.jsonl.gz PAGES OUT.jsonl

Renders PAGES pages, at equal distances in the truth. Nothing is loaded: every request is refused, and scripts are off. So a page
has the style of its `style` elements and attributes, but not of style sheets that are files.

Needs Debian's `chromium` and `pip install playwright`.
"""

import gzip
import json
import re
import sys
import time

from playwright.sync_api import sync_playwright

WIDTH, HEIGHT = 1280, 1024

# The texts of a page that are shown, in order, with their boxes and what they look like.
TEXTS = """
() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body || document, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const text = walker.currentNode.data;
    const parent = walker.currentNode.parentElement;
    if (!text.trim() || !parent || parent.closest('script, style, template, noscript')) continue;
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    const style = getComputedStyle(parent);
    let block = parent;
    while (block.parentElement && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
    const around = block.getBoundingClientRect();
    texts.push({
      text, box: [box.x, box.y, box.width, box.height], block: [around.x, around.y, around.width, around.height],
      size: parseFloat(style.fontSize) || 0, weight: parseInt(style.fontWeight) || 400,
      link: parent.closest('a') ? 1 : 0, hidden: box.width * box.height === 0 ? 1 : 0,
    });
  }
  const page = document.documentElement.getBoundingClientRect();
  return {texts, width: page.width, height: page.height};
}
"""


def charset(head, body):
    label = re.search(rb"charset=[\"']?([\w-]+)", head, re.I) or re.search(rb"charset=[\"']?([\w-]+)", body[:4096], re.I)
    try:
        return body.decode(label[1].decode() if label else "utf-8", "replace")
    except LookupError:
        return body.decode("utf-8", "replace")


def pages(archive, wanted):
    """The HTML of the records with these ids. Their blocks are neither chunked nor compressed."""
    with gzip.open(archive) as stream:
        while line := stream.readline():
            if not line.startswith(b"WARC/"):
                continue
            fields = {}
            while (line := stream.readline()).strip():
                name, _, value = line.decode("utf-8", "replace").partition(":")
                fields[name.strip().lower()] = value.strip()
            block = stream.read(int(fields.get("content-length", 0)))
            if fields.get("warc-record-id", "").strip("<>") in wanted:
                head, _, body = block.partition(b"\r\n\r\n")
                yield fields["warc-record-id"].strip("<>"), charset(head, body)


def main(archive, truth, count, out):
    with gzip.open(truth, "rt", encoding="utf-8") as stream:
        lines = [json.loads(line) for line in stream]
    step = len(lines) / int(count)
    chosen = [lines[int(number * step)] for number in range(int(count))]
    chosen = {line["record_id"].strip("<>"): line for line in chosen}
    with sync_playwright() as playwright, open(out, "w", encoding="utf-8") as written:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, java_script_enabled=False, offline=True)
        for number, (record_id, html) in enumerate(pages(archive, chosen)):
            page = context.new_page()
            page.route("**/*", lambda route: route.abort())
            start = time.perf_counter()
            try:
                page.set_content(html, wait_until="domcontentloaded", timeout=30_000)
                seen = page.evaluate(TEXTS)
            except Exception as error:
                print(f"{record_id}: {error}", file=sys.stderr)
                page.close()
                continue
            seconds = time.perf_counter() - start
            line = chosen[record_id]
            about = {"record_id": record_id, "url": line.get("url"), "truth": line["text"], "seconds": seconds, "html": html}
            written.write(json.dumps(about | seen, ensure_ascii=False) + "\n")
            page.close()
            if number % 10 == 9:
                print(number + 1, file=sys.stderr, flush=True)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
