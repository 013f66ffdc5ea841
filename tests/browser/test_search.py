"""Words are searched in the documents of runs, and hits open in the inspector."""

import subprocess

import pytest
from conftest import ROOT, SAMPLE, program, serving
from playwright.sync_api import expect
from test_inspector import LAPTOP, PHONE, frame, shot


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "light"), (PHONE, "dark")])
def test_hits_are_narrowed_and_opened(open_page, check_access, size, scheme):
    page = open_page(*size, scheme)
    page.get_by_text("Search the documents of the runs").click()
    page.locator("#run-words").fill("the")
    page.locator("#run-words").press("Enter")
    expect(page.locator("#found")).to_contain_text("documents")
    rows = page.locator("#hits li")
    all_rows = rows.count()
    assert all_rows > 10
    expect(rows.first.locator("mark").first).to_contain_text("he")
    check_access(page, "hits")
    shot(page, f"search-{size[0]}-{scheme}")
    assert page.locator("body").evaluate("body => document.documentElement.scrollWidth") <= size[0]

    page.get_by_text("Narrow by").click()
    check_access(page, "facets")
    host = page.locator("#facets button", has_text="forum.paddlers.example.org")
    host.click()
    expect(rows).to_have_count(1)
    expect(page.locator("#facets button[aria-pressed=true]")).to_contain_text("forum.paddlers")
    rows.first.get_by_role("button").click()
    expect(page.locator("#page-title")).to_contain_text("Skeg")
    expect(frame(page).locator(".k").first).to_be_visible()


def test_words_that_no_document_has(open_page):
    page = open_page()
    page.get_by_text("Search the documents of the runs").click()
    page.locator("#run-words").fill("nosuchword")
    page.locator("#run-words").press("Enter")
    expect(page.locator("#found")).to_have_text("No document has these words.")


def test_without_a_run_there_is_nothing_to_search(open_page):
    with serving(SAMPLE) as address:
        page = open_page(address=address)
        expect(page.locator("#run-search")).to_have_count(0)


def test_a_run_is_shown_by_its_own_settings(open_page, check_access, tmp_path):
    out = tmp_path / "out"
    subprocess.run([program(), "run", SAMPLE, "-o", out, "-e", "coreex", "--quiet"], cwd=ROOT)
    with serving(out) as address:
        page = open_page(fragment="#input=0&at=12421", address=address)
        expect(page.locator("#verdict")).to_contain_text("kept by coreex")
        expect(page.locator("#extractor")).to_have_value("coreex")
        check_access(page, "settings")
        shot(page, "settings-1280-light")
        page.get_by_label("Settings of").select_option("server")
        expect(page.locator("#verdict")).to_contain_text("kept by fusion")
        expect(page.locator("#extractor")).to_have_value("fusion")
        page.get_by_label("Compare with").select_option("coreex")
        expect(page.locator("#agreement")).to_contain_text("only by fusion")
