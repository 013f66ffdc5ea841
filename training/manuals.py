"""`python -m training.manuals DIRECTORY`: makes the corpus `manuals-more` of Debian's documentation packages.

The pages of one manual have one template, and its element for the content is known. So the content is known without
annotators. The packages are fetched with `apt-get download`; needs Debian 12, `dpkg-deb` and the package lxml.
"""

import hashlib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import lxml.html

from .made import CorpusWriter

PAGES_A_MANUAL, LEAST_WORDS, MOST_WORDS, LEAST_CHARACTERS, MOST_BYTES = 14, 40, 30_000, 120, 2_000_000
CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

# What is left out of the content, as XPath.
DOCBOOK = ["./div[contains(@class,'navheader') or contains(@class,'navfooter')]", "./table[contains(@class,'navigation')]",
           ".//div[@class='toc']"]
OLD_DOCBOOK = ["./div[@class='NAVHEADER' or @class='NAVFOOTER']", ".//div[@class='TOC']"]
ASCIIDOC = ["./div[@id='footer']", ".//div[@id='toc']"]
HEADER_LINKS = [".//a[@class='headerlink']"]
WIKI = [".//*[@id='siteSub' or @id='contentSub' or @id='toc' or @id='mw-js-message']", ".//span[@class='editsection']",
        ".//div[contains(@class,'printfooter') or contains(@class,'catlinks') or contains(@class,'t-navbar') or "
        "contains(@class,'t-page-template')]"]
SPHINX = "//div[@role='main'] | //div[@class='body']"

# The package, the name of the manual, its language, the files, the content, and what is left out of it.
MANUALS = [
    ("cppreference-doc-en-html", "cppref", "en", r"html/en/(cpp|c)/.*\.html$", "//div[@id='content']", WIKI),
    ("ghc-doc", "haddock", "en", r"html/libraries/(base|containers|text|bytestring|mtl|directory)-[^/]*/[A-Z][A-Za-z-]*\.html$",
     "//div[@id='content']", [".//div[@id='table-of-contents']"]),
    ("ghc-doc", "ghcguide", "en", r"html/users_guide/.*\.html$", SPHINX, HEADER_LINKS),
    ("fp-docs-3.2.2", "fprtl", "en", r"3\.2\.2/(rtl|fcl)/[a-z]*/[a-z]*\.html$", "//body", ["./table[@class='bar']"]),
    ("libboost1.81-doc", "boost", "en",
     r"doc/html/(boost_asio|accumulators|date_time|program_options|proto|mpi|thread|xpressive|lambda|variant)/.*\.html$", "//body",
     [".//div[@class='spirit-nav']", "./table", ".//div[@class='toc']", ".//div[@class='copyright-footer']"]),
    ("valgrind", "valgrind", "en", r"html/[^/]*\.html$", "//body", ["./div[.//table[@class='nav']]", ".//div[@class='toc']"]),
    ("gimp-help-ko", "gimp-ko", "ko", r"help/ko/[^/]*\.html$", "//body",
     ["./div[@class='navheader' or @class='navfooter']", ".//div[@class='toc']", "./a[@class='reportbug']"]),
    ("kicad-doc-ru", "kicad-ru", "ru", r"help/ru/[^/]*\.html$", "//body", ASCIIDOC),
    ("kicad-doc-ja", "kicad-ja", "ja", r"help/ja/[^/]*\.html$", "//body", ASCIIDOC),
    ("ntpsec-doc", "ntpsec", "en", r"html/[^/]*\.html$", "//body", ASCIIDOC),
    ("nodejs-doc", "nodejs", "en", r"api/[^/]*\.html$", "//div[@id='apicontent']", []),
    ("privoxy", "privoxy", "en", r"user-manual/[^/]*\.html$", "//body", OLD_DOCBOOK),
    ("debian-history", "history", "fr", r"docs/[^/]*\.(fr|it|ja|de|ru|pt|lt|ko)\.html$", "//body", DOCBOOK),
    ("gap-doc", "gap", "en", r"doc/(ref|tut|hpc)/chap[0-9]*\.html$", "//body",
     ["./div[contains(@class,'chlink')]", "./p[@id='mathjaxlink']", ".//div[@class='ContChap']"]),
    ("doxygen-doc", "doxygen", "en", r"html/[a-z_]*\.html$", "//div[@class='contents']", [".//div[@class='toc']"]),
    ("bochs-doc", "bochs", "en", r"\.html$", "//body", OLD_DOCBOOK),
    ("developers-reference-ja", "devref-ja", "ja", r"/ja/.*\.html$", SPHINX, HEADER_LINKS),
]

