"""Which paraphrase of a sentence does a language model prefer: the one with a synonym of the compound, or of each word?

With PMI(·) = log p(· | the prompt that asks for a paraphrase) − log p(· | that prompt without its sentence), of the
sentence with either paraphrase:

    affinity_lm = PMI(gold synonym) − PMI(word-by-word synonyms)

the counterpart of Affinity (NCIMP), with a model's preference in the place of a similarity.
"""

from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.document_measure import not_asked
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import CLASS, AxisValues, Scores, correlation, declared, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.language_models import option_scores as options
from harness_ext.statistics.statistic import Statistic, mean, spearman_of_units

OPTIONS = ("syn", "words_syn")
"""The sentence with the compound's synonym, and that with synonyms of the single words."""


@dataclass(frozen=True)
class MinimalPairDocuments(Table):
    """One row per sentence, wording and order of the two paraphrases."""

    id: Names = column("Id of the document: the dataset's row, the wording, the order.")
    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC, by the experts.")
    comp: Floats = column("People's score of the compound, 0 idiomatic to 5 compositional.")
    template: Integers = column("Which wording, from 1.")
    order: Integers = column("Listed first in the prompt: 0 the gold synonym, 1 the words' synonyms.")
    syn: Floats = options.log_p("the sentence with the gold synonym")
    syn_frame: Floats = options.log_p_after_frame("the sentence with the gold synonym")
    syn_characters: Integers = options.characters("the sentence with the gold synonym")
    words_syn: Floats = options.log_p("that with word-by-word synonyms")
    words_syn_frame: Floats = options.log_p_after_frame("that with word-by-word synonyms")
    words_syn_characters: Integers = options.characters("that with word-by-word synonyms")
    n_excluded_unscored: Integers = column("Rows of the dataset without a class; in each document.")
    n_excluded_same: Integers = column("Rows whose paraphrases are the same; in each document.")

    @property
    def affinity(self) -> Floats:
        """affinity_lm in nats, shape (n,)."""
        syn, words_syn = options.option_values(self, OPTIONS)
        return syn - words_syn

    def prefers_syn(self, scoring: str = options.PMI) -> Floats:
        """1 where the compound's synonym is chosen, ½ for a tie, else 0; shape (n,)."""
        return options.chosen(options.option_values(self, OPTIONS, scoring))[0]


@dataclass(frozen=True)
class MinimalPairItems(Items):
    """The choices between paraphrases."""

    documents: MinimalPairDocuments


def _accuracy(items: MinimalPairItems, axes: AxisValues) -> Statistic:
    documents = items.documents.at(axes)
    return mean(documents.compound, documents.prefers_syn(axes.get("scoring", options.PMI)))


def _affinity(items: MinimalPairItems, axes: AxisValues) -> Statistic:
    documents = items.documents.at(axes)
    return mean(documents.compound, documents.affinity)


def _first_listed(items: MinimalPairItems, _: AxisValues) -> Statistic:
    documents, prefers_syn = items.documents, items.documents.prefers_syn("per_character")
    return mean(documents.compound, np.where(documents.order == 0, prefers_syn, 1 - prefers_syn))


@dataclass(frozen=True)
class MinimalPairScores(Scores):
    """The scores of the choice between paraphrases; arrays over `CLASS`."""

    accuracy: Floats = proportion(
        "choice of the compound's synonym",
        "share of prompts with affinity_lm > 0, ties ½; mean over the class's compounds",
        direction="higher",
        chance=0.5,
        source="this project, after the Affinity of NCIMP",
        key="accuracy_{class}",
        axes=(CLASS,),
        interval=True,
        compute=_accuracy,
    )
    accuracy_without_frame: Floats = options.without_frame(accuracy)
    affinity_lm: Floats = declared(
        "preference for the compound's synonym",
        "affinity_lm, mean over the class's compounds, in nats",
        range=(-np.inf, np.inf),
        chance=0,
        source="this project, after the Affinity of NCIMP",
        key="affinity_lm_{class}",
        axes=(CLASS,),
        compute=_affinity,
    )
    affinity_lm_spearman: float = correlation(
        "preference for the compound's synonym and human compositionality",
        "Spearman's ρ over compounds of mean affinity_lm and comp",
        direction="lower",
        source="this project, after NCIMP Table 5",
        compute=lambda items, _: spearman_of_units(
            items.documents.compound, items.documents.affinity, items.documents.comp
        ),
    )
    first_listed: float = proportion(
        "bias to the option listed first",
        "share of prompts in which the paraphrase listed first has the greater log-likelihood per character, ties ½; "
        "mean over compounds",
        chance=0.5,
        compute=_first_listed,
    )
    n_excluded_unscored: int = not_asked("unscored", "rows without a class")
    n_excluded_same: int = not_asked("same", "rows whose two paraphrases are the same")


MINIMAL_PAIRS = Measure(
    name="minimal_pairs",
    version=2,
    main="accuracy_NC",
    unit="compound",
    items=MinimalPairItems,
    scores=MinimalPairScores,
    additive=False,
    wording=Wording(
        question="Which paraphrase of an idiom does the language model prefer: of the whole, or word by word?",
        score="For idioms, the model prefers the paraphrase with the synonym of the whole in {value} of all prompts.",
        chance=Consequences(
            "Tossing a coin",
            above="Asked for a paraphrase, the model goes by the meaning of idioms more often than by their words.",
            below="Asked for a paraphrase, the model goes by an idiom's words: expect dark crates for black boxes.",
        ),
        right=(
            "An idiom should be near 1: the sentence adds more to the probability of the paraphrase with the synonym "
            "of the whole than to the probability of the one with synonyms of single words."
        ),
    ),
)
