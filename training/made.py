"""`python -m training.made DIRECTORY`: makes small pages with known content, and writes them as a corpus.

Real corpora have few small pages, and few without class names. There a model that learned manuals takes menus for content,
because a manual is nearly all content. So these pages show husk in many forms around content in many forms. Their words
are random syllables: nothing can be learned from them but structure. The pages of the tests are not made here.
"""

import gzip
import html
import json
import random
import sys
import uuid
from pathlib import Path

PAGES = 420
CONSONANTS, VOWELS = "b c d f g h k l m n p r s t v w st tr pl ch sh br".split(), "a e i o u ai ea ou".split()
# The letters of scripts that are written without syllables of ours: words are runs of these.
SCRIPTS = {
    "latin": None, "cyrillic": "абвгдежзиклмнопрстуфхцчшыюя", "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "arabic": "ابتثجحدرزسشصطعغفقكلمنهوي", "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "chinese": "".join(chr(code) for code in range(0x4E00, 0x5E00, 5)), "japanese": "".join(map(chr, range(0x3042, 0x3094))),
}
FLOW = ("chinese", "japanese")


class Writer:
    """Makes the text and the markup of one page. What is appended inside `content` is the truth."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.script = self.random.choices(list(SCRIPTS), [60, 10, 6, 6, 5, 8, 5])[0]
        # No class names, tags with a meaning, names from everyday style sheets, or names without a meaning.
        self.style = self.random.choices(["bare", "tags", "named", "opaque"], [45, 20, 20, 15])[0]
        self.truth = []
        self.names = {}

    # ---- text ----

    def chance(self, share):
        return self.random.random() < share

    def pick(self, *things):
        return self.random.choice(things)

    def number(self, low, high):
        return self.random.randint(low, high)

    def word(self):
        letters = SCRIPTS[self.script]
        if letters and self.script in FLOW:
            return "".join(self.random.choice(letters) for _ in range(self.number(1, 3)))
        if letters:
            return "".join(self.random.choice(letters) for _ in range(min(self.number(1, 6) + self.number(1, 5), 10)))
        syllables = self.random.choices([1, 2, 3, 4], [45, 30, 18, 7])[0]
        word = "".join(self.random.choice(CONSONANTS) + self.random.choice(VOWELS) for _ in range(syllables))
        return word + self.pick("", "", "n", "s", "t", "r")

    def words(self, low, high):
        between = "" if self.script in FLOW else " "
        return between.join(self.word() for _ in range(self.number(low, high)))

    def name(self, low=1, high=3):
        """A few words that begin with a capital, as in links and headings."""
        text = self.words(low, high)
        return text.title() if self.chance(0.5) else text[:1].upper() + text[1:]

    def sentence(self, low=5, high=22):
        parts, left = [], self.number(low, high)
        while left > 0:
            size = min(left, self.number(4, 12))
            parts.append(self.words(size, size))
            left -= size
        comma, stop = {"chinese": ("，", "。"), "japanese": ("、", "。"), "arabic": ("، ", ".")}.get(self.script, (", ", "."))
        text = comma.join(parts)
        if self.chance(0.08):
            text = f"“{text}”" if self.chance(0.5) else f"{text} ({self.number(2, 2024)})"
        return text[:1].upper() + text[1:] + (stop if self.chance(0.92) else self.pick("?", "!"))

    def sentences(self, low, high):
        between = "" if self.script in FLOW else " "
        return between.join(self.sentence() for _ in range(self.number(low, high)))

    # ---- markup ----

    def named(self, *names):
        """A class attribute for a thing that has one of these everyday names."""
        if self.style == "named" and self.chance(0.85):
            return f' {self.pick("class", "class", "id")}="{self.pick(*names)}"'
        if self.style == "opaque":
            key = names[0]
            self.names.setdefault(key, f"{self.pick('css-', 'x', 'sc-', 'b_')}{self.number(100, 99999):x}")
            return f' class="{self.names[key]}"'
        return ""

    def tag(self, meant, *others):
        """The tag with a meaning, or one without."""
        return meant if self.style in ("tags", "named") and self.chance(0.75) else self.pick(*(others or ("div",)))

    def box(self, inside, tag, *names):
        return f"<{tag}{self.named(*names)}>{inside}</{tag}>\n"

    def link(self, text, address=None):
        return f'<a href="{address or "/" + str(self.number(1, 9999))}">{text}</a>'

    # ---- husk ----

    def links(self, low=3, high=8, longest=2):
        return [self.link(self.name(1, longest)) for _ in range(self.number(low, high))]

    def line_of_links(self):
        links = self.links(2, 7)
        text = self.pick(" | ", " · ", " ", " - ", "\n", " &nbsp; ", " / ", " • ").join(links)
        if self.chance(0.15):
            text = " ".join(f"[{link}]" for link in links)
        tag = self.tag("nav", "p", "div", "center", "p")
        return self.box(text, tag, "nav", "menu", "navbar", "toplinks", "subnav")

    def list_of_links(self, heading=False):
        items = "".join(f"<li>{link}</li>" for link in self.links(3, 10, 3))
        inside = f"<ul>{items}</ul>"
        if heading:
            inside = self.small_heading() + inside
        return self.box(inside, self.tag("nav", "div"), "menu", "nav", "sidebar", "navigation")

    def stacked_links(self):
        return self.box("<br>\n".join(self.links(3, 9, 3)), self.pick("div", "p", "center"), "menu", "left", "links")

    def small_heading(self):
        tag = self.pick("h2", "h3", "h4", "div", "b", "p", "strong")
        return f"<{tag}{self.named('title', 'heading', 'widget-title')}>{self.name(1, 3)}</{tag}>\n"

    def head(self):
        inside = self.link(self.name(1, 3), "/")
        if self.chance(0.3):
            inside = f"<h1>{inside}</h1>" if self.chance(0.2) else f"<div>{inside}</div>"
        if self.chance(0.25):
            inside += f"<p>{self.words(3, 9)}</p>"
        if self.chance(0.5):
            inside += self.pick(self.line_of_links, self.list_of_links)()
        if self.chance(0.35):
            inside += f'<form action="/search"><input name="q"><button>{self.name(1, 1)}</button></form>'
        return self.box(inside, self.tag("header", "div"), "header", "top", "masthead", "head")

    def crumbs(self):
        between = self.pick(" &gt; ", " / ", " » ", " :: ")
        trail = between.join([*self.links(1, 3), self.name(1, 4)])
        return self.box(trail, self.pick("p", "div", "div"), "breadcrumb", "breadcrumbs", "path")

    def turns(self):
        """Links to the pages before and after."""
        links = [self.link(self.pick("«", "&lt;", "") + " " + self.name(1, 3)) for _ in range(self.number(2, 4))]
        return self.box(self.pick(" ", " | ", "\n").join(links), self.tag("nav", "p", "div"), "pager", "pagination", "prev-next")

    def foot(self):
        parts = []
        if self.chance(0.7):
            year = self.number(1996, 2025)
            parts.append(self.pick(f"© {year} {self.name()}.", f"Copyright {year} {self.name()}.", f"&copy; {self.name()} {year}"))
        if self.chance(0.4):
            parts.append(self.sentence(3, 12))
        if self.chance(0.3):
            parts.append(f"{self.name(1, 2)}: {self.number(1, 28)}.{self.number(1, 12)}.{self.number(1998, 2025)}")
        if self.chance(0.25):
            parts.append(f"{self.words(3, 5)} {self.number(100, 99999)}")
        if self.chance(0.7):
            parts.append(self.pick(" · ", " ", " | ").join(self.links(1, 6)))
        parts = parts or [self.link(self.name())]
        self.random.shuffle(parts)
        if self.chance(0.4):
            inside = " ".join(parts)
        elif self.chance(0.6):
            inside = "".join(f"<p>{part}</p>" for part in parts)
        else:
            inside = "<br>".join(parts)
        if self.chance(0.3):
            inside = f"<small>{inside}</small>"
        return self.box(inside, self.tag("footer", "div"), "footer", "foot", "copyright")

    def related(self):
        titles = [self.link(self.name(3, 9)) for _ in range(self.number(2, 6))]
        shape = self.number(0, 3)
        if shape == 0:
            inside = "<ul>" + "".join(f"<li>{title}</li>" for title in titles) + "</ul>"
        elif shape == 1:
            inside = "".join(f"<div>{title}<p>{self.sentence(6, 16)}</p></div>" for title in titles)
        elif shape == 2:
            inside = "\n".join(titles)
        else:
            inside = "".join(f"<h3>{title}</h3><p>{self.number(1, 28)}.{self.number(1, 12)}.2021</p>" for title in titles)
        return self.box(self.small_heading() + inside, self.tag("aside", "div"), "related", "more", "recommended", "popular")

    def letter(self):
        """An offer to subscribe."""
        form = f'<form><input type="email"><button>{self.name(1, 1)}</button></form>'
        inside = self.small_heading() + f"<p>{self.sentence(5, 14)}</p>" + form
        return self.box(inside, self.tag("aside", "div"), "newsletter", "subscribe", "signup")

    def notice(self):
        inside = f"{self.sentences(1, 2)} " + " ".join(f"<button>{self.name(1, 2)}</button>" for _ in range(2))
        return self.box(inside, "div", "cookie-banner", "consent", "notice")

    def about(self):
        """A box of text that is no content."""
        inside = self.small_heading() + f"<p>{self.sentences(1, 2)} {self.link(self.name(1, 2))}</p>"
        return self.box(inside, self.tag("aside", "div"), "sidebar", "widget", "about-box", "promo")

    def tags(self):
        inside = self.small_heading() + self.pick(" ", ", ").join(self.links(3, 9, 1))
        return self.box(inside, "div", "tags", "tagcloud", "topics")

    def share(self):
        return self.box(" ".join(self.links(2, 5, 1)), self.pick("div", "p"), "share", "social", "sharing")

    def sort_bar(self):
        options = "".join(f"<option>{self.name(1, 3)}</option>" for _ in range(4))
        boxes = "".join(f'<li><label><input type="checkbox"> {self.name(1, 2)} ({self.number(1, 90)})</label></li>'
                        for _ in range(self.number(3, 7)))
        links = "".join(f"<li>{link} ({self.number(1, 90)})</li>" for link in self.links(3, 7))
        inside = self.pick(f"<select>{options}</select>", f"{self.small_heading()}<ul>{boxes}</ul>",
                           f"{self.small_heading()}<ul>{links}</ul>", f"{self.number(1, 90)} {self.words(1, 2)}")
        return self.box(inside, "div", "filters", "facets", "sort", "toolbar")

    # ---- content ----

    def paragraph(self, low=1, high=5):
        text = self.sentences(low, high)
        words = text.split(" ")
        if len(words) > 8 and self.chance(0.3):
            at = self.number(1, len(words) - 4)
            inside = " ".join(words[at:at + self.number(1, 3)])
            marked = self.link(inside) if self.chance(0.6) else f"<b>{inside}</b>"
            text = text.replace(inside, marked, 1)
        return text

    def text(self):
        return f"<p>{self.paragraph()}</p>\n"

    def short(self):
        return f"<p>{self.sentence(1, 7)}</p>\n"

    def section(self):
        level = self.pick("h2", "h2", "h3")
        return f"<{level}>{self.name(1, 5)}</{level}>\n" + self.pick(self.text, self.text, self.short, self.items)()

    def items(self, depth=0):
        low, high = self.pick((1, 3), (2, 7), (6, 18))
        tag, items = self.pick("ul", "ul", "ol"), []
        for _ in range(self.number(2, 7)):
            item = self.words(low, high) if self.chance(0.5) else self.sentence(low, high)
            if self.chance(0.1):
                item = f"<b>{self.name(1, 2)}</b> {item}"
            if depth == 0 and self.chance(0.06):
                item += self.items(1)
            items.append(f"<li>{item}</li>")
        return f"<{tag}>" + "\n".join(items) + f"</{tag}>\n"

    def table(self):
        columns, linked = self.number(2, 5), self.chance(0.25)
        cell = lambda: self.pick(str(self.number(1, 9000)), self.words(1, 3), f"{self.number(1, 99)} {self.words(1, 1)}")
        head = "<tr>" + "".join(f"<th>{self.name(1, 2)}</th>" for _ in range(columns)) + "</tr>\n" if self.chance(0.7) else ""
        rows = ""
        for _ in range(self.number(2, 9)):
            first = self.link(self.name(1, 3)) if linked else self.name(1, 3)
            rows += f"<tr><td>{first}</td>" + "".join(f"<td>{cell()}</td>" for _ in range(columns - 1)) + "</tr>\n"
        return f"<table>{head}{rows}</table>\n"

    def code(self):
        lines = []
        for _ in range(self.number(1, 9)):
            start = " " * self.pick(0, 0, 2, 4)
            lines.append(start + self.pick(f"{self.word()} = {self.word()}({self.number(0, 9)})", f"{self.word()} --{self.word()} {self.word()}",
                                           f"if {self.word()} {{", "}", f"{self.word()}.{self.word()}();"))
        text = html.escape("\n".join(lines))
        return self.pick(f"<pre>{text}</pre>", f"<pre><code>{text}</code></pre>", f"<div><pre>{text}</pre></div>") + "\n"

    def definitions(self):
        pairs = "".join(f"<dt>{self.name(1, 4)}</dt><dd>{self.sentences(1, 2)}</dd>\n" for _ in range(self.number(2, 6)))
        return f"<dl>{pairs}</dl>\n"

    def quote(self):
        text = self.sentences(1, 3)
        return self.pick(f"<blockquote>{text}</blockquote>", f"<blockquote><p>{text}</p></blockquote>") + "\n"

    def figure(self):
        return f'<figure><img src="{self.number(1, 99)}.jpg" alt=""><figcaption>{self.words(4, 12)}</figcaption></figure>\n'

    def note(self):
        return f"<div><b>{self.name(1, 1)}</b> {self.sentence(5, 15)}</div>\n"

    def speech(self):
        return "".join(f"<p>“{self.sentence(1, 9)}” {self.words(0, 4)}</p>\n" for _ in range(self.number(2, 5)))

    def questions(self):
        shape = self.pick("<details><summary>{}</summary><p>{}</p></details>\n", "<p><b>{}</b></p><p>{}</p>\n", "<h3>{}</h3><p>{}</p>\n")
        return "".join(shape.format(self.sentence(3, 9), self.sentences(1, 3)) for _ in range(self.number(2, 5)))

    def verses(self):
        verse = lambda: "<br>\n".join(self.words(4, 8) for _ in range(self.number(2, 5)))
        return "".join(f"<p>{verse()}</p>\n" for _ in range(self.number(2, 4)))

    def posts(self):
        tag = self.tag("article", "div", "li", "div")
        out = ""
        for _ in range(self.number(2, 6)):
            inside = "".join(f"<p>{self.paragraph(1, 3)}</p>" for _ in range(self.number(1, 3)))
            out += self.box(self.box(inside, "div", "post-body", "message", "content"), tag, "post", "answer", "reply")
        return out

    def grid(self):
        tag = self.pick("div", "div", "li", "article")
        has_price, has_text, out = self.chance(0.7), self.chance(0.6), ""
        for _ in range(self.number(3, 10)):
            inside = self.pick("<h3>{}</h3>", "<div>{}</div>", "<p>{}</p>").format(self.link(self.name(2, 6)))
            inside += f"<p>{self.sentence(5, 15)}</p>" if has_text else ""
            inside += f"<span>{self.pick('$', '€', '£')}{self.number(2, 900)}.{self.number(10, 99)}</span>" if has_price else ""
            out += self.box(inside, tag, "item", "card", "product", "tile")
        return self.box(out, "ul" if tag == "li" else "div", "grid", "list", "results", "products")

    def listing(self):
        shape = self.pick("<h2>{}</h2><p>{}</p>", "<div><div>{}</div><div>{}</div></div>", "<li>{}<br>{}</li>")
        return "".join(shape.format(self.link(self.name(3, 9)), self.sentences(1, 2)) + "\n" for _ in range(self.number(3, 9)))

    def content(self, title):
        """The parts of the content, each of them a string."""
        kind = self.random.choices(["article", "manual", "one", "thread", "grid", "listing"], [50, 20, 12, 6, 7, 5])[0]
        level = self.pick("h1", "h1", "h2")
        parts = [f"<{level}>{title}</{level}>\n"] if self.chance(0.85) else []
        if kind == "article":
            more = [self.text] * 8 + [self.short] * 3 + [self.section] * 3
            more += [self.items, self.quote, self.table, self.figure, self.note, self.speech, self.code]
            parts += [self.text()] + [self.random.choice(more)() for _ in range(self.number(1, 7))]
        elif kind == "manual":
            more = [self.text] * 3 + [self.short, self.items, self.code, self.code, self.table, self.definitions, self.section, self.note]
            parts += [self.random.choice(more)() for _ in range(self.number(3, 9))]
        elif kind == "one":
            parts.append(self.pick(self.text, self.items, self.table, self.definitions, self.quote, self.verses, self.questions, self.speech,
                                   self.code)())
            parts += [self.text()] if self.chance(0.3) else []
        elif kind == "thread":
            parts.append(self.posts())
        elif kind == "grid":
            parts += ([self.text()] if self.chance(0.3) else []) + [self.grid()]
        else:
            parts += ([self.text()] if self.chance(0.3) else []) + [self.listing()]
        return kind, parts

    # ---- page ----

    def some(self, share, *makers):
        return self.pick(*makers)() if self.chance(share) else ""

    def page(self):
        title = self.name(2, 8)
        kind, parts = self.content(title)
        body = "".join(parts)
        if self.style == "bare" and kind == "article" and self.chance(0.3):
            # Old pages part their paragraphs by line breaks.
            body = body.replace("<p>", "").replace("</p>", "<br><br>")
        elif self.chance(0.12):
            body = body.replace("<p>", "<div>").replace("</p>", "</div>")
        self.truth.append(body)
        body = f"\n<!--content-->{body}<!--/content-->\n"
        if kind in ("grid", "listing"):
            body = self.some(0.7, self.sort_bar) + body
        before = self.some(0.65, self.head, self.line_of_links, self.list_of_links, self.stacked_links)
        before += self.some(0.3, self.crumbs, self.line_of_links, self.turns, self.notice)
        inside_before = self.some(0.15, self.crumbs, self.share, self.turns)
        inside_after = self.some(0.3, self.tags, self.share, self.turns, self.related, self.letter)
        side = self.some(0.4, self.related, self.list_of_links, self.letter, self.about, self.tags, self.stacked_links)
        side += self.some(0.4, self.related, self.about, self.list_of_links) if side else ""
        after = self.some(0.35, self.turns, self.line_of_links, self.related, self.letter, self.share, self.notice)
        after += self.some(0.75, self.foot)
        site = f" {self.pick('|', '-', '–', '»')} {self.name(1, 3)}" if self.chance(0.4) else ""
        inner = inside_before + body + inside_after
        shape = self.random.choices(["flat", "boxes", "table"], [40, 45, 15])[0]
        if self.style in ("tags", "named", "opaque"):
            shape = "boxes" if shape == "table" else shape
        if shape == "flat":
            rule = self.pick("<hr>\n", "<hr>\n", "")
            inner = before + rule + side * self.pick(0, 1) + inner + rule + after
        elif shape == "boxes":
            inner = self.box(inner, self.tag("article", "div"), "content", "article", "post", "entry")
            for _ in range(self.number(0, 2)):
                inner = self.box(inner, self.tag("main", "div"), "main", "container", "wrapper")
            inner = before + self.pick(side + inner, inner + side) + after
            inner = self.box(inner, "div", "page", "wrapper", "site") if self.chance(0.4) else inner
        else:
            font = self.pick(("<font size=2>", "</font>"), ("", ""))
            row = f"<td width=150>{side or self.stacked_links()}</td><td>{font[0]}{inner}{font[1]}</td>"
            above = f"<tr><td colspan=2>{before}</td></tr>\n" if before else ""
            inner = f"<table>{above}<tr>{row}</tr>\n<tr><td colspan=2>{after}</td></tr></table>"
        return f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title}{site}</title></head>\n<body>{inner}</body></html>\n'


def text_of(markup):
    """The text of markup, a line a tag."""
    out, rest = [], markup
    while rest:
        text, _, rest = rest.partition("<")
        out.append(html.unescape(text))
        tag, _, rest = rest.partition(">")
        inline = tag.strip("/").split(" ")[0] in ("a", "b", "span", "code")
        out.append("" if inline else "\n")
    return "\n".join(line.strip() for line in "".join(out).split("\n") if line.strip())


class CorpusWriter:
    """Writes pages and their content as `NAME.warc.gz` and `NAME.truth.jsonl.gz`."""

    def __init__(self, directory, name):
        directory.mkdir(parents=True, exist_ok=True)
        self.archive = gzip.GzipFile(directory / f"{name}.warc.gz", "wb", mtime=0)
        self.truths = gzip.GzipFile(directory / f"{name}.truth.jsonl.gz", "wb", mtime=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.archive.close()
        self.truths.close()

    def add(self, url, page, text, kind, language=None):
        record = f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>"
        payload = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(page) + page
        head = {
            "WARC-Type": "response", "WARC-Record-ID": record, "WARC-Target-URI": url, "WARC-Date": "2025-01-01T00:00:00Z",
            "Content-Type": "application/http; msgtype=response", "Content-Length": len(payload),
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        self.archive.write(f"WARC/1.0\r\n{lines}\r\n".encode() + payload + b"\r\n\r\n")
        truth = {"record_id": record, "id": url, "url": url, "lang": language, "page_type": kind, "title": None, "author": None,
                 "published": None, "text": text}
        self.truths.write((json.dumps(truth, ensure_ascii=False) + "\n").encode())


def main():
    with CorpusWriter(Path(sys.argv[1]), "made") as corpus:
        for number in range(PAGES):
            writer = Writer(number)
            page = writer.page().encode()
            corpus.add(f"https://page{number}.made.example/", page, text_of("".join(writer.truth)), "made")


if __name__ == "__main__":
    main()
