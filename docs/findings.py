"""Write docs/findings.md from docs/findings.md.jinja and the results in leaderboard/: python
docs/findings.py.

Every figure is computed from the items, not read from the result files; those of control encoders
are the shipped ones. A claim of the text that the figures do not bear out ends the command.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, NamedTuple

import jinja2
from pictures import write_picture

from harness_ext import plot
from harness_ext.common.names import data_name
from harness_ext.measures.core.baseline_keys import additive_key
from harness_ext.results.compare import compare
from harness_ext.results.effects import Outcome, Reference, effect
from harness_ext.results.load import load_results
from harness_ext.results.ranking_columns import Column
from harness_ext.results.reference_scores import FILE, lead
from harness_ext.show.interpretation import FIRST_NOISE, UNKNOWN, baseline_and_gain, cells
from harness_ext.show.model_labels import listed
from harness_ext.show.numbers import formatted, with_interval

if TYPE_CHECKING:
    from harness_ext.results.entry import Entry, Results

FOLDER = Path(__file__).parent
MODELS = {
    "GloVe": "local/glove.6B.50d.txt",
    "WordLlama": "local/wordllama-256",
    "MiniLM-L3": "local/paraphrase-MiniLM-L3-v2",
    "MiniLM-L6": "sentence-transformers/all-MiniLM-L6-v2",
    "MPNet": "sentence-transformers/all-mpnet-base-v2",
    "E5 (4 bits)": "local/multilingual-e5-small-4bit",
    "Gemma": "local/gemma-3-270m (lm_states=mean)",
}
"""What the text calls each encoder."""

WITHIN_VERBS = "spearman_within_verbs"
"""The score that leaves out what differs between pairs of verbs."""

DRAWN = {"CaptionSwap", "IdiomParaphrase", "RoleSwapSimilarity", "TransitiveSimilarity"}
"""The tasks of the picture."""

_CAPTIONS = {("CaptionSwap", "all", "default"), ("MergeOpposites", "test", "sugarcrepe_pp")}
"""Their captions are of COCO."""

Place = tuple[str, ...]
"""Task, split and, where it is not the default, subset."""

_TRAINED_ON_CAPTIONS = {"MiniLM-L3", "MiniLM-L6", "MPNet"}
"""The lists of their training data name coco_captions."""


def _rows(table: str) -> list[dict[str, str]]:
    """The rows of a table beside the pages."""
    with (FOLDER / table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def static_verbs() -> list[dict[str, str]]:
    """The rows of docs/static_verb.csv: an encoder beside each strength of the fixed vector."""
    return _rows("static_verb.csv")


class UnsupportedClaimError(ValueError):
    """The figures do not bear out a sentence of the text."""


class Score(NamedTuple):
    """A main score, its 95 % interval and the number of its units."""

    value: float
    interval: tuple[float, float]
    n_units: int


class Findings:
    """Figures of a results folder, computed from items: what the template asks for."""

    def __init__(self, results: Results) -> None:
        self._entries: dict[Place, Entry] = {}
        for entry in results.entries:
            self._entries[entry.model, entry.task, entry.subset, entry.split] = entry
        self.score = cache(self._score)

    def entry(self, model: str, task: str, split: str, subset: str = "default") -> Entry:
        """The result of an encoder, by its name in the text."""
        return self._entries[MODELS[model], task, subset, split]

    def has(self, model: str, *place: str) -> bool:
        """Whether an encoder was measured there: GloVe knows too few words of some data."""
        task, split, subset = place
        return (MODELS[model], task, subset, split) in self._entries

    def _score(self, *place: str) -> Score:
        """The main score of a place, computed again from the items."""
        entry = self.entry(*place)
        measure = entry.measure
        items = entry.items()
        main = measure.main
        statistic = measure.statistic(items, main)
        return Score(
            statistic.value(),
            measure.interval(items, main),
            measure.unit_count(items, main),
        )

    def interval(self, *place: str) -> tuple[float, float]:
        """The 95 % interval of the main score."""
        return self.score(*place).interval

    def said(self, *place: str) -> str:
        """The main score with its interval, as the text prints it."""
        score = self.score(*place)
        return with_interval(score.value, score.interval)

    def models(self, place: Place) -> list[str]:
        """The encoders that were measured at a place."""
        return [model for model in MODELS if self.has(model, *place)]

    def without(self, name: str) -> list[str]:
        """All encoders but one."""
        return [model for model in MODELS if model != name]

    def are_measured(self, *names: str) -> bool:
        """Whether there are results of these encoders, and of no other than those named here."""
        measured = {model for model, *_ in self._entries}
        return {MODELS[name] for name in names} <= measured

    def above_chance(self, place: Place) -> list[str]:
        """The encoders whose interval lies above chance."""
        above: list[str] = []
        for model in self.models(place):
            _, most = self.entry(model, *place).chance()
            low, _ = self.interval(model, *place)
            if low > most:
                above.append(model)
        return above

    def below_chance(self, place: Place) -> list[str]:
        """The encoders whose interval lies below chance."""
        below: list[str] = []
        for model in self.models(place):
            least, _ = self.entry(model, *place).chance()
            _, high = self.interval(model, *place)
            if high < least:
                below.append(model)
        return below

    def best(self, place: Place) -> str:
        """The encoder with the highest score."""
        scores: dict[str, float] = {}
        for model in self.models(place):
            scores[model] = self.score(model, *place).value
        return max(scores, key=scores.__getitem__)

    def declares(self, model: str, place: Place, chance: float) -> bool:
        """Whether this is chance, and the agreement of people is known."""
        score = self.entry(model, *place).measure.main_declaration
        return score.chance == chance and score.ceiling is not None

    def beside_control(self, name: str, outcome: Outcome, place: Place) -> list[str]:
        """The encoders with this outcome against a control encoder, which has to be the best one.

        Raises:
            ValueError: Another control encoder is the best one.
        """
        found: list[str] = []
        for model in self.models(place):
            held = lead(self.entry(model, *place))
            if held is None or held[0].name != name:
                raise ValueError(f"{name} is not the best control encoder of {place[0]}.")
            if held[1] is outcome:
                found.append(model)
        return found

    def above_control(self, name: str, place: Place) -> list[str]:
        """The encoders that are significantly above the best control encoder."""
        return self.beside_control(name, Outcome.ABOVE, place)

    def control_sentence(self, name: str, place: Place) -> str:
        """Which encoders the best control encoder is significantly above, and which it is not."""
        below = self.beside_control(name, Outcome.BELOW, place)
        undecided = self.beside_control(name, Outcome.INCONCLUSIVE, place)
        said = f"gets {self.control_said(name, *place)}"
        if not below:
            return f"{said}, not significantly more than any of them."
        sentence = f"{said}, significantly more than {listed(below)}"
        if undecided:
            return f"{sentence}, and not significantly more than {listed(undecided)}."
        return f"{sentence}."

    def baseline(self, model: str, place: Place) -> str:
        """The score of the additive baseline, as printed."""
        entry = self.entry(model, *place)
        return formatted(entry.scores[additive_key(entry.measure.main)])

    def is_below_own_baseline(self, model: str, place: Place) -> bool:
        """Whether an encoder has a lower score than its additive baseline."""
        entry = self.entry(model, *place)
        return entry.main_score < entry.scores[additive_key(entry.measure.main)]

    def gaining(self, place: Place) -> list[str]:
        """The encoders that are above their additive baselines."""
        above: list[str] = []
        for model in self.models(place):
            _, vs_baseline, _ = cells(self.entry(model, *place))
            if vs_baseline.startswith("above"):
                above.append(model)
        return above

    def gain_sentence(self, place: Place) -> str:
        """Who is above its additive baseline."""
        names = self.gaining(place)
        if not names:
            return "No encoder is above its additive baseline."
        if len(names) == 1:
            return f"{names[0]} is above its additive baseline."
        return f"{listed(names)} are above their additive baselines."

    def with_noise(self, place: Place) -> list[str]:
        """The encoders above their additive baselines whose matched noise is measured."""
        known: list[str] = []
        for model in self.gaining(place):
            _, _, noise = cells(self.entry(model, *place))
            if noise not in {UNKNOWN, FIRST_NOISE}:
                known.append(model)
        return known

    def is_noise_known(self, place: Place) -> bool | None:
        """Whether noise of any of these is measured; None, so that the sentence is left out, if
        not.
        """
        return bool(self.with_noise(place)) or None

    def noise_sentence(self, place: Place) -> str:
        """Which of these are above matched noise; empty if noise of none is measured."""
        known = self.with_noise(place)
        above: list[str] = []
        for model in known:
            _, _, noise = cells(self.entry(model, *place))
            if noise.startswith("above"):
                above.append(model)
        if not known:
            return ""
        measured = listed(known)
        if not above:
            verb = "is" if len(known) == 1 else "are"
            return f"{measured} {verb} not significantly above matched noise."
        verb = "is" if len(above) == 1 else "are"
        if above == known:
            return f"{listed(above)} {verb} above matched noise too."
        return f"Of {measured}, whose noise is measured, {listed(above)} {verb} above it."

    def above_static_verb(self) -> list[str]:
        """The encoders that are significantly above their own static-verb encoders, at any
        strength.
        """
        return [row["model"] for row in static_verbs() if float(row["low"]) > 0]

    def static_verbs(self) -> str:
        """How many encoders were compared with their own static-verb encoders, as a word."""
        names = {row["model"] for row in static_verbs()}
        return self.number_word(sorted(names))

    def strengths(self) -> str:
        """At how many strengths of the fixed vector each of them was, as a word."""
        strengths = {row["strength"] for row in static_verbs()}
        rows_of_all = len(strengths) * len({row["model"] for row in static_verbs()})
        if len(static_verbs()) != rows_of_all:
            raise ValueError("docs/static_verb.csv: an encoder lacks a strength.")
        return self.number_word(sorted(strengths))

    def within_verbs(self, model: str) -> Entry:
        """The result that has an encoder's agreement with people within pairs of verbs."""
        return self.entry(model, "TransitiveSimilarity", "test", "gs2011")

    def other_static_verb_scores(self) -> dict[str, tuple[str, str]]:
        """Encoder -> its score in docs/static_verb.csv and on the board, where these differ in the
        third decimal.
        """
        there = {row["model"]: formatted(float(row["score"])) for row in static_verbs()}
        found: dict[str, tuple[str, str]] = {}
        for model, name in MODELS.items():
            here = formatted(self.within_verbs(model).scores[WITHIN_VERBS])
            scores = (there[name.partition("/")[2]], here)
            if len(set(scores)) > 1:
                found[model] = scores
        return found

    def in_bfloat16(self) -> list[str]:
        """The encoders whose agreement within pairs of verbs was measured with 16 bits."""
        found: list[str] = []
        for model in MODELS:
            signature = self.within_verbs(model).signature
            if signature is not None and signature.dtype == "bfloat16":
                found.append(model)
        return found

    def within_verbs_above(self) -> list[str]:
        """The encoders whose agreement with people within pairs of verbs is above chance."""
        above: list[str] = []
        for model in MODELS:
            ends = self.within_verbs(model).interval(WITHIN_VERBS)
            if ends is not None and ends[0] > 0:
                above.append(model)
        return above

    def said_within_verbs(self) -> str:
        """These encoders with their agreement, as the text prints it."""
        said: list[str] = []
        for model in self.within_verbs_above():
            entry = self.within_verbs(model)
            score = with_interval(entry.scores[WITHIN_VERBS], entry.interval(WITHIN_VERBS))
            said.append(f"{model} with {score}")
        return listed(said)

    def number_word(self, names: list[str]) -> str:
        """How many there are, as a word."""
        words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
        return words[len(names)]

    def is_near_chance(self, model: str, *place: str) -> bool:
        """Whether the score is equivalent to chance."""
        difference = effect(self.entry(model, *place), Reference.CHANCE)
        return difference is not None and difference.outcome is Outcome.EQUIVALENT

    def is_significantly_better(self, model: str, other: str, place: Place) -> bool:
        """Whether the paired difference of two encoders is significant, and for the first."""
        entry = self.entry(model, *place)
        (compared,) = compare([entry, self.entry(other, *place)])
        return compared.is_significant and compared.better is entry

    def is_significantly_best(self, model: str, place: Place) -> bool:
        """Whether an encoder is significantly better than each of the others."""
        others = [other for other in self.models(place) if other != model]
        return all(self.is_significantly_better(model, other, place) for other in others)

    def rebuilt(self, places: list[Place]) -> list[Place]:
        """The places whose sentences were put together from a table."""
        return [place for place in places if place[1].endswith("_rebuilt")]

    def splits(self, task: str) -> list[str]:
        """The splits of a task that were measured."""
        splits = {split for _, measured, _, split in self._entries if measured == task}
        return sorted(splits)

    def merging_rows(self, model: str) -> list[str]:
        """The tables of docs/merging.csv that have an encoder."""
        name = MODELS[model].partition("/")[2]
        return [row["table"] for row in _rows("merging.csv") if row["model"] == name]

    def greatest(self, end: int, place: Place) -> float:
        """The greatest lower (0) or upper (1) end of the interval of any encoder's score."""
        intervals = [self.interval(model, *place) for model in self.models(place)]
        return max(interval[end] for interval in intervals)

    def units(self, *place: str) -> int:
        """The number of units of the main score."""
        return self.score(*place).n_units

    def ceiling(self, *place: str) -> str:
        """The agreement of people, as printed."""
        score = self.entry(*place).measure.main_declaration
        return formatted(score.ceiling)

    def control(self, name: str, *place: str) -> dict[str, float]:
        """The main score of a control encoder on the same data, with the ends of its interval."""
        task, split, subset = place
        dataset = Column.of(self.entry("MiniLM-L6", *place)).dataset
        data = {
            "task": task,
            "split": split,
            "subset": subset,
            "dataset": dataset,
        }
        rows = csv.DictReader(FILE.read_text(encoding="utf-8").splitlines())
        on_data = [row for row in rows if data.items() <= row.items()]
        (found,) = [row for row in on_data if row["model"].endswith(f"/{name}")]
        return {key: float(found[key]) for key in ("value", "low", "high")}

    def control_said(self, name: str, *place: str) -> str:
        """The same as the text prints it."""
        control = self.control(name, *place)
        interval = (control["low"], control["high"])
        return with_interval(control["value"], interval)

    def table(self, *places: Place) -> str:
        """Main scores: encoders in rows, places (task, split, subset) in columns."""
        return self._table(places, self._score_cell)

    def gains(self, *places: Place) -> str:
        """The same of gains, and of what the comparison with matched noise says."""
        return self._table(places, self._gain_cell)

    def _table(
        self,
        places: tuple[Place, ...],
        score_cell: Callable[[str, Place], str],
    ) -> str:

        def cell(model: str, place: Place) -> str:
            if not self.has(model, *place):
                return ""
            return score_cell(model, place)

        columns = [f"{task} ({data_name(subset, split)})" for task, split, subset in places]
        lines = [
            f"| encoder | {' | '.join(columns)} |",
            f"| --- |{' --- |' * len(places)}",
        ]
        for model in MODELS:
            found = [cell(model, place) for place in places]
            lines.append(f"| {model} | {' | '.join(found)} |")
        return "\n".join(lines)

    def _score_cell(self, model: str, place: Place) -> str:
        is_trained = place in _CAPTIONS and model in _TRAINED_ON_CAPTIONS
        mark = " †" if is_trained else ""
        return f"{self.said(model, *place)}{mark}"

    def _gain_cell(self, model: str, place: Place) -> str:
        entry = self.entry(model, *place)
        _, gain = baseline_and_gain(entry)
        noise = cells(entry)[-1]
        if noise == UNKNOWN:
            noise = "noise not measured"
        return f"{gain} {noise}" if gain else "not measured"


