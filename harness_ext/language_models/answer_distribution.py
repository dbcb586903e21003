"""Are a language model's answers to "is an A N still an N?" distributed as people's?

After Ross, Davidson, Kim 2024: Is artificial intelligence still intelligence? LLMs generalize to novel adjective-noun
pairs, but don't mimic the full human distribution, GenBench. The model's distribution over the five answers is the
softmax of their PMI, see `option_scores`; the frame asks the same of the noun without its adjective.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from harness_ext.arrays import Floats, Integers, Names
from harness_ext.framework.items import Items, column
from harness_ext.framework.measure import Measure
from harness_ext.framework.scores import Axis, Place, Scores, correlation, like, proportion
from harness_ext.framework.wording import Consequences, Wording
from harness_ext.language_models.option_scores import PMI, OptionTable, option, option_values, without_frame
from harness_ext.statistics.crossed import crossed, mean_of_groups, spearman
from harness_ext.statistics.statistic import Statistic

OPTIONS = ("definitely_not", "probably_not", "unsure", "probably_yes", "definitely_yes")
"""The answers, rated 1 to 5."""

FREQUENCY = Axis("frequency", {"zero": "bigrams never found in the authors' corpus", "attested": "bigrams found there"})


@dataclass(frozen=True)
class AnswerDocuments(OptionTable):
    """One row per bigram. Words of encrypted data are numbers."""

    id: Names = column("Id of the document: the dataset's row.")
    adjective: Names = column("Number of the adjective.")
    noun: Names = column("Number of the noun.")
    frequency: Names = column("zero or attested; empty where nobody counted.")
    definitely_not: Floats = option("definitely not")
    people_definitely_not: Integers = column("People who gave this answer.")
    probably_not: Floats = option("probably not")
    people_probably_not: Integers = column("People who gave this answer.")
    unsure: Floats = option("unsure")
    people_unsure: Integers = column("People who gave this answer.")
    probably_yes: Floats = option("probably yes")
    people_probably_yes: Integers = column("People who gave this answer.")
    definitely_yes: Floats = option("definitely yes")
    people_definitely_yes: Integers = column("People who gave this answer.")

    def model(self, scoring: str = PMI) -> Floats:
        """The model's distribution over the answers, shape (5, n)."""
        distribution: Floats = scipy.special.softmax(option_values(self, OPTIONS, scoring), axis=0)
        return distribution

    def people(self) -> Floats:
        """People's distribution, shape (5, n)."""
        counts = np.array([getattr(self, f"people_{option}") for option in OPTIONS], dtype=np.float64)
        distribution: Floats = counts / counts.sum(axis=0)
        return distribution


@dataclass(frozen=True)
class AnswerItems(Items):
    """The documents."""

    documents: AnswerDocuments


def _spearman(items: AnswerItems, place: Place) -> Statistic:
    documents = items.documents.at(place)
    ratings = np.arange(1, len(OPTIONS) + 1)
    means = (ratings @ each for each in (documents.model(place.get("scoring", PMI)), documents.people()))
    return crossed(spearman, documents.adjective, documents.noun, *means)


def _jensen_shannon(items: AnswerItems, place: Place) -> Statistic:
    documents = items.documents.at(place)
    distances = scipy.spatial.distance.jensenshannon(
        documents.model(place.get("scoring", PMI)), documents.people(), base=2, axis=0
    )
    return crossed(mean_of_groups, documents.adjective, documents.noun, np.square(distances))


@dataclass(frozen=True)
class AnswerScores(Scores):
    """The scores of distributions over answers."""

    mean_spearman: float = correlation(
        "the model's mean ratings and people's",
        "Spearman's ρ over bigrams of the mean rating, 1 to 5, of the model's distribution and of people's",
        direction="higher",
        source="this project, after Ross et al.",
        interval=True,
        statistic=_spearman,
        key="mean_spearman",
    )
    mean_spearman_without_frame: Floats = without_frame(mean_spearman)
    mean_spearman_frequency: Floats = like(
        mean_spearman,
        "mean ratings of rare bigrams apart",
        "Spearman's ρ of mean ratings over bigrams of that frequency",
        key="mean_spearman_{frequency}",
        axes=(FREQUENCY,),
        interval=False,
    )
    jensen_shannon: float = proportion(
        "distance of the model's distribution from people's",
        "Jensen-Shannon divergence in bits of the two distributions over the answers; mean over bigrams",
        direction="lower",
        source="Ross et al.",
        interval=True,
        statistic=_jensen_shannon,
        key="jensen_shannon",
    )
    jensen_shannon_without_frame: Floats = without_frame(jensen_shannon)
    jensen_shannon_frequency: Floats = like(
        jensen_shannon,
        "distance of distributions of rare bigrams apart",
        "Jensen-Shannon divergence in bits over bigrams of that frequency",
        key="jensen_shannon_{frequency}",
        axes=(FREQUENCY,),
        interval=False,
    )


_WORDING = Wording(
    question="Is artificial leather leather? Does the language model answer as people do?",
    score=(
        "Ordered by how surely the noun still holds, such phrases agree with people's order at a rank correlation of "
        "{value}."
    ),
    chance=Consequences(
        "A random order",
        above="The model's conclusions from an adjective and a noun follow people's. The figure says how closely.",
        below="The order is upside down: the model is surer of the noun where people are less sure.",
    ),
    right=(
        "The surer people are that the noun still holds (1 to 5), the higher the model's mean rating should be. A "
        "difference of ranks of 1 goes from one end of all phrases to the other."
    ),
)

ANSWER_DISTRIBUTION = Measure(
    name="answer_distribution",
    version=1,
    main="mean_spearman",
    unit="adjective",
    items=AnswerItems,
    scores=AnswerScores,
    own_words=False,
    wording=_WORDING,
)
