"""Adversarial pairs of STS3k as STS in mteb. `harness-ext datasets export . --org ORG` writes the
data.
"""

from mteb import TaskMetadata
from mteb.abstasks import AbsTaskSTS


def is_adversarial(row):
    """Whether the same words stand in other roles."""
    return row["kind"] == "adversarial"


class RoleSwapSTS(AbsTaskSTS):
    max_score = 1
    metadata = TaskMetadata(
        name="RoleSwapSTS",
        type="STS",
        category="t2t",
        modalities=["text"],
        task_subtypes=[],
        dialect=[],
        description=(
            "The dog bites the man, the man bites the dog. Does the model know who did what to "
            "whom?"
        ),
        dataset={"path": "ORG/sts3k", "name": "pairs", "revision": "main"},
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="cosine_spearman",
        reference="https://github.com/bmmlab/compositional-semantics-eval",
        date=("2023-01-01", "2025-03-31"),
        domains=["Constructed"],
        license="not specified",
        annotations_creators="human-annotated",
        sample_creation="created",
        bibtex_citation=(
            "@article{fodor-etal-2025-compositionality, author = {Fodor, James and De Deyne, Simon "
            "and Suzuki, Shinsuke}, title = {Compositionality and Sentence Meaning}, journal = "
            "{Computational Linguistics}, volume = {51}, number = {1}, year = {2025}}"
        ),
    )

    def dataset_transform(self, num_proc=None, **_):
        pairs = self.dataset.filter(is_adversarial)
        self.dataset = pairs.rename_column("similarity", "score")
