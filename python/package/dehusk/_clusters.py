"""Near-duplicate clusters by Spark: `dehusk.spark.clusters`. The rules are those of `dehusk cluster` (docs/similar.md).

Texts do not leave the tasks that read them:

1. Documents are numbered in their order by a table of all but their texts.
2. Each document's bands become entries of 12 bytes, which workers exchange by pieces (python/src/similarity.rs). Of the entries
   that meet, sets of documents come that share a band, each once.
3. The documents of sets are read again, and their features go to the sets, where they are compared.
4. The similar pairs become clusters.
"""

from functools import reduce
from inspect import signature
from operator import xor

from . import _dehusk

_ORDER = ("metadata.file_path", "metadata.warc_offset", "metadata.offset_in_member")

# Bits of a row's number that count the rows of a partition.
_IN_PARTITION = 33

# Rows of a bitmap, as those of Spark are.
_BITMAP = 1 << 15

# Bytes above which a set is a piece of its own, and which the pieces of a batch should not exceed.
_LARGE_SET, _BATCH = 1 << 22, 1 << 26


def clusters(documents, by="shingles", threshold=_dehusk._THRESHOLD, order=_ORDER):
    """See `dehusk.spark.clusters`."""
    from pyspark.sql import functions as F

    if by not in ("shingles", "spotsigs"):
        raise ValueError(f"by is “shingles” or “spotsigs”, not “{by}”")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is above 0 and at most 1, not {threshold}")
    source, columns = _source(documents, by, order, F)
    ranks, checks = _ranks(source, columns, F)
    texts = source.select("row", "check", "value")
    sets = _kept(_all_sets(texts, by, checks))
    copies = _kept(_copies(sets, ranks, F))
    pairs = copies.select(F.col("first").alias("a"), F.col("n").alias("b"))
    pairs = pairs.union(_similar(sets, copies, ranks, texts, by, threshold, checks, F))
    return _lines(ranks, _components(pairs, F), F)


def _kept(table):
    """The table, computed, so that Spark need not keep what it came from, and in a checkpoint, which Spark removes when unused."""
    from pyspark import StorageLevel

    # Spark Connect has no context, and so nothing that shows whether there is a directory.
    context = getattr(table.sparkSession, "sparkContext", None)
    if context is not None and context.getCheckpointDir() is not None:
        return table.checkpoint()
    # Memory is left to sorts. Spark 3 has no option for that.
    has_level = "storageLevel" in signature(table.localCheckpoint).parameters
    return table.localCheckpoint(**{"storageLevel": StorageLevel.DISK_ONLY} if has_level else {})


def _source(documents, by, order, F):
    """What is needed of documents, each with its row, and the names of the columns that order them.

    Each reading gives a document the same row, if it gives the same documents. `check` shows whether it does.
    """
    # Where these are equal too, nothing shows which document came first. Two runs over one archive have such documents.
    columns = {f"order{n}": F.col(column) for n, column in enumerate([*order, "id", "created"])} | {"hash": F.xxhash64("text")}
    columns |= {"crawled": _crawled(documents, F), "words": F.col("metadata.words").cast("long"), "value": _value(documents, by, F)}
    source = documents.where("id is not null").select("id", *(column.alias(name) for name, column in columns.items()))
    # What comes from no file is computed once. The optimizer would number all rows in memory as those of one partition.
    if not documents.inputFiles():
        source = _kept(source)
    source = source.withColumn("row", F.monotonically_increasing_id())
    by_order = [*(name for name in columns if name.startswith("order")), "hash"]
    return source.withColumn("check", F.xxhash64("id", "row", "value")), by_order


def _value(documents, by, F):
    """What a document's features are computed from."""
    text = F.coalesce("text", F.lit(""))
    if by == "shingles":
        return text
    lacks = "the documents have no “spotsigs”: set output.signatures"
    if by not in documents.schema["metadata"].dataType.names:
        raise ValueError(lacks)
    spotsigs = F.col("metadata.spotsigs")
    return F.when(spotsigs.isNull() & (text != ""), F.raise_error(F.lit(lacks))).otherwise(F.coalesce(spotsigs, F.lit("")))


def _crawled(documents, F):
    """When pages were crawled, as a number: ``created`` is a timestamp, or a text where the documents come from JSON."""
    if documents.schema["created"].dataType.typeName().startswith("timestamp"):
        return F.col("created").cast("long")
    digits = F.regexp_replace("created", "[^0-9]", "")
    return F.when(F.length(digits) == 14, digits.cast("long"))


