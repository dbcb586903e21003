"""epsilon_surprisal: ε-compositionality with surprisal, of what follows a compound, in the place of
distance.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from harness_ext.data.compounds import slot_words
from harness_ext.measures.epsilon.surprisal import EPSILON_SURPRISAL, sentence_epsilon
from harness_ext.measures.language_models.document_task import Document, DocumentTask
from harness_ext.measures.language_models.documents import few_compounds, load_rows

SMALL_SYNONYMS = 2


class EpsilonSurprisal(DocumentTask):
    """A document per sentence: one continuation, what follows the compound, after many contexts."""

    measure = EPSILON_SURPRISAL

    def documents(
        self, path: str, name: str, small: bool = False
    ) -> Iterator[list[Document] | str]:
        """Ask about the rows of `ncimp` or `compound_mini`; or `few_compounds`, with
        `SMALL_SYNONYMS` of each word.
        """
        rows = load_rows(path, name, "naturalistic")
        for row in few_compounds(rows) if small else rows:
            slots = slot_words(row)  # type: ignore[arg-type]
            if small:
                slots = [words[: SMALL_SYNONYMS + 1] for words in slots]
            _, end = row["span"]
            rest = row["sentence"].split()[end:]
            if row["class"] is None:
                yield "unscored"
            elif not any(len(words) > 2 for words in slots):
                yield "no_pair"
            elif not any(character.isalnum() for word in rest for character in word):
                yield "nothing_follows"
            else:
                yield [_surprisals(row, slots, rest)]

    def columns(
        self,
        doc: Document,
        results: Sequence[tuple[float, bool]],
    ) -> dict[str, Any]:
        """ε of the sentence, from the log-likelihood of what follows after each context."""
        surprisals = iter([-log_likelihood / doc["n_words"] for log_likelihood, _ in results])
        # in the order of the contexts
        in_sentence = [list(islice(surprisals, len(words))) for words in doc["slots"]]
        bare = [list(islice(surprisals, len(words))) for words in doc["slots"]]
        return sentence_epsilon(in_sentence, bare)._asdict()


def _surprisals(
    row: dict[str, Any],
    slots: list[list[str]],
    rest: list[str],
) -> Document:
    start, end = row["span"]
    beginning = row["sentence"].split()[:end]
    in_sentence = []
    bare = []
    for place, words in enumerate(slots, start=start):
        for word in words:
            context = [*beginning[:place], word, *beginning[place + 1 :]]
            in_sentence.append(" ".join(context))
            bare.append(word)
    return {
        "id": row["id"],
        "dataset": row["dataset"],
        "compound": row["compound"],
        "class": row["class"],
        "slots": slots,  # for modifier and head: the compound's own word, then its synonyms
        "contexts": in_sentence + bare,
        "follows": " ".join(rest),
        "n_words": len(rest),
    }
