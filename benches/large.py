#!/usr/bin/env python3
"""Runs an archive of 100 GB, kills and resumes it, and runs eight archives at once.

usage: large.py ARCHIVE [--gigabytes N] [--dehusk PATH]

The long archive holds the records of ARCHIVE uncompressed, and after every tenth a record of zeros, so long that the file has N
gigabytes. The zeros are holes in the file, which take no disk. A run is killed with SIGKILL after half of the time that an
undisturbed one took, and started again. Both must write the same documents. Memory is the peak of RssAnon.
"""
import argparse, gzip, hashlib, json, os, shutil, signal, subprocess, tempfile, time
from pathlib import Path
from whole_program import watch

ZEROS = (
    "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-%012d>\r\n"
    "WARC-Date: 2026-01-01T00:00:00Z\r\nWARC-Target-URI: file:///zeros\r\nContent-Type: application/octet-stream\r\n"
    "Content-Length: %d\r\n\r\n"
)


def records(archive):
    """The records of an archive, each with its head and the empty lines after it."""
    with gzip.open(archive) as stream:
        while head := stream.readline():
            while (line := stream.readline()) not in (b"\r\n", b""):
                head += line
            length = next(int(line.split(b":")[1]) for line in head.splitlines() if line.lower().startswith(b"content-length:"))
            yield head + b"\r\n" + stream.read(length + 4)


def make_long(archive, path, size):
    """Writes the long archive, with its last bytes, so that the file has its size."""
    all_records = list(records(archive))
    zeros = (size - sum(map(len, all_records))) // (len(all_records) // 10)
    with open(path, "wb") as long:
        for number, record in enumerate(all_records, 1):
            long.write(record)
            if number % 10 == 0:
                long.write((ZEROS % (number, zeros)).encode())
                long.seek(zeros, os.SEEK_CUR)
                long.write(b"\r\n\r\n")


def run(args, archives, out, kill_after=None):
    """Runs archives; returns wall and CPU seconds, and the peak of RssAnon in MB."""
    command = [args.dehusk, "run", *map(str, archives), "-o", str(out), "--quiet", "--threads", "2"]
    start = time.perf_counter()
    process = subprocess.Popen(command)
    if kill_after:
        time.sleep(kill_after)
        process.send_signal(signal.SIGKILL)
    peak, usage, _ = watch(process.pid, process)
    if not kill_after and process.returncode not in (0, 3):
        raise SystemExit(f"{command} ended with {process.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak / 1e3


def documents(out):
    """A digest of all documents, and their number."""
    digest = hashlib.sha256()
    for path in sorted((out / "documents").iterdir()):
        digest.update(path.read_bytes())
    return digest.hexdigest(), json.loads((out / "run.json").read_text())["totals"]["emitted"]


def show(name, figures):
    wall, cpu, anon = figures
    print(f"{name:28} {wall:8.1f} s {cpu:8.1f} CPU s {anon:7.1f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--gigabytes", type=int, default=100)
    parser.add_argument("--dehusk", default="target/release/dehusk")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        one = run(args, [args.archive], folder / "one")
        show("one archive", one)
        copies = [folder / f"copy-{number}.warc.gz" for number in range(8)]
        for copy in copies:
            shutil.copyfile(args.archive, copy)
        show("eight at once", run(args, copies, folder / "eight"))
        long = folder / "long.warc"
        make_long(args.archive, long, args.gigabytes * 10**9)
        whole = run(args, [long], folder / "whole")
        show(f"{args.gigabytes} GB", whole)
        run(args, [long], folder / "killed", kill_after=whole[0] / 2)
        rest = run(args, [long], folder / "killed")
        show("the same, resumed at half", rest)
        again = run(args, [long], folder / "killed")
        show("the same, finished before", again)
        same = documents(folder / "whole") == documents(folder / "killed")
        print(f"{documents(folder / 'whole')[1]} documents, {'the same' if same else 'OTHERS'} after the kill")


main()
