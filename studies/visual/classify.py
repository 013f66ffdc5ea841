"""What the boxes of `boxes.py` are worth: a visual wrapper, and the features of `fusion` with and without boxes.

    python classify.py BOXES.jsonl FEATURES EXPLAINED

FEATURES is what `dehusk features` wrote for the archive. EXPLAINED is a directory with the output of
`dehusk extract --explain --format json -e fusion` for each page, as NUMBER.json, in the order of BOXES.jsonl.

All figures are of three folds by registered domain. Needs training/requirements.txt.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import lightgbm
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from training.dump import registered_domain  # noqa: E402

CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+")
WIDTH, HEIGHT = 1280.0, 1024.0
TREES = {"objective": "binary", "num_leaves": 16, "learning_rate": 0.1, "min_data_in_leaf": 20, "verbose": -1, "seed": 1,
         "num_threads": 1, "deterministic": True}


def words(text):
    return [word.lower() for word in WORD.findall(text)]


def f1(common, extracted, true):
    return 1.0 if extracted + true == 0 else 2 * common / (extracted + true)


def runs(tokens):
    return set(zip(tokens, tokens[1:], tokens[2:]))


def labelled(page):
    """The words of each text, and whether more than half of them are in runs of three words that the truth has."""
    truth, own = runs(words(page["truth"])), [words(text["text"]) for text in page["texts"]]
    tokens = [token for text in own for token in text]
    covered = np.zeros(len(tokens), bool)
    for at, run in enumerate(zip(tokens, tokens[1:], tokens[2:])):
        if run in truth:
            covered[at:at + 3] = True
    ends = np.cumsum([len(text) for text in own])
    labels = [2 * covered[end - len(text):end].sum() > len(text) for text, end in zip(own, ends)]
    return own, np.array(labels, bool)


def box_features(text, page):
    """What the wrapper sees of a text: where it is, how large, what it looks like. Nothing of tags or words."""
    x, y, width, height = text["box"]
    bx, by, bwidth, bheight = text["block"]
    return [x / WIDTH, y / HEIGHT, y / max(page["height"], 1), width / WIDTH, height / HEIGHT, width * height / (WIDTH * HEIGHT),
            abs(x + width / 2 - WIDTH / 2) / WIDTH, bx / WIDTH, bwidth / WIDTH, bheight / HEIGHT,
            bwidth * bheight / (WIDTH * HEIGHT), text["size"], text["weight"], text["link"], text["hidden"],
            len(text["text"].strip())]


def with_neighbours(rows):
    """The features of the texts before and after beside those of each text."""
    rows = np.array(rows, float)
    none = np.full((1, rows.shape[1]), -1.0)
    return np.hstack([rows, np.vstack([none, rows[:-1]]), np.vstack([rows[1:], none])])


def folds(domains):
    names = sorted(set(domains))
    np.random.RandomState(0).shuffle(names)
    place = {name: number % 3 for number, name in enumerate(names)}
    return np.array([place[domain] for domain in domains])


def predicted(features, labels, weights, fold):
    """The probability of each row by a model of the other folds. Each argument has an array for each page."""
    out = [None] * len(features)
    for k in range(3):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        data = lightgbm.Dataset(np.vstack([features[p] for p in train]), np.concatenate([labels[p] for p in train]),
                                weight=np.concatenate([weights[p] for p in train]))
        model = lightgbm.train(TREES, data, 100)
        for p in test:
            out[p] = model.predict(features[p])
    return out


def page_f1(texts, kept, truth):
    bag = Counter(word for text, keep in zip(texts, kept) if keep for word in text)
    truth = Counter(truth)
    return f1(sum((bag & truth).values()), sum(bag.values()), sum(truth.values()))


def wrapper(pages, fold):
    own = [labelled(page) for page in pages]
    features = [with_neighbours([box_features(text, page) for text in page["texts"]]) for page in pages]
    labels = [label for _, label in own]
    weights = [np.full(len(label), 1.0 / max(len(label), 1)) for label in labels]
    kept = [p > 0.5 for p in predicted(features, labels, weights, fold)]
    right = sum((k & l).sum() for k, l in zip(kept, labels))
    leaves = 2 * right / (sum(k.sum() for k in kept) + sum(l.sum() for l in labels))
    scores = [page_f1(texts, k, words(page["truth"])) for (texts, _), k, page in zip(own, kept, pages)]
    print(f"visual wrapper: F1 of leaves {leaves:.4f}, of words {np.mean(scores):.4f}, "
          f"{sum(len(l) for l in labels)} leaves, {np.mean([l.mean() for l in labels]):.3f} of a page's are content")


def dump(directory):
    """The pages of a directory of features, by record id: features, words, labels, truth."""
    about = json.loads((directory / "features.json").read_text())
    pages = [json.loads(line) for line in (directory / "pages.jsonl").open(encoding="utf-8")]
    features = np.fromfile(directory / "features.i16", "<i2").reshape(-1, len(about["names"]))
    blocks = np.fromfile(directory / "blocks.u32", "<u4").reshape(len(features), -1)
    word_ids, truth_ids = (np.fromfile(directory / name, "<u4") for name in ("words.u32", "truth.u32"))
    out, block, word, true = {}, 0, 0, 0
    for page in pages:
        own = blocks[block:block + page["blocks"]]
        sizes = own[:, 1]
        ends = word + np.cumsum(sizes)
        out[page["id"].strip("<>")] = {
            "features": features[block:block + page["blocks"]].astype(float), "label": own[:, 2] == 1, "counted": own[:, 0],
            "words": [word_ids[end - size:end].tolist() for size, end in zip(sizes, ends)],
            "truth": truth_ids[true:true + page["words"]].tolist(),
        }
        block, word, true = block + page["blocks"], word + int(sizes.sum()), true + page["words"]
    return out


def boxes_of_blocks(page, blocks):
    """The union of the boxes of the texts that a block's words come from, found in order. NaN where there are none."""
    tokens, of_text = [], []
    for number, text in enumerate(page["texts"]):
        own = words(text["text"])
        tokens += own
        of_text += [number] * len(own)
    rows, at, found = [], 0, 0
    for block in blocks:
        wanted = words(block)
        places = [start for start in range(at, min(at + 3000, len(tokens)))
                  if wanted and tokens[start:start + min(4, len(wanted))] == wanted[:4]]
        if not places:
            rows.append(None)
            continue
        found += 1
        start, at = places[0], places[0] + len(wanted)
        texts = [page["texts"][number] for number in sorted(set(of_text[start:at]))]
        left, top = min(t["box"][0] for t in texts), min(t["box"][1] for t in texts)
        right, bottom = max(t["box"][0] + t["box"][2] for t in texts), max(t["box"][1] + t["box"][3] for t in texts)
        first = max(texts, key=lambda text: len(text["text"]))
        rows.append(box_features(first | {"box": [left, top, right - left, bottom - top]}, page))
    width = next((len(row) for row in rows if row), 16)
    rows = [row or [float("nan")] * width for row in rows]
    return with_neighbours(rows) if rows else np.zeros((0, 3 * width)), found


