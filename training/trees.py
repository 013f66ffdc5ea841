"""Boosted trees: trained with LightGBM, kept as integers."""

import lightgbm
import numpy as np
from numba import njit

SETTINGS = {
    "objective": "cross_entropy", "learning_rate": 0.12, "num_leaves": 16, "min_data_in_leaf": 100, "lambda_l2": 5,
    "feature_fraction": 0.5, "bagging_fraction": 0.8, "bagging_freq": 1, "max_bin": 63, "use_missing": False,
    "num_threads": 1, "deterministic": True, "force_row_wise": True, "seed": 1, "verbosity": -1,
}


class Trees:
    """Trees over columns of the features. Nodes and leaves are those of the model file."""

    def __init__(self, columns, trees, bias=0):
        self.columns, self.trees, self.bias = columns, trees, bias

    def with_stumps(self, stumps):
        """These trees, and one of two leaves for each (feature, threshold, leaf up to it, leaf above it)."""
        columns, trees = list(self.columns), list(self.trees)
        for feature, threshold, low, high in stumps:
            if feature not in columns:
                columns.append(feature)
            trees.append(([(columns.index(feature), threshold, 1)], [low, high]))
        return Trees(columns, trees, self.bias)

    def logits(self, features):
        """Logits of blocks in units of 2^-12."""
        sizes = np.array([len(leaves) for _, leaves in self.trees])
        nodes = np.array([node for nodes, _ in self.trees for node in nodes], np.int64).reshape(-1, 3)
        leaves = np.array([leaf for _, leaves in self.trees for leaf in leaves], np.int64)
        return _score(np.ascontiguousarray(features[:, self.columns]), sizes, nodes, leaves) + self.bias


@njit(cache=True)
def _score(features, sizes, nodes, leaves):
    out = np.zeros(len(features), np.int64)
    for row in range(len(features)):
        node, leaf = 0, 0
        for size in sizes:
            left = (1 << size) - 1
            for n in range(node, node + size - 1):
                if features[row, nodes[n, 0]] > nodes[n, 1]:
                    left &= ~nodes[n, 2]
            lowest = 0
            while left >> lowest & 1 == 0:
                lowest += 1
            out[row] += leaves[leaf + lowest]
            node, leaf = node + size - 1, leaf + size
    return out


def _nodes(tree, position, first, nodes, leaves):
    """Writes the subtree whose first leaf is `first`. Returns the number of its leaves."""
    if "leaf_value" in tree:
        leaves.append(tree["leaf_value"])
        return 1
    at = len(nodes)
    nodes.append(None)
    left = _nodes(tree["left_child"], position, first, nodes, leaves)
    right = _nodes(tree["right_child"], position, first + left, nodes, leaves)
    threshold = int(np.clip(np.floor(tree["threshold"]), -32768, 32767))
    nodes[at] = (position[tree["split_feature"]], threshold, ((1 << left) - 1) << first)
    return left + right


def train(dump, pages, late, count):
    """Trains trees on pages and on the late ones."""
    rows = dump.rows(np.concatenate([pages, late]))
    data = lightgbm.Dataset(dump.features[rows].astype(np.float32), dump.label[rows], weight=dump.weight[rows] * 100,
                            params=SETTINGS)
    dumped = lightgbm.train(SETTINGS, data, count).dump_model()["tree_info"]
    used = {}
    trees = []
    position = Positions(used)
    for tree in dumped:
        nodes, leaves = [], []
        _nodes(tree["tree_structure"], position, 0, nodes, leaves)
        trees.append((nodes, [int(round(leaf * 4096)) for leaf in leaves]))
    return Trees(list(used), trees)


class Positions:
    """Numbers things in the order in which they are asked for."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __getitem__(self, thing):
        return self.numbers.setdefault(thing, len(self.numbers))
