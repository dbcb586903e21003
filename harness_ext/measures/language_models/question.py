"""Does a language model find the meaning of a compound among distractors?

The probing by question of NCIMP (Table 9) as multiple choice: the compound's synonym, synonyms of
the single words, and two unrelated expressions. In the format `cloze` the model continues with the
meaning itself. In `letter` the options are listed, and it continues with the letter of one. Its
answer is the option with the greatest PMI, see `option_scores`.
"""

from dataclasses import dataclass

from harness_ext.common.arrays import Floats, Integers, Names
from harness_ext.measures.core.items import Items, Table, column
from harness_ext.measures.core.measure import Measure
from harness_ext.measures.core.scores import CLASS, COUNT, Axis, number, score
from harness_ext.measures.core.wording import Consequences, Wording
from harness_ext.measures.language_models import option_scores as options
from harness_ext.statistics.statistic import Statistic, mean

FORMAT = Axis(
    "format",
    {
        "cloze": "the answer is the meaning itself",
        "letter": "the answer is the letter of a listed meaning",
    },
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
    words_syn_frame: Floats = options.log_p_after_frame(
        "the synonyms of the single words, or their letter"
    )
    words_syn_characters: Integers = options.characters(
        "the synonyms of the single words, or their letter"
    )
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


def documents_asked(items: QuestionItems, format_: str, class_: str) -> QuestionDocuments:
    """The documents of a format and of compounds of a class."""
    documents = items.documents
    return documents[(documents.format == format_) & (documents.class_ == class_)]


def share_answered(
    documents: QuestionDocuments, role: str, scoring: str = options.PMI
) -> Statistic:
    """The share of the questions that are answered with an option of `ROLES`."""
    choices = options.chosen(options.option_values(documents, ROLES, scoring))
    return mean(documents.compound, choices[ROLES.index(role)])


class Question(Measure[QuestionItems]):
    """The choice between meanings."""

    name = "question"
    version = 3
    question = "Asked what a compound means, does the language model know?"
    items = QuestionItems
    unit = "compound"
    main = "cloze_accuracy_NC"

    def wording(self) -> Wording:
        """Word the question and the main score."""
        return Wording(
            self.question,
            score=(
                "For idioms, the model finds the meaning among four in {value} of the sentences."
            ),
            chance=Consequences(
                "Guessing",
                above="The model finds the meanings of idioms more often than a guess would.",
                below="The model finds the meanings of idioms less often than a guess would.",
            ),
            right=(
                "An idiom's synonym should be the answer (1), whichever of its sentences is asked "
                "about."
            ),
        )

    @score(
        key="{format}_accuracy_{class}",
        axes=[FORMAT, CLASS],
        title="choice of the compound's meaning",
        formula=(
            "share of questions answered with the compound's synonym; mean over the class's "
            "compounds"
        ),
        range=(0, 1),
        better="higher",
        chance=0.25,
        source="this project, after NCIMP Table 9",
        interval=True,
    )
    def accuracy(
        self,
        items: QuestionItems,
        format_: str,
        class_: str,
    ) -> Statistic:
        return share_answered(documents_asked(items, format_, class_), "syn")

    @score(
        like=accuracy,
        key="{scoring}_{format}_accuracy_{class}",
        axes=[options.WITHOUT_FRAME, FORMAT, CLASS],
        title="choice of the compound's meaning, by probability alone",
        formula=(
            "share of questions answered with the compound's synonym; mean over the class's "
            "compounds; from log-likelihoods in the place of PMI"
        ),
        interval=False,
    )
    def accuracy_without_frame(
        self, items: QuestionItems, scoring: str, format_: str, class_: str
    ) -> Statistic:
        return share_answered(documents_asked(items, format_, class_), "syn", scoring)

    @score(
        like=accuracy,
        key="{format}_literal_{class}",
        title="choice of the literal meaning",
        formula=(
            "share of questions answered with the synonyms of the compound's words; mean over the "
            "class's compounds"
        ),
        better="neither",
        interval=False,
    )
    def literal(
        self,
        items: QuestionItems,
        format_: str,
        class_: str,
    ) -> Statistic:
        return share_answered(documents_asked(items, format_, class_), "words_syn")

    @number(title="rows without a class", formula="not asked", range=COUNT)
    def n_excluded_unscored(self, items: QuestionItems) -> int:
        return int(items.documents.n_excluded_unscored.max())

    @number(title="rows of which two options are the same", formula="not asked", range=COUNT)
    def n_excluded_same(self, items: QuestionItems) -> int:
        return int(items.documents.n_excluded_same.max())


QUESTION = Question()