def _ranks(source, columns, F):
    """All documents with numbers that rise in their order, and a check of each partition of the source."""
    # Of sorted rows, these numbers rise. They need not follow each other.
    number = F.monotonically_increasing_id().alias("n")
    narrow = source.select("row", "check", "id", "crawled", "words", *columns)
    ranks = _kept(narrow.orderBy(*columns, "row").select(number, "row", "check", "id", "crawled", "words"))
    partitions = ranks.groupBy(F.shiftright("row", _IN_PARTITION).alias("partition")).agg(F.bit_xor("check").alias("check"))
    return ranks, {row["partition"]: row["check"] for row in partitions.collect()}


def _partition():
    """The number of this task's partition."""
    from pyspark import TaskContext

    return TaskContext.get().partitionId()


def _checked(batches, checks, partition):
    """The batches of a partition of the source, if its documents are those of the first reading."""
    found = 0
    for batch in batches:
        found = reduce(xor, batch.column("check").to_pylist(), found)
        yield batch
    # The first reading has no check of a partition without documents.
    if checks.get(partition, 0) != found:
        raise RuntimeError(
            "the documents were others, or in other partitions, when they were read again: write them to files before you cluster "
            "them, and if executors come and go, set spark.sql.files.minPartitionNum"
        )


def _all_sets(texts, by, checks):
    """The sets of documents that share a band, and those of documents whose features are the same, row by row."""
    pieces = "part int, piece binary"
    buckets = texts.mapInArrow(_entries(by, checks), pieces).repartition("part").mapInArrow(_buckets, pieces)
    return buckets.repartition("part").mapInArrow(_each_once, "bucket long, copies boolean, row long")


def _entries(by, checks):
    def work(batches):
        bands = _dehusk._Bands(by)
        for batch in _checked(batches, checks, _partition()):
            if bands.add(*(batch.column(name).to_pylist() for name in ("row", "value"))):
                yield _pieces(bands.take())
        yield _pieces(bands.take())

    return work


def _pieces(pieces):
    import pyarrow as pa

    parts, pieces = zip(*pieces) if pieces else ((), ())
    return pa.RecordBatch.from_arrays([pa.array(parts, pa.int32()), pa.array(pieces, pa.binary())], ["part", "piece"])


def _buckets(batches):
    some, size = [], 0
    for part, piece in _dehusk._buckets(list(_of(batches))):
        for cut in _cut(piece):
            if size + len(cut) > _BATCH:
                yield _pieces(some)
                some, size = [], 0
            some.append((part, cut))
            size += len(cut)
    yield _pieces(some)


def _cut(piece):
    """The large sets of a piece, and the others together. Where each is a piece, equal ones are known without taking them apart."""
    if len(piece) <= _LARGE_SET:
        yield piece
        return
    others, start = bytearray(), 0
    while start < len(piece):
        end = start + 4 + 8 * (int.from_bytes(piece[start:start + 4], "little") >> 1)
        if end - start > _LARGE_SET:
            yield piece[start:end]
        else:
            others += piece[start:end]
        start = end
    yield bytes(others)


def _of(batches):
    return (piece for batch in batches for piece in batch.column("piece").to_pylist())


def _each_once(batches):
    import pyarrow as pa

    # All keys of a page with many copies give one large set: only one of these is kept while the others arrive.
    buckets, copies, rows = _dehusk._sets(list(dict.fromkeys(_of(batches))))
    columns = [_longs(buckets), pa.array(copies, pa.bool_()), _longs(rows)]
    whole = pa.RecordBatch.from_arrays(columns, ["bucket", "copies", "row"])
    for start in range(0, whole.num_rows, _BITMAP):
        yield whole.slice(start, _BITMAP)


