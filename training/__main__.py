"""`python -m training`: from the features that `dehusk features` wrote to model files and tables."""

import argparse
from pathlib import Path

import numpy as np

from . import calibration, evaluation, model_file, parts, recipe
from .dump import Dump


def mixed(dump, preset, name, pages, tested, work):
    """A preset's logits of all blocks of the tested pages, as the extractor computes them; 0 elsewhere. And its parts."""
    weights = [round(1024 * weight) for weight in preset["weights"]]
    rows, total, scorers = dump.rows(tested), 0, []
    for settings, weight in zip(preset["parts"], weights):
        scorer, logits = parts.part(dump, settings, name, pages, tested, work)
        if settings["kind"] == "trees":
            scorer = scorer.with_stumps(stumps(dump, preset))
            logits = logits + evaluation.prior(dump, scaled(preset))[rows]
        scorers.append(scorer)
        total = total + weight * logits
    out = np.zeros(len(dump.page), np.int64)
    out[rows] = total >> 10
    return out, scorers


def scaled(preset):
    """The rule of thumb in units of the trees' logits."""
    factor = preset["prior"] / preset["weights"][0]
    return [(name, threshold, round(low * factor), round(high * factor)) for name, threshold, low, high in recipe.PRIOR]


def stumps(dump, preset):
    return [(dump.names.index(name), *rest) for name, *rest in scaled(preset)]


FOLDS = ["fold0", "fold1", "fold2"]


def score(dump, preset, names, sets, work):
    """The F1 and the expected F1 of the pages that these sets test."""
    logits = sum(mixed(dump, preset, name, *sets[name], work)[0] for name in names)
    return evaluation.judge(dump, logits, preset["rule"])


def variants(preset):
    """The preset without one of its means each."""
    def only(kind):
        kept = [(part, 1.0) for part in preset["parts"] if part["kind"] == kind]
        return preset | {"parts": [part for part, _ in kept[:1]], "weights": [1.0], "prior": 0}

    rule = preset["rule"]
    return {
        "all of it": preset,
        "trees alone, without the rule of thumb": only("trees"),
        "network alone, without the rule of thumb": only("network"),
        "without the rule of thumb": preset | {"prior": 0},
        "without shared doubt": preset | {"rule": rule | {"spread": 0}},
        "without both": preset | {"prior": 0, "rule": rule | {"spread": 0}},
        "copies kept": preset | {"rule": rule | {"copy_words": 0}},
    }


def main():
    arguments = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    arguments.add_argument("dumps", nargs="+", help="directories of `dehusk features`, one a corpus")
    arguments.add_argument("--work", type=Path, required=True, help="where trained parts are kept")
    arguments.add_argument("--models", type=Path, required=True, help="where the model files go")
    arguments.add_argument("--tables", type=Path, required=True, help="the file for the tables")
    arguments.add_argument("--left-out", action="store_true",
                           help="also leave each page type and language out of the training, and test on it")
    options = arguments.parse_args()
    dump = Dump(options.dumps)
    sets, folds, transfers = parts.train_sets(dump), {}, {}
    others = [name for name in sets if name.startswith("without ")]
    options.models.mkdir(parents=True, exist_ok=True)
    for name, preset in recipe.PRESETS.items():
        folds[name] = score(dump, preset, FOLDS, sets, options.work)
        if others:
            transfers[name] = score(dump, preset, others, sets, options.work)
        f1, ratio = (values[~dump.is_late] for values in folds[name])
        knots = calibration.knots(ratio, f1)
        _, scorers = mixed(dump, preset, "all", *sets["all"], options.work)
        trees = scorers[0] if preset["parts"][0]["kind"] == "trees" else None
        networks = scorers[1 if trees else 0:]
        mixture = [round(1024 * weight) for weight in preset["weights"]], 0
        model = model_file.write(dump.hash, trees, networks, mixture, preset["rule"], knots)
        (options.models / f"{name}.dhm").write_bytes(model)
        used = {column for scorer in scorers for column in scorer.columns}
        print(f"{name}: {len(model)} bytes, {len(used)} features")

    def f1s(results):
        return {name: f1 for name, (f1, _) in results.items()}

    tables = "**Folds by registered domain**, with 95 % intervals of domains drawn again:\n\n"
    tables += evaluation.by_corpus(dump, f1s(folds))
    if others:
        tables += "\n**Transfer**: tested on each corpus, trained on the others:\n\n"
        tables += evaluation.by_corpus(dump, f1s(transfers))
    tables += "\n**What each means is worth**, to the preset `fusion`:\n\n"
    tables += evaluation.comparison(dump, {
        name: [score(dump, variant, names, sets, options.work)[0] for names in (FOLDS, others) if names]
        for name, variant in variants(recipe.PRESETS["fusion"]).items()})
    by_kind = parts.without_kinds(dump)
    if options.left_out and by_kind:
        f1, _ = score(dump, recipe.PRESETS["fusion"], by_kind, by_kind, options.work)
        tables += "\n**A type of page or a language left out of the training** and tested, preset `fusion`:\n\n"
        tables += evaluation.left_out(dump, folds["fusion"][0], f1)
    tables += "\n**The score** of a selection and the true F1, in tenths of all pages:\n\n"
    tables += evaluation.calibration_table(dump, folds)
    options.tables.write_text(tables)
    print(tables)


if __name__ == "__main__":
    main()
