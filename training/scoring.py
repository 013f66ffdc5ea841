"""From probabilities to kept blocks, and from those to F1: what the extractor does, and how it is judged."""

import numpy as np
from numba import njit

from . import gaps


@njit(cache=True)
def _probability(logits, table):
    out = np.empty(len(logits), np.int64)
    for i, logit in enumerate(logits):
        distance = min(abs(logit), 192 << 8)
        k, rest = distance >> 8, distance & 255
        above = table[k] + (((table[min(k + 1, 192)] - table[k]) * rest) >> 8)
        out[i] = min(65536 - above if logit < 0 else above, 65535)
    return out


TABLE = np.array([round(65536 / (1 + np.exp(-k / 16))) for k in range(193)], np.int64)


def probability(logits):
    """Probabilities of 65536 for logits in units of 2^-12, as the extractor computes them."""
    return _probability(np.asarray(logits, np.int64), TABLE)


# Of a short page, one word in so many must be expected to be content, if that is less than `least_words`.
SHARE_OF_SHORT_PAGE = 4

# A block of at least so many words is kept however little is expected of the page, if its logit is higher than this.
SURE, SURE_WORDS = 0, 8


@njit(cache=True)
def _select(start, size, order, logits, words, table, offsets, least_words, least_probability):
    keep, ratio = np.zeros(len(logits), np.bool_), np.zeros(len(start))
    count = len(offsets)
    for page in range(len(start)):
        first, end = start[page], start[page] + size[page]
        p = np.empty((count, size[page]), np.int64)
        for k in range(count):
            p[k] = _probability(logits[order[first:end]] + offsets[k], table)
        expected = np.zeros(count, np.int64)
        for k in range(count):
            for at in range(size[page]):
                expected[k] += p[k, at] * words[order[first + at]]
        # On a page of few words, few are enough.
        enough, is_sure = 0, False
        for at in range(size[page]):
            block = order[first + at]
            enough += words[block]
            is_sure |= logits[block] > SURE and words[block] >= SURE_WORDS
        if not is_sure and expected.sum() < min(enough // SHARE_OF_SHORT_PAGE, least_words) * 65536 * count:
            continue
        best, chosen, kept = 0.0, 0, 0
        gained = np.zeros(count, np.int64)
        for at in range(size[page]):
            if p[count // 2, at] <= least_probability:
                break
            w = words[order[first + at]]
            kept += w
            value = 0.0
            for k in range(count):
                gained[k] += p[k, at] * w
                value += 2 * gained[k] / max(kept * 65536 + expected[k], 1)
            if value > best:
                best, chosen = value, at + 1
        ratio[page] = best / count
        for at in range(chosen):
            keep[order[first + at]] = True
    return keep, ratio


@njit(cache=True)
def _drop_copies(keep, page, words, copy_of, copy_words):
    seen, last = set([np.int64(-1)]), -1
    for block in range(len(keep)):
        if keep[block] and words[block] >= copy_words:
            if page[block] != last:
                seen, last = set([np.int64(-1)]), page[block]
            if copy_of[block] in seen:
                keep[block] = False
            seen.add(copy_of[block])


def draw_together(dump, logits, share):
    """Moves the logits of the blocks alike of a page towards their mean, by so many fifths: see `like.rs`."""
    sums = np.bincount(dump.like, dump.root * np.asarray(logits, np.float64))
    weights = np.bincount(dump.like, dump.root.astype(np.float64))
    mean = np.trunc(sums / np.maximum(weights, 1))[dump.like].astype(np.int64)
    moved = (5 - share) * np.asarray(logits, np.int64) + share * mean
    return np.sign(moved) * (np.abs(moved) // 5)


def select(dump, logits, rule):
    """Which blocks are kept, and each page's expected F1."""
    logits = draw_together(dump, logits, rule["like"])
    order = np.lexsort((-logits, dump.page))
    offsets = np.array([-(rule["spread"] * 16 // 10), -(rule["spread"] * 7 // 10), 0,
                        rule["spread"] * 7 // 10, rule["spread"] * 16 // 10])
    keep, ratio = _select(dump.start, dump.size, order, logits, dump.words, TABLE, offsets, rule["least_words"],
                          rule["least_probability"])
    if rule["fill"]:
        gaps.fill(dump, logits, keep)
    if rule["copy_words"] > 0:
        _drop_copies(keep, dump.page, dump.words, dump.copy_of, rule["copy_words"])
    return keep, ratio


@njit(cache=True)
def _f1(start, size, token_end, tokens, words, truth_end, truth_size, truth, keep):
    out = np.zeros(len(start))
    for page in range(len(start)):
        total = truth_size[page]
        ids = truth[truth_end[page] - total:truth_end[page]]
        highest = np.int64(0)
        for word in ids:
            highest = max(highest, np.int64(word))
        left = np.zeros(highest + 1, np.int64)
        for word in ids:
            left[word] += 1
        kept, common = 0, 0
        for block in range(start[page], start[page] + size[page]):
            if keep[block]:
                for at in range(token_end[block] - tokens[block], token_end[block]):
                    kept += 1
                    word = words[at]
                    if word <= highest and left[word] > 0:
                        left[word] -= 1
                        common += 1
        if total == 0:
            out[page] = 1.0 if kept == 0 else 0.0
        elif common > 0:
            out[page] = 2.0 * common / (kept + total)
    return out


def f1(dump, keep):
    """The F1 of every page, of bags of words."""
    return _f1(dump.start, dump.size, dump.token_end, dump.tokens, dump.word_ids,
               dump.truth_end, dump.truth_size, dump.truth_ids, keep)


def interval(dump, values, pages, draws=1000, seed=0):
    """The 95 % interval of a mean over pages, with domains drawn again."""
    random = np.random.RandomState(seed)
    domains, domain = np.unique(dump.domain[pages], return_inverse=True)
    sums, sizes = np.bincount(domain, values[pages]), np.bincount(domain)
    drawn = random.randint(0, len(domains), (draws, len(domains)))
    return np.percentile(sums[drawn].sum(1) / sizes[drawn].sum(1), [2.5, 97.5])
