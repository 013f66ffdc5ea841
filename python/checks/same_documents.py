"""Whether the documents of `dehusk.read` and of the jobs for Spark, Ray and datatrove are those of `dehusk run`.

    python same_documents.py PROGRAM FOLDER ARCHIVE... [--extractor NAME] [--only read,spark,ray,datatrove] [--url URL]

PROGRAM is `dehusk`; FOLDER is a new folder to work in; a directory among the archives means all files in it. Documents
are compared as sets of (archive, offset, offset in member, id, hash of the text). An archive that cannot be read has none
anywhere. Jobs whose packages are absent are named and left out. With `--url`, the same archives are read by their file names
from a server, as `cargo study serve` is one, by the program and by `dehusk.read`. The exit status is 1 if anything differs.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import dehusk


def key(archive, identifier, metadata):
    place = (metadata["warc_offset"], metadata["offset_in_member"])
    return (os.path.basename(archive), *place, identifier, metadata["text_hash"])


def of_row(row):
    return key(row["metadata"]["file_path"], row["id"], row["metadata"])


def of_run(program, folder, archives, config):
    """The documents of the program: one JSON line each."""
    folder.mkdir()
    settings, paths = folder / "config.toml", folder / "archives.txt"
    settings.write_text("".join(f"[{name}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in section.items())
                                for name, section in config.items()))
    paths.write_text("".join(f"{path}\n" for path in archives))
    out = folder / "run"
    command = [program, "run", "--config", settings, "--compression", "none", "-o", out, f"@{paths}"]
    status = subprocess.run(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL).returncode
    if status not in (0, 1, 3):
        sys.exit(f"dehusk run ends with {status}")
    for shard in sorted((out / "documents").glob("*.jsonl")):
        with open(shard, encoding="utf-8", newline="\n") as lines:
            yield from (of_row(json.loads(line)) for line in lines)


def of_read(folder, archives, config):
    for batch in dehusk.read(archives, config, errors="report"):
        yield from map(of_row, batch.to_pylist())


def of_spark(folder, archives, config):
    from pyspark.sql import SparkSession

    from dehusk import spark as husk

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.driver.memory", "2g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    frame = session.createDataFrame([(path,) for path in archives], "path string").repartition(4)
    rows = frame.mapInArrow(husk.documents(config), husk.schema(config))
    rows.write.mode("overwrite").parquet(str(folder / "spark"))
    # What is compared is what Parquet gives back.
    written = session.read.parquet(str(folder / "spark")).where("failure is null")
    columns = ["id", "metadata.file_path", "metadata.warc_offset", "metadata.offset_in_member", "metadata.text_hash"]
    for row in written.select(*columns).collect():
        yield key(row["file_path"], row["id"], row.asDict())
    session.stop()


def of_ray(folder, archives, config):
    import ray

    from dehusk.ray import read

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    yield from map(of_row, read(archives, config, errors="report").iter_rows())
    ray.shutdown()


def of_datatrove(folder, archives, config):
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.writers import JsonlWriter

    from dehusk.datatrove import DehuskReader

    paths = folder / "relative.txt"
    paths.write_text("".join(os.path.relpath(path, "/") + "\n" for path in archives))
    LocalPipelineExecutor(
        [DehuskReader("/", config, paths_file=str(paths)), JsonlWriter(str(folder / "datatrove"), compression=None)],
        tasks=2,
        workers=1,
        logging_dir=str(folder / "log"),
    ).run()
    for shard in sorted((folder / "datatrove").glob("*.jsonl")):
        with open(shard, encoding="utf-8", newline="\n") as lines:
            for line in lines:
                document = json.loads(line)
                yield key(document["metadata"]["file_path"], document["id"], document["metadata"])


JOBS = {"read": of_read, "spark": of_spark, "ray": of_ray, "datatrove": of_datatrove}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder", type=Path)
    parser.add_argument("archives", nargs="+")
    parser.add_argument("--extractor")
    parser.add_argument("--only", default=",".join(JOBS))
    parser.add_argument("--url")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True)
    archives = []
    for path in map(Path, arguments.archives):
        found = sorted(path.iterdir()) if path.is_dir() else [path]
        archives += [str(file.resolve()) for file in found]
    config = {"extract": {"extractors": [arguments.extractor]}} if arguments.extractor else {}
    expected = Counter(of_run(arguments.program, arguments.folder / "local", archives, config))
    print(f"run: {expected.total()} documents of {len(archives)} archives")
    jobs = {name: (JOBS[name], archives, config) for name in arguments.only.split(",")}
    if arguments.url:
        names = [f"{arguments.url}/{os.path.basename(path)}" for path in archives]
        quick = {**config, "remote": {"requests_per_second": 0}}
        jobs["remote run"] = (lambda folder, *rest: of_run(arguments.program, folder / "remote", *rest), names, quick)
        jobs["remote read"] = (of_read, names, quick)
    is_same = True
    for name, (job, *rest) in jobs.items():
        try:
            found = Counter(job(arguments.folder, *rest))
        except ImportError as error:
            print(f"{name}: left out, because {error.name} is absent")
            continue
        missing, more = expected - found, found - expected
        is_same &= not missing and not more
        print(f"{name}: {found.total()} documents, {missing.total()} missing, {more.total()} more", flush=True)
        for title, some in (("missing", missing), ("more", more)):
            for document in list(some)[:3]:
                print(f"    {title}: {document}")
    sys.exit(0 if is_same else 1)


if __name__ == "__main__":
    main()
