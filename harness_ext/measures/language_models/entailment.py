"""Does a language model know that a fake wall is no wall?

That depends on the type of the adjective (MONT). A subsective one leaves its noun what it is (a *red chair* is a chair,
a *skilful king* a king): yes. A privative one does not (a *fake chair*): no. With a plain non-subsective one (an
*alleged king*) it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.items import column
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import Axis, AxisValues, Scores, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.kinds.kind import items_of
from harness_ext.measures.language_models.option_scores import (
    PMI,
    OptionTable,
    chosen,
    option,
    option_values,
    without_frame,
)
from harness_ext.statistics.crossed import crossed, mean_of_groups, probability_of_first_group
from harness_ext.statistics.statistic import Statistic

TYPE = Axis(
    "type",
    {
        "S-I": "subsective intersective",
        "S-NI": "subsective non-intersective",
        "NS-Pl": "non-subsective plain",
        "NS-Pr": "non-subsective privative",
    },
)
ANSWERS = ("yes", "no", "unknown")
EXPECTED = {"S-I": "yes", "S-NI": "yes", "NS-Pl": "unknown", "NS-Pr": "no"}
"""Type of adjective -> the right answer."""


@dataclass(frozen=True)
class EntailmentDocuments(OptionTable):
    """One row per `adjective noun` and wording."""

    id: Names = column("Id of the document: the phrase and the wording.")
    adjective: Names = column("The adjective.")
    noun: Names = column("The noun.")
    type: Names = column("The type of the adjective: S-I, S-NI, NS-Pl or NS-Pr.")
    template: Integers = column("Which wording, from 1.")
    yes: Floats = option("the answer yes")
    no: Floats = option("the answer no")
    unknown: Floats = option("the answer unknown")

    @property
    def expected(self) -> Names:
        """The right answer, shape (n,)."""
        return np.array([EXPECTED[name] for name in self.type.tolist()], dtype=str)

    def right(self, scoring: str = PMI) -> Floats:
        """1 if the right answer has the greatest score, 1/k if k answers share it, else 0; shape (n,)."""
        is_expected = np.array(ANSWERS)[:, None] == self.expected
        return (chosen(option_values(self, ANSWERS, scoring)) * is_expected).sum(axis=0)


def _balanced_accuracy(items: Any, axes: AxisValues) -> Statistic:
    documents = items.documents
    groups = [documents.expected == answer for answer in ANSWERS]
    right = documents.right(axes.get("scoring", PMI))
    return crossed(mean_of_groups, documents.adjective, documents.noun, right, groups=groups)


def _accuracy(items: Any, axes: AxisValues) -> Statistic:
    documents = items.documents.at(axes)
    return crossed(mean_of_groups, documents.adjective, documents.noun, documents.right())


def _subsective_above_privative(items: Any, _: AxisValues) -> Statistic:
    documents, expected = items.documents, items.documents.expected
    yes, no, _unknown = option_values(documents, ANSWERS)
    groups = [expected == "yes", expected == "no"]
    return crossed(probability_of_first_group, documents.adjective, documents.noun, yes - no, groups=groups)


@dataclass(frozen=True)
class EntailmentScores(Scores):
    """The scores of entailment; arrays over `TYPE`."""

    balanced_accuracy: float = proportion(
        "right answers, every answer counting the same",
        "mean over the answers yes, no, unknown of the share of questions with that answer that are answered with it; "
        "resampled are adjectives, within an answer, and nouns",
        direction="higher",
        chance=1 / 3,
        source="this project, after MONT",
        interval=True,
        compute=_balanced_accuracy,
        key="balanced_accuracy",
    )
    balanced_accuracy_without_frame: Floats = without_frame(balanced_accuracy)
    accuracy: Floats = like(
        balanced_accuracy,
        "right answers by the type of the adjective",
        "share of questions answered as the type says; resampled are adjectives and nouns",
        key="accuracy_{type}",
        axes=(TYPE,),
        interval=False,
        compute=_accuracy,
    )
    auc_subsective_vs_privative: float = proportion(
        "subsective against privative adjectives, whatever a model's bias to yes or no",
        "P(mean PMI(yes) − PMI(no) of a random subsective adjective > that of a random privative one), ties ½",
        direction="higher",
        chance=0.5,
        source="this project, after MONT",
        compute=_subsective_above_privative,
    )


_WORDING = Wording(
    question="Is a fake wall a wall? Does the language model know?",
    score="It answers {value} of the questions right, if yes, no and unknown count the same.",
    chance=Consequences(
        "Guessing",
        above="The model answers more of the questions right than guesses would.",
        below="The model answers fewer of the questions right than guesses would.",
    ),
    right=(
        "A red chair (S-I) is a chair and a skilful king (S-NI) is a king: yes. A fake chair (NS-Pr) is none: no. An "
        "alleged king (NS-Pl) may be one: unknown. The margin is the PMI of the right answer less the best other PMI."
    ),
)

ENTAILMENT = Measure(
    name="entailment",
    version=2,
    main="balanced_accuracy",
    unit="adjective",
    items=items_of(documents=EntailmentDocuments),
    scores=EntailmentScores,
    own_words=False,
    wording=_WORDING,
)
