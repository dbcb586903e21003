"""Does a language model find the meaning of a compound among distractors?

The probing by question of NCIMP (Table 9) as multiple choice: the compound's synonym, synonyms of the single words, and
two unrelated expressions. In the format `cloze` the model continues with the meaning itself. In `letter` the options
are listed, and it continues with the letter of one. Its answer is the option with the greatest PMI, see
`option_scores`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.document_measure import not_asked
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.old_measure import Measure
from harness_ext.measures.core.old_scores import CLASS, Axis, AxisValues, Scores, like, proportion
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.language_models import option_scores as options
from harness_ext.statistics.statistic import Statistic, mean

FORMAT = Axis(
    "format", {"cloze": "the answer is the meaning itself", "letter": "the answer is the letter of a listed meaning"}
)
ROLES = ("syn", "words_syn", "rand1", "rand2")
"""The options: the compound's synonym, synonyms of the single words, two unrelated expressions."""


@dataclass(frozen=True)
class QuestionDocuments(Table):
    """One row per sentence and way to ask."""

    id: Names = column("Id of the document: the dataset's row, the format, the order.")
    compound: Names = column("The compound.")
    class_: Names = column("C, PC or NC, by the experts.")
    format: Names = column("cloze or letter.")
    order: Integers = column("By how many places the listed options are turned; 0 in cloze.")
    syn: Floats = options.log_p("the compound's synonym, or its letter")
    syn_frame: Floats = options.log_p_after_frame("the compound's synonym, or its letter")
    syn_characters: Integers = options.characters("the compound's synonym, or its letter")
    words_syn: Floats = options.log_p("the synonyms of the single words, or their letter")
    words_syn_frame: Floats = options.log_p_after_frame("the synonyms of the single words, or their letter")
    words_syn_characters: Integers = options.characters("the synonyms of the single words, or their letter")
    rand1: Floats = options.log_p("an unrelated expression, or its letter")
    rand1_frame: Floats = options.log_p_after_frame("an unrelated expression, or its letter")
    rand1_characters: Integers = options.characters("an unrelated expression, or its letter")
    rand2: Floats = options.log_p("another, or its letter")
    rand2_frame: Floats = options.log_p_after_frame("another, or its letter")
    rand2_characters: Integers = options.characters("another, or its letter")
    n_excluded_unscored: Integers = column("Rows of the dataset without a class; in each document.")
    n_excluded_same: Integers = column("Rows of which two options are the same; in each document.")


@dataclass(frozen=True)
class QuestionItems(Items):
    """The choices between meanings."""

    documents: QuestionDocuments


def _share_of(role: str) -> Callable[[QuestionItems, AxisValues], Statistic]:
    """The share of the questions that are answered with an option."""

    def statistic(items: QuestionItems, axes: AxisValues) -> Statistic:
        documents = items.documents.at(axes)
        values = options.option_values(documents, ROLES, axes.get("scoring", options.PMI))
        return mean(documents.compound, options.chosen(values)[ROLES.index(role)])

    return statistic


@dataclass(frozen=True)
class QuestionScores(Scores):
    """The scores of the choice between meanings; arrays over `FORMAT` and `CLASS`."""

    accuracy: Floats = proportion(
        "choice of the compound's meaning",
        "share of questions answered with the compound's synonym; mean over the class's compounds",
        direction="higher",
        chance=0.25,
        source="this project, after NCIMP Table 9",
        key="{format}_accuracy_{class}",
        axes=(FORMAT, CLASS),
        interval=True,
        compute=_share_of("syn"),
    )
    accuracy_without_frame: Floats = options.without_frame(accuracy)
    literal: Floats = like(
        accuracy,
        "choice of the literal meaning",
        "share of questions answered with the synonyms of the compound's words; mean over the class's compounds",
        direction="neither",
        key="{format}_literal_{class}",
        interval=False,
        compute=_share_of("words_syn"),
    )
    n_excluded_unscored: int = not_asked("unscored", "rows without a class")
    n_excluded_same: int = not_asked("same", "rows of which two options are the same")


QUESTION = Measure(
    name="question",
    version=2,
    main="cloze_accuracy_NC",
    unit="compound",
    items=QuestionItems,
    scores=QuestionScores,
    additive=False,
    wording=Wording(
        question="Asked what a compound means, does the language model know?",
        score="For idioms, the model finds the meaning among four in {value} of the sentences.",
        chance=Consequences(
            "Guessing",
            above="The model finds the meanings of idioms more often than a guess would.",
            below="The model finds the meanings of idioms less often than a guess would.",
        ),
        right="An idiom's synonym should be the answer (1), whichever of its sentences is asked about.",
    ),
)
