"""adjective_inference: "is an A N still an N?", with a model's distribution over the answers beside people's.

The authors encrypt their bigrams to keep them out of training data. So documents hold ids, prompts are made in memory,
and what lm-eval saves has no word of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from harness_ext.data.agreement import with_article
from harness_ext.data.documents import load_rows
from harness_ext.datasets_scripts.adjective_inference.adjective_inference import ANSWERS, bigram_words
from harness_ext.language_models.answer_distribution import ANSWER_DISTRIBUTION, OPTIONS
from harness_ext.tasks.lm_eval.document_task import Document, DocumentTask

ASKED = f"Possible answers: {', '.join(ANSWERS)}.\nAnswer:"
PROMPT = f"Question: Is {{phrase}} still {{noun}}?\n{ASKED}"
FRAME = f"Question: Is it still {{noun}}?\n{ASKED}"

_words = cache(bigram_words)


class AdjectiveInference(DocumentTask):
    """A document per bigram, without its words, which no file may hold."""

    measure = ANSWER_DISTRIBUTION
    options = OPTIONS

    def documents(self, name: str) -> Iterator[list[Document] | str]:
        """Ask about the bigrams of a config of `adjective_inference`: `people` or `mini`."""
        for row in load_rows("adjective_inference", name, "test"):
            yield [
                {
                    "id": row["id"],
                    "dataset": row["dataset"],
                    "config": name,
                    "adjective": row["adjective"],
                    "noun": row["noun"],
                    "frequency": {True: "zero", False: "attested", None: ""}[row["zero_frequency"]],
                    **{f"people_{option}": n for option, n in zip(OPTIONS, row["ratings"], strict=True)},
                    "choices": list(ANSWERS),
                    "gold": 0,
                }
            ]

    def not_defined(self, name: str) -> list[str]:
        """The scores by frequency, where nobody counted."""
        keys = self.measure.scores.by_key()
        return [key for key, (_, place) in keys.items() if name == "mini" and "frequency" in place]

    def doc_to_text(self, doc: Document, doc_to_text: Any = None) -> str:
        """The question of a document."""
        adjective, noun = _words(doc["config"])[doc["id"]]
        return PROMPT.format(phrase=with_article(f"{adjective} {noun}"), noun=with_article(noun))

    def frame(self, doc: Document) -> str:
        """The question without its adjective."""
        _, noun = _words(doc["config"])[doc["id"]]
        return FRAME.format(noun=with_article(noun))

    def build_all_requests(self, **kwargs: Any) -> None:
        """The requests, which are not saved for another run."""
        super().build_all_requests(**kwargs | {"cache_requests": False, "rewrite_requests_cache": False})

    def apply_filters(self) -> Any:
        """What lm-eval does after the answers and before it saves samples. From here on, ids stand for the prompts."""
        filtered = super().apply_filters()
        for request in self.instances:
            request.arguments = (request.doc["id"], request.args[1])
        return filtered
