"""People mark what is content, page after page, and see how extractors do on that."""

import json

import pytest
from conftest import SAMPLE, serving
from playwright.sync_api import expect
from test_inspector import LAPTOP, PHONE, shot

FORUM = "#input=0&at=12421&mark=1"


@pytest.fixture
def marking(tmp_path):
    """The address of a server that writes marks, and the file."""
    truth = tmp_path / "truth.jsonl"
    with serving(SAMPLE, "--truth-out", truth, "--measure-from", "2") as address:
        yield address, truth


def lines(truth):
    return [json.loads(line) for line in truth.read_text().splitlines()]


def chosen(page):
    """The numbers of the blocks that are marked as content."""
    return page.locator("#blocks li").evaluate_all("rows => rows.flatMap((row, at) => row.ariaSelected === 'true' ? [at] : [])")


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "light"), (PHONE, "dark")])
def test_pages_are_marked_measured_and_taken_back(open_page, check_access, marking, size, scheme):
    address, truth = marking
    page = open_page(*size, scheme, FORUM, address)

    def panel(name):
        if size == PHONE:
            page.get_by_role("button", name=name, exact=True).click()

    panel("Page")
    rows = page.locator("#blocks li")
    expect(rows).to_have_count(55)
    proposed = chosen(page)
    assert 2 in proposed and 0 not in proposed
    # A click, and a drag over a run, each one step back.
    rows.nth(2).click()
    assert chosen(page) == proposed[1:]
    rows.nth(7).scroll_into_view_if_needed()
    rows.nth(8).hover()
    page.mouse.down()
    rows.nth(10).hover()
    page.mouse.up()
    assert not {2, 8, 9, 10} & set(chosen(page)) and 11 in chosen(page)
    expect(page.locator("#blocks .changed")).to_have_count(4)
    check_access(page, "marking")
    shot(page, f"marking-{size[0]}-{scheme}")
    page.get_by_role("button", name="Undo", exact=True).click()
    assert chosen(page) == proposed[1:]
    expect(page.locator("#mark-state")).to_contain_text("not saved")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#mark-state")).to_contain_text(": saved")
    assert lines(truth)[0]["marked"]["kept"] == proposed[1:]

    # On to the next page, which is saved as it was proposed.
    page.get_by_role("button", name="Save, next page").click()
    expect(page.locator("#page-title")).to_contain_text("pont suspendu")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#mark-state")).to_contain_text(": saved")
    panel("Details")
    page.get_by_role("tab", name="Marked").click()
    expect(page.locator("#marked li")).to_have_count(2)
    page.get_by_role("button", name="Measure").click()
    expect(page.locator("#status")).to_have_text("2 of 2 pages measured")
    means = page.locator("#measures-of-all tbody tr")
    expect(means.first.locator("td").nth(2)).to_contain_text("0.9")
    assert means.count() > 20
    expect(page.locator("#commands")).to_contain_text("dehusk features --truth")
    check_access(page, "marked")
    shot(page, f"marked-{size[0]}-{scheme}")
    assert page.locator("body").evaluate("body => document.documentElement.scrollWidth") <= size[0]

    page.get_by_role("button", name="Undo the last change").click()
    expect(page.locator("#marked li")).to_have_count(1)
    assert len(lines(truth)) == 1
    page.locator("#marked .remove").click()
    expect(page.locator("#marked li")).to_have_count(0)
    assert lines(truth) == []


def test_marks_are_made_by_the_keyboard_alone(open_page, marking):
    address, truth = marking
    page = open_page(fragment=FORUM, address=address)
    expect(page.locator("#blocks li")).to_have_count(55)
    proposed = chosen(page)
    page.locator("#blocks li").first.focus()
    page.keyboard.press("Space")
    assert chosen(page) == [0, *proposed]
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    assert chosen(page)[:4] == [0, 1, 2, 3]
    page.keyboard.press("Control+z")
    assert chosen(page)[:3] == [0, 1, 2]
    page.keyboard.press("Enter")
    expect(page.locator("#page-title")).to_contain_text("pont suspendu")
    assert lines(truth)[0]["marked"]["kept"][:3] == [0, 1, 2]


def test_marks_that_are_not_saved_stay_while_others_are_looked_at(open_page, marking):
    address, truth = marking
    page = open_page(fragment=FORUM, address=address)
    expect(page.locator("#blocks li")).to_have_count(55)
    page.locator("#blocks li").first.click()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#page-title")).to_contain_text("pont suspendu")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator("#blocks li")).to_have_count(55)
    assert chosen(page)[0] == 0
    assert not truth.exists()


def test_without_a_file_nothing_can_be_marked(open_page):
    page = open_page(fragment=FORUM)
    expect(page.locator("#page-title")).to_contain_text("Skeg")
    expect(page.locator("#mark, #marking, #tab-marks")).to_have_count(0)
    expect(page.locator("#frame")).to_be_visible()


def test_blocks_of_hostile_pages_are_only_text(open_page, hostile, tmp_path):
    with serving(hostile, "--truth-out", tmp_path / "truth.jsonl") as address:
        page = open_page(address=address)
        expect(page.locator("#status")).to_contain_text("these are all")
        places = page.locator("#list button:enabled").evaluate_all("buttons => buttons.map((button) => button.dataset.at)")
        assert len(places) > 10
        for place in places:
            page.evaluate("hash => location.hash = hash", f"#input=0&at={place}&mark=1")
            expect(page.locator(f'#list button[data-at="{place}"]')).to_have_attribute("aria-current", "true")
            expect(page.locator("#mark-state")).to_contain_text("blocks")
            # Nothing of a page becomes an element.
            assert page.locator("#blocks li :not(small)").count() == 0
        # A page of ten thousand nested elements, too.
        page.locator("#blocks li").last.click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#mark-state")).to_contain_text(": saved")
