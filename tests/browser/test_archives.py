"""Every page of archives in the inspector: DEHUSK_BROWSER_ARCHIVES="a.warc.gz b.warc.gz" .ci/browser PROGRAM -k archives -s"""

import os

import pytest
from conftest import serving

ARCHIVES = os.environ.get("DEHUSK_BROWSER_ARCHIVES", "").split()

SHOW = """async (hash) => {
    const frame = document.querySelector("#frame");
    const shown = new Promise((done) => frame.addEventListener("load", done, { once: true }));
    location.hash = hash;
    await shown;
}"""


@pytest.mark.skipif(not ARCHIVES, reason="names no archives in DEHUSK_BROWSER_ARCHIVES")
def test_every_page_of_the_archives_is_shown(chromium):
    wrong, shown = [], 0
    context = chromium.new_context()
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.on("console", lambda message: wrong.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
    with serving(*ARCHIVES) as server:
        page.on("request", lambda request: request.url.startswith((server, "about:")) or wrong.append(f"{page.url} asks {request.url}"))
        for number in range(len(ARCHIVES)):
            page.goto("about:blank")
            page.goto(f"{server}/#input={number}")
            page.wait_for_selector("#list button")
            place = "0"
            while place is not None:
                query = {"input": number, "from": place, "outcome": "pages", "limit": 200}
                listed = context.request.get(f"{server}/inspector/records", params=query).json()
                for record in listed["records"]:
                    page.evaluate(SHOW, f"input={number}&at={record['at'].replace('+', '%2B')}")
                    shown += 1
                    broken = page.frames[1].locator("parsererror")
                    if broken.count():
                        wrong.append(f"{page.url}: {broken.inner_text()}")
                place = listed["next"]
    context.close()
    print(f"{shown} pages are shown")
    assert wrong == []
    assert shown > 0
