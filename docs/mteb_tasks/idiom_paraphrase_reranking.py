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
        splits = {split: reranking(self.dataset[split]) for split in self.eval_splits}
        self.dataset = {"default": splits}


def reranking(rows):
    """Each sentence as a query, with what follows from it and what does not as its documents."""
    queries = []
    documents = []
    relevant = {}
    pairs = {}
    for row in rows:
        if row["removed_by"] is not None:
            continue
        query = row["id"]
        right = f"{query} entailed"
        wrong = f"{query} not_entailed"
        queries.append({"id": query, "text": row["sentence"]})
        documents.append({"id": right, "text": row["entailed"]})
        documents.append({"id": wrong, "text": row["not_entailed"]})
        relevant[query] = {right: 1}
        pairs[query] = [right, wrong]
    return {
        "queries": Dataset.from_list(queries),
        "corpus": Dataset.from_list(documents),
        "relevant_docs": relevant,
        "top_ranked": pairs,
    }
