#!/usr/bin/env python3
"""How clustering and the detection of topics grow with the number of documents.

usage: clusters.py TRUTH... [--sizes N...] [--copies | --brief] [--by KIND] [--topics] [--nights COUNT] [--spark PYTHON]
       [--partitions N] [--dehusk PATH] [--folder DIR] [--svg FILE]

    cargo build --release --bin dehusk
    python3 benches/clusters.py daniel-dev.truth.jsonl.gz wcxb-dev.truth.jsonl.gz --svg growth.svg

`cargo study varied` makes archives of varied texts, of which three in ten are near-copies of an earlier one. Each archive is
passed through `dehusk run --record-type conversion`, and its documents are clustered with two threads. A row is printed
for each size: CPU seconds, wall seconds, peak memory in MB, and precision and recall of pairs of copies. The documents are of
a month, in its order; with `--topics`, a row for `dehusk topics` over them and the clusters follows, with the topics. With `--copies`, all documents are copies of one;
with `--brief`, they have forty words. With `--spark`, a Python that has Spark and the package clusters them, too, and must write the same lines. `--by minhash` clusters by signatures, which the run then has. With `--nights`,
the documents are so many runs, and a row for each is what `dehusk cluster --index` takes and, with `--topics`, `dehusk topics --index`, with
the topics that are open and all of them; then the topics that nights make are scored against those of one pass by `dehusk eval`.
"""
import argparse, itertools, json, os, shutil, subprocess, tempfile, time
import plot


def measured(command):
    """CPU seconds, wall seconds, and peak memory in MB of a command."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    assert status == 0, f"{command} ended with {status}"
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1000


def records(archive):
    """The records of an archive of texts, one after the other."""
    mark, rest = b"WARC/1.0\r\n", b""
    with open(archive, "rb") as file:
        while piece := file.read(1 << 22):
            *whole, rest = (rest + piece).split(mark)
            yield from (mark + record for record in whole if record)
    yield mark + rest


def nights(archive, folder, args, size):
    """Clusters and topics night by night, and the agreement of topics with one pass over all nights."""
    news, near, options = f"{folder}/news", f"{folder}/near", ["--overwrite", "--window", "7"]
    documents, runs = records(archive), []
    with open(f"{folder}/nights.jsonl", "w") as assigned:
        for night in range(args.nights):
            run, part = f"{folder}/night-{night}", f"{folder}/night.warc.wet"
            runs.append(run)
            with open(part, "wb") as out:
                out.writelines(itertools.islice(documents, size // args.nights))
            measured([args.dehusk, "run", part, "-o", run, "--record-type", "conversion", "-q"])
            cpu, _, peak = measured([args.dehusk, "cluster", run, "-o", near, "--overwrite", "--index", f"{folder}/near.store"])
            store = os.stat(f"{folder}/near.store").st_blocks * 512 / 1e6
            print(f"night {night + 1}: cluster {cpu:7.2f} s CPU, {peak:5.0f} MB, index of {store:,.0f} MB", flush=True)
            if not args.topics:
                shutil.rmtree(run)
                continue
            cpu, _, _ = measured([args.dehusk, "topics", run, "-o", news, "--index", f"{folder}/topics.store", *options])
            with open(f"{news}/assignments.jsonl") as lines, open(f"{news}/topics.json") as summary:
                assigned.write(lines.read())
                index = json.load(summary)["index"]
            print(f"topics {cpu:7.2f} s CPU, {index['open']:,} topics open of {index['topics']:,}", flush=True)
    if args.topics:
        cpu, _, _ = measured([args.dehusk, "topics", *runs, "-o", f"{folder}/one", *options])
        print(f"one pass: {cpu:7.2f} s CPU", flush=True)
        score = [args.dehusk, "eval", "--clusters", f"{folder}/one/assignments.jsonl", f"{folder}/nights.jsonl"]
        subprocess.run(score, check=True)


def picture(rows):
    """CPU time, memory and disk by documents."""
    series = {"CPU seconds": 1, "memory, MB": 2, "disk, MB": 3}
    return plot.lines(
        "dehusk cluster: CPU time, memory and disk by documents",
        "documents",
        {name: [(row[0], row[column]) for row in rows] for name, column in series.items()},
    )


def megabytes(*places):
    """What files and folders take on disk."""
    files = [os.path.join(folder, name) for place in places for folder, _, names in os.walk(place) for name in names]
    return sum(os.path.getsize(file) for file in files) / 1e6


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("truths", nargs="+")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--copies", action="store_true")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--spark", metavar="PYTHON")
    parser.add_argument("--partitions", default="200")
    parser.add_argument("--by", default="shingles")
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--nights", type=int)
    parser.add_argument("--dehusk", default="target/release/dehusk")
    parser.add_argument("--folder")
    parser.add_argument("--svg")
    args = parser.parse_args()
    if args.spark and (args.by != "shingles" or args.nights):
        parser.error("--spark clusters by shingles and in one pass: give neither --by nor --nights")
    rows = []
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        for size in args.sizes:
            archive, run, near = f"{folder}/{size}.warc.wet", f"{folder}/run-{size}", f"{folder}/near-{size}"
            kind = ["copies"] if args.copies else ["brief"] if args.brief else []
            subprocess.run(["cargo", "study", "varied", *kind, str(size), *args.truths, archive], check=True)
            if args.nights:
                nights(archive, folder, args, size)
                continue
            signatures = ["--signatures", "minhash"] if args.by == "minhash" else []
            form = ["--format", "parquet"] if args.spark else []
            measured([args.dehusk, "run", archive, "-o", run, "--record-type", "conversion", "-q", "-t", "2", *signatures, *form])
            os.remove(archive)
            cpu, wall, peak = measured([args.dehusk, "cluster", run, "-o", near, "--by", args.by])
            disk = megabytes(run, near)
            rows.append((size, cpu, peak, disk))
            print(f"{size:9,} documents: {cpu:7.2f} s CPU, {wall:7.2f} s wall, {peak:5.0f} MB, {disk:,.0f} MB of disk", flush=True)
            # 3: some documents are in no run, which it reports.
            score = [args.dehusk, "eval", "--clusters", f"{archive}.tsv", f"{near}/clusters.jsonl"]
            assert subprocess.run(score).returncode in (0, 3)
            if args.spark:
                check = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python/checks/clusters_by_spark.py")
                subprocess.run([args.spark, check, run, f"{near}/spark", "--partitions", args.partitions], check=True)
                subprocess.run(["cmp", f"{near}/clusters.jsonl", f"{near}/spark/clusters.jsonl"], check=True)
            if args.topics:
                cpu, wall, peak = measured([args.dehusk, "topics", run, "-o", f"{folder}/topics-{size}", "--clusters", near])
                with open(f"{folder}/topics-{size}/topics.json") as summary:
                    topics = json.load(summary)["topics"]
                print(f"{size:9,} documents: {cpu:7.2f} s CPU, {wall:7.2f} s wall, {peak:5.0f} MB, {topics:,} topics", flush=True)
    if args.svg:
        with open(args.svg, "w") as file:
            file.write(picture(rows))


main()
