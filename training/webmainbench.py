#!/usr/bin/env python3
"""Turns the pages of WebMainBench into an archive and a truth that `dehusk eval` reads.

usage: webmainbench.py WebMainBench.jsonl [OUTPUT]

Writes OUTPUT.warc.gz and OUTPUT.truth.jsonl.gz (default: webmainbench). It needs nothing but Python. Then:

    dehusk eval --truth webmainbench.truth.jsonl.gz webmainbench.warc.gz -e fusion --metrics bag,rouge,structure

The annotators marked the main content in the pages themselves. Their marks are removed from the pages and from the truth's
HTML: an extractor must not see them. The page type is the style that the annotators gave.
"""

import gzip
import json
import re
import sys
import uuid

# Elements that were put around marked text; the text stays.
ELEMENTS = re.compile(r"</?marked-(?:text|tail|inline)\b[^>]*>", re.IGNORECASE)
# Attributes of the annotators' tool, within a tag.
TAG = re.compile(r"<[a-zA-Z][^<>]*>")
ATTRIBUTES = re.compile(
    r"""\s+(?:cc-[\w-]+|data-anno-uid|mark-selected)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>"']+))?""", re.IGNORECASE
)
CLASSES = re.compile(r"(?<=[\s\"'=])mark-selected(?=[\s\"'>])")


def without_marks(html):
    """The page as it was before it was annotated."""
    html = ELEMENTS.sub("", html)
    return TAG.sub(lambda tag: CLASSES.sub("", ATTRIBUTES.sub("", tag[0])), html)


def record(identifier, url, html):
    """A WARC record of a page, as one gzip member."""
    body = html.encode("utf-8", "replace")
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(body)
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{identifier}>\r\nWARC-Date: 2025-01-01T00:00:00Z\r\n"
        f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http) + len(body)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + body + b"\r\n\r\n", 6, mtime=0)


def main(source, output="webmainbench"):
    seen, without_truth = set(), 0
    with (
        open(source, encoding="utf-8") as pages,
        open(f"{output}.warc.gz", "wb") as archive,
        gzip.open(f"{output}.truth.jsonl.gz", "wt", encoding="utf-8") as truth,
    ):
        for line in filter(str.strip, pages):
            page = json.loads(line)
            name = str(page.get("track_id") or page.get("id"))
            # The later of the two names is what newer files call it.
            markdown = page.get("convert_main_content") or page.get("groundtruth_content")
            if not page.get("html") or markdown is None or name in seen:
                without_truth += 1
                continue
            seen.add(name)
            identifier = uuid.uuid5(uuid.NAMESPACE_URL, name).urn
            url = re.sub(r"\s", "%20", page.get("url") or f"https://webmainbench.invalid/{name}")
            archive.write(record(identifier, url, without_marks(page["html"])))
            meta = page.get("meta") or {}
            row = {
                "record_id": identifier,
                "id": name,
                "url": url,
                "lang": meta.get("language") or page.get("language"),
                "page_type": meta.get("style") or page.get("content_type"),
                "text": markdown,
                "markdown": markdown,
                "html": without_marks(page.get("main_html") or ""),
            }
            print(json.dumps(row, ensure_ascii=False), file=truth)
    print(f"{len(seen)} pages; left out, because they have no page or no truth, or their name twice: {without_truth}")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