class Claims:
    """The claims of a text, each tested when the text is written.

    Attributes:
        sentences: Those that the text has so far.
    """

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def claim(self, holds: bool | None, sentence: str) -> str:
        """The sentence, if the figures bear it out; nothing if the figures are empty (None).

        Raises:
            UnsupportedClaimError: They do not; names the sentence.
        """
        if holds is None:
            return ""
        if not holds:
            raise UnsupportedClaimError(
                f"docs/findings.md.jinja: the figures do not bear out: {sentence!r}"
            )
        self.sentences.append(" ".join(sentence.split()))
        return sentence


class Page(NamedTuple):
    """A page, and the claims that were tested for it."""

    text: str
    claims: list[str]


def page(results: Results) -> str:
    """The page of these results."""
    return tested_page(results).text


def tested_page(results: Results) -> Page:
    """The page of these results, with its claims."""
    templates = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    found = Findings(results)
    claims = Claims()
    source = (FOLDER / "findings.md.jinja").read_text(encoding="utf-8")
    template = templates.from_string(source)
    text = template.render(
        findings=found,
        models=list(MODELS),
        said=found.said,
        table=found.table,
        gains=found.gains,
        claim=claims.claim,
    )
    blocks = map(_wrapped, text.split("\n\n"))
    return Page("\n\n".join(blocks), claims.sentences)


def _wrapped(block: str) -> str:
    """A paragraph or a list in lines of 120; headings, pictures and tables stay as they are."""
    if block.startswith(("#", "!", "|")):
        return block
    end = "\n" if block.endswith("\n") else ""
    _, *items = f"\n{block}".split("\n- ")
    if not items:
        paragraph = " ".join(block.split())
        return fill(paragraph, 120, break_on_hyphens=False) + end
    lines: list[str] = []
    for item in items:
        text = "- " + " ".join(item.split())
        lines.append(fill(text, 120, subsequent_indent="  ", break_on_hyphens=False))
    return "\n".join(lines) + end


if __name__ == "__main__":
    board = load_results(FOLDER.parent / "leaderboard")
    (FOLDER / "findings.md").write_text(page(board), encoding="utf-8")
    of_models = [entry for entry in board.entries if entry.model in MODELS.values()]
    drawn = [entry for entry in of_models if entry.task in DRAWN]
    write_picture(plot(drawn), "findings")
