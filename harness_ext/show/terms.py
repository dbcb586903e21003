"""The terms of the tables, each in a few words with an example: what `harness-ext explain terms`
and the glossaries of documentation, boards and reports print.
"""

import re
from collections.abc import Iterator

from harness_ext.tasks import TASKS
from harness_ext.tasks.task import Task

TERMS = {
    "additive baseline": (
        "The encoder as a sum of word vectors: each word alone has a vector, and a weight that the "
        "encoder gives it in random strings of words. It sees no sentence of the task when words "
        "are weighed. For example, it scores a kitchen knife by the vectors of kitchen and knife."
    ),
    "gain": (
        "The score of an encoder minus that of its additive baseline, a weighted sum of its "
        "vectors of single words. For example, a gain whose interval lies above 0 says that the "
        "encoder's sentences hold something that helps in the task and that sums of words lack. "
        "That can be meaning, odd single words, weights by place, length, syntax."
    ),
    "matched noise": (
        "The score of the additive baseline after a random step each, as long as the encoder's own "
        "step away from it: along a random vector for each text, or for each pair of neighboring "
        "words; the higher of both counts. On role swaps such noise can be above chance, as it "
        "tells one order from another: only above it can a gain be meaning."
    ),
    "control encoder": (
        "An encoder without meaning: random vectors of words, counts of letters, trigrams, length, "
        "pairs of words, an untrained layer, random vectors. A score that one of them reaches "
        "shows no meaning, as where length alone is above chance. They are never ranked; show "
        "--controls has them."
    ),
    "chance": ("What guessing gets: .5 for the share of right choices among two."),
    "ceiling": (
        "What people reach: how well they agree with each other, such as .875 on role swaps. Where "
        "nobody measured that, it is the best possible score."
    ),
    "above": ("The 95 % interval of the difference lies above 0, as one from .08 to .28 does."),
    "below": ("The 95 % interval of the difference lies below 0, as one from -.13 to -.01 does."),
    "not above": (
        "Not significantly above: the 95 % interval of the difference does not lie above 0, as one "
        "from -.03 to .28 or from -.28 to -.03 does not. Of matched noise nothing else is said, as "
        "it takes the higher of two kinds."
    ),
    "noise of 1.0": (
        "The result has matched noise as version 1.0 defined it, such as a file of last year. "
        "Nothing follows from it; measure the model again."
    ),
    "same vectors": (
        "Different texts have one vector, in more pairs than 1 % of the distinct texts, such as "
        "where the model cuts long texts. Their distances are 0 or noise, so gain and noise say "
        "little. Measure with a longer maximum length."
    ),
    "small": (
        "Above (small), below (small): significant, but by less than the smallest effect of "
        "interest by the 90 % interval, as one from .01 to .08 where .10 matters."
    ),
    "equivalent": (
        "Any difference is smaller than the smallest effect of interest by the 90 % interval, as "
        "one from -.03 to .04 where .10 matters (two one-sided tests, Schuirmann 1987)."
    ),
    "inconclusive": (
        "The interval holds 0 and differences that matter, as one from -.07 to .17 where .10 "
        "matters: more units are needed."
    ),
    "interpretation": (
        "Three cells: the score against chance, against the additive baseline, against matched "
        "noise. The first two are above, above (small), below, below (small), equivalent or "
        "inconclusive; that of noise is above or not above. – stands where there is no such "
        "reference."
    ),
    "smallest effect of interest": (
        "A difference that matters to a user, declared by each measure: .10 for most. `explain "
        "TASK` prints it."
    ),
    "adjusted score": (
        "The main score where something else cannot explain it, such as the length of a compound; "
        "docs/validity.md has each. If little of a score is left, form explains it."
    ),
    "95 % interval": (
        "Where the score may lie if the task had other compounds, pairs or trees of the same kind: "
        ".700 [.600, .800] is a score with the two ends. It says nothing of other sentences, "
        "synonyms or prompts."
    ),
    "ranks": (
        "The ranks that a model may have in a column, such as 1–4. The sets of a column all hold "
        "the true rank in 95 % of samples. #3–4 stands beside a score in compare."
    ),
    "NC, PC, C": (
        "Classes of compounds, by what people say of them. NC: non-compositional, an idiom, such "
        "as black box; PC: partly compositional, such as baby boom; C: compositional, such as "
        "kitchen knife."
    ),
    "AUC": (
        "The area under the curve: how often a random idiom gets a higher value than a random "
        "literal compound, with ties as a half. Guessing gets .5."
    ),
    "rank correlation": (
        "Spearman's ρ, from -1 to 1: 1 where two orders are the same, such as that of pairs by the "
        "encoder's cosine and that by people's ratings, and -1 where one is the reverse of the "
        "other. Guessing gets 0."
    ),
    "unit": (
        "What a task draws anew for its intervals, for example a compound, a pair, a tree, not a "
        "sentence."
    ),
    "rerun": (
        "A maintainer of a board ran the same revision of a model and got the same scores: the "
        "highest of the marks of trust."
    ),
}
"""Term -> at most 80 words about it, with an example."""

WORDS = {
    "[95 %]": "95 % interval",
    "C": "NC, PC, C",
    "C/PC/NC": "NC, PC, C",
    "NC": "NC, PC, C",
    "PC": "NC, PC, C",
    "Spearman's ρ": "rank correlation",
    "baseline": "additive baseline",
    "gains": "gain",
    "noise": "matched noise",
    "people with each other": "ceiling",
    "rank": "ranks",
    "units": "unit",
}
"""Word that headings of tables have in place of a term -> the term."""

_TERM_OF_WORD = {term: term for term in TERMS} | WORDS
_LONGEST_FIRST = sorted(_TERM_OF_WORD, key=len, reverse=True)
_WORD = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, _LONGEST_FIRST))})(?![\w-])")


def anchor(term: str) -> str:
    """The end of the address of a term in a glossary, as mkdocs makes it of a heading.

    Examples:
        >>> anchor("NC, PC, C"), anchor("95 % interval")
        ('nc-pc-c', '95-interval')
    """
    letters = re.sub(r"[^\w\s-]", "", term.lower())
    return re.sub(r"[\s-]+", "-", letters)


def parts_of_heading(heading: str) -> Iterator[tuple[str, str]]:
    """Split the heading of a column where a word of the glossary begins or ends.

    Yields:
        A text, and the term that explains it, empty for none.

    Examples:
        >>> [*parts_of_heading("vs noise")]
        [('vs ', ''), ('noise', 'matched noise')]
    """
    for place, text in enumerate(_WORD.split(heading)):
        is_word = place % 2 == 1
        if text:
            yield text, _TERM_OF_WORD[text] if is_word else ""


def meaning_of(words: str) -> str:
    """What a term or a category means; empty if it is neither."""
    for term, text in TERMS.items():
        if term.lower() == words.lower():
            return f"{words}: {text}"
    tasks = [
        task for task in TASKS.values() if task.category and task.category.lower() == words.lower()
    ]
    if not tasks:
        return ""
    lines = [f"  {task.name}: {task.description}" for task in tasks]
    return "\n".join([f"{words}: a category of {len(tasks)} tasks:", *lines])


def categories() -> dict[str, list[Task]]:
    """Category -> its tasks, by name."""
    of_category: dict[str, list[Task]] = {}
    for task in TASKS.values():
        if task.category:
            of_category.setdefault(task.category, []).append(task)
    return dict(sorted(of_category.items()))


def all_terms() -> str:
    """All terms and categories, a line each."""
    lines = [f"  {term}" for term in (*TERMS, *categories())]
    return "\n".join(["harness-ext explain TERM explains each of them:", *lines])
