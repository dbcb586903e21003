"""People's scores of noun compounds, and the experts' labels, from the tables of NCTTI; NCIMP uses
them too.
"""

from typing import Any, NamedTuple, get_args

from harness_ext.data.compounds import Class
from harness_ext.data.tables import File, Line, read_table

CLASSES = get_args(Class)

Paraphrases = tuple[str, ...]

_TYPE_SCORE = "CompType"
_TOKEN_SCORES = ("MeanS1", "MeanS2", "MeanS3")
_PARAPHRASES = "Synonyms"
_TOKEN_PARAPHRASES = ("SynonymsS1", "SynonymsS2", "SynonymsS3")


class HumanScores(NamedTuple):
    """People's scores of a compound; None for an unknown score.

    Attributes:
        expert_class: NC, PC or C.
        type_score: 0 idiomatic to 5 compositional.
        token_scores: 0 to 5, for each of its three sentences.
        paraphrases: Of the compound, one for each annotator who gave one.
        token_paraphrases: Of the compound in each of the three sentences.
    """

    expert_class: Class | None
    type_score: float | None
    token_scores: tuple[float | None, ...]
    paraphrases: Paraphrases = ()
    token_paraphrases: tuple[Paraphrases, ...] = ((), (), ())

    @property
    def comp(self) -> float | None:
        """The mean over the three sentences (NCIMP, Eq. 1); None unless all have a score."""
        scores = [score for score in self.token_scores if score is not None]
        if len(scores) < 3:
            return None
        # equal means must not differ in the sixteenth digit: ranks are computed from them
        return round(sum(scores) / 3, 9)


NO_SCORES = HumanScores(None, None, (None, None, None))


def read_human_scores(file: File) -> dict[str, HumanScores]:
    """Read a table of NCTTI: one compound a line, with the experts' label and people's scores.

    Returns:
        Case-folded compound -> people's scores, in the order of the file.

    Raises:
        ValueError: A column is missing, a compound is given twice, or a cell is no such label or no
            number from 0 to 5; names file and line.
    """
    columns = ["compound", "CompScale", _TYPE_SCORE, *_TOKEN_SCORES]
    people = {}
    for line in read_table(file, columns, unique=["compound"]):
        label: Any = line.choice("CompScale", CLASSES)
        token_scores = [_score(line, column) for column in _TOKEN_SCORES]
        token_paraphrases = [_listed(line, column) for column in _TOKEN_PARAPHRASES]
        compound = line["compound"].casefold()
        people[compound] = HumanScores(
            expert_class=label,
            type_score=_score(line, _TYPE_SCORE),
            token_scores=tuple(token_scores),
            paraphrases=_listed(line, _PARAPHRASES),
            token_paraphrases=tuple(token_paraphrases),
        )
    return people


def _score(line: Line, column: str) -> float | None:
    if not line.get(column):
        return None
    return line.number(column, 0, 5)


def _listed(line: Line, column: str) -> Paraphrases:
    cell = line.get(column) or ""
    texts = [text.strip() for text in cell.split(";")]
    return tuple(filter(None, texts))
