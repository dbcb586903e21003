"""compound_rating: how literal is a compound in its sentence, from 0 to 5?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness_ext.data.documents import load_rows
from harness_ext.language_models.rating import RATING, parse_rating
from harness_ext.tasks.lm_eval.document_task import Document, DocumentTask

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


class CompoundRating(DocumentTask):
    """A document per sentence of `nctti` with human scores."""

    measure = RATING

    def documents(self, name: str) -> Iterator[list[Document] | str]:
        """Ask about the sentences of a language, `en` or `pt`, in that language."""
        for row in load_rows("nctti", name, "naturalistic"):
            if row["token_score"] is None or row["sentence"] is None:
                yield "unscored"
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

    def columns(self, doc: Document, results: Sequence[str]) -> dict[str, Any]:
        """The rating in the model's answer."""
        (answer,) = results
        return {"rating": parse_rating(answer)}
