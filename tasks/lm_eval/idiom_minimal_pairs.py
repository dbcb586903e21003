"""idiom_minimal_pairs: which is the better paraphrase of a sentence, that with the compound's synonym or its words'?

The prompt lists both, in either order and in several wordings, and each is a continuation of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness_ext.data.documents import as_documents, few_compounds, load_rows
from harness_ext.harnesses.lm_eval_requests import FramedTask  # noqa: F401 - for the YAML file
from harness_ext.language_models.document_measure import metric_list, record
from harness_ext.language_models.minimal_pairs import MINIMAL_PAIRS, OPTIONS
from harness_ext.language_models.option_scores import option_columns

if TYPE_CHECKING:
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

FRAMES = {
    "en": (
        "Which of these two sentences means the same?\n- {first}\n- {second}\n\nThe sentence that means the same is:",
        "Here is a sentence, and two attempts to say the same in other words.\n\n"
        "First attempt: {first}\nSecond attempt: {second}\n\nThe better attempt is:",
        "Question: What is a good paraphrase?\nOption: {first}\nOption: {second}\nAnswer:",
    ),
    "pt": (
        "Qual destas duas frases significa o mesmo?\n- {first}\n- {second}\n\nA frase que significa o mesmo é:",
        "Aqui está uma frase e duas tentativas de dizer o mesmo com outras palavras.\n\n"
        "Primeira tentativa: {first}\nSegunda tentativa: {second}\n\nA melhor tentativa é:",
        "Pergunta: Qual é uma boa paráfrase?\nOpção: {first}\nOpção: {second}\nResposta:",
    ),
}
"""The same without the sentence."""

METRICS = metric_list(MINIMAL_PAIRS)


def documents(path: str, name: str, language: str, small: bool = False, **metadata: Any) -> DatasetDict:
    """A document per sentence, wording and order.

    Args:
        path: `ncimp` or `compound_mini`.
        name: Its config.
        language: Of the prompts, `en` or `pt`.
        small: Whether to take `few_compounds`, the first wording, and the two orders in turn.
        metadata: What else lm-eval passes; not used.
    """
    excluded = {"n_excluded_unscored": 0, "n_excluded_same": 0}

    def groups() -> Iterator[list[dict[str, Any]]]:
        rows = load_rows(path, name, "naturalistic")
        for number, row in enumerate(few_compounds(rows) if small else rows):
            if row["expert_class"] is None:
                excluded["n_excluded_unscored"] += 1
            elif row["syn"]["sentence"] == row["words_syn"][0]["sentence"]:
                excluded["n_excluded_same"] += 1
            else:
                prompts = list(_prompts(row, language))
                yield [prompts[number % 2]] if small else prompts

    return as_documents(groups(), excluded)


def _prompts(row: dict[str, Any], language: str) -> Iterator[dict[str, Any]]:
    choices = [row["syn"]["sentence"], row["words_syn"][0]["sentence"]]
    for number, template in enumerate(TEMPLATES[language], start=1):
        for order, (first, second) in enumerate((choices, choices[::-1])):
            yield {
                "id": f"{row['id']}-template{number}-order{order}",
                "dataset": row["dataset"],
                "compound": row["compound"],
                "class": row["expert_class"],
                "comp": row["comp"],
                "template": number,
                "order": order,
                "prompt": template.format(sentence=row["sentence"], first=first, second=second),
                "frame": FRAMES[language][number - 1].format(first=first, second=second),
                "choices": choices,
                "gold": 0,
            }


def process_results(doc: dict[str, Any], results: list[tuple[float, bool]]) -> dict[str, Any]:
    """The row of a document.

    Args:
        doc: A document.
        results: The log-likelihood of each choice after the prompt, then after the frame.
    """
    row = {**doc, **option_columns(OPTIONS, doc["choices"], results)}
    has_scores = not doc["dataset"].startswith("compound_mini")
    return record(MINIMAL_PAIRS, row, not_defined=() if has_scores else ("affinity_lm_spearman",))
