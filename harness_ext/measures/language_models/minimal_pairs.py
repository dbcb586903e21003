"""Which paraphrase does a language model prefer: with a synonym of the compound, or of each word?

With PMI(·) = log p(· | the prompt that asks for a paraphrase) − log p(· | that prompt without its
sentence), of the sentence with either paraphrase:

    affinity_lm = PMI(gold synonym) − PMI(word-by-word synonyms)

the counterpart of Affinity (NCIMP), with a model's preference in the place of a similarity.
"""

from dataclasses import dataclass

import numpy as np

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import CLASS, COUNT, number, score
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
    order: Integers = column(
        "Listed first in the prompt: 0 the gold synonym, 1 the words' synonyms."
    )
    syn: Floats = options.log_p("the sentence with the gold synonym")
    syn_frame: Floats = options.log_p_after_frame("the sentence with the gold synonym")
    syn_characters: Integers = options.characters("the sentence with the gold synonym")
    words_syn: Floats = options.log_p("that with word-by-word synonyms")
    words_syn_frame: Floats = options.log_p_after_frame("that with word-by-word synonyms")
    words_syn_characters: Integers = options.characters("that with word-by-word synonyms")
    n_excluded_unscored: Integers = column("Rows of the dataset without a class; in each document.")
    n_excluded_same: Integers = column("Rows whose paraphrases are the same; in each document.")


@dataclass(frozen=True)
class MinimalPairItems(Items):
    """The choices between paraphrases."""

    documents: MinimalPairDocuments


def affinity_lm(pmi_of_synonym: Floats, pmi_of_words: Floats) -> Floats:
    """affinity_lm = PMI(gold synonym) − PMI(word-by-word synonyms), in nats, shape (n,).

    Args:
        pmi_of_synonym: Of the sentence with the compound's gold synonym, shape (n,).
        pmi_of_words: Of that with synonyms of its single words, shape (n,).

    Examples:
        >>> affinity_lm(np.array([2.0, 0.5]), np.array([0.5, 1.5]))
        array([ 1.5, -1. ])
    """
    return pmi_of_synonym - pmi_of_words


def affinity_of_documents(documents: MinimalPairDocuments) -> Floats:
    """affinity_lm of each document, shape (n,)."""
    pmi_of_synonym, pmi_of_words = options.option_values(documents, OPTIONS)
    return affinity_lm(pmi_of_synonym, pmi_of_words)


def prefers_synonym(documents: MinimalPairDocuments, scoring: str = options.PMI) -> Floats:
    """1 where the compound's synonym is chosen, ½ for a tie, else 0; shape (n,)."""
    choices = options.chosen(options.option_values(documents, OPTIONS, scoring))
    return choices[OPTIONS.index("syn")]


def documents_of_class(items: MinimalPairItems, class_: str) -> MinimalPairDocuments:
    """The documents of compounds of a class."""
    return items.documents[items.documents.class_ == class_]


class MinimalPairs(Measure[MinimalPairItems]):
    """The choice between paraphrases."""

    name = "minimal_pairs"
    version = 3
    question = (
        "Which paraphrase of an idiom does the language model prefer: of the whole, or word by "
        "word?"
    )
    items = MinimalPairItems
    unit = "compound"
    main = "accuracy_NC"

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "For idioms, the model prefers the paraphrase with the synonym of the whole in "
                "{value} of all prompts."
            ),
            chance=Consequences(
                "Tossing a coin",
                above=(
                    "Asked for a paraphrase, the model goes by the meaning of idioms more often "
                    "than by their words."
                ),
                below=(
                    "Asked for a paraphrase, the model goes by an idiom's words: expect dark "
                    "crates for black boxes."
                ),
            ),
            right=(
                "An idiom should be near 1: the sentence adds more to the probability of the "
                "paraphrase with the synonym of the whole than to the probability of the one with "
                "synonyms of single words."
            ),
        )

    @score(
        key="accuracy_{class}",
        axes=[CLASS],
        title="choice of the compound's synonym",
        formula="share of prompts with affinity_lm > 0, ties ½; mean over the class's compounds",
        range=(0, 1),
        better="higher",
        chance=0.5,
        source="this project, after the Affinity of NCIMP",
        interval=True,
    )
    def accuracy(self, items: MinimalPairItems, class_: str) -> Statistic:
        documents = documents_of_class(items, class_)
        return mean(documents.compound, prefers_synonym(documents))

    @score(
        like=accuracy,
        key="{scoring}_accuracy_{class}",
        axes=[options.WITHOUT_FRAME, CLASS],
        title="choice of the compound's synonym, by probability alone",
        formula=(
            "share of prompts with affinity_lm > 0, ties ½; mean over the class's compounds; from "
            "log-likelihoods in the place of PMI"
        ),
        interval=False,
    )
    def accuracy_without_frame(
        self, items: MinimalPairItems, scoring: str, class_: str
    ) -> Statistic:
        documents = documents_of_class(items, class_)
        return mean(documents.compound, prefers_synonym(documents, scoring))

    @score(
        key="affinity_lm_{class}",
        axes=[CLASS],
        title="preference for the compound's synonym",
        formula="affinity_lm, mean over the class's compounds, in nats",
        range=(-np.inf, np.inf),
        chance=0,
        source="this project, after the Affinity of NCIMP",
    )
    def affinity_lm(self, items: MinimalPairItems, class_: str) -> Statistic:
        documents = documents_of_class(items, class_)
        return mean(documents.compound, affinity_of_documents(documents))

    @score(
        title="preference for the compound's synonym and human compositionality",
        formula="Spearman's ρ over compounds of mean affinity_lm and comp",
        range=(-1, 1),
        better="lower",
        chance=0,
        source="this project, after NCIMP Table 5",
    )
    def affinity_lm_spearman(self, items: MinimalPairItems) -> Statistic:
        documents = items.documents
        affinity = affinity_of_documents(documents)
        return spearman_of_units(documents.compound, affinity, documents.comp)

    @score(
        title="bias to the option listed first",
        formula=(
            "share of prompts in which the paraphrase listed first has the greater log-likelihood "
            "per character, ties ½; mean over compounds"
        ),
        range=(0, 1),
        chance=0.5,
    )
    def first_listed(self, items: MinimalPairItems) -> Statistic:
        documents = items.documents
        synonym_is_chosen = prefers_synonym(documents, "per_character")
        synonym_is_first = documents.order == 0
        first_is_chosen = np.where(synonym_is_first, synonym_is_chosen, 1 - synonym_is_chosen)
        return mean(documents.compound, first_is_chosen)

    @number(title="rows without a class", formula="not asked", range=COUNT)
    def n_excluded_unscored(self, items: MinimalPairItems) -> int:
        return int(items.documents.n_excluded_unscored.max())

    @number(title="rows whose two paraphrases are the same", formula="not asked", range=COUNT)
    def n_excluded_same(self, items: MinimalPairItems) -> int:
        return int(items.documents.n_excluded_same.max())


MINIMAL_PAIRS = MinimalPairs()
