"""Tables of what the models reach on pages that they were not trained on."""

import numpy as np

from . import calibration, scoring

def prior(dump, rules):
    """The logits of the rule of thumb."""
    out = np.zeros(len(dump.page), np.int64)
    for name, threshold, low, high in rules:
        out += np.where(dump.features[:, dump.names.index(name)] > threshold, high, low)
    return out


def judge(dump, logits, rule):
    """The F1 and the expected F1 of every page."""
    keep, ratio = scoring.select(dump, logits, rule)
    return scoring.f1(dump, keep), ratio


def _row(*cells):
    return "| " + " | ".join(cells) + " |\n"


def _table(head, rows):
    return _row(*head) + "|" + "---|" * len(head) + "\n" + "".join(_row(*row) for row in rows)


def by_corpus(dump, f1s):
    """Means with their intervals, a column a preset."""
    rows = []
    for number, name in dump.tested:
        pages = np.flatnonzero(dump.corpus == number)
        cells = []
        for f1 in f1s.values():
            low, high = scoring.interval(dump, f1, pages)
            cells.append(f"{f1[pages].mean():.4f} ({low:.3f} to {high:.3f})")
        rows.append([name, *cells])
        kinds = sorted(set(dump.kind[pages]), key=lambda kind: -np.sum(dump.kind[pages] == kind))
        for kind in kinds:
            own = pages[dump.kind[pages] == kind]
            rows.append([f"&nbsp; {kind} ({len(own)})", *(f"{f1[own].mean():.3f}" for f1 in f1s.values())])
    return _table(["pages", *f1s], rows)


def comparison(dump, results):
    """A row a variant: every corpus in the folds, and every corpus where only the others were trained on."""
    head = ["", *(name for _, name in dump.tested)]
    if len(dump.tested) > 1:
        head += [f"{name}, not trained on it" for _, name in dump.tested]
    rows = [[name, *(f"{f1[dump.corpus == number].mean():.4f}" for f1 in f1s for number, _ in dump.tested)]
            for name, f1s in results.items()]
    return _table(head, rows)


def left_out(dump, among, without):
    """What the pages of each kind get where others of their kind were in the training, and where none was."""
    rows = [[f"{kind} ({np.sum(dump.kind == kind)})", f"{among[dump.kind == kind].mean():.3f}",
             f"{without[dump.kind == kind].mean():.3f}"] for kind in np.unique(dump.kind[~dump.is_late])]
    return _table(["pages", "folds", "left out"], rows)


def calibration_table(dump, results):
    """Confidence and true F1 in ten equally large groups; the curve of each fold is made from the two others."""
    fold, columns = dump.folds(), []
    for f1, ratio in results.values():
        f1, ratio = f1[~dump.is_late], ratio[~dump.is_late]
        believed = np.zeros(len(f1))
        for k in range(3):
            points = calibration.knots(ratio[fold != k], f1[fold != k])
            believed[fold == k] = calibration.confidence(points, ratio[fold == k])
        order = np.argsort(believed, kind="stable")
        columns.append([f"{believed[group].mean():.3f}, {f1[group].mean():.3f}" for group in np.array_split(order, 10)])
    return _table(["tenth", *results], [[str(n + 1), *cells] for n, cells in enumerate(zip(*columns))])
