"""The tasks for language models, which lm-eval runs, in the order of the documentation."""

from collections.abc import Iterator
from typing import Any

from harness_ext.measures.core.measure import Measure
from harness_ext.measures.epsilon.surprisal import EPSILON_SURPRISAL
from harness_ext.measures.language_models.minimal_pairs import MINIMAL_PAIRS
from harness_ext.measures.language_models.question import QUESTION
from harness_ext.measures.polarity.answers import POLARITY_ANSWERS
from harness_ext.tasks.task import NOUN_COMPOUNDS, POLARITY_OF_SENTENCES, LanguageModelTask, Task


def _tasks(
    module: str, measure: Measure[Any], category: str, description: str, **data: str
) -> Iterator[Task]:
    """A task for each `ending="dataset/config"`, named after its module."""
    for ending, place in data.items():
        path, _, config = place.partition("/")
        yield LanguageModelTask(
            name=f"{module}_{ending}",
            module=module,
            measure=measure,
            category=category,
            description=description,
            dataset={"path": path, "name": config},
            languages={"default": ("por-Latn" if config == "pt" else "eng-Latn",)},
            splits=("test",),
            configs=(config,),
            quick=ending == "mini",
        )


TASKS = (
    *_tasks(
        "idiom_minimal_pairs",
        MINIMAL_PAIRS,
        NOUN_COMPOUNDS,
        "Which paraphrase of a sentence does a language model find the better one: that with a "
        "synonym of the whole compound, or that with word-by-word synonyms?",
        en="ncimp/en",
        mini="compound_mini/default",
        pt="ncimp/pt",
    ),
    *_tasks(
        "compound_question",
        QUESTION,
        NOUN_COMPOUNDS,
        "A language model is asked what a compound means in its sentence: the synonym of the "
        "whole, synonyms of the single words, or one of two unrelated expressions?",
        en="ncimp/en",
        mini="compound_mini/default",
    ),
    *_tasks(
        "polarity_sensitivity",
        POLARITY_ANSWERS,
        POLARITY_OF_SENTENCES,
        "A language model labels the sentiment of a sentence and of its rewrite with the opposite "
        "one.",
        mini="polarity_pairs/mini",
        reference="polarity_pairs/reference",
    ),
    *_tasks(
        "epsilon_surprisal",
        EPSILON_SURPRISAL,
        NOUN_COMPOUNDS,
        "ε-compositionality with the surprisal of what follows a compound in the place of "
        "distances.",
        en="ncimp/en",
        mini="compound_mini/default",
    ),
)
