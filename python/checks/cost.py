"""What the Python package costs. Times are CPU seconds unless said otherwise.

    python cost.py extract ARCHIVE          pages a second of dehusk, Resiliparse and trafilatura in one process
    python cost.py call                     microseconds of a call of `extract` on the smallest pages
    python cost.py threads ARCHIVE          wall time of one thread with an extractor, and of two with one each
    python cost.py read PROGRAM ARCHIVE     `dehusk.read` beside `PROGRAM run --compression none`, one thread at work
    python cost.py spark PROGRAM ARCHIVE... jobs of a local cluster of two executors beside `PROGRAM run`, without the start of the JVMs
"""

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time

import dehusk

ARCHIVES_A_TASK = 40


def pages(archive):
    """The bodies of all responses."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType

    with open(archive, "rb") as file:
        return [record.reader.read() for record in ArchiveIterator(file, record_types=WarcRecordType.response, parse_http=True)]


def extract(archive):
    bodies = pages(archive)
    peers = {"dehusk": of_dehusk, "dehusk, preset coreex-modern": of_coreex, "Resiliparse": of_resiliparse, "trafilatura": of_trafilatura}
    for name, peer in peers.items():
        try:
            one = peer()
        except ImportError as error:
            print(f"{name}: left out, because {error.name} is absent")
            continue
        best = None
        # The slowest is slow enough to be measured once.
        for _ in range(1 if name == "trafilatura" else 3):
            texts, start = 0, time.process_time()
            for body in bodies:
                texts += bool(one(body))
            seconds = time.process_time() - start
            best = seconds if best is None else min(best, seconds)
        print(f"{name}: {len(bodies)} pages, {texts} texts, {best:.2f} s, {len(bodies) / best:.0f} pages/s", flush=True)


def of_dehusk(config=None):
    extractor = dehusk.Extractor(config)

    def one(body):
        try:
            return extractor.extract(body).text
        except dehusk.Dropped:
            return ""

    return one


def of_coreex():
    return of_dehusk({"extract": {"extractors": ["coreex-modern"]}})


def of_resiliparse():
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import detect_encoding
    from resiliparse.parse.html import HTMLTree

    def one(body):
        try:
            return extract_plain_text(HTMLTree.parse_from_bytes(body, detect_encoding(body)), main_content=True)
        except ValueError:
            return ""

    return one


def of_trafilatura():
    import trafilatura

    return lambda body: trafilatura.extract(body) or ""


def call():
    count = 200_000
    page = b"<p>x"

    def measured(title, one):
        best = None
        for _ in range(5):
            start = time.process_time()
            for _ in range(count):
                one()
            seconds = time.process_time() - start
            best = seconds if best is None else min(best, seconds)
        print(f"{title}: {best / count * 1e6:.2f} µs")

    one = of_dehusk({"extract": {"extractors": ["coreex-modern"]}})
    measured("a function of Python, for comparison", lambda: len(page))
    measured("an empty page, which raises Dropped", lambda: one(b""))
    measured("a page of four bytes, parsed and extracted", lambda: one(page))


def threads(archive):
    bodies = pages(archive)

    def work(bodies):
        one = of_dehusk()
        for body in bodies:
            one(body)

    def wall(parts):
        workers = [threading.Thread(target=work, args=(part,)) for part in parts]
        start, cpu = time.perf_counter(), time.process_time()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        return time.perf_counter() - start, time.process_time() - cpu

    for _ in range(3):
        (one, one_cpu), (two, two_cpu) = wall([bodies]), wall([bodies[::2], bodies[1::2]])
        print(f"one thread {one:.2f} s ({one_cpu:.2f} s CPU), two {two:.2f} s ({two_cpu:.2f} s CPU): {one / two:.2f} times as fast")
    print(f"load of the machine: {os.getloadavg()[0]:.1f}")


def read(program, archive):
    def children():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    script = f"import dehusk\nfor batch in dehusk.read({archive!r}, threads=1): pass"
    best = {}
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            run = [program, "run", archive, "-o", f"{folder}/out", "--compression", "none", "-t", "1"]
            for name, command in (("run", run), ("read", [sys.executable, "-c", script])):
                before = children()
                subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                best[name] = min(best.get(name, 1e9), children() - before)
    print(f"run {best['run']:.2f} s, read {best['read']:.2f} s: {best['read'] / best['run'] * 100 - 100:+.1f} %")


def spark(program, *archives):
    """Both jobs of `killed_jobs.py`, undisturbed. What the session has used before the first job is not counted."""
    from dehusk import spark as husk
    from dehusk.jobs import Job
    from killed_jobs import CONFIG, spark_session
    from watch import Watch

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/settings.toml", "w", encoding="utf-8") as settings:
            settings.write('[output]\ncompression = "none"\n')
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [program, "run", "--quiet", "--config", f"{folder}/settings.toml", "-t", "2", "-o", f"{folder}/run", *archives]
        # 1 and 3: an archive is missing or damaged.
        assert subprocess.run(command, stderr=subprocess.DEVNULL).returncode in (0, 1, 3)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"run: {run:.1f} s", flush=True)
        # An attempt beside a slow one is work done twice.
        session = spark_session("cost", speculates=False)

        def task_count(archives):
            # Spark spends more on an empty task than `run` on a small archive. Both executors have one.
            return max(2, -(-len(archives) // ARCHIVES_A_TASK))

        def rows():
            frame = session.createDataFrame([(name,) for name in archives], "path string").repartition(task_count(archives))
            frame.mapInArrow(husk.documents(CONFIG), husk.schema(CONFIG)).write.parquet(f"{folder}/table")

        def runs():
            job = Job(f"{folder}/job", list(archives), CONFIG)
            remaining = job.remaining()
            count = task_count(remaining)
            dealt = [remaining[n::count] for n in range(count)]
            session.sparkContext.parallelize(dealt, count).flatMap(lambda some: map(job.run, some)).count()

        def empty():
            session.sparkContext.parallelize(range(len(archives)), task_count(archives)).map(lambda _: 0).count()

        with Watch() as watch:
            # Both executors are up when each has had a task.
            session.sparkContext.parallelize(range(8), 8).map(lambda _: time.sleep(1)).count()
            for name, work in (("empty tasks", empty), ("mapInArrow to Parquet", rows), ("a run directory an archive", runs)):
                start, began = watch.used(), time.monotonic()
                work()
                cpu = watch.used() - start
                print(f"{name}: {cpu:.1f} s, {cpu / run:.2f} times, {time.monotonic() - began:.0f} s by the clock", flush=True)
                sizes = [round(found["driver"] / 1e6) for at, found in watch.memory if at > began - watch.began]
                print(f"the driver's memory, in MB: {sizes[::max(1, len(sizes) // 12)]}", flush=True)
        session.stop()


def main():
    tasks = {"extract": extract, "call": call, "threads": threads, "read": read, "spark": spark}
    if len(sys.argv) < 2 or sys.argv[1] not in tasks:
        sys.exit(__doc__)
    tasks[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()
