"""Whether `dehusk.spark.clusters` finds the clusters of `dehusk cluster`.

    python same_clusters.py PROGRAM FOLDER ARCHIVE...

PROGRAM is `dehusk`; FOLDER is a new folder to work in. The lines of both must be the same: id, cluster, size and
representative. The exit status is 1 if they are not.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

FIELDS = ("id", "cluster", "size", "representative")


def lines(path):
    with open(path, encoding="utf-8", newline="\n") as file:
        return [tuple(json.loads(line)[field] for field in FIELDS) for line in file]


def pairs(rows):
    sizes = Counter(cluster for _, cluster, _, _ in rows)
    return sum(size * (size - 1) // 2 for size in sizes.values())


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    program, folder = sys.argv[1], Path(sys.argv[2])
    # Documents are in the order of their archives' names, as in Spark.
    archives = sorted(sys.argv[3:], key=os.path.basename)
    folder.mkdir(parents=True)
    run = [program, "run", *archives, "-o", folder / "run", "--compression", "none", "--signatures", "minhash,spotsigs"]
    if subprocess.run(run, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode not in (0, 3):
        sys.exit("dehusk run fails")

    from pyspark.sql import SparkSession

    from dehusk import spark as husk

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    is_same = True
    for by in ("shingles", "spotsigs"):
        out = folder / by
        subprocess.run([program, "cluster", folder / "run", "-o", out, "--by", by], check=True, stdout=subprocess.DEVNULL)
        expected = lines(out / "clusters.jsonl")
        documents = session.read.json(str(folder / "run" / "documents"))
        found = [tuple(row) for row in husk.clusters(documents, by=by).collect()]
        differing = Counter(expected) - Counter(found)
        print(f"{by}: {len(expected)} documents, {pairs(expected)} pairs; Spark: {len(found)} documents, {pairs(found)} pairs; "
              f"{differing.total()} lines differ", flush=True)
        is_same &= not differing and len(found) == len(expected)
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
