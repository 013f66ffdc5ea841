"""Trains the parts of models on sets of pages, and remembers what was trained.

Every part is kept in a file of the work directory under a hash of all that it depends on, so that a run that was cut
short goes on where it stopped, and a change of the mixture trains nothing again.
"""

import hashlib
import json
import pickle
import time
from pathlib import Path

import numpy as np

from . import network, trees


def train_sets(dump):
    """The sets of pages that models are trained and tested on, by name: pairs of page numbers."""
    everything, fold = np.arange(len(dump.pages)), dump.folds()
    sets = {f"fold{k}": (np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)}
    for corpus in range(dump.corpus.max() + 1):
        sets[f"transfer{corpus}"] = (np.flatnonzero(dump.corpus == corpus), np.flatnonzero(dump.corpus != corpus))
    sets["all"] = (everything, everything[:0])
    return sets


def without_sets(dump):
    """For each page type and language the pages without it, and those with it."""
    return {str(kind): (np.flatnonzero(dump.kind != kind), np.flatnonzero(dump.kind == kind))
            for kind in np.unique(dump.kind)}


def _train(dump, pages, settings):
    settings = dict(settings)
    kind, columns = settings.pop("kind"), settings.pop("columns")
    columns = [dump.names.index(name) for name in columns or dump.names]
    if kind == "trees":
        return trees.train(dump, pages, columns, **settings)
    return network.train(dump, pages, columns, **settings)


def part(dump, settings, name, pages, tested, work):
    """A part of a model trained on pages, and its logits of the blocks of the tested pages."""
    about = json.dumps([settings, name, len(pages), len(dump.page), f"{dump.digest:x}"], sort_keys=True)
    path = Path(work) / f"{settings['kind']}-{hashlib.sha256(about.encode()).hexdigest()[:16]}.pickle"
    if not path.exists():
        start = time.time()
        scorer = _train(dump, pages, settings)
        if settings["kind"] == "trees":
            logits = scorer.logits(dump.features[dump.rows(tested)])
        else:
            logits = scorer.logits(dump, tested)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps((scorer, logits)))
        shown = {key: value for key, value in settings.items() if key != "columns"}
        print(f"{name}: {shown} in {time.time() - start:.0f} s", flush=True)
    return pickle.loads(path.read_bytes())
