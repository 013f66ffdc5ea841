"""People mark what is content, page after page, and see how extractors do on that."""

import json

import pytest
from conftest import SAMPLE, record, serving
from playwright.sync_api import expect
from test_inspector import LAPTOP, PHONE, shot

FORUM = "#input=0&at=12421&mark=1"
BLOCKS = "#blocks [role=option]"


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
    return page.locator(BLOCKS).evaluate_all("rows => rows.flatMap((row, at) => row.ariaSelected === 'true' ? [at] : [])")


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "light"), (PHONE, "dark")])
def test_pages_are_marked_measured_and_taken_back(open_page, check_access, marking, size, scheme):
    address, truth = marking
    page = open_page(*size, scheme, FORUM, address)

    def panel(name):
        if size == PHONE:
            page.get_by_role("button", name=name, exact=True).click()

    panel("Page")
    rows = page.locator(BLOCKS)
    expect(rows).to_have_count(55)
    # They are where the page has them: in cells, with links.
    expect(page.locator("#blocks .as-td").first).to_be_visible()
    expect(rows.filter(has_text="Profile Private message").first).to_be_visible()
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
    expect(page.locator(BLOCKS)).to_have_count(55)
    proposed = chosen(page)
    page.locator(BLOCKS).first.focus()
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
    expect(page.locator(BLOCKS)).to_have_count(55)
    page.locator(BLOCKS).first.click()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.locator("#page-title")).to_contain_text("pont suspendu")
    page.get_by_role("button", name="Previous").click()
    expect(page.locator(BLOCKS).filter(has_text="Profile Private message").first).to_be_visible()
    assert chosen(page)[0] == 0
    assert not truth.exists()


WORDS = "One sentence with a few words that nobody would leave out of a text. And one more sentence of that kind."


@pytest.fixture
def three(tmp_path):
    """A server with three pages and what is between them, the file for marks, and the places of the pages."""
    gone = record("http://gone.example/", "<p>Gone").replace(b"200 OK", b"404 Go")
    pages = [record(f"http://{name}.example/", f"<title>{name}</title><p>{text}") for name, text in [("one", WORDS), ("two", WORDS), ("empty", "")]]
    archive, truth = tmp_path / "three.warc", tmp_path / "truth.jsonl"
    places = [0, len(pages[0] + gone), len(pages[0] + gone + pages[1])]
    archive.write_bytes(pages[0] + gone + pages[1] + pages[2])
    with serving(archive, "--truth-out", truth) as address:
        yield address, truth, places


def test_the_next_page_is_the_next_one_without_marks(open_page, three):
    address, _, [one, two, empty] = three
    page = open_page(fragment=f"#input=0&at={two}&mark=1", address=address)
    expect(page.locator(BLOCKS)).to_have_count(1)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#mark-state")).to_contain_text(": saved")
    page.evaluate("hash => location.hash = hash", f"#input=0&at={one}&mark=1")
    expect(page.locator("#page-title")).to_have_text("one")
    # What was filtered by its status is no page, and the second is marked. Of the third, the extractor took nothing.
    page.get_by_role("button", name="Save, next page").click()
    expect(page.locator("#verdict")).to_contain_text("filtered: empty")
    assert page.url.endswith(f"&at={empty}")
    page.get_by_role("button", name="Save, next page").click()
    expect(page.locator("#status")).to_have_text("No page without marks comes after this one.")


def test_marks_that_cannot_be_saved_say_why(open_page, three):
    address, truth, [one, two, _] = three
    opened = [open_page(fragment=f"#input=0&at={one}&mark=1", address=address, refused="status of 409") for _ in range(2)]
    for page in opened:
        expect(page.locator(BLOCKS)).to_have_count(1)
    opened[0].get_by_role("button", name="Save", exact=True).click()
    expect(opened[0].locator("#status")).to_contain_text("Saved: 1 page in ")
    # The second tab does not know of it.
    opened[1].locator(BLOCKS).click()
    opened[1].get_by_role("button", name="Save", exact=True).click()
    expect(opened[1].locator("#status")).to_contain_text("was marked elsewhere meanwhile")
    assert lines(truth)[0]["marked"]["kept"] == [0]
    # Neither does the server of what another program writes.
    truth.write_text(truth.read_text() + "\n")
    opened[0].locator(BLOCKS).click()
    opened[0].get_by_role("button", name="Save", exact=True).click()
    expect(opened[0].locator("#status")).to_contain_text("another program has changed it")
    expect(opened[0].locator("#mark-state")).to_contain_text("changed since it was saved")


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
            # Nothing of a page becomes an element, and no attribute of one is there.
            assert page.locator("#blocks :not(div, span)").count() == 0
            names = page.locator("#blocks *").evaluate_all("all => [...new Set(all.flatMap((one) => one.getAttributeNames()))]")
            assert set(names) <= {"class", "role", "tabindex", "dir", "aria-selected"}, names
            classes = page.locator("#blocks *").evaluate_all("all => all.flatMap((one) => [...one.classList])")
            assert all(name == "changed" or name.startswith("as-") for name in classes), classes
        # A page of ten thousand nested elements, too.
        page.locator(BLOCKS).last.click()
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator("#mark-state")).to_contain_text(": saved")


