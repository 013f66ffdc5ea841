"""Continues `topics_scikit_learn.py` in the manner of BERTopic: embeds texts, reduces their vectors, clusters them by density, names the clusters.

TF-IDF and a singular value decomposition take the place of the embeddings, so that the example needs no model from the network.
"""

import json

import numpy
from sklearn.cluster import HDBSCAN
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from topics_scikit_learn import by_language, tfidf

with open("bertopic.jsonl", "w") as out:
    for language, stories in by_language.items():
        if len(stories) < 10:
            continue
        texts = [f"{story['metadata']['title']}\n{story['text']}" for story in stories]
        vectorizer = tfidf(language)
        counts = vectorizer.fit_transform(texts)
        # In BERTopic: SentenceTransformer("…").encode(texts), then UMAP.
        embeddings = normalize(TruncatedSVD(min(100, *(n - 1 for n in counts.shape)), random_state=0).fit_transform(counts))
        topics = HDBSCAN(min_cluster_size=2, metric="euclidean", copy=True).fit_predict(embeddings)
        terms = vectorizer.get_feature_names_out()
        for topic in sorted(set(topics) - {-1}):
            weights = numpy.asarray(counts[topics == topic].sum(axis=0)).ravel()
            print(language, topic, *terms[weights.argsort()[::-1][:8]])
        for story, topic in zip(stories, topics):
            # HDBSCAN leaves out what belongs nowhere: -1.
            name = "" if topic == -1 else f"{language}-{topic}"
            out.write(json.dumps({"id": story["id"], "topic": name}) + "\n")
