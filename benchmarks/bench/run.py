"""The command line of the bench."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from tqdm import tqdm

from benchmarks.bench.additions import additions
from benchmarks.bench.encoder import encoder
from benchmarks.bench.growth import growth
from benchmarks.bench.one_at_a_time import one_at_a_time
from benchmarks.bench.pages import pages
from benchmarks.bench.report import Section, Settings, machine, write
from benchmarks.bench.startup import startup
from benchmarks.bench.tasks import FULL, SMALL, tasks
from harness_ext.cli.demo import MODEL, seed_encoder

if TYPE_CHECKING:
    from benchmarks.bench.report import Row

SECTIONS: dict[str, tuple[str, Callable[[Settings], Iterator[Row]]]] = {
    "tasks": ("Tasks against a plain encode", tasks),
    "additions": ("Spans, own words, all layers", additions),
    "growth": ("Growth with data", growth),
    "one-at-a-time": ("Against a pair at a time", one_at_a_time),
    "start-up": ("Start-up", startup),
    "pages": ("Report and board", pages),
    "encoder": ("An encoder of 0.6 B parameters", encoder),
}
"""Name -> its title, and what measures it."""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command()
def main(
    quick: Annotated[
        bool, typer.Option("--quick", help="Everything once and at its smallest: does it run? The figures mean little.")
    ] = False,
    only: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(SECTIONS)} (repeatable).")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Of the tasks, these alone (repeatable).")] = None,
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
    repeats: Annotated[int, typer.Option(help="Runs of each, in turn; the figures are medians.", min=1)] = 3,
    minutes: Annotated[float, typer.Option(help="A task that has taken so long is not repeated again.")] = 10,
    output: Annotated[Path, typer.Option(help="Gets bench.json and bench.md.")] = Path("build"),
) -> None:
    """Measure what this package costs: time, memory, growth with data, start-up.

    The papers' data are used where they are at hand (HARNESS_EXT_MIRROR, see docs/tasks.md); what is not is listed with
    the reason. Nothing is downloaded; HF_HUB_OFFLINE=0 allows it. On a machine with other work to do, OMP_NUM_THREADS=1
    gives steadier figures: most are processor time.

    `make bench` does all of it, which takes hours on two cores. `make bench BENCH="--quick"` is a minute or two.
    `python -m benchmarks.bench --only tasks --task MontagueConsistency --repeats 5` is one task.
    """
    names = list(dict.fromkeys(name for name, _ in FULL + SMALL))
    for option, given, there in (("--only", only, list(SECTIONS)), ("--task", task, names)):
        if unknown := [name for name in given or () if name not in there]:
            raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(there)}.", param_hint=option)
    settings = Settings(model, 1 if quick else repeats, minutes, quick, tuple(task or ()))
    if model == MODEL:
        seed_encoder(Path(os.environ["HF_HOME"]))
    facts, sections = machine(), []
    said = ""
    for name in tqdm(only or SECTIONS, desc="sections"):
        title, measure = SECTIONS[name]
        sections.append(Section(title, " ".join(inspect.getdoc(measure).split())))
        for row in measure(settings):
            sections[-1].rows.append(row)
            said = write(output, facts, asdict(settings), sections)  # what is measured is kept, whatever comes
    typer.echo(said)
    print(f"Written: {output / 'bench.json'}, {output / 'bench.md'}", file=sys.stderr)
