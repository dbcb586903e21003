"""Measure how much of STS is vocabulary, for docs/words.md: python docs/mteb_words.py PAIRS RESULTS -m MODEL.

PAIRS has the pairs of the tasks as `<Task>.jsonl`, with mteb's columns sentence1, sentence2 and score. What RESULTS
has already is not measured again. Writes mteb_words.csv and .svg, of all models in RESULTS.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import altair as alt
import mteb
from datasets import Dataset, DatasetDict
from mteb.abstasks import AbsTask

from harness_ext.model_name import ModelName
from harness_ext.results.other_tasks import OtherTask, other_tasks
from harness_ext.show.figures import Figure, save_figures
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import model_labels
from harness_ext.show.numbers import number

TASKS = ("STS13", "STS14", "STS15", "STS16", "STSBenchmark", "SICK-R")
FOLDER = Path(__file__).parent


def loaded(pairs: Path, name: str) -> AbsTask:
    """Give a stock task its pairs."""
    task = mteb.get_task(name)
    task.dataset = DatasetDict(test=Dataset.from_json(str(pairs / f"{name}.jsonl")))
    task.data_loaded = True
    return task


def measure(pairs: Path, results: Path, model: str) -> None:
    """Run a model and its own words on the stock tasks."""
    cache = mteb.ResultCache(results)
    for name in (model, str(ModelName.parse(model).but(**{"own words": "own words"}))):
        encoder = mteb.get_model(name)
        for each in TASKS:
            mteb.evaluate(encoder, loaded(pairs, each), cache=cache, show_progress_bar=False)


def table(rows: Sequence[OtherTask]) -> Listing:
    """A row for each task and model, the greatest gain of a task last."""
    labels = model_labels(rows)
    header = ("task", "model", "score", "own words", "gain", "words_fit")
    return Listing(
        header,
        tuple(
            (
                row.task,
                labels[row.model, row.revision],
                *map(number, (row.score, row.words, row.gain, row.words_fit)),
            )
            for row in sorted(rows, key=lambda row: (TASKS.index(row.task), row.gain))
        ),
    )


def figure(results: Sequence[OtherTask]) -> Figure:
    """Arrows from the score of own words to the score, a panel for each task."""
    labels = model_labels(results)
    rows = [
        {"task": row.task, "model": labels[row.model, row.revision], "words": row.words, "score": row.score}
        for row in results
    ]
    base = alt.Chart().encode(
        y=alt.Y("model:N", title=None, axis=alt.Axis(labelLimit=0)), color=alt.Color("model:N", legend=None)
    )
    x = alt.X("words:Q", title=None, scale=alt.Scale(zero=False))
    drawn = alt.layer(
        base.mark_rule(strokeWidth=2.5).encode(x=x, x2="score:Q"),
        base.mark_point(size=45).encode(x=x),
        base.mark_point(size=90, filled=True, opacity=1, shape="triangle-right").encode(x="score:Q"),
        data=alt.Data(values=rows),
        width=260,
        height=alt.Step(18),
    )
    chart = drawn.facet(
        facet=alt.Facet("task:N", sort=list(TASKS), title=None),
        columns=2,
        padding={"left": 40, "top": 5, "right": 5, "bottom": 5},  # a browser's font may be wider
    )
    return Figure(
        name="mteb_words",
        title="How much of STS is vocabulary",
        caption="Circles: Spearman's correlation of an encoder's own words, weighted and added up. Triangles: that of "
        "the encoder.",
        chart=chart,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("results", type=Path)
    parser.add_argument("-m", "--model", action="append", default=[])
    given = parser.parse_args()
    given.results.mkdir(parents=True, exist_ok=True)
    for model in given.model:
        measure(given.pairs, given.results, model)
    rows = other_tasks(given.results)
    (FOLDER / "mteb_words.csv").write_text(render([table(rows)], "csv"), encoding="utf-8")
    save_figures([figure(rows)], FOLDER, "svg")
    (FOLDER / "mteb_words.txt").unlink()
