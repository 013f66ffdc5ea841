#!/usr/bin/env python3
"""Runs the commands of docs/measurements.md, and keeps what they print beside the machine and the commit.

usage: measure.py CORPORA OUT [--only TEXT] [--list]

CORPORA has the archives and truths that the page names. Each section becomes a file in OUT, a new folder: its commands, what they
print, and their CPU and wall seconds. From these files the page's tables are written. `--only speed` takes the sections whose heading
has this text. `--list` prints the commands and runs nothing. All sections take hours; the machine should do nothing else.

Words in capitals are folders or archives, as the text says. Lines that have other gaps (`…`, `KIND`) are listed as left out. The exit
status is 1 if a command fails.
"""
import argparse, os, re, resource, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Packages of Python go into an environment of their own.
GAPS = re.compile(r"…|\bKIND\b")


def sections(page):
    """The headings and their commands: the indented lines after an empty one."""
    heading, commands, is_block, before = "", [], False, ""
    for line in page.splitlines():
        if line.startswith("#"):
            yield heading, commands
            heading, commands = line.lstrip("# "), []
        is_block = line.startswith("    ") and (is_block or not before)
        if is_block and commands and commands[-1].endswith("\\"):
            commands[-1] = commands[-1][:-1] + line.strip()
        elif is_block:
            commands.append(re.sub(r"\s+#.*", "", line.strip()))
        before = line.strip()
    yield heading, commands


def filled(command, corpora, folder):
    """The command with the paths of the corpora and of a new folder."""
    for word, name in (("SCRATCH", "scratch"), ("FOLDER", "folder")):
        command = re.sub(rf"\b{word}\b", tempfile.mktemp(prefix=f"{name}-", dir=folder), command)
    command = command.replace("ARCHIVE...", "daniel-dev.warc.gz wcxb-dev.warc.gz").replace("$PWD/", "")
    command = re.sub(r"(?<![\w/])[\w-]+\.(?:warc|truth\.jsonl)\.gz", lambda name: str(corpora / name[0]), command)
    return re.sub(r"^dehusk |(?<= )dehusk(?= )", "target/release/dehusk ", command).replace("  ", " ")


def machine():
    def said(*command):
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()

    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    commit = said("git", "describe", "--always", "--dirty")
    return f"{os.cpu_count()} cores of {model[1] if model else 'an unknown processor'}, {said('uname', '-sr')}, {said('rustc', '-V')}, commit {commit}"


def run(command, environment, out):
    """Runs a command, writes what it prints, and returns whether it succeeded."""
    out.write(f"$ {command}\n")
    out.flush()
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    status = subprocess.run(command, shell=True, cwd=ROOT, env=environment, stdout=out, stderr=subprocess.STDOUT).returncode
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - start
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    out.write(f"exit status {status}, {cpu:.1f} CPU seconds, {wall:.1f} seconds\n\n")
    out.flush()
    return status == 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    chosen = [
        (heading, commands)
        for heading, commands in sections((ROOT / "docs/measurements.md").read_text())
        if commands and options.only.lower() in heading.lower()
    ]
    if not chosen:
        sys.exit(f"no section of docs/measurements.md has commands and “{options.only}” in its heading")
    corpora, is_good = options.corpora.resolve(), True
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ)
        if not options.list:
            options.out.mkdir(parents=True)
            subprocess.run([sys.executable, "-m", "venv", f"{folder}/venv"], check=True)
            environment["PATH"] = f"{folder}/venv/bin:{environment['PATH']}"
        for heading, commands in chosen:
            path = options.out / (re.sub(r"\W+", "-", heading.lower()) + ".txt")
            with open(os.devnull if options.list else path, "w") as out:
                out.write(f"{heading}\n{machine()}\n\n")
                for command in commands:
                    command = filled(command, corpora, folder)
                    is_left_out = GAPS.search(command)
                    print(f"{heading}: {'left out: ' if is_left_out else ''}{command}", flush=True)
                    if is_left_out:
                        out.write(f"left out: {command}\n\n")
                    elif not options.list:
                        is_good &= run(command, environment, out)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