def fusion(pages, fold, directory, explained):
    known = dump(directory)
    chosen, boxes, used = [], [], []
    found = total = 0
    for number, page in enumerate(pages):
        own = known.get(page["record_id"])
        path = explained / f"{number}.json"
        blocks = json.loads(path.read_text())["blocks"] if path.exists() and path.stat().st_size else []
        if own is None or len(blocks) != len(own["features"]) or not blocks:
            continue
        rows, matched = boxes_of_blocks(page, [block["text"] for block in blocks])
        found, total = found + matched, total + len(blocks)
        chosen.append(own)
        boxes.append(rows)
        used.append(number)
    fold = fold[used]
    labels = [own["label"] for own in chosen]
    weights = [np.sqrt(own["counted"] + 1.0) / np.sqrt(own["counted"] + 1.0).sum() for own in chosen]
    print(f"{len(chosen)} pages, {total} blocks, {found} with a box")
    plain = [own["features"] for own in chosen]
    for name, features in [("features of fusion", plain), ("boxes", boxes),
                           ("features of fusion and boxes", [np.hstack(pair) for pair in zip(plain, boxes)])]:
        kept = [p > 0.5 for p in predicted(features, labels, weights, fold)]
        scores = [page_f1(own["words"], k, own["truth"]) for own, k in zip(chosen, kept)]
        print(f"{name}: F1 of words {np.mean(scores):.4f}")
        yield np.array(scores)


def main(boxes, features, explained):
    pages = [json.loads(line) for line in open(boxes, encoding="utf-8")]
    pages = [page for page in pages if page["texts"]]
    fold = folds([registered_domain(page["url"] or page["record_id"]) for page in pages])
    seconds = np.array([page["seconds"] for page in pages])
    print(f"{len(pages)} pages, rendering and boxes: mean {1e3 * seconds.mean():.0f} ms, median {1e3 * np.median(seconds):.0f} ms")
    wrapper(pages, fold)
    plain, _, both = fusion(pages, fold, Path(features), Path(explained))
    draws = np.random.RandomState(0).randint(0, len(plain), (2000, len(plain)))
    low, high = np.percentile((both - plain)[draws].mean(1), [2.5, 97.5])
    print(f"boxes add {np.mean(both - plain):+.4f} ({low:+.4f} to {high:+.4f})")


if __name__ == "__main__":
    main(*sys.argv[1:])