def _longs(data):
    """The bytes of numbers of 64 bits, as an array of these."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(data) // 8, [None, pa.py_buffer(data)])


def _copies(sets, ranks, F):
    """Each document that has the features of an earlier one, with the first and the last that have them."""
    from pyspark.sql import Window

    same = Window.partitionBy("bucket")
    known = sets.where("copies").join(ranks.select("row", "n"), "row")
    known = known.select("row", "n", F.min("n").over(same).alias("first"), F.max("n").over(same).alias("last"))
    return known.where("n > first")


def _similar(sets, copies, ranks, texts, by, threshold, checks, F):
    """The pairs of a set that are similar."""
    sets = sets.where("not copies")
    position = F.col("row") + 1
    wanted = sets.groupBy(F.bitmap_bucket_number(position).alias("number"))
    wanted = wanted.agg(F.bitmap_construct_agg(F.bitmap_bit_position(position)).alias("bitmap")).collect()
    wanted = {row["number"] - 1: bytes(row["bitmap"]) for row in wanted}
    features = texts.mapInArrow(_features_of(by, wanted, checks), "row long, features binary")
    # Of copies, only the first can be a document that others are compared with. The last is compared with all of those.
    entries = sets.join(copies.where("n < last").select("row"), "row", "left_anti")
    entries = entries.join(ranks.select("row", "n"), "row").join(features, "row").select("bucket", "n", "features")
    entries = entries.repartition("bucket").sortWithinPartitions("bucket", "n")
    return entries.mapInArrow(_compare(threshold), "a long, b long").distinct()


def _features_of(by, wanted, checks):
    """The features of those documents whose bit is set."""

    def is_wanted(row):
        bitmap = wanted.get(row // _BITMAP)
        return bitmap is not None and bool(bitmap[row % _BITMAP >> 3] >> (row & 7) & 1)

    def work(batches):
        import pyarrow as pa

        for batch in _checked(batches, checks, _partition()):
            batch = batch.filter(pa.array(map(is_wanted, batch.column("row").to_pylist()), pa.bool_()))
            features = pa.array(_dehusk._features(by, batch.column("value").to_pylist()), pa.binary())
            yield pa.RecordBatch.from_arrays([batch.column("row"), features], ["row", "features"])

    return work


def _compare(threshold):
    """Each document of a bucket is compared with those before it that are like none before them."""

    def work(batches):
        import pyarrow as pa

        comparison = _dehusk._Comparison(threshold)
        for batch in batches:
            pairs = comparison.add(*(batch.column(name).to_pylist() for name in ("bucket", "n", "features")))
            yield pa.RecordBatch.from_arrays([pa.array(side, pa.int64()) for side in pairs], ["a", "b"])

    return work


def _components(pairs, F):
    """The least number of the documents to which each document in a pair is connected, as `n` and `first`."""
    stored = pairs.select(F.col("a").alias("n"), F.col("b").alias("other")).persist()
    both = stored.union(stored.select(F.col("other").alias("n"), F.col("n").alias("other")))
    labels = _kept(both.groupBy("n").agg(F.least("n", F.min("other")).alias("first")))
    before = None
    while True:
        near = both.join(labels.withColumnRenamed("n", "other"), "other").groupBy("n").agg(F.min("first").alias("near"))
        labels = labels.join(near, "n").select("n", F.least("first", "near").alias("first"))
        # The first of the first: paths become half as long each time.
        firsts = labels.select(F.col("n").alias("first"), F.col("first").alias("next"))
        labels = _kept(labels.join(firsts, "first").select("n", F.col("next").alias("first")))
        total = labels.agg(F.sum(F.col("first").cast("decimal(38, 0)"))).first()[0]
        if total == before:
            stored.unpersist()
            return labels
        before = total


def _lines(ranks, labels, F):
    """The lines of `clusters.jsonl`, in the order of the documents."""
    from pyspark.sql import Window

    first = F.coalesce("first", "n").alias("first")
    members = ranks.select("n", "id", "crawled", "words").join(labels, "n", "left").withColumn("first", first)
    # The earliest crawl, then the most words, then the first.
    best = Window.partitionBy("first").orderBy(F.asc_nulls_last("crawled"), F.desc("words"), "n")
    members = members.select(
        "n",
        "id",
        "first",
        F.count("*").over(Window.partitionBy("first")).alias("size"),
        (F.row_number().over(best) == 1).alias("representative"),
    )
    # Several documents can have one id: those of two runs over one archive, for instance.
    place = F.row_number().over(Window.partitionBy("id").orderBy("n")).alias("place")
    names = members.where("n = first").select("first", "id", place).mapInArrow(_names, "first long, cluster string")
    return members.join(names, "first").orderBy("n").select("id", "cluster", "size", "representative")


def _names(batches):
    import pyarrow as pa

    for batch in batches:
        rows = zip(batch.column("id").to_pylist(), batch.column("place").to_pylist())
        names = _dehusk._hashes([identifier if place == 1 else f"{identifier}#{place}" for identifier, place in rows])
        yield pa.RecordBatch.from_arrays([batch.column("first"), pa.array(names, pa.string())], ["first", "cluster"])
