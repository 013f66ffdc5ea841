#!/usr/bin/env python3
"""Measures the whole program over an archive: pages per second, CPU time and anonymous memory.

usage: whole_program.py ARCHIVE [--runs N] [--threads N] [--presets NAME...] [--peers resiliparse trafilatura] [--svg FILE]
                        [--dehusk PATH] [-- FURTHER FLAGS OF `run`]

Each round runs every preset once, by default the program's own. With --peers, FastWARC + Resiliparse (main content) and FastWARC +
trafilatura, or one of them, follow over the same archive, and the ratios are taken round by round; that needs
`pip install fastwarc resiliparse trafilatura lxml_html_clean`. With --threads 1 all are pinned to one core.
Medians are what to quote; on a busy machine only those of CPU time. dehusk's is of the whole run, a peer's of reading, parsing and
extraction. Memory is the peak of RssAnon in /proc, looked at every 5 ms. --svg draws the medians of pages a second of CPU time, and
beside FILE, in FILE with `-cost` in its name, the core hours that so many pages take at that rate.
"""
import argparse, itertools, json, os, platform, shutil, statistics, subprocess, sys, tempfile, time
import plot

PEER = """
import sys, time
from fastwarc.warc import ArchiveIterator, WarcRecordType
%s
pages, start, cpu = 0, time.perf_counter(), time.process_time()
with open(sys.argv[1], "rb") as f:
    for record in ArchiveIterator(f, record_types=WarcRecordType.response, parse_http=True):
        extract(record.reader.read())
        pages += 1
print(pages, time.perf_counter() - start, time.process_time() - cpu)
"""

PEERS = {
    "resiliparse": """
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.encoding import detect_encoding
from resiliparse.parse.html import HTMLTree
extract = lambda body: extract_plain_text(HTMLTree.parse_from_bytes(body, detect_encoding(body)), main_content=True)
""",
    "trafilatura": """
from trafilatura import extract
""",
}


def watch(pid, process):
    """Waits for the process; the peak of its RssAnon in kB, its resources, and the CPU seconds of its threads by name."""
    peak, threads = 0, {}
    for look in itertools.count():
        done, status, usage = os.wait4(pid, os.WNOHANG)
        if done:
            process.returncode = os.waitstatus_to_exitcode(status)
            return peak, usage, {name: sum(t for n, t in threads.values() if n == name) for name, _ in threads.values()}
        try:
            with open(f"/proc/{pid}/status") as f:
                peak = max([peak] + [int(line.split()[1]) for line in f if line.startswith("RssAnon")])
            # Threads are many files, and what the last look misses is little: every 50 ms is enough.
            for task in os.listdir(f"/proc/{pid}/task") if look % 10 == 9 else []:
                with open(f"/proc/{pid}/task/{task}/comm") as name, open(f"/proc/{pid}/task/{task}/schedstat") as spent:
                    threads[task] = name.read().strip().split("-")[0], int(spent.read().split()[0]) / 1e9
        except (FileNotFoundError, ProcessLookupError):
            pass
        time.sleep(0.005)


def dehusk(args, further):
    """One run: pages per second as the program counts them, wall seconds, CPU seconds, RssAnon and RSS in MB, and the
    CPU seconds of its threads by name."""
    folder = tempfile.mkdtemp()
    command = pinned(args) + [args.dehusk, "run", args.archive, "-o", folder, "--quiet", "--threads", str(args.threads)]
    start = time.perf_counter()
    process = subprocess.Popen(command + further)
    peak, usage, threads = watch(process.pid, process)
    wall = time.perf_counter() - start
    if process.returncode not in (0, 3):
        sys.exit(f"{command} ended with {process.returncode}")
    with open(f"{folder}/run.json") as f:
        emitted = json.load(f)["totals"]["emitted"]
    shutil.rmtree(folder)
    return emitted / wall, wall, usage.ru_utime + usage.ru_stime, peak / 1e3, usage.ru_maxrss / 1e3, threads


def pinned(args):
    return ["taskset", "-c", "0"] if args.threads == 1 else []


def other(args, peer):
    """A peer's pages, and its wall and CPU seconds."""
    command = pinned(args) + [sys.executable, "-c", PEER % PEERS[peer], args.archive]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return tuple(map(float, told.split()))


def draw(path, archive, rates):
    with open(path, "w") as file:
        file.write(plot.bars(f"Pages of {archive} a second of CPU time", rates))
    sizes = [10**power for power in (6, 7, 8, 9, 10)]
    with open(path.replace(".svg", "-cost.svg"), "w") as file:
        hours = {name: [(size, size / rate / 3600) for size in sizes] for name, rate in rates.items()}
        file.write(plot.lines("Core hours by pages", "pages", hours, at_ends=True))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("archive")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--presets", nargs="+", default=[""])
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=[])
    parser.add_argument("--svg")
    parser.add_argument("--dehusk", default="target/release/dehusk")
    args, further = parser.parse_known_args()
    further = [flag for flag in further if flag != "--"]
    flags = {preset: further + (["-e", preset] if preset else []) for preset in args.presets}
    rows, peers = {preset: [] for preset in flags}, {peer: [] for peer in args.peers}
    dehusk(args, further)
    for _ in range(args.runs):
        for preset, of_preset in flags.items():
            rows[preset].append(dehusk(args, of_preset))
        for peer, of_peer in peers.items():
            of_peer.append(other(args, peer))
    print(f"{platform.machine()}, {os.cpu_count()} cores, threads {args.threads}, {args.runs} runs: min / median / max")
    for preset, of_preset in rows.items():
        if preset:
            print(preset)
        table = dict(zip(["pages/s", "wall s", "CPU s", "RssAnon MB", "RSS MB"], zip(*of_preset)))
        for peer, of_peer in peers.items():
            table[f"pages/s to {peer}'s"] = [row[0] / (pages / wall) for row, (pages, wall, _) in zip(of_preset, of_peer)]
            table[f"CPU of {peer} to it"] = [cpu / row[2] for row, (_, _, cpu) in zip(of_preset, of_peer)]
        show(table)
    # Pages a second of CPU time, which a busy machine hardly changes.
    rates = {preset or "dehusk": statistics.median(row[0] * row[1] / row[2] for row in of_preset) for preset, of_preset in rows.items()}
    for peer, of_peer in peers.items():
        print(f"FastWARC + {peer}")
        show({"pages/s": [pages / wall for pages, wall, _ in of_peer], "CPU s": [cpu for _, _, cpu in of_peer]})
        rates[f"FastWARC + {peer}"] = statistics.median(pages / cpu for pages, _, cpu in of_peer)
    if args.svg:
        draw(args.svg, os.path.basename(args.archive), rates)


def show(table):
    for name, values in table.items():
        print(f"{name:26} {min(values):10.2f} {statistics.median(values):10.2f} {max(values):10.2f}")


if __name__ == "__main__":
    main()
