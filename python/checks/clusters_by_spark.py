"""What `dehusk.spark.clusters` takes for the documents of a run, by Spark with two tasks at a time.

    python clusters_by_spark.py RUN FOLDER [--memory 4g] [--partitions 200]

RUN is a run in Parquet. FOLDER is a new folder for the lines, `clusters.jsonl`, and for Spark's local files, which are removed in the
end. Prints documents, CPU seconds, wall seconds, and the most memory and disk. `benches/clusters.py --spark` makes the run,
and holds the lines against those of `dehusk cluster`.
"""

import argparse
import os
import shutil
import sys
import time
from pathlib import Path

from watch import Watch


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--memory", default="4g", help="the memory of Spark's JVM")
    parser.add_argument("--partitions", type=int, default=200)
    args = parser.parse_args()
    from pyspark.sql import SparkSession

    from dehusk import spark as husk

    local = args.folder.resolve() / "local"
    local.mkdir(parents=True)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(local),
        "spark.driver.memory": args.memory,
        "spark.sql.shuffle.partitions": args.partitions,
        # Files of shuffles that nothing needs any longer go soon.
        "spark.cleaner.periodicGC.interval": "30s",
    }
    try:
        with Watch(local, pause=1) as watch:
            began = time.monotonic()
            builder = SparkSession.builder.master("local[2]")
            for setting, value in settings.items():
                builder = builder.config(setting, value)
            session = builder.getOrCreate()
            session.sparkContext.setLogLevel("ERROR")
            documents = session.read.parquet(str(args.run / "documents"))
            husk.clusters(documents).write.json(str(args.folder / "parts"))
            wall = time.monotonic() - began
            jvm, workers = watch.used("driver"), watch.used("workers")
            session.stop()
    finally:
        shutil.rmtree(local, ignore_errors=True)
    count = 0
    with open(args.folder / "clusters.jsonl", "wb") as lines:
        for part in sorted((args.folder / "parts").glob("part-*")):
            with open(part, "rb") as file:
                count += sum(lines.write(line) > 0 for line in file)
    shutil.rmtree(args.folder / "parts")
    megabytes = {kind: size / 1e6 for kind, size in watch.peaks.items()}
    print(
        f"{count:,} documents by Spark: {jvm + workers:.0f} s CPU ({jvm:.0f} of the JVM, {workers:.0f} of workers), {wall:.0f} s wall, "
        f"{megabytes['all']:,.0f} MB ({megabytes['driver']:,.0f} of the JVM, {megabytes['workers']:,.0f} of workers), "
        f"{watch.disk / 1e6:,.0f} MB of local files",
        flush=True,
    )


if __name__ == "__main__":
    main()
