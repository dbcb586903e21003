"""compound_question: what does a compound mean in its sentence? The gold synonym among
distractors.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from harness_ext.measures.language_models.document_task import Document, DocumentTask
from harness_ext.measures.language_models.documents import few_compounds, load_rows
from harness_ext.measures.language_models.question import QUESTION, ROLES

PROMPT = (
    'Sentence: {sentence}\nQuestion: What does "{surface}" mean in this sentence?\n{listed}Answer:'
)
# the same without the sentence and the compound
FRAME = "Question: What does it mean?\n{listed}Answer:"
LISTED = "A. {0}\nB. {1}\nC. {2}\nD. {3}\n"
LETTERS = ["A", "B", "C", "D"]


class CompoundQuestion(DocumentTask):
    """For each sentence, a document that asks for the meaning, and four that ask for its letter.

    In these the options are turned round, so that every option stands once at every letter. The
    small version asks for the letter once, with the options turned by one more place from compound
    to compound.
    """

    measure = QUESTION

    def documents(
        self, path: str, name: str, small: bool = False
    ) -> Iterator[list[Document] | str]:
        """Ask about the rows of `ncimp` or `compound_mini`, or about `few_compounds`."""
        rows = load_rows(path, name, "naturalistic")
        for place, row in enumerate(few_compounds(rows) if small else rows):
            probes = [row["syn"], row["words_syn"][0], *row["rand"][:2]]
            options = [probe["expression"] for probe in probes]
            different = {option.lower() for option in options}
            turns = [place % 4] if small else [0, 1, 2, 3]
            if row["expert_class"] is None:
                yield "unscored"
            elif len(different) < len(options):
                yield "same"
            else:
                yield list(_questions(row, options, turns))


def _questions(
    row: dict[str, Any],
    options: list[str],
    turns: Iterable[int],
) -> Iterator[Document]:
    def question(
        form: str,
        order: int,
        listed: str,
        choices: list[str],
        roles: list[str],
    ) -> Document:
        return {
            "id": f"{row['id']}-{form}{order}",
            "dataset": row["dataset"],
            "compound": row["compound"],
            "class": row["expert_class"],
            "format": form,
            "order": order,
            "prompt": PROMPT.format(
                sentence=row["sentence"], surface=row["surface"], listed=listed
            ),
            "frame": FRAME.format(listed=listed),
            "choices": choices,
            "roles": roles,
            "gold": roles.index("syn"),
        }

    yield question("cloze", 0, "", options, list(ROLES))
    for order in turns:
        turned = [*options[order:], *options[:order]]
        roles = [*ROLES[order:], *ROLES[:order]]
        yield question("letter", order, LISTED.format(*turned), LETTERS, roles)
