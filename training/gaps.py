"""What is kept between kept blocks: the rules of `crates/extract/src/fusion/gaps.rs`, where they are described.

A dump has neither attributes nor texts. So callouts, tables whose classes mark them as code, tables whose links lead
to the pages before and above, and texts with a colon at their end are not known here, nor what `buttons.rs` and `shops.rs`
drop. So no figure here is that of the extractor to the last digit: `dehusk eval` has that.
"""

import numpy as np
from numba import njit

# Least mean logits: of whole quotes and tables, of lists and rows of links, and of headings; of paragraphs and items; and
# of captions and tables of links.
LEAST, LEAST_OF_TEXT, LEAST_OF_KNOWN = -2 << 12, -1 << 12, -4 << 12

# A quote or a table is close to so many blocks on either side.
CLOSE = 3

# Kinds of units.
OTHER, CODE, GROUP, ITEMS, TEXT, WRAPPER, TABLE, REST = range(8)
KINDS = {
    "pre": CODE, "table": TABLE, "blockquote": GROUP, "dl": GROUP, "dt": GROUP, "dd": GROUP, "ul": ITEMS, "ol": ITEMS,
    "tr": ITEMS, "thead": ITEMS, "tbody": ITEMS, "tfoot": ITEMS, "p": TEXT, "li": TEXT, "div": WRAPPER,
    "section": WRAPPER, "figure": WRAPPER,
} | {f"h{level}": TEXT for level in range(1, 7)}


class Tree:
    """The block-level elements around the blocks of all pages. `above` is the next one around an element, -1 at the top."""

    def __init__(self, parent, first, last, tag, tags, is_block, element):
        level = _innermost(parent, is_block)
        self.paragraph = level[element]
        self.above = np.where(parent < 0, -1, level[parent])
        self.first, self.last = first, last
        is_a = lambda *names: np.isin(tag, [tags.index(name) for name in names])
        self.tables = _tables(is_a("table"), is_a("tr"), is_a("td", "th"), first, last)
        kinds = [np.flatnonzero(is_a("pre")), np.flatnonzero(is_a("dl")), np.flatnonzero(is_a("blockquote")), self.tables]
        # Only the innermost ones. They come in the opposite order of the document, as in the extractor.
        kinds = [own[np.append(first[own[1:]] > last[own[:-1]], True)] if len(own) else own for own in kinds]
        order = np.argsort(-np.concatenate(kinds), kind="stable")
        self.whole = np.concatenate(kinds)[order]
        self.may_be_likely = np.repeat([False, False, True, True], [len(own) for own in kinds])[order]
        self.kind = np.array([KINDS.get(name, OTHER) for name in tags])[tag]
        table = _innermost(parent, is_a("table"))
        self.kind[is_a("table", "tr", "thead", "tbody", "tfoot") & ~np.isin(table, self.tables)] = OTHER
        # Blocks in code and in captions, and the wrappers that may be code as a whole.
        is_pre, is_caption = is_a("pre"), is_a("figcaption", "caption")
        self.captions = np.flatnonzero(is_caption)
        self.in_code = _innermost(parent, is_pre)[element]
        self.in_caption = _innermost(parent, is_caption)[element]
        self.may_be_code = is_a("div", "section", "figure", "aside", "details", "table")
        self.is_note = is_a("p", "figcaption", "caption")
        self.heading = _innermost(parent, is_a("h1", "h2", "h3", "h4", "h5", "h6"))[element]


@njit(cache=True)
def _innermost(parent, is_one):
    """The innermost such element around each element, itself included; -1 if there is none."""
    out = np.full(len(parent), -1, np.int64)
    for element in range(len(parent)):
        if is_one[element]:
            out[element] = element
        elif parent[element] >= 0:
            out[element] = out[parent[element]]
    return out


@njit(cache=True)
def _tables(is_table, is_row, is_cell, first, last):
    """The tables of data."""
    out = []
    for table in np.flatnonzero(is_table):
        rows, rows_of_cells, cells, is_leaf, at = 0, 0, 0, True, table + 1
        while at < len(first) and first[at] <= last[table] and first[at] >= first[table]:
            if is_table[at]:
                is_leaf = False
                break
            if is_row[at]:
                rows, cells = rows + 1, 0
            if is_cell[at]:
                cells += 1
                rows_of_cells += cells == 2
            at += 1
        if is_leaf and rows_of_cells >= 2 and 2 * rows_of_cells >= rows:
            out.append(table)
    return np.array(out, np.int64)


