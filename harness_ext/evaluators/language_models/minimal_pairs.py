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
from harness_ext.evaluators.language_models.document_measure import unit_measure
from harness_ext.evaluators.scores import COUNT, Scores, declared
from harness_ext.evaluators.statistics.statistic import Statistic, mean, spearman_of_units

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


@dataclass(frozen=True)
class MinimalPairItems(Items):
    """The documents."""

    documents: MinimalPairDocuments


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
    )
    affinity_lm: NDArray[np.float64] = declared(
        "preference for the compound's synonym",
        "affinity_lm, mean over the class's compounds, in nats per character",
        range=(-np.inf, np.inf),
        chance=0,
        source="this project, after the Affinity of NCIMP",
        key="affinity_lm_{class}",
        axes=(CLASS,),
        resampled=True,
    )
    affinity_lm_spearman: float = declared(
        "preference for the compound's synonym and human compositionality",
        "Spearman's ρ over compounds of mean affinity_lm and comp",
        range=(-1, 1),
        direction="lower",
        chance=0,
        source="this project, after NCIMP Table 5",
        resampled=True,
    )
    first_listed: float = declared(
        "bias to the option listed first",
        "share of prompts in which the paraphrase listed first is chosen, ties ½; mean over compounds",
        range=(0, 1),
        chance=0.5,
        source="this project",
        resampled=True,
    )
    n_excluded_unscored: int = declared("rows without a class", "not asked", range=COUNT, source="this project")
    n_excluded_same: int = declared(
        "rows whose two paraphrases are the same", "not asked", range=COUNT, source="this project"
    )


def _statistics(documents: MinimalPairDocuments) -> dict[str, Statistic]:
    compounds, affinity = documents.compound, documents.affinity
    prefers_syn = (np.sign(affinity) + 1) / 2
    found = {
        "affinity_lm_spearman": spearman_of_units(compounds, affinity, documents.comp),
        "first_listed": mean(compounds, np.where(documents.order == 0, prefers_syn, 1 - prefers_syn)),
    }
    for name in CLASS.values:
        inside = documents.class_ == name
        found[f"accuracy_{name}"] = mean(compounds[inside], prefers_syn[inside])
        found[f"affinity_lm_{name}"] = mean(compounds[inside], affinity[inside])
    return found


MINIMAL_PAIRS = unit_measure(
    "minimal_pairs",
    main="accuracy_NC",
    unit="compound",
    items=MinimalPairItems,
    scores=MinimalPairScores,
    statistics=_statistics,
    in_main=lambda documents: documents.class_ == "NC",
    excluded=("n_excluded_unscored", "n_excluded_same"),
)
