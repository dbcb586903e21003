"""ε-compositionality of noun compounds, on NCIMP and on this project's own small dataset."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np
from mteb.abstasks.task_metadata import TaskMetadata

from harness_ext.abstask import AbsTaskCompositionality
from harness_ext.evaluators.epsilon import EpsilonSamples, epsilon_compositionality
from harness_ext.tasks.metadata import COMPOUND_MINI, NCIMP, NCIMP_CITATION, ON_COMPOUND_MINI
from harness_ext.encoders.texts import TextTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness_ext.data.compounds import CompoundRow
    from harness_ext.encoders.encoding import TaskEncoder

MODIFIER, HEAD = 0, 1
"""Where the words of an English compound stand."""

_EPSILON_CITATION = r"""@misc{wold-epsilon-compositionality,
  author = {Wold, Sondre and Simon, {\'E}tienne and Velldal, Erik and {\O}vrelid, Lilja},
  title = {Measuring Idiomaticity in Text Embedding Models with $\epsilon$-compositionality},
}"""


_DESCRIPTION = (
    "Does a noun compound change its sentence more than its words explain? For each word of a compound, the effect of "
    "replacing it by a synonym, in the sentence against alone (ε), is compared with the effect of replacing one "
    "synonym by another. Idiomatic compounds should stand out, literal ones should not."
)


class _AbsEpsilonCompositionality(AbsTaskCompositionality):
    def measure(self, rows: list[dict[str, Any]], encode: TaskEncoder) -> tuple[dict[str, float], list[dict[str, Any]]]:
        scored: list[CompoundRow] = [row for row in rows if row["class"] is not None]  # type: ignore[misc]
        classes = {row["compound"]: row["class"] for row in scored}
        compounds = list(classes)
        table = TextTable()
        samples = epsilon_samples(scored, compounds, table)
        result = epsilon_compositionality(encode(table.texts), samples, np.array(list(classes.values())))
        unscored = {row["compound"] for row in rows} - classes.keys()
        predictions = [
            {
                "compound": compound,
                "class": classes[compound],
                "n_pairs": int(result.n_pairs[number]),
                "rank_share": float(result.rank_share[number]),
                "idiomaticity_epsilon_mean": float(result.idiomaticity[number]),
                "baseline_epsilon_mean": float(result.baseline[number]),
            }
            for number, compound in enumerate(compounds)
            if result.n_pairs[number]
        ]
        return {**result.scores, "n_excluded_unscored": len(unscored)}, predictions


def epsilon_samples(rows: list[CompoundRow], compounds: list[str], table: TextTable) -> EpsilonSamples:
    """All samples of `rows`: a sentence, a slot of its compound, an ordered pair of synonyms for that slot.

    The synonyms of a slot are the distinct words that the word-by-word replacements have there, without the
    compound's own word. A compound or a replacement that is not two words gives no sample.

    Args:
        rows: Compounds in sentences.
        compounds: The distinct compounds; a sample's `compound` is an index into this list.
        table: Gets every text that is compared.
    """
    number = {compound: index for index, compound in enumerate(compounds)}

    def samples() -> Iterator[tuple[int, ...]]:
        for row in rows:
            pair = row["surface"].split()
            replacements = [probe["expression"].split() for probe in row["words_syn"]]
            if len(pair) != 2:
                continue
            for slot in (MODIFIER, HEAD):
                word = pair[slot]
                synonyms = dict.fromkeys(words[slot] for words in replacements if len(words) == 2)
                synonyms.pop(word, None)
                for a, other in permutations(synonyms, 2):
                    phrase = [table.add(text) for text in (word, a, other)]
                    context = [table.add(_with_word(row, slot, text)) for text in (word, a, other)]
                    yield *phrase, *context, number[row["compound"]], slot == HEAD

    columns = np.array(list(samples()), dtype=np.intp).reshape(-1, 8)
    return EpsilonSamples(columns[:, :3], columns[:, 3:6], columns[:, 6], columns[:, 7].astype(bool))


def _with_word(row: CompoundRow, slot: int, word: str) -> str:
    words = row["sentence"].split()
    words[row["span"][0] + slot] = word
    return " ".join(words)


class EpsilonCompositionality(_AbsEpsilonCompositionality):
    """ε-compositionality on the naturalistic English sentences of NCIMP, as in the paper."""

    metadata = TaskMetadata(
        **{
            **NCIMP,
            "name": "EpsilonCompositionality",
            "description": _DESCRIPTION,
            "eval_splits": ["naturalistic"],
            "eval_langs": {"en": ["eng-Latn"]},
            "main_score": "auc_nc_vs_c",
            "bibtex_citation": f"{_EPSILON_CITATION}\n\n{NCIMP_CITATION}",
        }
    )


class EpsilonCompositionalityMini(_AbsEpsilonCompositionality):
    """ε-compositionality on `compound_mini`: 60 compounds, no download."""

    metadata = TaskMetadata(
        **{
            **COMPOUND_MINI,
            "name": "EpsilonCompositionalityMini",
            "description": f"{_DESCRIPTION} {ON_COMPOUND_MINI}",
            "main_score": "auc_nc_vs_c",
            "bibtex_citation": _EPSILON_CITATION,
        }
    )
