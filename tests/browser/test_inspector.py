"""The inspector in a browser: the whole way, by pointer and by keyboard, on a laptop and a phone, light and dark."""

import pytest
from conftest import SHOTS
from playwright.sync_api import expect

FORUM = "#input=0&at=12421"
LAPTOP, PHONE = (1280, 800), (390, 844)


def frame(page):
    return page.frame_locator("#frame")


def shot(page, name):
    SHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SHOTS / f"{name}.png")


def note_of(block):
    """The words that the frame's style shows about a block."""
    return block.evaluate("block => getComputedStyle(block, '::after').content")


def shown(page, title):
    expect(page.locator("#page-title")).to_contain_text(title)


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "light"), (PHONE, "dark")])
def test_the_whole_way(open_page, check_access, size, scheme):
    page = open_page(*size, scheme)
    width, is_phone = size[0], size == PHONE

    def panel(name):
        if is_phone:
            page.get_by_role("button", name=name, exact=True).click()

    expect(page.locator("#list li")).to_have_count(50)
    check_access(page, "start")
    shot(page, f"start-{width}-{scheme}")

    page.get_by_role("button", name="Skeg stuck halfway").first.click()
    shown(page, "Skeg stuck halfway")
    expect(page.locator("#verdict")).to_contain_text("words kept by fusion")
    frame(page).locator(".k[data-note]").first.hover()
    # The innermost block is explained.
    assert "kept because" in note_of(frame(page).locator("[data-note]:hover").last)
    shot(page, f"page-{width}-{scheme}")

    # The slider frames what scores as much, and only that.
    page.locator("#least").fill("20")
    expect(page.locator("#least-value")).not_to_have_text("any")
    best = frame(page).locator(".q20").first
    expect(best).to_have_css("outline-width", "2px")
    expect(frame(page).locator(".q0").first).to_have_css("outline-width", "0px")

    page.get_by_label("Extractor").select_option("coreex")
    expect(page.locator("#verdict")).to_contain_text("words kept by coreex")
    winner = frame(page).locator(".w")
    expect(winner).to_have_css("outline-style", "double")

    # A node that is chosen outside of the frame is shown in it.
    panel("Details")
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#outline button").nth(1).click()
    expect(page.locator("#note")).to_contain_text("because")
    check_access(page, "nodes")
    shot(page, f"nodes-{width}-{scheme}")
    number = page.locator("#outline button[aria-current]").get_attribute("data-node")
    expect(frame(page).locator(f"#n{number}")).to_have_css("outline-width", "3px")
    page.get_by_role("tab", name="Record").click()
    expect(page.locator("#header-text")).to_contain_text("WARC-Record-ID")

    panel("Page")
    page.get_by_role("button", name="Next").click()
    shown(page, "pont suspendu")
    page.get_by_role("button", name="Previous").click()
    shown(page, "Skeg stuck halfway")
    page.go_back()
    shown(page, "pont suspendu")

    panel("Records")
    page.get_by_label("Show").first.select_option("failed")
    expect(page.locator("#list .mark").first).to_contain_text("failed")
    page.locator("#list button:enabled").first.click()
    expect(page.locator("#raw")).to_contain_text("1f 8b 08")
    check_access(page, "failed")
    shot(page, f"failed-{width}-{scheme}")
    # Nothing is wider than the screen.
    assert page.locator("body").evaluate("body => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "dark"), (PHONE, "light")])
def test_the_other_scheme(open_page, check_access, size, scheme):
    page = open_page(*size, scheme, FORUM)
    shown(page, "Skeg")
    if size == PHONE:
        page.get_by_role("button", name="Details").click()
    page.get_by_role("tab", name="Nodes").click()
    page.locator("#outline button").nth(2).click()
    check_access(page, "nodes")
    shot(page, f"nodes-{size[0]}-{scheme}")
    if size == PHONE:
        page.get_by_role("button", name="Page", exact=True).click()
    check_access(page, "page")
    shot(page, f"page-{size[0]}-{scheme}")


def test_the_keyboard_alone_is_enough(open_page):
    page = open_page()
    expect(page.locator("#list li")).to_have_count(50)

    def tab_to(selector, most=30):
        for _ in range(most):
            page.keyboard.press("Tab")
            if page.locator(f"{selector}:focus").count():
                return
        raise AssertionError(f"{selector} is out of reach")

    tab_to("#list button")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    shown(page, "Skeg stuck halfway")
    tab_to("#next")
    page.keyboard.press("Enter")
    shown(page, "pont suspendu")
    tab_to("#least")
    page.keyboard.press("End")
    expect(page.locator("#least-value")).not_to_have_text("any")
    # The next stops are the blocks in the frame.
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    block = frame(page).locator(":focus")
    assert note_of(block).startswith('"#')
    tab_to("#tab-text", most=200)
    page.keyboard.press("ArrowRight")
    expect(page.locator("#panel-nodes")).to_be_visible()
    tab_to("#outline button")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#note")).to_contain_text("because")


def test_records_are_searched_and_opened(open_page):
    page = open_page()
    page.get_by_label("Words").fill("jammed skeg")
    page.get_by_label("Words").press("Enter")
    expect(page.locator("#list li")).to_have_count(1)
    page.get_by_text("Open by offset or id").click()
    page.get_by_label("Place").fill("341")
    page.get_by_label("Place").press("Enter")
    shown(page, "Night ferry")
    page.get_by_label("Place").fill("urn:uuid:d3805a3e-0000-4000-8000-000000000005")
    page.get_by_label("Place").press("Enter")
    shown(page, "Alte Werft")
    page.get_by_label("Place").fill("urn:no-such-record")
    page.get_by_label("Place").press("Enter")
    expect(page.locator("#status")).to_have_text("No record has this id.")


@pytest.mark.parametrize("size,scheme", [(LAPTOP, "light"), (PHONE, "dark")])
def test_two_extractors_are_compared(open_page, check_access, size, scheme):
    page = open_page(*size, scheme, FORUM)
    shown(page, "Skeg")
    if size == PHONE:
        page.get_by_role("button", name="Page", exact=True).click()
    page.get_by_label("Compare with").select_option("coreex")
    expect(page.locator("#legend-pair")).to_contain_text("only fusion")
    expect(frame(page).locator(".one, .other").first).to_be_visible()
    shot(page, f"compare-{size[0]}-{scheme}")
    check_access(page, "pair")
    if size == PHONE:
        page.get_by_role("button", name="Details").click()
    expect(page.locator("#agreement")).to_contain_text("of the words agree")
    expect(page.locator("#measured tbody tr")).to_have_count(2)
    expect(page.locator("#out :is(ins, del)").first).to_be_visible()
    page.get_by_label("Difference of").select_option(label="coreex and the truth")
    check_access(page, "difference")
    shot(page, f"difference-{size[0]}-{scheme}")
    if size == PHONE:
        page.get_by_role("button", name="Records").click()
    page.get_by_role("button", name="Rank by difference").click()
    expect(page.locator("#status")).to_contain_text("which are all")
    shares = page.locator("#list small", has_text="words agree").all_inner_texts()
    agreed = [float(share.split(" % of")[0].rsplit(" ", 1)[1]) for share in shares]
    assert len(agreed) > 20 and agreed == sorted(agreed) and agreed[0] < agreed[-1]


def test_the_report_leads_to_the_records(open_page):
    page = open_page()
    page.get_by_role("link", name="Report of").click()
    expect(page.locator("h1")).to_have_text("Run: complete")
    shot(page, "report-1280-light")
    page.get_by_role("link", name="filtered: status").click()
    expect(page.locator("#list .mark")).to_have_text(["○ filtered: status"] * 2)
    page.go_back()
    page.get_by_role("link", name="backpack.example.org").click()
    expect(page.locator("#list small", has_text="backpack.example.org")).to_have_count(1)
    page.go_back()
    page.locator("h2", has_text="Slowest pages").locator("xpath=following::a[1]").click()
    expect(page.locator("#verdict")).to_contain_text("words kept by fusion")
    page.get_by_label("Show").first.select_option("emitted")
    expect(page.locator("#list .mark").first).to_have_text("✓ emitted")


def test_a_page_can_be_pasted(open_page):
    page = open_page()
    page.get_by_text("Paste a page").click()
    words = "One sentence with a few words that nobody would leave out of a text. And one more sentence."
    page.get_by_label("HTML").fill(f"<title>Pasted</title><nav><a href=/>Home</a></nav><p>{words}")
    page.locator("#paste").get_by_role("button", name="Show").click()
    expect(page.locator("#out")).to_contain_text("One sentence with a few words")
    expect(page.get_by_role("button", name="Next")).to_be_disabled()


def test_a_wrong_setting_is_explained(open_page):
    page = open_page(fragment=FORUM)
    shown(page, "Skeg")
    page.locator("#set").fill("select.min_words")
    with page.expect_response(lambda answer: answer.status == 400):
        page.locator("#set").press("Enter")
    expect(page.locator("#status")).to_contain_text("is not of the form key=value")


def test_no_page_does_anything(open_page, server):
    page = open_page(fragment="#input=1")
    expect(page.locator("#list li")).to_have_count(14)
    # Names and URLs are text, without what would turn it around.
    assert page.locator("#list :not(li, button, small, span), #input :not(option)").count() == 0
    assert not any(mark in page.locator("body").inner_text() for mark in "\x1b\x07\u202e")
    for button in page.locator("#list button").all():
        button.click()
        expect(button).to_have_attribute("aria-current", "true")
        expect(page.locator("#status")).to_be_empty()
        expect(frame(page).locator("body")).to_contain_text("The visible words")
        # An XHTML document that is not well formed has this element instead of its content.
        expect(frame(page).locator("parsererror")).to_have_count(0)
        block = frame(page).locator("[data-note]").last
        block.hover()
        block.click()
        block.press("Enter")
        assert page.title().endswith("dehusk inspector")
        assert page.frames[1].title() == "The page"
        assert page.url.startswith(f"{server}/#")


def test_no_string_becomes_markup(open_page):
    page = open_page(refused="TrustedHTML")
    written = "() => { try { document.createElement('p').innerHTML = '<b>'; } catch (error) { return error.name; } }"
    assert page.evaluate(written) == "TypeError"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_a_frame_shows_has_contrast(chromium, open_page, server, check_access, scheme):
    # By itself: the sandbox of the frame keeps the checker's script out.
    page = open_page(scheme=scheme, fragment=FORUM)
    shown(page, "Skeg")
    colours = frame(page).locator(".k, .l, .x").evaluate_all(
        "nodes => nodes.map(node => getComputedStyle(node)).map(style => [style.color, style.backgroundColor])"
    )
    body = frame(page).locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    for colour, background in {tuple(pair) for pair in colours}:
        below = body if background == "rgba(0, 0, 0, 0)" else background
        assert contrast(colour, below) >= 4.5, (colour, below)


def contrast(one, other):
    def luminance(colour):
        channels = [int(part) / 255 for part in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    lighter, darker = sorted([luminance(one), luminance(other)], reverse=True)
    return (lighter + 0.05) / (darker + 0.05)
