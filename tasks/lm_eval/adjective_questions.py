"""adjective_inference: "is an A N still an N?", with a model's distribution over the answers beside people's.

The authors encrypt their bigrams to keep them out of training data. So documents hold ids, prompts are made in memory,
and what lm-eval saves has no word of them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from harness_ext.data.agreement import with_article
from harness_ext.data.documents import as_documents, load_rows
from harness_ext.datasets_scripts.adjective_inference.adjective_inference import ANSWERS, bigram_words
from harness_ext.harnesses.lm_eval_requests import FramedTask
from harness_ext.language_models.answer_distribution import ANSWER_DISTRIBUTION, OPTIONS
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.option_scores import option_columns

if TYPE_CHECKING:
    from datasets import DatasetDict

ASKED = f"Possible answers: {', '.join(ANSWERS)}.\nAnswer:"
TEMPLATE = f"Question: Is {{phrase}} still {{noun}}?\n{ASKED}"
FRAME = f"Question: Is it still {{noun}}?\n{ASKED}"

METRICS = metric_list(ANSWER_DISTRIBUTION)

_words = cache(bigram_words)


def documents(name: str, **metadata: Any) -> DatasetDict:
    """A document per bigram, without its words.

    Args:
        name: The config of `adjective_inference`: `people` or `mini`.
        metadata: What else lm-eval passes; not used.
    """
    return as_documents(
        (
            [
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
            for row in load_rows("adjective_inference", name, "test")
        ),
        {},
    )


def prompt(doc: dict[str, Any]) -> str:
    """The question of a document."""
    adjective, noun = _words(doc["config"])[doc["id"]]
    return TEMPLATE.format(phrase=with_article(f"{adjective} {noun}"), noun=with_article(noun))


class BigramTask(FramedTask):
    """Asks about words that no file may hold."""

    def frame(self, doc: dict[str, Any]) -> str:
        """The question without its adjective."""
        _, noun = _words(doc["config"])[doc["id"]]
        return FRAME.format(noun=with_article(noun))

    def build_all_requests(self, **kwargs: Any) -> None:
        """The requests, which are not saved for another run."""
        super().build_all_requests(**kwargs | {"cache_requests": False, "rewrite_requests_cache": False})

    def apply_filters(self) -> Any:
        """What lm-eval does after the answers and before it saves samples. From here on, ids stand for the prompts."""
        found = super().apply_filters()
        for request in self.instances:
            request.arguments = (request.doc["id"], request.args[1])
        return found


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of each answer after the prompt, then after the frame."""
    keys = ANSWER_DISTRIBUTION.scores.by_key() if doc["dataset"].startswith("adjective_inference/mini") else {}
    return record(
        ANSWER_DISTRIBUTION,
        {**doc, **option_columns(OPTIONS, doc["choices"], results)},
        not_defined=[key for key, (_, place) in keys.items() if "frequency" in place],
    )
