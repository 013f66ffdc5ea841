#!/usr/bin/env python3
"""How a run grows: with threads, with the archive's length, and over what inflating alone takes.

usage: scaling.py ARCHIVE [--runs N] [--dehusk PATH] [--studies PATH] [-- FURTHER FLAGS OF `run`]

    cargo build --release --bin dehusk && cargo build --release --package dehusk-studies
    python3 benches/scaling.py wcxb-dev.warc.gz

The archive is gzip, a member a record. It is run with one thread (pinned) and with two, and once more ten times over, as
one file of ten copies. Ratios are taken pair by pair, from runs that follow each other. The inflating is that of
libdeflate alone (`cargo study inflate`), in CPU seconds. The last rows are CPU seconds of each kind of thread over the ten
copies, from the file and through a pipe; `workers a writer serves` is how many workers make chunks as fast as the one
writer can take them, and `workers a pipe's reader serves` how many use records up as fast as one reader inflates them. What 4 to
64 threads would gain is arithmetic: all CPU time divided by the threads, but no less than the writer's, which works alone.
"""
import argparse, os, platform, shutil, statistics, subprocess, tempfile
from whole_program import dehusk


def inflating(args):
    """CPU seconds of inflating the archive by libdeflate alone."""
    told = subprocess.run([args.studies, "inflate", args.archive], capture_output=True, text=True, check=True)
    return float(told.stdout.split()[-1])


def ten_copies(archive, folder):
    path = f"{folder}/ten-{os.path.basename(archive)}"
    with open(path, "wb") as ten:
        for _ in range(10):
            with open(archive, "rb") as one:
                shutil.copyfileobj(one, ten)
    return path


def run(args, further, archive, threads):
    row = dehusk(argparse.Namespace(archive=archive, threads=threads, dehusk=args.dehusk), further)
    return dict(zip(["pages", "wall", "cpu", "anon", "rss", "by_thread"], row))


def piped(args, further, ten):
    """CPU seconds of each kind of thread over the ten copies through a pipe, which no two threads can inflate."""
    pipe = f"{os.path.dirname(ten)}/pipe.warc.gz"
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", 'cat "$0" > "$1"', ten, pipe]):
        row = run(args, further, pipe, 2)
    os.remove(pipe)
    return row["by_thread"]


def measure(args, further, ten):
    one, two = run(args, further, args.archive, 1), run(args, further, args.archive, 2)
    long, long_two = run(args, further, ten, 1), run(args, further, ten, 2)
    through_pipe = piped(args, further, ten)
    floor = inflating(args)
    by_thread = long_two["by_thread"]
    # The writer is the thread that the program starts with.
    workers, writer, readers = (by_thread.get(name, 0.0) for name in ("worker", "dehusk", "reader"))
    whole = workers + writer + readers
    gains = {f"{threads} threads would be so many times as fast": whole / max(whole / threads, writer) for threads in (4, 16, 64)}
    return gains | {
        "1 thread: wall s": one["wall"],
        "2 threads: wall s": two["wall"],
        "1 thread / 2 threads: wall": one["wall"] / two["wall"],
        "ten copies, 1 thread / 2 threads: wall": long["wall"] / long_two["wall"],
        "ten copies / one, 1 thread: wall": long["wall"] / one["wall"],
        "ten copies / one, 1 thread: CPU": long["cpu"] / one["cpu"],
        "one copy, 1 thread: RssAnon MB": one["anon"],
        "ten copies, 1 thread: RssAnon MB": long["anon"],
        "one copy, 1 thread: RSS MB": one["rss"],
        "ten copies, 1 thread: RSS MB": long["rss"],
        "one copy, 2 threads: RssAnon MB": two["anon"],
        "ten copies, 2 threads: RssAnon MB": long_two["anon"],
        "1 thread: CPU s": one["cpu"],
        "libdeflate alone: CPU s": floor,
        "CPU of a run / libdeflate alone": ratio(one["cpu"], floor),
        "ten copies, 2 threads: workers' CPU s": workers,
        "ten copies, 2 threads: writer's CPU s": writer,
        "ten copies, 2 threads: readers' CPU s": readers,
        "workers a writer serves": ratio(workers, writer),
        "ten copies by pipe, 2 threads: workers' CPU s": through_pipe["worker"],
        "ten copies by pipe, 2 threads: reader's CPU s": through_pipe["reader"],
        "workers a pipe's reader serves": ratio(through_pipe["worker"], through_pipe["reader"]),
    }


def ratio(a, b):
    # Short work is below what the system's account of CPU time shows.
    return a / b if b else float("nan")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("archive")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dehusk", default="target/release/dehusk")
    parser.add_argument("--studies", default="target/release/dehusk-studies")
    args, further = parser.parse_known_args()
    further = [flag for flag in further if flag != "--"]
    folder = tempfile.mkdtemp()
    try:
        ten = ten_copies(args.archive, folder)
        run(args, further, args.archive, 1)
        rows = [measure(args, further, ten) for _ in range(args.runs)]
    finally:
        shutil.rmtree(folder)
    print(f"{platform.machine()}, {os.cpu_count()} cores, {args.runs} runs: min / median / max")
    for name in rows[0]:
        values = [row[name] for row in rows]
        print(f"{name:42} {min(values):10.3f} {statistics.median(values):10.3f} {max(values):10.3f}")


main()
