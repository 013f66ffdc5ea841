"""A real browser, the real program, and a server elsewhere that counts who asks it."""

import os
import subprocess
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).parents[2]
SAMPLE = "docs/sample/sample.warc.gz"
SHOTS = ROOT / "target/browser/shots"
# What Chromium says of an answer that a test asks for.
REFUSED = "status of 400"
# In milliseconds. On a busy machine a page may take long, and no test is about that.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)
# The name of an archive and a URL that would do something if they were markup, or written to a terminal.
NAME = "hostile<img src=x onerror=document.title='ran'>\x1b[31m\u202e.warc"
URL = "http://url.example/\"><script>document.title='ran'</script>\x1b]0;ran\x07\u202e"
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def program():
    """The program, with the feature `serve`."""
    return Path(os.environ["DEHUSK_PROGRAM"]).resolve()


class Elsewhere(BaseHTTPRequestHandler):
    asked = []

    def do_GET(self):
        self.asked.append(self.path)
        self.send_error(404)

    do_POST = do_GET

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def elsewhere():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()


def record(url, html):
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode()
    head = f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:{url}>\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
    fields = f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    return (head + fields).encode() + block + b"\r\n\r\n"


def hostile_pages(elsewhere):
    text = (ROOT / "tests/features/serve/hostile.txt").read_text()
    call = f"http://127.0.0.1:{elsewhere.server_port}"
    for page in text.split("\n=== ")[1:]:
        name, html = page.split("\n", 1)
        yield f"http://{name}.example/", html.replace("CALL", call)


@pytest.fixture(scope="session")
def hostile(elsewhere, tmp_path_factory):
    """An archive of hostile pages, and one of ten thousand nested elements."""
    path = tmp_path_factory.mktemp("hostile") / NAME
    nested = "<div>" * 10_000 + "The visible words of this page, which are enough for a document of one sentence or two."
    words = "The visible words of this page, which has a name that is none, are enough for a document."
    pages = [*hostile_pages(elsewhere), ("http://nested.example/", nested), (URL, f"<p>{words}")]
    path.write_bytes(b"".join(record(url, html) for url, html in pages))
    return path


@contextmanager
def serving(*arguments):
    """The address of a server with these arguments."""
    process = subprocess.Popen([program(), "serve", "--port", "0", *arguments], stderr=subprocess.PIPE, text=True, cwd=ROOT)
    line = process.stderr.readline()
    assert "listens on " in line, line + process.stderr.read()
    try:
        yield line.split("listens on ")[1].split()[0].rstrip("/")
    finally:
        process.terminate()
    assert process.wait(30) == 0


@pytest.fixture(scope="session")
def server(hostile, tmp_path_factory):
    """The address of a server with the sample and the hostile pages."""
    out = tmp_path_factory.mktemp("run") / "out"
    subprocess.run([program(), "run", SAMPLE, "-o", out, "--quiet"], cwd=ROOT)
    with serving(SAMPLE, hostile, out, "--truth", "docs/sample/truth.jsonl") as address:
        yield address


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ["DEHUSK_BROWSER"], args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server, elsewhere):
    """Opens the inspector in a window. Afterwards nothing may have gone elsewhere, and nothing been complained about."""
    opened, complaints, foreign = [], [], []

    def open_page(width=1280, height=800, scheme="light", fragment="", address=server, refused=REFUSED):
        # What is checked is not on its way between two colours.
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: refused in message.text or complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: request.url.startswith((address, "about:")) or foreign.append(request.url))
        page.goto(f"{address}/{fragment}")
        # The list is complete, or as long as it gets without being asked for more.
        expect(page.locator("#stop")).to_be_hidden()
        opened.append(context)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert complaints == []
    assert foreign == []
    assert Elsewhere.asked == []


@pytest.fixture(scope="session")
def check_access():
    """No rule of level A or AA is broken. Frames have the structure of pages, which is not ours, so only their contrast counts."""
    axe = Axe()

    def check(page, where):
        options = {"runOnly": {"type": "tag", "values": LEVELS}, "iframes": False, "resultTypes": ["violations"]}
        found = axe.run(page, options=options).response["violations"]
        broken = [f"{where}: {rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]
        assert broken == [], "\n".join(broken)

    return check
