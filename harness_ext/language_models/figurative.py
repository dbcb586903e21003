"""Does a language model know what follows from a sentence with an idiom or a metaphor?

Of each sentence there are two rewrites (IMPLI): one that follows from it, and one that does not. The model is asked of
each whether it follows. Its lean is PMI(yes) − PMI(no), see `option_scores`: the frame has the rewrite without the
sentence, so that a rewrite that is true anyway gains nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness_ext.arrays import Array, Floats, Integers, Names
from harness_ext.framework.items import Items, column
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import Axis, Place, Scores, like, proportion
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.language_models.document_measure import not_asked
from harness_ext.language_models.option_scores import PMI, OptionTable, option, option_values, without_frame
from harness_ext.statistics.statistic import Statistic, average, of_units, unit_means

SIDES = ("entailed", "not_entailed")
OPTIONS = ("yes", "no")
SET = Axis(
    "set",
    {
        "idioms": "an idiom's paraphrase, and its literal reading",
        "antonyms": "an idiom's paraphrase, and the opposite",
        "metaphors": "a metaphor's paraphrase, and another reading",
    },
)


@dataclass(frozen=True)
class FigurativeDocuments(OptionTable):
    """One row per sentence and rewrite."""

    id: Names = column("Id of the document: the dataset's row and the rewrite.")
    triple: Names = column("The dataset's row: a sentence and two rewrites.")
    set: Names = column("idioms, antonyms or metaphors.")
    side: Names = column("The rewrite: entailed or not_entailed.")
    yes: Floats = option("the answer yes")
    no: Floats = option("the answer no")
    n_excluded_unpaired: Integers = column("Rows with one rewrite; in each document.")
    n_excluded_repeated: Integers = column("Later rewrites of a sentence; in each document.")

    def leans(self, scoring: str = PMI) -> tuple[Array, ...]:
        """The triples of which both rewrites are there, and the lean of either rewrite, shapes (k,)."""
        yes, no = option_values(self, OPTIONS, scoring)
        sides = [np.where(self.side == side, yes - no, np.nan) for side in SIDES]
        means = [unit_means(self.triple, values) for values in sides]
        (of_one, _), (of_other, _) = means
        whole = np.intersect1d(of_one, of_other)
        return whole, *(values[np.isin(names, whole)] for names, values in means)


@dataclass(frozen=True)
class FigurativeItems(Items):
    """The documents."""

    documents: FigurativeDocuments


def _preference(items: FigurativeItems, place: Place) -> Statistic:
    documents = items.documents.at(place)
    triples, follows, follows_not = documents.leans(place.get("scoring", PMI))
    return of_units(average, triples, (np.sign(follows - follows_not) + 1) / 2)


def _accuracy(items: FigurativeItems, place: Place) -> Statistic:
    documents = items.documents.at(place)
    triples, follows, follows_not = documents.leans()
    return of_units(average, triples, (np.sign(follows) - np.sign(follows_not) + 2) / 4)


@dataclass(frozen=True)
class FigurativeScores(Scores):
    """The scores of figurative entailment; arrays over `SET`."""

    preference: Floats = proportion(
        "the rewrite that follows, against the one that does not",
        "share of sentences with a greater lean to yes for the rewrite that follows, ties ½",
        direction="higher",
        chance=0.5,
        source="this project, on IMPLI",
        key="preference_{set}",
        axes=(SET,),
        interval=True,
        statistic=_preference,
    )
    preference_without_frame: Floats = without_frame(preference)
    accuracy: Floats = like(
        preference,
        "right answers",
        "share of rewrites that follow with a lean above 0, and of others with one below, ties ½; both count the same",
        key="accuracy_{set}",
        interval=False,
        statistic=_accuracy,
    )
    n_excluded_unpaired: int = not_asked("unpaired", "rows with one rewrite")
    n_excluded_repeated: int = not_asked("repeated", "later rewrites of a sentence")


_WORDING = Wording(
    question="Does the language model know what follows from a sentence with an idiom?",
    score="In {value} of all sentences, the model leans more to the rewrite that follows than to the other.",
    chance=Consequences(
        "Tossing a coin",
        above="The model draws conclusions from the meaning of idioms more often than from their words.",
        below="The model goes by an idiom's words: its conclusions follow from the literal reading.",
    ),
    right=(
        "A lean is PMI(yes) − PMI(no). The rewrite that follows from the sentence should have a greater lean than the "
        "other rewrite: the margin, their difference, should be above 0."
    ),
)

FIGURATIVE = Measure(
    name="figurative_entailment",
    version=1,
    main="preference_idioms",
    unit="triple",
    items=FigurativeItems,
    scores=FigurativeScores,
    own_words=False,
    wording=_WORDING,
)
