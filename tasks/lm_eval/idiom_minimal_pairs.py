"""idiom_minimal_pairs: which is the better paraphrase of a sentence, with a synonym of the
    compound, or of each word?

The prompt lists both, in either order and in several wordings, and each is a continuation of it.
"""

import re
from collections.abc import Iterator
from typing import Any

from harness_ext.measures.language_models.document_task import Document, DocumentTask
from harness_ext.measures.language_models.documents import few_compounds, load_rows
from harness_ext.measures.language_models.minimal_pairs import MINIMAL_PAIRS, OPTIONS

TEMPLATES = {
    "en": (
        "[Sentence: {sentence}\n\n]Which of these two sentences means the same?\n- {first}\n- "
        "{second}\n\nThe sentence that means the same is:",
        "Here is a sentence, and two attempts to say the same in other words.\n\n[Sentence: "
        "{sentence}\n]First attempt: {first}\nSecond attempt: {second}\n\nThe better attempt is:",
        'Question: What is a good paraphrase[ of "{sentence}"]?\nOption: {first}\nOption: '
        "{second}\nAnswer:",
    ),
    "pt": (
        "[Frase: {sentence}\n\n]Qual destas duas frases significa o mesmo?\n- {first}\n- "
        "{second}\n\nA frase que significa o mesmo é:",
        "Aqui está uma frase e duas tentativas de dizer o mesmo com outras palavras.\n\n[Frase: "
        "{sentence}\n]Primeira tentativa: {first}\nSegunda tentativa: {second}\n\nA melhor "
        "tentativa é:",
        'Pergunta: Qual é uma boa paráfrase[ de "{sentence}"]?\nOpção: {first}\nOpção: '
        "{second}\nResposta:",
    ),
}
"""The wordings of a language; what stands in brackets, the sentence, is not in the frame."""

_IN_BRACKETS = re.compile(r"\[(.*?)\]", re.DOTALL)


class IdiomMinimalPairs(DocumentTask):
    """A document per sentence, wording and order."""

    measure = MINIMAL_PAIRS
    options = OPTIONS

    def documents(
        self, path: str, name: str, language: str, small: bool = False
    ) -> Iterator[list[Document] | str]:
        """Ask about the rows of `ncimp` or `compound_mini`, in the language of the prompts, `en` or
        `pt`.

        Of `few_compounds` if `small`, in the first wording, and the two orders in turn.
        """
        rows = load_rows(path, name, "naturalistic")
        for place, row in enumerate(few_compounds(rows) if small else rows):
            if row["expert_class"] is None:
                yield "unscored"
            elif row["syn"]["sentence"] == row["words_syn"][0]["sentence"]:
                yield "same"
            else:
                prompts = list(_prompts(row, language))
                yield [prompts[place % 2]] if small else prompts

    def not_defined(self, path: str, **_: Any) -> list[str]:
        """The correlation with people's scores, where nobody has scored the compounds."""
        return ["affinity_lm_spearman"] if path == "compound_mini" else []


def _prompts(row: dict[str, Any], language: str) -> Iterator[Document]:
    choices = [row["syn"]["sentence"], row["words_syn"][0]["sentence"]]
    for wording, template in enumerate(TEMPLATES[language], start=1):
        prompt = _IN_BRACKETS.sub(r"\1", template)
        frame = _IN_BRACKETS.sub("", template)
        orders = (choices, choices[::-1])
        for order, (first, second) in enumerate(orders):
            yield {
                "id": f"{row['id']}-template{wording}-order{order}",
                "dataset": row["dataset"],
                "compound": row["compound"],
                "class": row["expert_class"],
                "comp": row["comp"],
                "template": wording,
                "order": order,
                "prompt": prompt.format(sentence=row["sentence"], first=first, second=second),
                "frame": frame.format(first=first, second=second),
                "choices": choices,
                "gold": 0,
            }
