"""Write docs/findings.md from docs/findings.md.jinja and the results in leaderboard/: python docs/findings.py.

Every figure is computed from the items, not read from the result files. A claim of the text that the figures do not
bear out ends the command.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import jinja2

from harness_ext.common.names import data_name
from harness_ext.measures.core.baseline_keys import ADDITIVE, additive_key, gain_key, p_value_key
from harness_ext.measures.core.measure import unit_count_key
from harness_ext.measures.core.scores import interval_keys
from harness_ext.results.columns import Column
from harness_ext.results.effects import Reference, effect
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import ReferenceScore
from harness_ext.show.figures import gains, save_figures
from harness_ext.show.numbers import formatted
from harness_ext.statistics.paired_difference import holm_adjusted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness_ext.results.entry import Entry, Results

FOLDER = Path(__file__).parent
MODELS = {
    "GloVe": "local/glove.6B.50d.txt",
    "WordLlama": "local/wordllama-256",
    "MiniLM-L3": "local/paraphrase-MiniLM-L3-v2",
    "MiniLM-L6": "sentence-transformers/all-MiniLM-L6-v2",
    "MPNet": "sentence-transformers/all-mpnet-base-v2",
    "Gemma": "local/gemma-3-270m (lm_states=mean)",
}
"""What the text calls each encoder."""

_CAPTIONS = {("CaptionSwap", "all", "default"), ("MergeOpposites", "test", "sugarcrepe_pp")}
"""Their captions are of COCO."""

_TRAINED_ON_CAPTIONS = {"MiniLM-L3", "MiniLM-L6", "MPNet"}
"""The lists of their training data name coco_captions."""


class UnsupportedClaimError(ValueError):
    """The figures do not bear out a sentence of the text."""


class Findings:
    """Figures of a results folder, computed from items: what the template asks for."""

    def __init__(self, results: Results) -> None:
        self._entries = {(one.model, one.task, one.subset, one.split): one for one in results.entries}
        self.scores = cache(self._scores)

    def entry(self, model: str, task: str, split: str, subset: str = "default") -> Entry:
        """The result of an encoder, by its name in the text."""
        return self._entries[MODELS[model], task, subset, split]

    def has(self, model: str, *place: str) -> bool:
        """Whether an encoder was measured there: GloVe knows too few words of some data."""
        task, split, subset = place
        return (MODELS[model], task, subset, split) in self._entries

    def _scores(self, *place: str) -> dict[str, float]:
        """The main score of a place with its interval and units, and its gain, computed again from the items."""
        entry = self.entry(*place)
        measure, items, main = entry.measure, entry.items(), entry.measure.main
        computed = {main: measure.statistic(items, main).value(), unit_count_key(main): measure.unit_count(items, main)}
        computed |= zip(interval_keys(main), measure.interval(items, main), strict=True)
        return computed | entry.against_baselines()

    def value(self, kind: str, *place: str) -> float:
        """The main score, that of the additive baseline (`additive`) or the gain of a place."""
        main = self.entry(*place).measure.main
        key = {"score": main, "additive": additive_key(main), "gain": gain_key(main)}[kind]
        return self.scores(*place)[key]

    def interval(self, kind: str, *place: str) -> tuple[float, float]:
        """The 95 % interval of the main score or of the gain."""
        main = self.entry(*place).measure.main
        low, high = interval_keys(main if kind == "score" else gain_key(main))
        return self.scores(*place)[low], self.scores(*place)[high]

    def said(self, kind: str, *place: str) -> str:
        """A figure with its interval, as the text prints it."""
        found = formatted(self.value(kind, *place))
        return found if kind == "additive" else f"{found} [{', '.join(map(formatted, self.interval(kind, *place)))}]"

    @cached_property
    def gains(self) -> dict[tuple[str, tuple[str, ...]], float]:
        """(encoder, place) -> the corrected p-value of its gain, over all gains of these encoders on the board."""
        p_values = {}
        places = dict.fromkeys((task, split, subset) for _, task, subset, split in self._entries)
        for model, place in product(MODELS, places):
            if self.has(model, *place) and ADDITIVE.items in self.entry(model, *place).digests:
                key = p_value_key(gain_key(self.entry(model, *place).measure.main))
                p_values[model, place] = self.scores(model, *place)[key]
        return dict(zip(p_values, holm_adjusted([*p_values.values()]), strict=True))

    def shown(self, model: str, *which: tuple[str, ...]) -> bool:
        """Whether all these gains of an encoder are above 0 after Holm's correction."""
        return self.before(model, *which) and all(self.gains[model, place] < 0.05 for place in which)

    def before(self, model: str, *which: tuple[str, ...]) -> bool:
        """The same before correction."""
        return all(self.interval("gain", model, *place)[0] > 0 for place in which)

    def outcome(self, reference: str, model: str, *place: str) -> str:
        """What the intervals show of the difference from `chance` or its `words`."""
        difference = effect(self.entry(model, *place), Reference[reference.upper()])
        assert difference is not None
        return difference.outcome.value

    def above_chance(self, place: tuple[str, ...]) -> list[str]:
        """The encoders whose interval lies above chance."""
        return [
            model
            for model in MODELS
            if self.has(model, *place) and self.outcome("chance", model, *place).startswith("above")
        ]

    def most(self, places: Iterable[tuple[str, ...]], model: str) -> float:
        """The gain of an encoder that is the farthest from 0, without its sign."""
        return max(abs(self.value("gain", model, *place)) for place in places if self.has(model, *place))

    def told(self, model: str, *place: str) -> bool:
        """Whether the interval of an encoder's score lies above those of all others."""
        low = self.interval("score", model, *place)[0]
        return all(low > self.interval("score", other, *place)[1] for other in {*MODELS} - {model})

    def greatest(self, end: int, place: tuple[str, ...]) -> float:
        """The greatest lower (0) or upper (1) end of the interval of any encoder's score."""
        return max(self.interval("score", model, *place)[end] for model in MODELS if self.has(model, *place))

    def units(self, *place: str) -> int:
        """The number of units of the main score."""
        return int(self.scores(*place)[unit_count_key(self.entry(*place).measure.main)])

    def ceiling(self, *place: str) -> str:
        """The agreement of people, as printed."""
        score, _ = self.entry(*place).measure.declarations()[self.entry(*place).measure.main]
        return formatted(score.ceiling)

    def control(self, name: str, *place: str) -> ReferenceScore:
        """The main score of a control encoder, as shipped for today's version of the measure."""
        measure, dataset = self.entry("MiniLM-L6", *place).measure, Column.of(self.entry("MiniLM-L6", *place)).dataset
        task, split, subset = place
        (found,) = (
            one
            for one in shipped_scores()
            if one.name == name and one[:5] == (task, subset, split, dataset, measure.definition)
        )
        return found

    def reference_said(self, *asked: str) -> str:
        """The same as the text prints it."""
        one = self.reference(*asked)
        return f"{formatted(one.value)} [{formatted(one.low)}, {formatted(one.high)}]"

    def table(self, kind: str, *places: tuple[str, ...]) -> str:
        """Encoders in rows, places (task, split, subset) in columns."""
        lines = [
            f"| encoder | {' | '.join(f'{task} ({data_name(subset, split)})' for task, split, subset in places)} |",
            f"| --- |{' --- |' * len(places)}",
        ]
        for model in MODELS:
            cells = [self._cell(kind, model, place) if self.has(model, *place) else "" for place in places]
            lines.append(f"| {model} | {' | '.join(cells)} |")
        return "\n".join(lines)

    def _cell(self, kind: str, model: str, place: tuple[str, ...]) -> str:
        is_trained = place in _CAPTIONS and model in _TRAINED_ON_CAPTIONS
        return f"{self.said(kind, model, *place)}{' †' * is_trained}"