@njit(cache=True)
def _close_paragraphs(keep, paragraph, page, words):
    last = -1
    for block in range(len(keep)):
        if not keep[block]:
            continue
        if last >= 0 and last + 1 < block and page[last] == page[block] and paragraph[last] == paragraph[block]:
            size, same = 0, True
            for inside in range(last + 1, block):
                size += words[inside]
                same &= paragraph[inside] == paragraph[block]
            if same and size <= words[last] + words[block]:
                keep[last + 1:block] = True
        last = block


@njit(cache=True)
def _keep_whole(keep, elements, may_be_likely, first, last, page, words, linked, logits, weight):
    for n, element in enumerate(elements):
        start, end = first[element], last[element] + 1
        everything, kept, in_links, weighted, weights = 0, 0, 0, 0, 0
        for block in range(start, end):
            everything += words[block]
            in_links += linked[block]
            kept += words[block] if keep[block] else 0
            weighted += logits[block] * weight[block]
            weights += weight[block]
        is_whole = kept > 0 and 2 * kept >= everything
        if not is_whole and may_be_likely[n] and weighted > LEAST * weights and not (everything > 0 and 2 * in_links >= everything):
            for block in range(max(start - CLOSE, 0), min(end + CLOSE, len(keep))):
                is_whole |= keep[block] and not start <= block < end and page[block] == page[start]
        if is_whole:
            keep[start:end] = True


@njit(cache=True)
def _around(before, after, paragraph, above, first, last):
    """The innermost element around both blocks, and how far the closer and the other one are below it."""
    element, levels_before = paragraph[before], 0
    while element >= 0 and not first[element] <= after <= last[element]:
        element, levels_before = above[element], levels_before + 1
    other, levels_after = paragraph[after], 0
    while other != element and other >= 0:
        other, levels_after = above[other], levels_after + 1
    return element, min(levels_before, levels_after), max(levels_before, levels_after)


@njit(cache=True)
def _unit(start, end, before, around, paragraph, above, first, last, kind, in_code, in_caption, may_be_code, is_note):
    """The end and the kind of the unit that begins with a block, and whether a kept block is in it. `before` is the kept block before the gap."""
    child, element = -1, paragraph[start]
    while element != around and element >= 0:
        child, element = element, above[element]
    if child < 0:
        return start + 1, TEXT, False
    cut = first[child] <= before <= last[child] or end <= last[child]
    end = min(last[child] + 1, end)
    if may_be_code[child]:
        code, all_known = False, True
        for block in range(start, end):
            is_code, is_caption = in_code[block] >= child, in_caption[block] >= child
            code |= is_code
            all_known &= is_code or is_caption
        if code and all_known:
            return end, CODE, cut
    if kind[child] != WRAPPER:
        if kind[child] != OTHER:
            return end, kind[child], cut
        rest = first[child] <= before <= last[child] and end == start + 1 and is_note[paragraph[start]]
        return end, REST if rest else OTHER, cut
    found, element = OTHER, paragraph[start]
    while element != child and element >= 0:
        if kind[element] in (CODE, GROUP, ITEMS, TABLE) and first[element] <= end - 1 <= last[element]:
            found = kind[element]
        element = above[element]
    if found == OTHER and first[child] <= before <= last[child] and end == start + 1 and is_note[paragraph[start]]:
        return end, REST, cut
    return end, found, cut


