"""Idiom paraphrase on IMPLI, on SemEval-2022 task 2B, and on 60 idioms written for this project.

Stowe, Utama, Gurevych 2022: *IMPLI*, ACL; Tayyar Madabushi et al. 2022: *SemEval-2022 Task 2*.
"""

from harness_ext.measures.kinds.idiom_paraphrase import EXPRESSION_PARAPHRASE, IDIOM_PARAPHRASE
from harness_ext.measures.kinds.triplets import triplet_wording
from harness_ext.tasks.task import NOUN_COMPOUNDS, VERBAL_IDIOMS, Task, on_data

_OTHERS = {
    "idioms": ("a verbal idiom", "its literal reading"),
    "antonyms": ("a verbal idiom", "the opposite of its meaning"),
    "metaphors": ("a metaphor", "another use of the same words"),
}
"""Split -> what its sentences have, and the other rewrite."""

_IDIOM_PARAPHRASE = Task(
    name="IdiomParaphrase",
    measure=IDIOM_PARAPHRASE,
    category=VERBAL_IDIOMS,
    description=(
        "Is a sentence with a verbal idiom nearer to a rewrite that follows from it than to its "
        "literal reading, to an antonym, or, for metaphors, to another literal use? The "
        "semi-automatic pairs are the splits magpie, pie and semeval."
    ),
    **on_data("impli", "d43c272c895c773b311018d51ab65f592c6699bb", "impli"),
    splits=("idioms", "antonyms", "metaphors"),
    wordings={
        split: triplet_wording(
            f"Is a sentence with {figure} nearer to its meaning than to {other}?",
            *("the sentence", f"the meaning of {figure}", other),
        )
        for split, (figure, other) in _OTHERS.items()
    },
)

_COMPOUND_PARAPHRASE = Task(
    name="CompoundParaphrase",
    measure=EXPRESSION_PARAPHRASE,
    category=NOUN_COMPOUNDS,
    description=(
        "Is a sentence with a noun compound nearer to the sentence with a paraphrase of the "
        "compound than to the one with the words replaced one by one? The training data of "
        "SemEval-2022 task 2B."
    ),
    **on_data("semeval_2022_idioms", "872625c8f9c5d656b7866ff063a2ab0238ac4c80"),
    splits=("train",),
)

TASKS = (
    _IDIOM_PARAPHRASE,
    _IDIOM_PARAPHRASE.on_own_data(splits=("idioms", "antonyms")),
    _COMPOUND_PARAPHRASE,
)
