"""From the expected F1 of a selection to a score that can be believed."""

import numpy as np


def knots(ratio, f1, count=16):
    """Pairs of ratio and confidence, both of 65535, that rise: means over equally large groups, made monotone."""
    some = ratio > 0
    order = np.argsort(ratio[some], kind="stable")
    groups = np.array_split(order, count)
    x = [float(ratio[some][group].mean()) for group in groups]
    y = [float(f1[some][group].mean()) for group in groups]
    # Pool neighbours that fall.
    pooled = [[value, 1] for value in y]
    at = 0
    while at + 1 < len(pooled):
        if pooled[at][0] > pooled[at + 1][0]:
            size = pooled[at][1] + pooled[at + 1][1]
            mean = (pooled[at][0] * pooled[at][1] + pooled[at + 1][0] * pooled[at + 1][1]) / size
            pooled[at:at + 2] = [[mean, size]]
            at = max(at - 1, 0)
        else:
            at += 1
    y = [value for value, size in pooled for _ in range(size)]
    none = float(f1[~some].mean()) if (~some).any() else 0.0
    points = [(0, min(none, y[0]))] + [(px, py) for px, py in zip(x, y)]
    out = []
    for px, py in points:
        knot = (round(px * 65535), round(min(py, 1.0) * 65535))
        if not out or knot[0] > out[-1][0]:
            out.append(knot)
    return out


def confidence(points, ratio):
    """The confidence for ratios, both of one."""
    x, y = np.array(points).T / 65535
    return np.interp(ratio, x, y)
