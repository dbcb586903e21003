"""compound_rating: how literal is a compound in its sentence, from 0 to 5?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.rating import RATING, parse_rating

if TYPE_CHECKING:
    from datasets import DatasetDict

TEMPLATES = {
    "en": (
        'Sentence: {sentence}\n\nHow literal is "{surface}" in this sentence? Rate it on a scale from 0 to 5, where 0 '
        "means that its meaning has nothing to do with its words, and 5 that it means exactly what its words say. "
        "Answer with a number only.\n\nRating:"
    ),
    "pt": (
        'Frase: {sentence}\n\nQuão literal é "{surface}" nesta frase? Avalie numa escala de 0 a 5, em que 0 quer dizer '
        "que o significado nada tem a ver com as palavras, e 5 que significa exatamente o que as palavras dizem. "
        "Responda só com um número.\n\nAvaliação:"
    ),
}

METRICS = metric_list(RATING)


def documents(name: str, **metadata: Any) -> DatasetDict:
    """A document per sentence of `nctti` with human scores.

    Args:
        name: The dataset's config and the language of the prompt, `en` or `pt`.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unscored": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        for row in load_rows("nctti", name, "naturalistic"):
            if row["token_score"] is None or row["sentence"] is None:
                excluded["n_excluded_unscored"] += 1
                continue
            yield [
                {
                    "id": row["id"],
                    "dataset": row["dataset"],
                    "compound": row["compound"],
                    "letters": sum(map(str.isalpha, row["compound"])),
                    "class": row["expert_class"],
                    "type_score": row["type_score"],
                    "token_score": row["token_score"],
                    "prompt": TEMPLATES[name].format(sentence=row["sentence"], surface=row["surface"]),
                }
            ]

    return as_documents(groups(), excluded)


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, Any]:
    """The row of a document, from the model's answer."""
    (answer,) = results
    return record(RATING, {**doc, "rating": parse_rating(answer)})
