"""Reads what `dehusk features` writes: pages cut into blocks, with features, labels and words."""

import json
import zlib
from pathlib import Path

import numpy as np

from . import gaps, recipe

# Suffixes below which names are registered, besides the top-level domains. Enough for the folds, not for the web.
SECOND_LEVEL = {"ac", "co", "com", "edu", "gov", "gr", "in", "ne", "net", "or", "org", "go"}


def registered_domain(url):
    """The registered domain. A page whose address is unknown is a domain of its own, and so is a template of manuals."""
    host = url.split("//")[-1].split("/")[0].split(":")[0].lower()
    if host.endswith("wcxb.invalid"):
        return url
    if host.endswith(".docs.example"):
        # TEMPLATE.docs.example, or TEMPLATE-LANGUAGE.docs.example.
        return host.split(".")[0].split("-")[0]
    parts = host.split(".")
    has_second = len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in SECOND_LEVEL
    return ".".join(parts[-3:] if has_second else parts[-2:])


class Dump:
    """Blocks of all pages, one after the other.

    Arrays over blocks: `features` (a row a block), `page`, `words` (as the extractor counts), `tokens` (as the
    evaluation counts), `linked` (those of `words` in links), `label`, `copy_of` (the first block of the page with the same
    text), `like` (the first block with the same path), `root` (the weight in a mean of logits).
    Arrays over pages: `start`, `size`, `corpus`, `domain`, `kind` (page type or language), `is_late`. `corpora` are the names of
    the directories, and `tested` the numbers and names of those that are not late. `tree` has the elements.
    """

    def __init__(self, directories):
        blocks, features, words, truth, elements, self.pages = [], [], [], [], [], []
        directories = [Path(directory).resolve() for directory in directories]
        self.corpora = [directory.name for directory in directories]
        self.tested = [(number, name) for number, name in enumerate(self.corpora) if name not in recipe.LATE]
        for corpus, directory in enumerate(directories):
            about = json.loads((directory / "features.json").read_text())
            if about["version"] != 2:
                raise SystemExit(f"{directory}: version {about['version']} of the format is unknown")
            if corpus > 0 and about["names"] != self.names:
                raise SystemExit(f"{directory}: has other features than {directories[0]}")
            self.names, self.hash = about["names"], int(about["hash"], 16)
            with open(directory / "pages.jsonl", encoding="utf-8") as lines:
                pages = [json.loads(line) for line in lines]
            self.pages += [page | {"corpus": corpus} for page in pages]
            blocks.append(np.fromfile(directory / "blocks.u32", "<u4").reshape(-1, 8).astype(np.int64))
            features.append(np.fromfile(directory / "features.i16", "<i2").reshape(-1, len(self.names)))
            words.append(np.fromfile(directory / "words.u32", "<u4"))
            truth.append(np.fromfile(directory / "truth.u32", "<u4"))
            elements.append(np.fromfile(directory / "elements.u32", "<u4").reshape(-1, 5).astype(np.int64))
        self.features = np.concatenate(features)
        self.word_ids, self.truth_ids = np.concatenate(words), np.concatenate(truth)
        self.words, self.tokens, label, _, copy_of, like, self.linked, element = np.concatenate(blocks).T
        self.label = label.astype(np.float64)
        self.size = np.array([page["blocks"] for page in self.pages])
        self.start = np.cumsum(self.size) - self.size
        self.page = np.repeat(np.arange(len(self.pages)), self.size)
        self.copy_of, self.like = copy_of + self.start[self.page], like + self.start[self.page]
        self.root = np.floor(np.sqrt((self.words + 1.0) * 256)).astype(np.int64)
        self.tree = self._tree(np.concatenate(elements), about["tags"], element)
        self.token_end = np.cumsum(self.tokens)
        self.truth_size = np.array([page["words"] for page in self.pages])
        self.truth_end = np.cumsum(self.truth_size)
        self.corpus = np.array([page["corpus"] for page in self.pages])
        self.is_late = np.array([self.corpora[number] in recipe.LATE for number in self.corpus])
        kinds = [page["lang"] or page["page_type"] for page in self.pages]
        self.kind = np.where(self.is_late, "", kinds)
        # The domains of late pages are not distinguished, because they are in no fold.
        numbers = {}
        domains = ["" if late else registered_domain(page["url"]) for page, late in zip(self.pages, self.is_late)]
        self.domain = np.array([numbers.setdefault(domain, len(numbers)) for domain in domains])
        # Of a few sites no folds can be made. Then each page counts as a site.
        if len(numbers) < 6:
            self.domain = np.arange(len(self.pages))
        self.digest = zlib.crc32(self.features.tobytes(), zlib.crc32(self.label.tobytes(), self.hash & 0xFFFFFFFF))
        # A block's weight in training. All pages weigh the same.
        weight = np.sqrt(self.words + 1.0)
        self.weight = weight / np.bincount(self.page, weight, len(self.pages))[self.page]

    def _tree(self, elements, tags, element):
        """The elements of all pages, one page after the other."""
        size = np.array([page["elements"] for page in self.pages])
        start = np.cumsum(size) - size
        page = np.repeat(np.arange(len(size)), size)
        parent, tag, is_block, first, last = elements.T
        parent = np.where(parent == 0xFFFFFFFF, -1, parent + start[page])
        blocks = self.start[page]
        return gaps.Tree(parent, first + blocks, last + blocks, tag, tags, is_block == 1, element + start[self.page])

    def rows(self, pages):
        """Which blocks belong to these pages."""
        chosen = np.zeros(len(self.pages), bool)
        chosen[pages] = True
        return chosen[self.page]

    def folds(self, count=3, seed=0):
        """The fold of every page that is not late. Pages of one domain share it; folds have about the same number of pages."""
        random = np.random.RandomState(seed)
        own = self.domain[~self.is_late]
        random.randint(0, count, own.max() + 1)
        sizes = np.bincount(own)
        totals, fold = np.zeros(count), np.zeros(len(sizes), int)
        for domain in np.argsort(-sizes + random.rand(len(sizes)) * 0.5):
            fold[domain] = np.argmin(totals + random.rand(count) * 1e-3)
            totals[fold[domain]] += sizes[domain]
        return fold[own]
