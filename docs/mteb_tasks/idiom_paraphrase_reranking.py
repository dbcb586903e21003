"""IMPLI as a reranking of two documents in mteb. `harness-ext datasets export . --org ORG` writes
the data.
"""

from datasets import Dataset
from mteb import TaskMetadata
from mteb.abstasks import AbsTask, AbsTaskRetrieval


class IdiomParaphraseReranking(AbsTaskRetrieval):
    metadata = TaskMetadata(
        name="IdiomParaphraseReranking",
        type="Reranking",
        category="t2t",
        modalities=["text"],
        task_subtypes=[],
        description=(
            "Is a sentence with figurative words nearer to what follows from it than to what does "
            "not?"
        ),
        dataset={"path": "ORG/impli", "name": "impli", "revision": "main"},
        domains=["Written"],
        dialect=[],
        eval_splits=["idioms", "antonyms", "metaphors"],
        eval_langs=["eng-Latn"],
        main_score="accuracy",
        reference="https://aclanthology.org/2022.acl-long.369",
        date=("2013-01-01", "2022-05-31"),
        license="apache-2.0",
        annotations_creators="expert-annotated",
        sample_creation="created",
        bibtex_citation=(
            "@inproceedings{stowe-etal-2022-impli, author = {Stowe, Kevin and Utama, Prasetya and "
            "Gurevych, Iryna}, title = {{IMPLI}}, booktitle = {Proceedings of ACL}, year = {2022}}"
        ),
    )
    load_data = AbsTask.load_data  # rows, not queries and documents in files of their own

    def dataset_transform(self, num_proc=None, **_):
        keys, loaded, self.dataset = ("entailed", "not_entailed"), self.dataset, {"default": {}}
        for split in self.eval_splits:
            rows = loaded[split].filter(lambda row: row["removed_by"] is None)
            queries = Dataset.from_dict({"id": rows["id"], "text": rows["sentence"]})
            docs = Dataset.from_list(
                [{"id": f"{row['id']} {key}", "text": row[key]} for row in rows for key in keys]
            )
            pairs = {query: [f"{query} {key}" for key in keys] for query in rows["id"]}
            right = {query: {pair[0]: 1} for query, pair in pairs.items()}
            of = {"queries": queries, "corpus": docs, "relevant_docs": right, "top_ranked": pairs}
            self.dataset["default"][split] = of
