#!/usr/bin/env python3
"""The near-duplicates that text-dedup finds among the documents of a run, in the form of `dehusk cluster`.

usage: text_dedup_clusters.py RUN_DIR CLUSTERS.jsonl [--threshold T] [--dehusk PATH]

    pip install text-dedup
    python3 benches/text_dedup_clusters.py out text-dedup.jsonl --threshold 0.7
    dehusk eval --clusters planted.warc.tsv near/clusters.jsonl text-dedup.jsonl

The documents are those of `dehusk cat RUN_DIR`, and the command is `python -m text_dedup.minhash` with shingles of five words and
128 permutations, as `dehusk cluster` has them. The bands are those that text-dedup derives from the threshold.
"""
import argparse
import collections
import json
import pickle
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("run")
    parser.add_argument("clusters")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--dehusk", default="target/release/dehusk")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ids = []
        with open(f"{folder}/documents.jsonl", "w") as out:
            documents = subprocess.run([args.dehusk, "cat", args.run], check=True, stdout=subprocess.PIPE).stdout
            for line in documents.decode().split("\n")[:-1]:
                document = json.loads(line)
                ids.append(document["id"])
                out.write(json.dumps({"text": document["text"]}) + "\n")
        command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", f"{folder}/documents.jsonl"]
        command += ["--split", "train", "--cache_dir", f"{folder}/cache", "--column", "text", "--num_proc", "1"]
        command += ["--ngram", "5", "--num_perm", "128", "--threshold", str(args.threshold)]
        command += ["--output", f"{folder}/out", "--debug"]
        subprocess.run(command, check=True)
        with open(f"{folder}/out/uf.pkl", "rb") as file:
            # The file was written just now.
            found = pickle.load(file)
    first = [found.find(number) for number in range(len(ids))]
    sizes = collections.Counter(first)
    with open(args.clusters, "w") as out:
        for number, (identifier, cluster) in enumerate(zip(ids, first)):
            line = {"id": identifier, "cluster": f"{cluster:016x}", "size": sizes[cluster], "representative": number == cluster}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")


main()
