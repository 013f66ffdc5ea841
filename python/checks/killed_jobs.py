"""Whether jobs of a thousand archives lose or repeat anything while their workers are killed.

    python killed_jobs.py PROGRAM FOLDER ARCHIVE... [--archives 1000] [--large 2] [--kills 20] [--only spark,runs,ray,parts]

PROGRAM is `dehusk`, built from the same sources as the package; FOLDER is a new folder to work in. The records of the archives
(`.warc.gz`) are dealt to new ones, by default a thousand small ones and two of 1 GB; one in fifty is damaged and one in a hundred is
missing. `dehusk run` reads them all. Then each job does, in processes that are killed at random times:

- `spark`: `mapInArrow` in a local cluster of executors, with speculation, written twice to the same table
- `runs`: `dehusk.jobs.Job` in such a cluster, by two drivers at a time, and read while it is half finished; `ray`: the same by Ray's tasks
- `parts`: `dehusk run --part I/N`, as the tasks of an array in Slurm; a part that was killed is started again, and one runs twice at a time

What is compared is a document's archive, offset and hash of the text, and the archives that failed. The exit status is 1 if anything
is lost, there twice, or not named.
"""

import argparse
import json
import os
import random
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from dehusk.jobs import Job
from watch import descendants

GIGABYTE = 1 << 30
CONFIG = {"output": {"compression": "none"}}


def members(program, archive):
    """The stored bytes of the pages of an archive."""
    stored = Path(archive).read_bytes()
    index = subprocess.run([program, "index", archive], check=True, capture_output=True, text=True).stdout
    for line in index.splitlines():
        entry = json.loads(line[line.index("{"):])
        start = int(entry["offset"])
        yield stored[start:start + int(entry["length"])]


