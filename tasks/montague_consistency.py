"""Montague modifier consistency, on all phrases of the released vocabulary or on those with one adjective."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.abstask import AbsTaskCompositionality
from harness_ext.encoders.texts import TextTable
from harness_ext.evaluators.distance import cosine_distance_table
from harness_ext.evaluators.montague import MAIN_SCORE, MontaguePhrases, montague_consistency
from harness_ext.tasks.metadata import COMMON

if TYPE_CHECKING:
    from harness_ext.encoders.encoding import TaskEncoder

_REFERENCE = "https://aclanthology.org/2025.coling-main.370"

_CITATION = r"""@inproceedings{carvalho-etal-2025-montague,
  address = {Abu Dhabi, UAE},
  archiveprefix = {arXiv},
  author = {Carvalho, Danilo S. and Manino, Edoardo and Rozanova, Julia and Cordeiro, Lucas and Freitas, Andr{\'e}},
  booktitle = {Proceedings of the 31st International Conference on Computational Linguistics},
  eprint = {2212.04310},
  note = {First version 2022},
  pages = {5515--5529},
  title = {Montague semantics and modifier consistency measurement in neural language models},
  url = {https://aclanthology.org/2025.coling-main.370},
  year = {2025},
}"""


class _AbsMontagueConsistency(AbsTaskCompositionality):
    text_column = "phrase"
    label_column = "pattern"

    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        table = TextTable()
        phrases = montague_phrases(rows, table)
        texts = table.texts
        vectors = encode(texts)
        result = montague_consistency(vectors, phrases)
        distances = result.distances

        adjectives, nouns = ([texts[number] for number in numbers] for numbers in (phrases.adjective, phrases.noun))
        predictions = []
        for i, adjective in enumerate(adjectives):
            among_phrases = cosine_distance_table(vectors, phrases.phrase[i], phrases.phrase[i]).tolist()
            predictions += [
                {
                    "phrase": texts[phrases.phrase[i, j]],
                    "adjective": adjective,
                    "noun": noun,
                    "type": str(phrases.types[i]),
                    "distance_to_adjective": float(distances.to_adjective[i, j]),
                    "distance_to_noun": float(distances.to_noun[i, j]),
                    "distance_between_words": float(distances.between[i, j]),
                    "distance_to_phrase_with": dict(zip(nouns[j + 1 :], among_phrases[j][j + 1 :], strict=True)),
                }
                for j, noun in enumerate(nouns)
            ]
        return result.scores, predictions


def montague_phrases(rows: list[dict[str, Any]], table: TextTable) -> MontaguePhrases:
    """What is compared: the rows laid out by adjective and noun, each in the order of its first appearance.

    Args:
        rows: Rows of `modifier_phrases`; all phrases with one adjective, and all or none with two.
        table: Gets every text that is compared.

    Raises:
        ValueError: A phrase is missing; names it.
    """
    numbers = {tuple(row["words"]): table.add(row["phrase"]) for row in rows}
    single = [row for row in rows if row["pattern"] == "AN"]
    adjectives = {row["words"][0]: (row["types"][0], row["synonyms"][0]) for row in single}
    nouns = {row["words"][1]: row["synonyms"][1] for row in single}

    def number(*words: str) -> int:
        try:
            return numbers[words]
        except KeyError:
            raise ValueError(f"modifier_phrases: there is no row for the phrase {' '.join(words)!r}") from None

    def add(*words: str) -> int:
        return table.add(" ".join(words))

    double = None
    stacked = None
    if len(single) < len(rows):
        double = [[[number(a, b, n) if a != b else -1 for n in nouns] for b in adjectives] for a in adjectives]
        stacked = [[add(a, b) if a != b else -1 for b in adjectives] for a in adjectives]
    synonyms = [synonym for _, synonym in adjectives.values()]
    return MontaguePhrases(
        types=np.array([kind for kind, _ in adjectives.values()]),
        adjective=np.array([add(word) for word in adjectives]),
        noun=np.array([add(word) for word in nouns]),
        phrase=np.array([[number(a, n) for n in nouns] for a in adjectives]),
        adjective_synonym=np.array([add(word) for word in synonyms]),
        noun_synonym=np.array([add(word) for word in nouns.values()]),
        phrase_synonym=np.array([[add(a, n) for n in nouns.values()] for a in synonyms]),
        double=None if double is None else np.array(double),
        adjectives=None if stacked is None else np.array(stacked),
    )


class MontagueConsistency(_AbsMontagueConsistency):
    """All three tests on all 44 652 phrases; needs no download."""

    metadata = TaskMetadata(
        name="MontagueConsistency",
        description=(
            "Do the distances between adjective-noun phrases and their words respect set semantics? A wild dog is a "
            "wild thing and a dog, a skilful king is a king, a fake dog is no dog: three metamorphic tests of "
            "intersectivity and subsectivity, on all phrases of 61 adjectives and 12 nouns."
        ),
        reference=_REFERENCE,
        dataset={"path": "modifier_phrases", "name": "released", "revision": "1"},
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score=MAIN_SCORE,
        date=("2022-01-01", "2022-12-31"),
        domains=["Constructed"],
        license="not specified",
        annotations_creators="expert-annotated",
        sample_creation="created",
        bibtex_citation=_CITATION,
        **COMMON,
    )


class MontagueConsistencyFast(_AbsMontagueConsistency):
    """The tests of the 732 phrases with one adjective, which are all that the main score is made of."""

    metadata = MontagueConsistency.metadata.model_copy(
        update={
            "name": "MontagueConsistencyFast",
            "description": (
                "MontagueConsistency on the 732 phrases of one adjective and a noun, in seconds. The main score is the "
                "same; what is missing are the phrases of two adjectives."
            ),
        }
    )

    def dataset_transform(self, num_proc: int | None = None, **kwargs: Any) -> None:
        """Leave only the phrases with one adjective."""
        assert self.dataset is not None
        self.dataset = {
            split: rows.filter(lambda pattern: pattern == "AN", input_columns="pattern")
            for split, rows in self.dataset.items()
        }
