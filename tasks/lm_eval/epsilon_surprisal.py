"""epsilon_surprisal: ε-compositionality with surprisal, of what follows a compound, in the place of distance."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness_ext.data.compounds import slot_words
from harness_ext.data.documents import as_documents, few_compounds, load_rows
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.surprisal import EPSILON_SURPRISAL, sentence_epsilon

if TYPE_CHECKING:
    from datasets import DatasetDict

SMALL_SYNONYMS = 2

METRICS = metric_list(EPSILON_SURPRISAL)


def documents(path: str, name: str, small: bool = False, **metadata: Any) -> DatasetDict:
    """A document per sentence: one continuation, what follows the compound, after many contexts.

    Args:
        path: `ncimp` or `compound_mini`.
        name: Its config.
        small: Whether to take `few_compounds`, with `SMALL_SYNONYMS` synonyms of each word.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unscored": 0, "n_excluded_no_pair": 0, "n_excluded_nothing_follows": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        rows = load_rows(path, name, "naturalistic")
        for row in few_compounds(rows) if small else rows:
            slots = [words[: SMALL_SYNONYMS + 1] if small else words for words in slot_words(row)]  # type: ignore[arg-type]
            rest = row["sentence"].split()[row["span"][1] :]
            if row["class"] is None:
                excluded["n_excluded_unscored"] += 1
            elif not any(len(words) > 2 for words in slots):
                excluded["n_excluded_no_pair"] += 1
            elif not any(character.isalnum() for word in rest for character in word):
                excluded["n_excluded_nothing_follows"] += 1
            else:
                yield [_surprisals(row, slots, rest)]

    return as_documents(groups(), excluded)


def _surprisals(row: dict[str, Any], slots: list[list[str]], rest: list[str]) -> dict[str, Any]:
    start, end = row["span"]
    beginning = row["sentence"].split()[:end]
    in_sentence = [
        " ".join([*beginning[: start + place], word, *beginning[start + place + 1 :]])
        for place, words in enumerate(slots)
        for word in words
    ]
    return {
        "id": row["id"],
        "dataset": row["dataset"],
        "compound": row["compound"],
        "class": row["class"],
        "slots": slots,  # for modifier and head: the compound's own word, then its synonyms
        "contexts": in_sentence + [word for words in slots for word in words],
        "follows": " ".join(rest),
        "n_words": len(rest),
    }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document, from the log-likelihood of what follows after each context."""
    surprisals = iter([-log_likelihood / doc["n_words"] for log_likelihood, _ in results])
    in_sentence, bare = ([[next(surprisals) for _ in words] for words in doc["slots"]] for _ in range(2))
    found = sentence_epsilon(in_sentence, bare)
    return record(EPSILON_SURPRISAL, {**doc, **found._asdict()})
