"""Does a language model know that a fake wall is no wall?

That depends on the type of the adjective (MONT). A subsective one leaves its noun what it is (a *red chair* is a chair,
a *skilful king* a king): yes. A privative one does not (a *fake chair*): no. With a plain non-subsective one (an
*alleged king*) it is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators.items import Items, Table, column
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import Axis, Scores, declared
from harness_ext.evaluators.statistics.statistic import balanced_mean, mean, probability_above

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from harness_ext.evaluators.statistics.statistic import Statistic

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
class EntailmentDocuments(Table):
    """One row per `adjective noun` and wording."""

    id: NDArray[np.str_] = column("Id of the document: the phrase and the wording.", str)
    adjective: NDArray[np.str_] = column("The adjective.", str)
    noun: NDArray[np.str_] = column("The noun.", str)
    type: NDArray[np.str_] = column("The type of the adjective: S-I, S-NI, NS-Pl or NS-Pr.", str)
    template: NDArray[np.int64] = column("Which wording, from 1.", int)
    yes: NDArray[np.float64] = column("log p of that answer, in nats.", float)
    no: NDArray[np.float64] = column("The same.", float)
    unknown: NDArray[np.float64] = column("The same.", float)

    @property
    def expected(self) -> NDArray[np.str_]:
        """The right answer, shape (n,)."""
        return np.array([EXPECTED[name] for name in self.type.tolist()], dtype=str)

    @property
    def right(self) -> NDArray[np.float64]:
        """1 if the right answer has the greatest log-likelihood, 1/k if k answers share it, else 0; shape (n,)."""
        values = np.array([getattr(self, answer) for answer in ANSWERS])
        best = values == values.max(axis=0)
        is_expected = np.array(ANSWERS)[:, None] == self.expected
        right: NDArray[np.float64] = (best & is_expected).sum(axis=0) / best.sum(axis=0)
        return right


@dataclass(frozen=True)
class EntailmentItems(Items):
    """The documents."""

    documents: EntailmentDocuments


def _balanced_accuracy(items: EntailmentItems, _: Mapping[str, str]) -> Statistic:
    documents = items.documents
    return balanced_mean(documents.adjective, documents.right, [documents.expected == answer for answer in ANSWERS])


def _accuracy(items: EntailmentItems, place: Mapping[str, str]) -> Statistic:
    documents = items.documents[items.documents.type == place["type"]]
    return mean(documents.adjective, documents.right)


def _subsective_above_privative(items: EntailmentItems, _: Mapping[str, str]) -> Statistic:
    documents, expected = items.documents, items.documents.expected
    return probability_above(documents.adjective, documents.yes - documents.no, expected == "yes", expected == "no")


@dataclass(frozen=True)
class EntailmentScores(Scores):
    """The scores of entailment; arrays over `TYPE`."""

    balanced_accuracy: float = declared(
        "right answers, every answer counting the same",
        "mean over the answers yes, no, unknown of the share of questions with that answer that are answered with it; "
        "adjectives are resampled within an answer",
        range=(0, 1),
        direction="higher",
        chance=1 / 3,
        source="this project, after MONT",
        interval=True,
        statistic=_balanced_accuracy,
    )
    accuracy: NDArray[np.float64] = declared(
        "right answers by the type of the adjective",
        "share of questions answered as the type says; mean over the type's adjectives",
        range=(0, 1),
        direction="higher",
        chance=1 / 3,
        source="this project, after MONT",
        key="accuracy_{type}",
        axes=(TYPE,),
        statistic=_accuracy,
    )
    auc_subsective_vs_privative: float = declared(
        "subsective against privative adjectives, whatever a model's bias to yes or no",
        "P(mean log p(yes) − log p(no) of a random subsective adjective > that of a random privative one), ties ½",
        range=(0, 1),
        direction="higher",
        chance=0.5,
        source="this project, after MONT",
        statistic=_subsective_above_privative,
    )


ENTAILMENT = Measure(
    name="entailment",
    version=1,
    main="balanced_accuracy",
    unit="adjective",
    items=EntailmentItems,
    scores=EntailmentScores,
    own_words=False,
)
