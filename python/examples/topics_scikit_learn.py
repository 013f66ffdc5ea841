"""Finds topics among the documents of the run `tonight` by TF-IDF and average-link clustering, and writes a line for each document."""

import collections, glob, io, json, zstandard
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer

def documents(run):
    for path in sorted(glob.glob(f"{run}/documents/*.jsonl.zst")):
        with open(path, "rb") as file:
            shard = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
            yield from map(json.loads, io.TextIOWrapper(shard, "utf-8"))

def tfidf(language):
    # Chinese and Japanese have no spaces between words; pairs of characters serve as well.
    if language in ("zh", "ja"):
        return TfidfVectorizer(analyzer="char", ngram_range=(2, 2), sublinear_tf=True, min_df=2)
    return TfidfVectorizer(sublinear_tf=True, min_df=2, max_df=0.5)

by_language = collections.defaultdict(list)
for document in documents("tonight"):
    by_language[document["metadata"]["language"][:2]].append(document)

with open("sklearn.jsonl", "w") as out:
    for language, stories in by_language.items():
        if len(stories) < 10:
            continue
        texts = [f"{story['metadata']['title']}\n{story['text']}" for story in stories]
        vectors = tfidf(language).fit_transform(texts).toarray()
        clustering = AgglomerativeClustering(n_clusters=None, distance_threshold=0.8, metric="cosine", linkage="average")
        for story, topic in zip(stories, clustering.fit_predict(vectors)):
            out.write(json.dumps({"id": story["id"], "topic": f"{language}-{topic}"}) + "\n")