def claim(holds: Any, sentence: str) -> str:
    """The sentence, if the figures bear it out.

    Raises:
        UnsupportedClaimError: They do not; names the sentence.
    """
    if not holds:
        raise UnsupportedClaimError(f"docs/findings.md.jinja: the figures do not bear out: {sentence!r}")
    return sentence


def page(results: Results) -> str:
    """The page of these results."""
    templates = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True, autoescape=False)
    found = Findings(results)
    template = templates.from_string((FOLDER / "findings.md.jinja").read_text(encoding="utf-8"))
    text = template.render(findings=found, said=found.said, value=found.value, table=found.table, claim=claim,
                           models=list(MODELS))  # fmt: skip
    return "\n\n".join(map(_wrapped, text.split("\n\n")))


def _wrapped(block: str) -> str:
    """A paragraph or a list in lines of 120; headings, pictures and tables stay as they are."""
    if block.startswith(("#", "!", "|")):
        return block
    end = "\n" if block.endswith("\n") else ""
    items = ["- " + " ".join(item.split()) for item in f"\n{block}".split("\n- ")[1:]] or [" ".join(block.split())]
    return (
        "\n".join(
            fill(item, 120, subsequent_indent="  " * item.startswith("- "), break_on_hyphens=False) for item in items
        )
        + end
    )


if __name__ == "__main__":
    board = load_results(FOLDER.parent / "leaderboard")
    (FOLDER / "findings.md").write_text(page(board), encoding="utf-8")
    figure = gains([one for one in board.entries if one.model in MODELS.values() and Column.of(one).is_in({"eng"})])
    save_figures([replace(figure, name="findings")], FOLDER, "svg")
    (FOLDER / "findings.txt").unlink(missing_ok=True)
