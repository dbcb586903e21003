"""Which paraphrase of a sentence does a language model prefer: the one with the compound's synonym, or its words'?

With log p the log-likelihood of a paraphrase after a prompt that asks for it, and |·| its length in characters, the
blank before it included:

    affinity_lm = log p(gold synonym) / |gold synonym| − log p(word-by-word synonyms) / |word-by-word synonyms|

the counterpart of Affinity (NCIMP), with a model's preference in the place of a similarity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from harness_ext.evaluators.axes import CLASS
from harness_ext.evaluators.items import Items, Table, column
from harness_ext.evaluators.language_models.document_measure import counted_before
from harness_ext.evaluators.measure import Measure
from harness_ext.evaluators.scores import COUNT, Scores, declared
from harness_ext.evaluators.statistics.statistic import mean, spearman_of_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from harness_ext.evaluators.statistics.statistic import Statistic


@dataclass(frozen=True)
class MinimalPairDocuments(Table):
    """One row per sentence, wording and order of the two paraphrases."""

    id: NDArray[np.str_] = column("Id of the document: the dataset's row, the wording, the order.", str)
    compound: NDArray[np.str_] = column("The compound.", str)
    class_: NDArray[np.str_] = column("C, PC or NC, by the experts.", str)
    comp: NDArray[np.float64] = column("People's score of the compound, 0 idiomatic to 5 compositional.", float)
    template: NDArray[np.int64] = column("Which wording, from 1.", int)
    order: NDArray[np.int64] = column("Listed first in the prompt: 0 the gold synonym, 1 the words' synonyms.", int)
    syn_log_likelihood: NDArray[np.float64] = column("log p of the sentence with the gold synonym, in nats.", float)
    syn_characters: NDArray[np.int64] = column("Its length.", int)
    words_syn_log_likelihood: NDArray[np.float64] = column("log p of that with word-by-word synonyms, in nats.", float)
    words_syn_characters: NDArray[np.int64] = column("Its length.", int)
    n_excluded_unscored: NDArray[np.int64] = column("Rows of the dataset without a class; in each document.", int)
    n_excluded_same: NDArray[np.int64] = column("Rows whose paraphrases are the same; in each document.", int)

    @property
    def affinity(self) -> NDArray[np.float64]:
        """affinity_lm in nats per character, shape (n,)."""
        affinity: NDArray[np.float64] = (
            self.syn_log_likelihood / self.syn_characters - self.words_syn_log_likelihood / self.words_syn_characters
        )
        return affinity

    @property
    def prefers_syn(self) -> NDArray[np.float64]:
        """1 where the compound's synonym is chosen, ½ for a tie, else 0; shape (n,)."""
        prefers_syn: NDArray[np.float64] = (np.sign(self.affinity) + 1) / 2
        return prefers_syn


@dataclass(frozen=True)
class MinimalPairItems(Items):
    """The documents."""

    documents: MinimalPairDocuments


def _accuracy(items: MinimalPairItems, place: Mapping[str, str]) -> Statistic:
    documents = items.documents[items.documents.class_ == place["class"]]
    return mean(documents.compound, documents.prefers_syn)


def _affinity(items: MinimalPairItems, place: Mapping[str, str]) -> Statistic:
    documents = items.documents[items.documents.class_ == place["class"]]
    return mean(documents.compound, documents.affinity)


def _affinity_and_comp(items: MinimalPairItems, _: Mapping[str, str]) -> Statistic:
    return spearman_of_units(items.documents.compound, items.documents.affinity, items.documents.comp)


def _first_listed(items: MinimalPairItems, _: Mapping[str, str]) -> Statistic:
    documents, prefers_syn = items.documents, items.documents.prefers_syn
    return mean(documents.compound, np.where(documents.order == 0, prefers_syn, 1 - prefers_syn))


@dataclass(frozen=True)
class MinimalPairScores(Scores):
    """The scores of the choice between paraphrases; arrays over `CLASS`."""

    accuracy: NDArray[np.float64] = declared(
        "choice of the compound's synonym",
        "share of prompts with affinity_lm > 0, ties ½; mean over the class's compounds",
        range=(0, 1),
        direction="higher",
        chance=0.5,
        source="this project, after the Affinity of NCIMP",
        key="accuracy_{class}",
        axes=(CLASS,),
        interval=True,
        statistic=_accuracy,
    )
    affinity_lm: NDArray[np.float64] = declared(
        "preference for the compound's synonym",
        "affinity_lm, mean over the class's compounds, in nats per character",
        range=(-np.inf, np.inf),
        chance=0,
        source="this project, after the Affinity of NCIMP",
        key="affinity_lm_{class}",
        axes=(CLASS,),
        statistic=_affinity,
    )
    affinity_lm_spearman: float = declared(
        "preference for the compound's synonym and human compositionality",
        "Spearman's ρ over compounds of mean affinity_lm and comp",
        range=(-1, 1),
        direction="lower",
        chance=0,
        source="this project, after NCIMP Table 5",
        statistic=_affinity_and_comp,
    )
    first_listed: float = declared(
        "bias to the option listed first",
        "share of prompts in which the paraphrase listed first is chosen, ties ½; mean over compounds",
        range=(0, 1),
        chance=0.5,
        source="this project",
        statistic=_first_listed,
    )
    n_excluded_unscored: int = declared("rows without a class", "not asked", range=COUNT, source="this project")
    n_excluded_same: int = declared(
        "rows whose two paraphrases are the same", "not asked", range=COUNT, source="this project"
    )


MINIMAL_PAIRS = Measure(
    name="minimal_pairs",
    version=1,
    main="accuracy_NC",
    unit="compound",
    items=MinimalPairItems,
    scores=MinimalPairScores,
    descriptives=lambda items: counted_before(items.documents, "n_excluded_unscored", "n_excluded_same"),
    own_words=False,
)
