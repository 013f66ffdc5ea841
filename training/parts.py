"""Trains the parts of models on sets of pages, and remembers what was trained.

Every part is kept in a file of the work directory under a hash of all that it depends on, so that a run that was cut
short continues where it stopped, and a change of the mixture trains nothing again.
"""

import hashlib
import json
import pickle
import time
from pathlib import Path

import numpy as np

from . import network, trees


def train_sets(dump):
    """The sets of pages that models are trained and tested on, by name: pairs of page numbers. Late pages are in none."""
    everything, fold = np.flatnonzero(~dump.is_late), dump.folds()
    sets = {f"fold{k}": (everything[fold != k], everything[fold == k]) for k in range(3)}
    if len(dump.tested) > 1:
        corpus = dump.corpus[everything]
        sets |= {f"without {name}": (everything[corpus != number], everything[corpus == number])
                 for number, name in dump.tested}
    sets["all"] = (everything, everything[:0])
    return sets


def without_kinds(dump):
    """For each page type and language the pages without it, and those with it."""
    kinds = np.unique(dump.kind[~dump.is_late])
    return {f"without kind {kind}": (np.flatnonzero(~dump.is_late & (dump.kind != kind)), np.flatnonzero(dump.kind == kind))
            for kind in kinds if len(kinds) > 1}


def part(dump, settings, name, pages, tested, work):
    """A part of a model trained on pages, and its logits of the blocks of the tested pages."""
    module = {"trees": trees, "network": network}[settings["kind"]]
    about = [settings, module.SETTINGS, name, len(pages), len(dump.page), f"{dump.digest:x}"]
    about = json.dumps(about, sort_keys=True)
    path = Path(work) / f"{settings['kind']}-{hashlib.sha256(about.encode()).hexdigest()[:16]}.pickle"
    if not path.exists():
        start = time.time()
        # `manuals-more` is too much like `manuals-dev` for a test of what a model makes of unknown kinds.
        names = set(settings["late"]) - ({"manuals-more"} if name.startswith("without ") else set())
        late = np.flatnonzero([dump.corpora[number] in names for number in dump.corpus])
        rest = {key: value for key, value in settings.items() if key not in ("kind", "late")}
        scorer = module.train(dump, pages, late, **rest)
        if settings["kind"] == "trees":
            logits = scorer.logits(dump.features[dump.rows(tested)])
        else:
            logits = scorer.logits(dump, tested)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(pickle.dumps((scorer, logits)))
        print(f"{name}: {settings} in {time.time() - start:.0f} s", flush=True)
    return pickle.loads(path.read_bytes())
