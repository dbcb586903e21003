"""Which factor recurs over the units of a task, and whether intervals hold the truth all the same.

    HARNESS_EXT_MIRROR=FOLDER python -m benchmarks.designs > docs/designs.csv

Intervals hold the truth if units are independent. Units that share a verb, a sentence or an image
are not, as far as scores depend on what they share. For each task this script takes the design of
its data: which rows share which value of a factor. It estimates how much released cosines of rows
with the same value correlate (median over the models of `leaderboard/results`; where factors are
nested, of rows with different values of the finer one), plants as much in worlds whose true score
is known, and counts how often the nominal 95 % interval holds the truth: with today's units, and
with coarser ones.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from scipy import special, stats
from tqdm import tqdm

from benchmarks.rows import print_rows
from harness_ext.common.arrays import Array, Flags, Floats, Names
from harness_ext.measures.core.measure import FEWEST_UNITS
from harness_ext.statistics.confidence_interval import confidence_interval
from harness_ext.statistics.statistic import Statistic, mean_of_rows, spearman_of_rows
from harness_ext.statistics.threshold import probability_nearer, share_below
from harness_ext.store.item_files import DIGEST, read_columns
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.data import load_rows

RESULTS = Path(__file__).parents[1] / "leaderboard" / "results"

WORLDS = 500

NAMES = 8
"""Names of units decide how they are drawn, so eight worlds one after the other have others."""

SHARE = 0.6
"""The true share of triplets that are won."""

CORRELATION = 0.3
"""The true rank correlation."""

AUC = 0.6
"""The true AUC."""

KEPT_APART = 0.3
"""The true share of opposites that are kept apart."""

PERCENT = 90
"""How many percent of the paraphrases a threshold keeps."""

MOST_SOURCES = 240
"""Of larger data, the rows of so many units of the coarsest factor are taken: more only take
longer.
"""

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Design:
    """The design of a task.

    Attributes:
        task: Its name.
        split: Its split.
        subset: Its subset.
        form: Of its score: `share`, `mean`, `rank correlation`, `AUC` or `share below threshold`.
        factors: Name -> the value of a row, the finest first.
        unit: The factor whose values the package draws.
        value: The stored columns of a row -> a number whose variance is divided.
        is_crossed: Whether the factors are crossed; else each is nested in the next.
        kept: Which rows are in it.
    """

    task: str
    split: str
    subset: str
    form: str
    factors: Mapping[str, Callable[[Row], str]]
    unit: str
    value: Callable[[Mapping[str, Array]], Floats]
    is_crossed: bool = False
    kept: Callable[[Row], bool] = bool


def field(name: str) -> Callable[[Row], str]:
    """A field of the row."""

    def value(row: Row) -> str:
        return str(row[name])

    return value


def verb(row: Row) -> str:
    """The verb of the first sentence, as it stands there."""
    return str(row["sentence1"].split()[2])


def verb_lemma(row: Row) -> str:
    """The verb of the first sentence, *run* for *runs*."""
    return re.sub("ie$", "y", verb(row).removesuffix("s"))


def changed_words(before: str, after: str) -> list[str]:
    """The words of a text that another one does not have in their place, without marks."""
    first = before.casefold().split()
    second = after.casefold().split()
    changed: list[str] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag != "equal":
            changed += first[start:end]
    return [word.strip(".,;:!?'\"’") for word in changed]


def idiom(row: Row) -> str:
    """The last word that the paraphrase of an idiom replaces, such as *storm*."""
    words = changed_words(row["sentence"], row["entailed"])
    return words[-1].removesuffix("s") if words else ""


def last_word(row: Row) -> str:
    """The last word of an expression."""
    return str(row["expression"].casefold().split()[-1])


@cache
def image_of_caption() -> dict[str, str]:
    """Caption -> its image."""
    rows = load_rows(ENCODER_TASKS["MergeOpposites"], "test", "sugarcrepe_pp")
    return {row["first"]: row["source"] for row in rows}


def image(row: Row) -> str:
    """The image that a caption is of."""
    return image_of_caption().get(row["caption"], row["id"])


def opposite_word(row: Row) -> str:
    """The word that an opposite has in the place of another; the source for paraphrases."""
    words = changed_words(row["second"], row["first"])
    return words[-1] if words and row["kind"] != "same" else str(row["source"])


def cosine(columns: Mapping[str, Array]) -> Floats:
    """The cosine of a pair."""
    return columns["similarity"]


def margin(right: str, wrong: str) -> Callable[[Mapping[str, Array]], Floats]:
    """How much farther the wrong text is than the right one."""

    def difference(columns: Mapping[str, Array]) -> Floats:
        return columns[wrong] - columns[right]

    return difference


def auc_of_expression(columns: Mapping[str, Array]) -> Floats:
    """How well idiomatic uses are told from literal ones."""
    return columns["auc"]


def is_adversarial(row: Row) -> bool:
    """Whether a pair counts in the main score of role swaps."""
    return bool(row["kind"] == "adversarial")


def is_swap(row: Row) -> bool:
    """Whether two objects or attributes of a caption change places."""
    return str(row["id"]).startswith(("swap_obj", "swap_att"))


DESIGNS = (
    Design(
        "TransitiveSimilarity",
        "test",
        "gs2011",
        "rank correlation",
        {
            "first sentence": field("sentence1"),
            "pair of verbs": field("verbs"),
            "verb": verb,
            "lemma of the verb": verb_lemma,
        },
        "verb",
        cosine,
    ),
    Design(
        "TransitiveSimilarity",
        "test",
        "ks2013",
        "rank correlation",
        {
            "first sentence": field("sentence1"),
            "second sentence": field("sentence2"),
            "first verb": verb,
        },
        "first sentence",
        cosine,
        is_crossed=True,
    ),
    Design(
        "RoleSwapSimilarity",
        "test",
        "default",
        "rank correlation",
        {
            "first sentence": field("sentence1"),
            "first word of a sentence": field("group"),
        },
        "first word of a sentence",
        cosine,
        kept=is_adversarial,
    ),
    Design(
        "IdiomParaphrase",
        "idioms",
        "default",
        "share",
        {"row": field("id"), "word of the idiom": idiom},
        "row",
        margin("entailed_distance", "not_entailed_distance"),
    ),
    Design(
        "NegationImportance",
        "test",
        "en",
        "AUC",
        {"pair": field("pair"), "cue of the negation": field("cue")},
        "cue of the negation",
        cosine,
        is_crossed=True,
    ),
    Design(
        "TokenIdiomaticity",
        "test",
        "it",
        "mean",
        {"expression": field("expression"), "its last word": last_word},
        "expression",
        auc_of_expression,
    ),
    Design(
        "CaptionSwap",
        "all",
        "default",
        "share",
        {"row": field("id"), "image": image},
        "row",
        margin("paraphrase_distance", "negative_distance"),
        kept=is_swap,
    ),
    Design(
        "MergeOpposites",
        "test",
        "semantoneg",
        "share below threshold",
        {"source": field("source"), "opposite word": opposite_word},
        "source",
        cosine,
        is_crossed=True,
    ),
    Design(
        "MergeOpposites",
        "test",
        "sugarcrepe_pp",
        "share below threshold",
        {"source": field("source"), "opposite word": opposite_word},
        "source",
        cosine,
        is_crossed=True,
    ),
)


@dataclass(frozen=True)
class Data:
    """The rows of a design.

    Attributes:
        ids: Of the rows, shape (n,).
        factors: Name -> the value of each row, shape (n,).
        same: Whether each row should be near, shape (n,); of pair classes alone.
        people: People's similarity, shape (n,); of rated pairs alone.
    """

    ids: Names
    factors: dict[str, Names]
    same: Flags
    people: Floats

    def __getitem__(self, rows: Array) -> Data:
        factors = {name: values[rows] for name, values in self.factors.items()}
        return Data(self.ids[rows], factors, self.same[rows], self.people[rows])


def data_of(design: Design) -> Data:
    """The rows that a design compares; of expressions, a row for each."""
    task = ENCODER_TASKS[design.task]
    loaded = load_rows(task, design.split, design.subset).to_list()
    rows = [row for row in loaded if not row.get("removed_by") and design.kept(row)]
    key = "id"
    if design.form == "mean":
        key = "name"
        row_of_expression = {row["expression"]: row for row in rows}
        rows = list(row_of_expression.values())
    factors: dict[str, Names] = {}
    for name, value_of in design.factors.items():
        factors[name] = np.array([value_of(row) for row in rows])
    ids = [row[key] for row in rows]
    is_same = [_is_same(row) for row in rows]
    ratings = [row.get("similarity", np.nan) for row in rows]
    return Data(
        np.array(ids),
        factors,
        np.array(is_same),
        np.array(ratings, dtype=np.float64),
    )


def _is_same(row: Row) -> bool:
    """Whether the texts of a pair mean the same."""
    return row.get("kind") == "same" or row.get("important") is False


def released_values(design: Design, data: Data) -> Iterator[Floats]:
    """The value of each row by each model of the board, shape (n,); NaN where it has none."""
    for file in sorted(RESULTS.glob(f"*/*/{design.task}.json")):
        result = json.loads(file.read_text(encoding="utf-8"))
        for entry in result["scores"].get(design.split, []):
            if entry["hf_subset"] != design.subset or DIGEST not in entry:
                continue
            tables = read_columns(file, entry[DIGEST]).values()
            table = next(iter(tables))
            column = "expression" if design.form == "mean" else "row"
            rows = table[column].tolist()
            values = design.value(table).tolist()
            value_of_row = dict(zip(rows, values, strict=True))
            yield np.array([value_of_row.get(row, np.nan) for row in data.ids.tolist()])


def intraclass_correlation(values: Floats, groups: Names) -> float:
    """The share of the variance of ranks that lies between groups: ICC(1), at least 0.

    Args:
        values: Shape (n,); NaN is left out.
        groups: The group of each value, shape (n,).
    """
    known = ~np.isnan(values)
    names, group, sizes = np.unique(
        groups[known],
        return_inverse=True,
        return_counts=True,
    )
    ranks = stats.rankdata(values[known])
    n = len(ranks)
    k = len(names)
    if k in {1, n}:
        return 0.0
    means = np.bincount(group, ranks) / sizes
    squares_between = sizes * np.square(means - ranks.mean())
    between = squares_between.sum() / (k - 1)
    squares_within = np.square(ranks - means[group])
    within = squares_within.sum() / (n - k)
    size = (n - np.square(sizes).sum() / n) / (k - 1)
    total = between + (size - 1) * within
    correlation = (between - within) / total
    return max(0.0, float(correlation))


def nested_correlation(values: Floats, groups: Names, finer: Names) -> float:
    """The correlation of the ranks of rows that are in one group, but in different finer groups:
    what the finer groups leave to the coarser ones, at least 0.

    Args:
        values: Shape (n,); NaN is left out.
        groups: The group of each value, shape (n,).
        finer: A finer group of each, shape (n,).
    """
    known = ~np.isnan(values)
    scores = stats.zscore(stats.rankdata(values[known]))
    both = np.char.add(np.char.add(groups[known], "\n"), finer[known])
    products_of_pairs = 0.0
    n_pairs = 0.0
    for labels, sign in ((groups[known], 1), (both, -1)):
        _, number, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        products_of_pairs += sign * np.square(np.bincount(number, scores)).sum()
        n_pairs += sign * np.square(sizes).sum()
    return max(0.0, float(products_of_pairs / n_pairs)) if n_pairs else 0.0


def _correlation(values: Floats, groups: Names, finer: Names | None) -> float:
    """How alike rows of a group are; of finer groups, rows of different ones alone."""
    if finer is None:
        return intraclass_correlation(values, groups)
    return nested_correlation(values, groups, finer)


def planted(
    factors: Mapping[str, Names],
    correlations: Mapping[str, float],
    is_crossed: bool,
    rng: np.random.Generator,
) -> Floats:
    """Standard normal values of rows, shape (n,), with planted correlations: so much of their
    variance lies between the values of each factor.
    """
    coarse_first = list(factors)[::-1]
    n_rows = len(factors[coarse_first[0]])
    value = np.zeros(n_rows)
    planted_so_far = 0.0
    for name in coarse_first:
        share = correlations[name]
        if not is_crossed:
            share -= planted_so_far
        share = min(max(share, 0.0), 0.95 - planted_so_far)
        names, number = np.unique(factors[name], return_inverse=True)
        value_of_name = rng.normal(size=len(names))
        value += np.sqrt(share) * value_of_name[number]
        planted_so_far += share
    own = rng.normal(size=n_rows)
    return value + np.sqrt(1 - planted_so_far) * own


def truth_of(form: str) -> float:
    """The true score of all worlds of a form."""
    truths = {
        "share": SHARE,
        "mean": 0.0,
        "rank correlation": CORRELATION,
        "AUC": AUC,
        "share below threshold": KEPT_APART,
    }
    return truths[form]


def statistic_of(
    form: str,
    units: Names,
    values: Floats,
    people: Floats,
    same: Flags,
) -> Statistic:
    """The score of a world, with units of one kind."""
    if form == "rank correlation":
        pearson = 2 * np.sin(np.pi / 6 * CORRELATION)
        similarity = pearson * people + np.sqrt(1 - pearson**2) * values
        return spearman_of_rows(units, similarity, people)
    if form == "AUC":
        shift = np.sqrt(2) * special.ndtri(AUC)
        return probability_nearer(units, values + shift * same, same, ~same)
    if form == "share below threshold":
        shift = special.ndtri(KEPT_APART) - special.ndtri(1 - PERCENT / 100)
        similarity = values + shift * same
        return share_below(
            PERCENT,
            units,
            similarity,
            same,
            ~same,
            FEWEST_UNITS,
        )
    if form == "share":
        values = (values < special.ndtri(SHARE)).astype(np.float64)
    names, unit = np.unique(units, return_inverse=True)
    return mean_of_rows(names, unit, values)


def coverage(
    design: Design,
    data: Data,
    of_values: Mapping[str, float],
    of_people: Mapping[str, float],
) -> dict[str, float]:
    """How often the 95 % interval holds the truth, with each factor as the unit."""
    held = dict.fromkeys(data.factors, 0)
    rng = np.random.default_rng(1)
    truth = truth_of(design.form)
    for world in tqdm(range(WORLDS), desc=f"{design.task} {design.subset}", leave=False):
        values = planted(data.factors, of_values, design.is_crossed, rng)
        people = planted(data.factors, of_people, design.is_crossed, rng)
        for name, units in data.factors.items():
            renamed = np.char.add(f"{world % NAMES} ", units)
            statistic = statistic_of(
                design.form,
                renamed,
                values,
                people,
                data.same,
            )
            low, high = confidence_interval(statistic)
            held[name] += low <= truth <= high
    return {name: n / WORLDS for name, n in held.items()}


def smaller(data: Data) -> Data:
    """The rows of at most `MOST_SOURCES` values of the finest factor."""
    units = next(iter(data.factors.values()))
    distinct = list(dict.fromkeys(units.tolist()))
    is_kept = np.isin(units, distinct[:MOST_SOURCES])
    return data[is_kept]


def rows_of(design: Design) -> Iterator[dict[str, Any]]:
    """A row for each factor of a design."""
    data = data_of(design)
    released = [*released_values(design, data)]
    of_values: dict[str, float] = {}
    of_people: dict[str, float] = {}
    finer: Names | None = None
    for name, groups in data.factors.items():
        correlation = partial(_correlation, groups=groups, finer=finer)
        of_values[name] = float(np.median([correlation(values) for values in released]))
        of_people[name] = 0.0
        if np.isfinite(data.people).any():
            of_people[name] = correlation(data.people)
        if not design.is_crossed:
            finer = groups
    simulated = smaller(data) if design.form == "share below threshold" else data
    held = coverage(design, simulated, of_values, of_people)
    for name, groups in data.factors.items():
        yield {
            "task": design.task,
            "subset": design.subset if design.subset != "default" else design.split,
            "score": design.form,
            "rows": len(data.ids),
            "factor": name,
            "values": len(np.unique(groups)),
            "is_unit": name == design.unit,
            "models": len(released),
            "icc_cosines": f"{of_values[name]:.3f}",
            "icc_people": f"{of_people[name]:.3f}" if of_people[name] else "",
            "simulated_values": len(np.unique(simulated.factors[name])),
            "worlds": WORLDS,
            "coverage": f"{held[name]:.3f}",
        }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Designs of tasks, and coverage in them.")
    parser.add_argument("tasks", nargs="*", help="these alone, as TASK or TASK/SUBSET")
    asked = set(parser.parse_args().tasks)
    chosen: list[Design] = []
    for design in DESIGNS:
        names = {design.task, f"{design.task}/{design.subset}"}
        if not asked or asked & names:
            chosen.append(design)
    rows = map(rows_of, chosen)
    print_rows(chain.from_iterable(rows))


if __name__ == "__main__":
    main()
