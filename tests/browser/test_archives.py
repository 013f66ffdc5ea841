"""Every page of archives in a browser: DEHUSK_BROWSER_ARCHIVES="a.warc.gz b.warc.gz" .ci/browser PROGRAM -k archives"""

import os
import subprocess

import pytest
from conftest import program

ARCHIVES = os.environ.get("DEHUSK_BROWSER_ARCHIVES", "").split()


@pytest.mark.skipif(not ARCHIVES, reason="names no archives in DEHUSK_BROWSER_ARCHIVES")
def test_every_page_of_the_archives_is_shown(chromium):
    process = subprocess.Popen([program(), "serve", "--port", "0", *ARCHIVES], stderr=subprocess.PIPE, text=True)
    server = process.stderr.readline().split("listens on ")[1].split()[0].rstrip("/")
    context = chromium.new_context()
    page = context.new_page()
    wrong, shown = [], 0
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("request", lambda request: request.url.startswith(server) or wrong.append(f"{page.url} asks {request.url}"))
    try:
        for number in range(len(ARCHIVES)):
            place = "0"
            while place is not None:
                query = {"input": number, "from": place, "outcome": "pages", "limit": 200}
                listed = context.request.get(f"{server}/inspector/records", params=query).json()
                for record in listed["records"]:
                    page.goto(f"{server}/inspector/frame?input={number}&at={record['at'].replace('+', '%2B')}")
                    shown += 1
                    if page.locator("parsererror").count():
                        wrong.append(f"{page.url}: {page.locator('parsererror').inner_text()}")
                place = listed["next"]
    finally:
        process.terminate()
    assert wrong == []
    assert process.wait(30) == 0
    print(f"{shown} pages are shown")
    assert shown > 0
