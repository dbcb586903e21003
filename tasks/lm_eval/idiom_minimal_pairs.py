"""Which of two sentences is the better paraphrase: the compound's synonym in its place, or synonyms of its words?

For each sentence of a compound, a prompt lists the two paraphrases, in either order and in several wordings, and the
model continues with one of them. With log p the log-likelihood of a continuation and |·| its length in characters:

    affinity_lm = log p(gold synonym) / |gold synonym| - log p(word-by-word synonyms) / |word-by-word synonyms|

A model that knows idioms has affinity_lm > 0 for them; accuracy is the share of prompts with that, ties ½.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, load_rows
from harness_ext.evaluators.epsilon import CLASSES
from harness_ext.evaluators.language_model import TaskScores, mean, share_of_best, spearman_of_units

if TYPE_CHECKING:
    from collections.abc import Iterator

    from datasets import DatasetDict

TEMPLATES = {
    "en": (
        "Sentence: {sentence}\n\nWhich of these two sentences means the same?\n- {first}\n- {second}\n\n"
        "The sentence that means the same is:",
        "Here is a sentence, and two attempts to say the same in other words.\n\nSentence: {sentence}\n"
        "First attempt: {first}\nSecond attempt: {second}\n\nThe better attempt is:",
        'Question: What is a good paraphrase of "{sentence}"?\nOption: {first}\nOption: {second}\nAnswer:',
    ),
    "pt": (
        "Frase: {sentence}\n\nQual destas duas frases significa o mesmo?\n- {first}\n- {second}\n\n"
        "A frase que significa o mesmo é:",
        "Aqui está uma frase e duas tentativas de dizer o mesmo com outras palavras.\n\nFrase: {sentence}\n"
        "Primeira tentativa: {first}\nSegunda tentativa: {second}\n\nA melhor tentativa é:",
        'Pergunta: Qual é uma boa paráfrase de "{sentence}"?\nOpção: {first}\nOpção: {second}\nResposta:',
    ),
}

SCORES = TaskScores(
    mean("accuracy_NC", "accuracy", "NC"),
    *(mean(f"accuracy_{klass}", "accuracy", klass, higher_is_better=None) for klass in ("PC", "C")),
    *(mean(f"affinity_lm_{klass}", "affinity_lm", klass, higher_is_better=None) for klass in CLASSES),
    spearman_of_units("affinity_lm_spearman", "affinity_lm_and_comp", higher_is_better=False),
    mean("first_listed", "first_listed", higher_is_better=None),
    excluded=("unscored", "same_paraphrase"),
)
METRIC_LIST = SCORES.metric_list


def documents(path: str, name: str, language: str, **metadata: Any) -> DatasetDict:
    """A document per sentence, wording and order.

    Args:
        path: `ncimp` or `compound_mini`.
        name: The dataset's config.
        language: That of the prompts, `en` or `pt`.
        metadata: What else lm-eval passes; not used.
    """
    excluded = Counter({"unscored": 0, "same_paraphrase": 0})

    def groups() -> Iterator[list[dict[str, Any]]]:
        for row in compound_rows(path, name):
            if row["class"] is None:
                excluded["unscored"] += 1
            elif row["syn"]["sentence"] == row["words_syn"][0]["sentence"]:
                excluded["same_paraphrase"] += 1
            else:
                yield list(_prompts(row, language))

    return as_documents(list(groups()), excluded)


def _prompts(row: dict[str, Any], language: str) -> Iterator[dict[str, Any]]:
    choices = [row["syn"]["sentence"], row["words_syn"][0]["sentence"]]
    for number, template in enumerate(TEMPLATES[language], start=1):
        for order, (first, second) in enumerate((choices, choices[::-1])):
            yield {
                "id": f"{row['id']}-template{number}-order{order}",
                "dataset": row["dataset"],
                "compound": row["compound"],
                "class": row["class"],
                "comp": row["comp"],
                "template": number,
                "order": order,  # which of the choices is listed first
                "prompt": template.format(sentence=row["sentence"], first=first, second=second),
                "choices": choices,
                "gold": 0,
            }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The observations of a document: one of each quantity, for its compound and class."""
    per_character = [
        log_likelihood / len(choice) for (log_likelihood, _), choice in zip(results, doc["choices"], strict=True)
    ]
    affinity = per_character[0] - per_character[1]
    unit = doc["compound"], doc["class"]
    return SCORES.record(
        doc,
        accuracy=(*unit, share_of_best(per_character, 0)),
        affinity_lm=(*unit, affinity),
        affinity_lm_and_comp=(*unit, affinity, doc["comp"]),
        first_listed=(*unit, share_of_best(per_character, doc["order"])),
    )
