"""The command line of the bench."""

from __future__ import annotations

import inspect
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from benchmarks.bench.boards import boards
from benchmarks.bench.own_time import own_time, pairs
from benchmarks.bench.report import Section, Settings, machine, write
from benchmarks.bench.tasks import FULL, SMALL, tasks
from benchmarks.bench.tokens import tokens
from harness_ext.cli.demo import MODEL, seed_encoder

TITLE = "Tasks against a plain encode"

_SECTIONS = {
    "tasks": (TITLE, tasks),
    "own_time": ("Beside encoding", own_time),
    "pairs": ("Rated pairs", pairs),
    "boards": ("Boards", boards),
    "tokens": ("Words and probes against texts", tokens),
}
"""Name in bench.json -> title, and what yields the rows."""

app = typer.Typer(add_completion=False, rich_markup_mode="markdown")


@app.command()
def main(
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            help="Everything once and at its smallest: does it run? The figures mean little.",
        ),
    ] = False,
    sections_to_measure: Annotated[
        list[str] | None,
        typer.Option("--section", help=f"{', '.join(_SECTIONS)}: these alone (repeatable)."),
    ] = None,
    task: Annotated[list[str] | None, typer.Option(help="These tasks alone (repeatable).")] = None,
    model: Annotated[str, typer.Option(help="A sentence-transformers model.")] = MODEL,
    repeats: Annotated[
        int, typer.Option(help="Runs of each, in turn; the figures are medians.", min=1)
    ] = 3,
    minutes: Annotated[
        float, typer.Option(help="A task that has taken so long is not repeated again.")
    ] = 10,
    output: Annotated[Path, typer.Option(help="Gets bench.json and bench.md.")] = Path("build"),
) -> None:
    """Measure what this package costs: time and memory of tasks, against a plain encode of their
    texts; what tasks take beside encoding, in 384 and 4 096 dimensions; many rated pairs;
    boards of many models; and how many tokens an encoder reads.

    The papers' data are used where they are at hand (HARNESS_EXT_MIRROR, see docs/tasks.md); what
    is not is listed with the reason. Nothing is downloaded; HF_HUB_OFFLINE=0 allows it. On a
    machine with other work to do, OMP_NUM_THREADS=1 gives steadier figures: most are processor
    time.

    `make bench` does all of it, which takes hours on two cores. `make bench BENCH="--quick"` is a
    minute or two. `python -m benchmarks.bench --task MontagueConsistency --repeats 5` is one task.
    """
    names = list(dict.fromkeys(name for name, _ in FULL + SMALL))
    if unknown := [name for name in task or () if name not in names]:
        raise typer.BadParameter(
            f"{', '.join(unknown)}: there are {', '.join(names)}.", param_hint="--task"
        )
    unknown = [name for name in sections_to_measure or () if name not in _SECTIONS]
    if unknown:
        raise typer.BadParameter(
            f"{', '.join(unknown)}: there are {', '.join(_SECTIONS)}.", param_hint="--section"
        )
    if quick:
        repeats = 1
    settings = Settings(model, repeats, minutes, quick, tuple(task or ()))
    if model == MODEL:
        seed_encoder(Path(os.environ["HF_HOME"]))
    facts = machine()
    sections: dict[str, Section] = {}
    said = ""
    for name, (title, measured_rows) in _SECTIONS.items():
        if name not in (sections_to_measure or _SECTIONS):
            continue
        about = " ".join((inspect.getdoc(measured_rows) or "").split())
        sections[name] = Section(title, about)
        for row in measured_rows(settings):
            sections[name].rows.append(row)
            # what is measured is kept, whatever comes
            said = write(output, facts, asdict(settings), sections)
    typer.echo(said)
    print(f"Written: {output / 'bench.json'}, {output / 'bench.md'}", file=sys.stderr)