@njit(cache=True)
def _fill(keep, page, paragraph, above, first, last, kind, words, linked, logits, weight, in_code, in_caption, may_be_code,
          is_note):
    before = -1
    for block in range(len(keep)):
        if not keep[block]:
            continue
        if before >= 0 and before + 1 < block and page[before] == page[block]:
            around, closer, other = _around(before, block, paragraph, above, first, last)
            at = before + 1 if around >= 0 else block
            while at < block:
                end, what, cut = _unit(at, block, before, around, paragraph, above, first, last, kind, in_code, in_caption,
                                  may_be_code, is_note)
                all_words = words[at:end].sum()
                is_menu = all_words > 0 and 2 * linked[at:end].sum() >= all_words
                weighted, weights = (logits[at:end] * weight[at:end]).sum(), weight[at:end].sum()
                filled = what == CODE
                filled |= what == GROUP and closer <= 1 and not is_menu
                filled |= what == TABLE and closer <= 1 and not is_menu
                between = other <= 1 or closer <= 1 and cut
                filled |= what == TABLE and between and weighted > LEAST_OF_KNOWN * weights
                filled |= what == REST and not is_menu and weighted > LEAST * weights
                filled |= what == ITEMS and closer <= 1 and (not is_menu or weighted > LEAST * weights)
                filled |= what == TEXT and other <= 1 and not is_menu and weighted > LEAST_OF_TEXT * weights
                if filled:
                    keep[at:end] = True
                at = end
        before = block


@njit(cache=True)
def _keep_announced(keep, page, heading, paragraph, above, last, kind, words, linked, logits, weight):
    at = 0
    while at + 1 < len(keep):
        at += 1
        if not keep[at - 1] or heading[at - 1] < 0 or heading[at] >= 0 or page[at - 1] != page[at]:
            continue
        around = above[heading[at - 1]]
        group, element = -1, paragraph[at]
        while element != around and element >= 0:
            group, element = element, above[element]
        if element < 0 or group < 0 or kind[group] not in (GROUP, ITEMS, TABLE):
            continue
        end = last[group] + 1
        all_words = words[at:end].sum()
        is_menu = all_words > 0 and 2 * linked[at:end].sum() >= all_words
        if not is_menu and (logits[at:end] * weight[at:end]).sum() > LEAST_OF_TEXT * weight[at:end].sum():
            keep[at:end] = True
        at = end - 1


@njit(cache=True)
def _keep_captions(keep, captions, above, first, last, words, linked, logits, weight):
    for caption in captions:
        start, end, around = first[caption], last[caption] + 1, above[caption]
        if around < 0:
            continue
        beside = start > first[around] and keep[start - 1] or end <= last[around] and keep[end]
        all_words = words[start:end].sum()
        is_menu = all_words > 0 and 2 * linked[start:end].sum() >= all_words
        if beside and not is_menu and (logits[start:end] * weight[start:end]).sum() > LEAST_OF_KNOWN * weight[start:end].sum():
            keep[start:end] = True


@njit(cache=True)
def _keep_headings(keep, page, heading, above, first, last, words, linked, logits):
    for block in range(len(keep) - 2, -1, -1):
        if keep[block] or heading[block] < 0 or page[block + 1] != page[block] or not keep[block + 1]:
            continue
        is_menu = words[block] > 0 and 2 * linked[block] >= words[block]
        around = above[heading[block]]
        if not is_menu and logits[block] > LEAST and around >= 0 and first[around] <= block + 1 <= last[around]:
            keep[block] = True


def fill(dump, logits, keep):
    """Keeps what is missing between the kept blocks, in place."""
    tree, logits = dump.tree, np.asarray(logits, np.int64)
    _close_paragraphs(keep, tree.paragraph, dump.page, dump.words)
    _keep_whole(keep, tree.whole, tree.may_be_likely, tree.first, tree.last, dump.page, dump.words, dump.linked, logits, dump.root)
    _fill(keep, dump.page, tree.paragraph, tree.above, tree.first, tree.last, tree.kind, dump.words, dump.linked, logits,
          dump.root, tree.in_code, tree.in_caption, tree.may_be_code, tree.is_note)
    _keep_announced(keep, dump.page, tree.heading, tree.paragraph, tree.above, tree.last, tree.kind, dump.words, dump.linked,
                    logits, dump.root)
    _keep_captions(keep, tree.captions, tree.above, tree.first, tree.last, dump.words, dump.linked, logits, dump.root)
    _keep_headings(keep, dump.page, tree.heading, tree.above, tree.first, tree.last, dump.words, dump.linked, logits)
