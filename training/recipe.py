"""What the presets are made of. All numbers here were chosen by the folds and by transfer together: see README.md."""

# A rule of thumb, written by hand and never trained: (feature, threshold, logit up to it, logit above it). It is mixed into
# the trees. What was never seen in training looks unlikely to a trained model; this keeps the logits of such pages sane.
PRIOR = [("readable_highest", 600, -12000, 8000), ("link_share", 400, 2000, -8000)]

# `like` and `fill` are not in the model file: the extractor has them built in. They are here for the tables.
RULE = {"least_words": 20, "least_probability": 3277, "copy_words": 8, "like": 3, "fill": True}

# Corpora that are never tested.
LATE = ("made", "manuals-more")

# `late` are the late corpora that a part is trained on. A network sees them after all others.
TREES = {"kind": "trees", "count": 150, "late": LATE}
# Networks that began with other random numbers differ; their mean is better than each of them.
SMALL, *OTHERS = [
    {"kind": "network", "width": 32, "layers": 3, "epochs": 14, "late": LATE[:1], "late_epochs": 3, "late_rate": 1e-3,
     "dropout": 0.15, "seed": seed} for seed in (1, 0, 2)
]

# The logits of the parts and of the rule of thumb are mixed by these weights.
PRESETS = {
    "fusion": {"parts": [TREES, SMALL], "weights": [0.4, 0.6], "prior": 0.15, "rule": RULE | {"spread": 7168}},
    "fusion-quality": {
        "parts": [TREES, SMALL, *OTHERS], "weights": [0.4, 0.2, 0.2, 0.2], "prior": 0.1,
        "rule": RULE | {"spread": 7168},
    },
}
