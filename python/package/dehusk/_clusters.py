"""Near-duplicate clusters by Spark: `dehusk.spark.clusters`. The rules are those of `dehusk cluster` (docs/similar.md)."""

import base64

from ._dehusk import _BAND_BYTES, _BANDS, _HEADS, _THRESHOLD, _hash, _jaccard, _minhash, _shingles

_ORDER = ("metadata.file_path", "metadata.warc_offset", "metadata.offset_in_member")

# Where these are equal too, nobody can tell which document came first. Two runs over one archive have such documents.
_TIES = ("id", "created", "text")


def clusters(documents, by="shingles", threshold=_THRESHOLD, order=_ORDER):
    """See `dehusk.spark.clusters`."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    if by not in ("shingles", "spotsigs"):
        raise ValueError(f"by is “shingles” or “spotsigs”, not “{by}”")
    if not 0 < threshold <= 1:
        raise ValueError(f"threshold is above 0 and at most 1, not {threshold}")
    numbered = documents.where("id is not null").orderBy(*order, *_TIES).select(
        # Of sorted rows, these numbers rise. They need not follow each other.
        F.monotonically_increasing_id().alias("n"),
        "id",
        "text",
        _crawled(documents, F).alias("crawled"),
        F.col("metadata.words").cast("long").alias("words"),
        _signature(documents, "minhash", F),
        _signature(documents, "spotsigs", F),
    )
    schema = "n long, id string, crawled long, words long, features binary, minima binary"
    known = numbered.mapInArrow(_features(by), schema).persist()
    pairs = _pairs(known, threshold, F).persist()
    labels = _components(pairs, F)

    first = F.coalesce("first", "n").alias("first")
    members = known.select("n", "id", "crawled", "words").join(labels, "n", "left").withColumn("first", first)
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


def _crawled(documents, F):
    """When pages were crawled, as a number: ``created`` is a timestamp, or a text where the documents come from JSON."""
    if documents.schema["created"].dataType.typeName().startswith("timestamp"):
        return F.col("created").cast("long")
    digits = F.regexp_replace("created", "[^0-9]", "")
    return F.when(F.length(digits) == 14, digits.cast("long"))


def _signature(documents, name, F):
    """A signature of the documents; null if their run did not compute it."""
    has_it = name in documents.schema["metadata"].dataType.names
    return (F.col(f"metadata.{name}") if has_it else F.lit(None).cast("string")).alias(name)


def _features(by):
    """Documents → their features and the minima of those."""

    def of(text, minhash, spotsigs):
        if by == "spotsigs":
            if spotsigs is None and text:
                raise ValueError("the documents have no “spotsigs”: set output.signatures")
            features = base64.b64decode(spotsigs or "")
            return features, _minhash(features)
        features = _shingles(text)
        return features, base64.b64decode(minhash) if minhash else _minhash(features)

    def work(batches):
        import pyarrow as pa

        for batch in batches:
            found = [of(*row) for row in zip(*(batch.column(name).to_pylist() for name in ("text", "minhash", "spotsigs")))]
            columns = [batch.column(name) for name in ("n", "id", "crawled", "words")]
            columns += [pa.array([row[place] for row in found], pa.binary()) for place in (0, 1)]
            yield pa.RecordBatch.from_arrays(columns, ["n", "id", "crawled", "words", "features", "minima"])

    return work


def _pairs(known, threshold, F):
    """The pairs that agree in a band and are similar."""
    start = f"band * {_BAND_BYTES} + 1"
    band = known.where("length(features) > 0").select("n", "minima", F.expr(f"explode(sequence(0, {_BANDS - 1}))").alias("band"))
    band = band.select("n", "band", F.expr(f"substring(minima, {start}, {_BAND_BYTES})").alias("key"))
    buckets = band.groupBy("band", "key").agg(F.sort_array(F.collect_list("n")).alias("members"))
    # The same documents often agree in many bands, and need to be compared in one.
    buckets = buckets.where("size(members) > 1").select("members").distinct()
    members = buckets.select(F.xxhash64("members").alias("bucket"), F.explode("members").alias("n"))
    entries = members.join(known.select("n", "features"), "n")
    entries = entries.groupBy("bucket").agg(F.sort_array(F.collect_list(F.struct("n", "features"))).alias("entries"))
    return entries.select("entries").mapInArrow(_compare(threshold), "a long, b long").distinct()


def _compare(threshold):
    """Each document of a bucket is compared with those before it that are like none before them."""

    def are_similar(a, b):
        few, many = sorted((len(a), len(b)))
        return few >= threshold * many and _jaccard(a, b) >= threshold

    def work(batches):
        import pyarrow as pa

        for batch in batches:
            first, second = [], []
            for entries in batch.column("entries"):
                heads = []
                for entry in entries:
                    number, features = entry["n"].as_py(), entry["features"].as_py()
                    like = [head for head, theirs in heads if are_similar(theirs, features)]
                    first += like
                    second += [number] * len(like)
                    if not like and len(heads) < _HEADS:
                        heads.append((number, features))
            yield pa.RecordBatch.from_arrays([pa.array(first, pa.int64()), pa.array(second, pa.int64())], ["a", "b"])

    return work


def _components(pairs, F):
    """The least number of the documents to which each document in a pair is connected, as `n` and `first`."""
    both = pairs.select(F.col("a").alias("n"), F.col("b").alias("other"))
    both = both.union(pairs.select(F.col("b").alias("n"), F.col("a").alias("other"))).persist()
    labels = both.select("n", F.col("n").alias("first")).distinct().localCheckpoint()
    before = None
    while True:
        near = both.join(labels.withColumnRenamed("n", "other"), "other").groupBy("n").agg(F.min("first").alias("near"))
        labels = labels.join(near, "n").select("n", F.least("first", "near").alias("first"))
        # The first of the first: paths become half as long each time.
        firsts = labels.select(F.col("n").alias("first"), F.col("first").alias("next"))
        labels = labels.join(firsts, "first").select("n", F.col("next").alias("first")).localCheckpoint()
        total = labels.agg(F.sum(F.col("first").cast("decimal(38, 0)"))).first()[0]
        if total == before:
            return labels
        before = total


def _names(batches):
    import pyarrow as pa

    for batch in batches:
        rows = zip(batch.column("id").to_pylist(), batch.column("place").to_pylist())
        names = [_hash(identifier if place == 1 else f"{identifier}#{place}") for identifier, place in rows]
        yield pa.RecordBatch.from_arrays([batch.column("first"), pa.array(names, pa.string())], ["first", "cluster"])
