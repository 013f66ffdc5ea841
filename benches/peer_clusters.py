#!/usr/bin/env python3
"""The near-duplicates that text-dedup or datatrove finds among the documents of a run, in the form of `dehusk cluster`.

usage: peer_clusters.py text-dedup|datatrove RUN_DIR CLUSTERS.jsonl [--threshold T] [--dehusk PATH]

    pip install text-dedup 'datatrove[processing]' spacy
    python3 benches/peer_clusters.py text-dedup out text-dedup.jsonl --threshold 0.7
    dehusk eval --clusters planted.warc.tsv near/clusters.jsonl text-dedup.jsonl

The documents are those of `dehusk cat RUN_DIR`, and shingles have five words. text-dedup has 128 permutations, as `dehusk cluster`, and
the bands that it derives from the threshold. datatrove has its defaults: 14 buckets of 8 hashes, whose threshold is about 0.72.
"""
import argparse, collections, json, pickle, resource, struct, subprocess, sys, tempfile
from pathlib import Path


def text_dedup(texts, folder, threshold):
    """The cluster of each text, as the number of its first text."""
    with open(f"{folder}/documents.jsonl", "w") as out:
        out.writelines(json.dumps({"text": text}) + "\n" for text in texts)
    command = [sys.executable, "-m", "text_dedup.minhash", "--path", "json", "--data_files", f"{folder}/documents.jsonl"]
    command += ["--split", "train", "--cache_dir", f"{folder}/cache", "--column", "text", "--num_proc", "1"]
    command += ["--ngram", "5", "--num_perm", "128", "--threshold", str(threshold)]
    command += ["--output", f"{folder}/out", "--debug"]
    subprocess.run(command, check=True)
    with open(f"{folder}/out/uf.pkl", "rb") as file:
        # The file was written just now.
        found = pickle.load(file)
    return [found.find(number) for number in range(len(texts))]


def datatrove(texts, folder, _):
    """The same by datatrove, as users of its three steps have them in one process."""
    from datatrove.data import Document
    from datatrove.pipeline.dedup import MinhashDedupBuckets, MinhashDedupCluster, MinhashDedupSignature
    from datatrove.pipeline.dedup.minhash import MinhashConfig

    config = MinhashConfig()
    documents = (Document(text=text, id=str(number)) for number, text in enumerate(texts))
    MinhashDedupSignature(f"{folder}/signatures", config).run(documents, 0, 1)
    for bucket in range(config.num_buckets):
        step = MinhashDedupBuckets(f"{folder}/signatures", f"{folder}/buckets", config=config)
        step.run(None, bucket, config.num_buckets)
    MinhashDedupCluster(f"{folder}/buckets", f"{folder}/clusters", config, save_cluster_id=True).run(None, 0, 1)
    pairs = struct.iter_unpack("<II", Path(f"{folder}/clusters/000000.clusters").read_bytes())
    first, of_cluster = list(range(len(texts))), {}
    for number, cluster in sorted(pairs):
        first[number] = of_cluster.setdefault(cluster, number)
    return first


PEERS = {"text-dedup": text_dedup, "datatrove": datatrove}


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("run")
    parser.add_argument("clusters")
    parser.add_argument("--threshold", type=float, default=0.7)
    parser.add_argument("--dehusk", default="target/release/dehusk")
    args = parser.parse_args()
    lines = subprocess.run([args.dehusk, "cat", args.run], check=True, stdout=subprocess.PIPE).stdout.decode()
    documents = [json.loads(line) for line in lines.split("\n")[:-1]]
    with tempfile.TemporaryDirectory() as folder:
        first = PEERS[args.peer]([document["text"] for document in documents], folder, args.threshold)
    sizes = collections.Counter(first)
    with open(args.clusters, "w") as out:
        for number, (document, cluster) in enumerate(zip(documents, first)):
            line = {"id": document["id"], "cluster": f"{cluster:016x}", "size": sizes[cluster], "representative": number == cluster}
            out.write(json.dumps(line, separators=(",", ":")) + "\n")
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime:.1f} CPU seconds")


main()