def test_marks_of_another_tab_are_not_replaced_unseen(open_page, three):
    address, truth, [one, two, _] = three
    opened = [open_page(fragment=f"#input=0&at={one}&mark=1", address=address, refused="status of 409") for _ in range(2)]
    first, second = opened
    for page in opened:
        expect(page.locator(BLOCKS)).to_have_count(1)
    first.get_by_role("button", name="Save", exact=True).click()
    expect(first.locator("#mark-state")).to_contain_text(": saved")
    second.locator(BLOCKS).click()
    second.get_by_role("button", name="Save", exact=True).click()
    expect(second.locator("#status")).to_contain_text("was marked elsewhere meanwhile")
    # Away and back: the marks that are saved are shown.
    for at, title in [(two, "two"), (one, "one")]:
        second.evaluate("hash => location.hash = hash", f"#input=0&at={at}&mark=1")
        expect(second.locator("#page-title")).to_have_text(title)
    expect(second.locator("#mark-state")).to_contain_text("changed elsewhere meanwhile")
    assert chosen(second) == [0]
    second.get_by_role("button", name="Save", exact=True).click()
    expect(second.locator("#status")).to_contain_text("Saved")
    assert lines(truth)[0]["marked"]["kept"] == [0]
    # The own ones are a step away.
    second.get_by_role("button", name="Undo", exact=True).click()
    assert chosen(second) == []


def test_one_press_of_enter_saves_one_page(open_page, three):
    address, truth, [one, two, _] = three
    page = open_page(fragment=f"#input=0&at={one}&mark=1", address=address)
    expect(page.locator(BLOCKS)).to_have_count(1)
    page.locator(BLOCKS).focus()
    # A key that is held down, and one that is pressed while the page is on its way to the disk: at once, before the answer is there.
    press = "repeat => block.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', repeat, bubbles: true }))"
    page.locator(BLOCKS).evaluate(f"block => [false, true, false].forEach({press})")
    expect(page.locator("#page-title")).to_have_text("two")
    expect(page.locator("#mark-save")).to_be_enabled()
    assert f"at={two}" in page.url
    assert len(lines(truth)) == 1


def test_tabs_of_preformatted_text_are_shown(open_page, tmp_path):
    archive = tmp_path / "code.warc"
    archive.write_bytes(record("http://code.example/", f"<p>{WORDS}<pre>if x:\n\treturn 1\n</pre>"))
    with serving(archive, "--truth-out", tmp_path / "truth.jsonl") as address:
        page = open_page(fragment="#input=0&at=0&mark=1", address=address)
        expect(page.locator("#blocks .as-pre").first).to_be_visible()
        assert page.locator("#blocks .as-pre").first.text_content() == "if x:\n\treturn 1"


def test_a_drag_ends_with_its_page(open_page, three):
    address, _, [one, two, _] = three
    page = open_page(fragment=f"#input=0&at={one}&mark=1", address=address)
    expect(page.locator(BLOCKS)).to_have_count(1)
    page.locator(BLOCKS).click()
    page.locator(BLOCKS).hover()
    page.mouse.down()
    page.evaluate("hash => location.hash = hash", f"#input=0&at={two}&mark=1")
    expect(page.locator("#page-title")).to_have_text("two")
    expect(page.locator("#mark-save")).to_be_enabled()
    page.mouse.up()
    assert chosen(page) == [0]
    expect(page.locator("#mark-undo")).to_be_disabled()
