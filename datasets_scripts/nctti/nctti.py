"""NCTTI: human compositionality of noun compounds as types and in each of three sentences, English
    and Portuguese.

Garcia, Kramer Vieira, Scarton, Idiart, Villavicencio 2021: Assessing the Representations of
Idiomaticity in Vector Models with a Noun Compound Dataset Labeled at Type and Token Levels, ACL
2021. Scores, paraphrases and experts' labels are read from the authors' tables. The sentences are
read from the naturalistic files of NCIMP, which mark the place of the compound.
"""

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.compounds import Probe, TypeTokenRow
from harness_ext.data.tables import File, read_table
from harness_ext.datasets_scripts.human_scores import NO_SCORES, HumanScores, read_human_scores
from harness_ext.datasets_scripts.ncimp.rebuilt import REBUILT
from harness_ext.datasets_scripts.ncimp.tagged import NATURALISTIC, read_sentences

_SAME_SENTENCE = 0.9
"""Least similarity of two copies of a sentence; one may have lost its non-ASCII characters; 1 is
equal.
"""
_OTHER_THAN_ASCII = re.compile(r"[^a-z0-9]")
_PLACE_IN_CORPUS = re.compile(r"sent\d: \(")


class Nctti(PinnedBuilder):
    """The `datasets` builder of `nctti`; configs `en` and `pt`."""

    SPLITS = ("naturalistic", REBUILT)
    SPLITS_OF = {"pt": SPLITS[:1]}  # noqa: RUF012
    FILES_OF = {"naturalistic": NATURALISTIC, REBUILT: (REBUILT,)}  # noqa: RUF012
    INSTEAD = {"naturalistic": REBUILT}  # noqa: RUF012
    ROW = TypeTokenRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[TypeTokenRow]:
        """Yield the sentences of NCIMP, in its order, then the scores of NCTTI without a sentence
        in NCIMP.
        """
        people = read_human_scores(files["compounds"])
        published = read_published_sentences(files["sentences"])
        prefix = f"{self.config.name}-{split}"
        joined = set()
        for context, name in enumerate(NATURALISTIC, start=1):
            for compound, target, _ in read_sentences(files, name, split):
                folded = compound.casefold()
                key = (folded, context)
                scores = NO_SCORES
                is_scored = is_same_sentence(published.get(key), target["sentence"])
                if is_scored and folded in people:
                    joined.add(key)
                    scores = people[folded]
                yield _row(prefix, compound, context, scores, target)
        for compound, scores in people.items():
            for context in (1, 2, 3):
                if (compound, context) not in joined:
                    yield _row(prefix, compound, context, scores, None)


def _row(
    prefix: str,
    compound: str,
    context: int,
    scores: HumanScores,
    target: Probe | None,
) -> TypeTokenRow:
    """A row, without its sentence if that is None."""
    name = f"{prefix}-{context}-{compound.replace(' ', '_')}"
    row: TypeTokenRow = {
        "id": f"{name}-without-sentence",
        "compound": compound,
        "context": context,
        "surface": None,
        "expert_class": scores.expert_class,
        "type_score": scores.type_score,
        "comp": scores.comp,
        "token_score": scores.token_scores[context - 1],
        "paraphrases": [*scores.paraphrases],
        "token_paraphrases": [*scores.token_paraphrases[context - 1]],
        "sentence": None,
        "span": None,
    }
    if target is not None:
        row["id"] = name
        row["surface"] = target["expression"]
        row["sentence"] = target["sentence"]
        row["span"] = target["span"]
    return row


def read_published_sentences(file: File) -> dict[tuple[str, int], str | None]:
    """Read the sentences that were scored.

    Returns:
        (case-folded compound, number of the sentence from 1) -> the sentence; None if only its
        place in a corpus is published.
    """
    columns = ["sentence1", "sentence2", "sentence3"]
    sentences: dict[tuple[str, int], str | None] = {}
    for line in read_table(file, ["compound", *columns]):
        compound = line["compound"].casefold()
        for context, column in enumerate(columns, start=1):
            sentence = line[column]
            is_place = _PLACE_IN_CORPUS.match(sentence)
            sentences[compound, context] = None if is_place else sentence
    return sentences


def is_same_sentence(published: str | None, sentence: str) -> bool:
    """Whether `sentence` is the published sentence; True also if the published sentence is unknown.

    Only ASCII letters and digits are compared, because some files have lost other characters.
    """
    if published is None:
        return True
    first = _OTHER_THAN_ASCII.sub("", published.casefold())
    second = _OTHER_THAN_ASCII.sub("", sentence.casefold())
    if first == second:
        return True
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.ratio() >= _SAME_SENTENCE