def make_archives(program, folder, sources, count, large, chance):
    """Writes the archives, and returns their names, with those of the missing ones."""
    folder.mkdir()
    pages = [member for source in sources for member in members(program, source)]
    names = []
    for number in range(count):
        path = folder / f"crawl-{number:05}.warc.gz"
        names.append(str(path))
        if number < large:
            once = b"".join(pages)
            path.write_bytes(once * (GIGABYTE // len(once) + 1))
        elif number % 100 != 50:
            stored = bytearray(b"".join(chance.choices(pages, k=chance.randint(3, 60))))
            if number % 50 == 25:
                middle = len(stored) // 2
                stored[middle:middle + 64] = chance.randbytes(64)
            path.write_bytes(stored)
    return names


class Killer(threading.Thread):
    """Kills one of the descendants whose command line begins with a pattern, one at a time, until it has killed enough or the work is done."""

    def __init__(self, pattern, kills, pause, chance):
        super().__init__(daemon=True)
        self.pattern, self.wanted, self.pause, self.chance = pattern, kills, pause, chance
        self.kills = 0
        self.is_done = threading.Event()

    def run(self):
        while self.kills < self.wanted and not self.is_done.wait(self.chance.uniform(0.3, 1.7) * self.pause):
            victims = [number for number, command in descendants() if re.match(self.pattern, command)]
            if victims:
                try:
                    os.kill(self.chance.choice(victims), signal.SIGKILL)
                    self.kills += 1
                except ProcessLookupError:
                    pass


def key(row):
    metadata = row["metadata"]
    return (os.path.basename(metadata["file_path"]), metadata["warc_offset"], metadata["text_hash"])


def of_shards(paths):
    for path in paths:
        with open(path, encoding="utf-8", newline="\n") as lines:
            yield from (key(json.loads(line)) for line in lines)


def of_run(directory):
    """The documents of a run, and the names of the archives that could not be read."""
    report = json.loads((directory / "run.json").read_text())
    failed = [os.path.basename(archive["path"]) for archive in report["archives"] if archive["state"] == "failed"]
    return of_shards(sorted((directory / "documents").glob("*.jsonl"))), failed


def spark_session(name, speculates=True):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.executor.memory": "768m",
        "spark.task.maxFailures": "1000",
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.excludeOnFailure.enabled": "false",
        "spark.speculation": str(speculates).lower(),
        "spark.speculation.multiplier": "1.2",
        "spark.speculation.quantile": "0.5",
    }
    builder = SparkSession.builder.appName(name).master("local-cluster[2,1,1024]")
    for setting, value in settings.items():
        builder = builder.config(setting, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


EXECUTORS = ".*java .*CoarseGrainedExecutorBackend"


def by_spark(work):
    from dehusk import spark as husk

    session = spark_session("rows")
    table = str(work.folder / "table")

    def write():
        frame = session.createDataFrame([(name,) for name in work.names], "path string").repartition(200)
        rows = frame.mapInArrow(husk.documents(CONFIG), husk.schema(CONFIG))
        rows.write.mode("overwrite").parquet(table)

    kills = work.under_fire(EXECUTORS, write)
    # The job again, into the same table.
    write()
    rows = session.read.parquet(table)
    columns = ["metadata.file_path", "metadata.warc_offset", "metadata.text_hash"]
    documents = Counter(key({"metadata": row.asDict()}) for row in rows.where("failure is null").select(*columns).toLocalIterator())
    unreadable = rows.where("failure.offset is null and failure is not null").select("failure.archive", "failure.reason")
    failed = [(row.archive or row.reason).split(":")[0] for row in unreadable.toLocalIterator()]
    session.stop()
    return documents, map(os.path.basename, failed), kills


def by_runs(work):
    session = spark_session("runs")
    job = Job(work.folder / "job", work.names, CONFIG)

    def drive():
        driver = Job(job.folder, work.names, CONFIG)
        remaining = driver.remaining()
        session.sparkContext.parallelize(remaining, len(remaining)).map(driver.run).count()

    def drive_twice():
        drivers = [threading.Thread(target=drive) for _ in range(2)]
        for driver in drivers:
            driver.start()
        halves = []
        while any(driver.is_alive() for driver in drivers):
            time.sleep(5)
            halves.append(Counter(of_shards(job.shards())))
        for driver in drivers:
            driver.join()
        whole = Counter(of_shards(job.shards()))
        is_part = all(half <= whole for half in halves)
        print(f"runs: {len(halves)} half-finished tables were read; {'all are parts of the whole' if is_part else 'NOT PARTS OF THE WHOLE'}")

    kills = work.under_fire(EXECUTORS, drive_twice)
    session.stop()
    return of_job(job, kills)


def of_job(job, kills):
    failed = [os.path.basename(account["archive"]) for account in job.accounts() if account["state"] == "failed"]
    return Counter(of_shards(job.shards())), failed, kills


def by_ray(work):
    import ray

    # A node that is slow because the machine is busy is not dead.
    patient = {"health_check_timeout_ms": 60_000, "health_check_failure_threshold": 20}
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR", log_to_driver=False, _system_config=patient)
    job = Job(work.folder / "job-of-ray", work.names, CONFIG)
    task = ray.remote(max_retries=-1)(lambda names: [job.run(name) for name in names])

    def run():
        remaining = job.remaining()
        ray.get([task.remote(remaining[start::200]) for start in range(200)])

    # A node ends with its agents, and this cluster has one node only. So workers are killed.
    kills = work.under_fire("ray::(?!.*Agent)", run)
    ray.shutdown()
    return of_job(job, kills)


def by_parts(work):
    """Two parts at a time, as on two nodes. Part 1 is started twice."""
    (work.folder / "list").write_text("".join(f"{name}\n" for name in work.names))
    parts = 8

    def run_part(number):
        out = work.folder / f"part-{number}"
        command = [work.program, "run", "--quiet", "--config", work.folder / "settings.toml", "-o", out]
        command += ["--part", f"{number}/{parts}", f"@{work.folder / 'list'}"]
        while True:
            status = subprocess.run(command, stderr=subprocess.DEVNULL).returncode
            # 1: an archive is missing. 3: one is damaged. A part that is started beside itself is refused (2).
            if status in (0, 1, 3) and (out / "run.json").exists() and json.loads((out / "run.json").read_text())["state"] == "complete":
                return
            time.sleep(0.2)

    def run_all():
        waiting = iter([1, *range(1, parts + 1)])
        turn = threading.Lock()

        def work_off():
            while True:
                with turn:
                    number = next(waiting, None)
                if number is None:
                    return
                run_part(number)

        nodes = [threading.Thread(target=work_off) for _ in range(2)]
        for node in nodes:
            node.start()
        for node in nodes:
            node.join()

    kills = work.under_fire(f"{re.escape(work.program)} run", run_all)
    documents, failed = Counter(), []
    for number in range(1, parts + 1):
        found, unreadable = of_run(work.folder / f"part-{number}")
        documents.update(found)
        failed += unreadable
    return documents, failed, kills


class Work:
    def __init__(self, program, folder, names, kills, pause, chance):
        self.program, self.folder, self.names = program, folder, names
        self.kills, self.pause, self.chance = kills, pause, chance

    def under_fire(self, pattern, work):
        """Does the work while processes are killed. Returns how many were."""
        killer = Killer(pattern, self.kills, self.pause, self.chance)
        killer.start()
        try:
            work()
        finally:
            killer.is_done.set()
            killer.join()
        return killer.kills


JOBS = {"spark": by_spark, "runs": by_runs, "ray": by_ray, "parts": by_parts}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--archives", type=int, default=1000)
    parser.add_argument("--large", type=int, default=2)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pause", type=float, default=3.0, help="mean seconds between kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(JOBS))
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True)
    program = os.path.abspath(arguments.program)
    names = make_archives(program, folder / "archives", arguments.sources, arguments.archives, arguments.large, chance)
    settings = "".join(f"{key} = {json.dumps(value)}\n" for key, value in CONFIG["output"].items())
    (folder / "settings.toml").write_text("[output]\n" + settings)
    (folder / "list").write_text("".join(f"{name}\n" for name in names))
    command = [program, "run", "--quiet", "--config", folder / "settings.toml", "-o", folder / "run", f"@{folder / 'list'}"]
    subprocess.run(command, stderr=subprocess.DEVNULL)
    found, unreadable = of_run(folder / "run")
    expected, missing = Counter(found), sorted(unreadable)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    print(f"run: {expected.total()} documents of {len(names)} archives, {len(missing)} missing, {seconds:.0f} CPU seconds", flush=True)
    is_good = True
    for name in arguments.only.split(","):
        began = time.monotonic()
        documents, failed, kills = JOBS[name](Work(program, folder, names, arguments.kills, arguments.pause, chance))
        lost, twice = expected - documents, documents - expected
        unnamed = sorted(failed) != missing
        is_good &= not lost and not twice and not unnamed and kills >= arguments.kills
        if kills < arguments.kills:
            print(f"{name}: the work was done before all were killed; give more archives, or a shorter --pause")
        print(
            f"{name}: {kills} kills in {time.monotonic() - began:.0f} s; {documents.total()} documents, {lost.total()} lost, "
            f"{twice.total()} twice or foreign; {'other' if unnamed else 'the same'} archives failed",
            flush=True,
        )
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
