"""People's scores of noun compounds, and the experts' labels, from the tables of NCTTI; NCIMP uses
them too.
"""

from typing import Any, NamedTuple, get_args

from harness_ext.data.compounds import Class
from harness_ext.data.tables import File, Line, read_table

CLASSES = get_args(Class)


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
    paraphrases: tuple[str, ...] = ()
    token_paraphrases: tuple[tuple[str, ...], ...] = ((), (), ())

    @property
    def comp(self) -> float | None:
        """The mean over the three sentences (NCIMP, Eq. 1); None unless all have a score."""
        scores = [score for score in self.token_scores if score is not None]
        # equal means must not differ in the sixteenth digit: ranks are computed from them
        return round(sum(scores) / 3, 9) if len(scores) == 3 else None


NO_SCORES = HumanScores(None, None, (None, None, None))


def read_human_scores(file: File) -> dict[str, HumanScores]:
    """Read a table of compounds: case-folded compound -> people's scores."""
    columns = ["CompType", "MeanS1", "MeanS2", "MeanS3"]
    people = {}
    for line in read_table(file, ["compound", "CompScale", *columns], unique=["compound"]):
        type_score, *token_scores = (
            line.number(column, 0, 5) if line.get(column) else None for column in columns
        )
        label: Any = line.choice("CompScale", CLASSES)
        of_type, *of_tokens = (
            _listed(line, f"Synonyms{sentence}") for sentence in ("", "S1", "S2", "S3")
        )
        scores = HumanScores(label, type_score, tuple(token_scores), of_type, tuple(of_tokens))
        people[line["compound"].casefold()] = scores
    return people


def _listed(line: Line, column: str) -> tuple[str, ...]:
    return tuple(text.strip() for text in (line.get(column) or "").split(";") if text.strip())