APART = set("p div li ul ol dl dt dd pre table tr td th h1 h2 h3 h4 h5 h6 blockquote section article br hr figure figcaption "
            "body main".split())
UNSEEN = ("script", "style", "noscript", "template")


def texts(element):
    """The texts in an element, with line breaks around what is shown apart."""
    if isinstance(element.tag, str) and element.tag not in UNSEEN:
        line = "\n" if element.tag in APART else ""
        yield line
        yield element.text or ""
        for child in element:
            yield from texts(child)
            yield child.tail or ""
        yield line


def parse(page):
    """The document. Pages that do not name their encoding are UTF-8."""
    is_named = b"charset" in page[:2000].lower() or page.startswith(b"<?xml")
    return lxml.html.fromstring(page if is_named else page.decode("utf-8", "replace").encode("ascii", "xmlcharrefreplace"))


def content_of(page, content, left_out):
    """The text of a page's content; `None` if it has none, or is too short, too long, or an index."""
    element = next(iter(parse(page).xpath(content)), None)
    if element is None:
        return None
    for path in left_out:
        for found in element.xpath(path):
            if found.getparent() is not None:
                found.drop_tree()
    text = re.sub(r"[ \t\r\f\v]+", " ", "".join(texts(element)))
    text = re.sub(r" ?\n[\n ]*", "\n", text).strip().replace("¶", "")
    words = len(text.split())
    is_long_enough = words >= LEAST_WORDS or len(CJK.findall(text)) >= LEAST_CHARACTERS
    linked = sum(len(link.text_content().split()) for link in element.iter("a"))
    return text if is_long_enough and words <= MOST_WORDS and 2 * linked <= max(words, 1) else None


def add_manual(corpus, root, name, language, pattern, content, left_out):
    """Adds some pages of a manual, which are the same in every run."""
    files = sorted(path for path in root.rglob("*.html") if path.is_file() and not path.is_symlink())
    files = [path for path in files if re.search(pattern, str(path)) and path.stat().st_size <= MOST_BYTES]
    taken = 0
    for path in sorted(files, key=lambda path: hashlib.sha1((name + path.name).encode()).hexdigest()):
        page = path.read_bytes()
        text = content_of(page, content, left_out)
        if text is not None and taken < PAGES_A_MANUAL:
            corpus.add(f"https://{name}.docs.example/{path.relative_to(root)}", page, text, name, language)
            taken += 1
        if taken == PAGES_A_MANUAL:
            break
    print(f"{name}: {taken} pages")


def main():
    with tempfile.TemporaryDirectory() as directory, CorpusWriter(Path(sys.argv[1]), "manuals-more") as corpus:
        packages = sorted({package for package, *_ in MANUALS})
        subprocess.run(["apt-get", "download", "-q", *packages], cwd=directory, check=True)
        for package in packages:
            file = next(Path(directory).glob(f"{package}_*.deb"))
            subprocess.run(["dpkg-deb", "-x", file, f"{directory}/{package}"], check=True)
        for package, *manual in MANUALS:
            add_manual(corpus, Path(directory) / package, *manual)


if __name__ == "__main__":
    main()
