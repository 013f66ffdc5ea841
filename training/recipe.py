"""What the presets are made of. All numbers here were chosen by the folds and by transfer together: see README.md."""

from pathlib import Path

# The features that cost least for what they tell.
FEW = (Path(__file__).parent / "columns.txt").read_text().split()

# All features there are.
ALL = None

# A rule of thumb, written by hand and never trained: (feature, threshold, logit up to it, logit above it). It is mixed into
# the trees. What was never seen in training looks unlikely to a trained model; this keeps the logits of such pages sane.
PRIOR = [("readable_highest", 600, -12000, 8000), ("link_share", 400, 2000, -8000)]

RULE = {"least_words": 20, "least_probability": 3277, "copy_words": 8}

TREES = {"kind": "trees", "columns": FEW, "count": 240}
SMALL = {"kind": "network", "columns": FEW, "width": 32, "layers": 3, "epochs": 14, "dropout": 0.15}
LARGE = {"kind": "network", "columns": ALL, "width": 48, "layers": 4, "epochs": 10, "dropout": 0.25}

# The logits of the parts and of the rule of thumb are mixed by these weights.
PRESETS = {
    "fusion": {"parts": [TREES, SMALL], "weights": [0.45, 0.55], "prior": 0.05, "rule": RULE | {"spread": 6656}},
    "fusion-quality": {
        "parts": [TREES, SMALL, LARGE], "weights": [0.3, 0.3, 0.4], "prior": 0.05, "rule": RULE | {"spread": 7168},
    },
}
