"""All trials, one after the other, each in an empty folder; the table."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from tqdm import tqdm

from benchmarks.trials.trial import OUTCOMES, Trial, Verdict, of_error

if TYPE_CHECKING:
    from collections.abc import Iterable

AREAS = {
    "encoder outputs": "encoders",
    "damaged data": "data",
    "result folders": "results",
    "signals and disk": "signals",
    "kills": "kills",
    "disks": "disks",
    "network": "network",
    "fine-tuning": "finetuning",
    "encoders at work": "models",
    "environment": "environment",
    "install and names": "names",
}
"""Area -> its module."""

app = typer.Typer(add_completion=False)


@app.command()
def main(
    only: Annotated[list[str] | None, typer.Option(help=f"Of {', '.join(AREAS)} (repeatable).")] = None,
    named: Annotated[list[str] | None, typer.Option(help="Those whose name begins so (repeatable).")] = None,
    details: Annotated[bool, typer.Option("--details", help="Every trial, with the last line that was said.")] = False,
) -> None:
    """Try what should not be done, and print what became of it; fails if anything was raw, silent or lost."""
    if unknown := set(only or ()) - AREAS.keys():
        raise typer.BadParameter(f"{', '.join(unknown)}: there are {', '.join(AREAS)}.")
    found = {area: attempt_all(trials_of(area, *(named or ()))) for area in only or AREAS}
    if details:
        for verdicts in found.values():
            for trial, verdict in verdicts:
                typer.echo(f"{verdict.outcome:6}  {trial.area}, {trial.name}  |  {verdict.said[:300]}")
        typer.echo()
    typer.echo(table({area: Counter(verdict.outcome for _, verdict in each) for area, each in found.items()}))
    bad = [
        f"{verdict.outcome}: {trial.area}, {trial.name}: {verdict.said[:300]}"
        for verdicts in found.values()
        for trial, verdict in verdicts
        if verdict.outcome in {"raw", "silent", "lost"}
    ]
    typer.echo("\n".join(bad))
    raise typer.Exit(bool(bad))


def trials_of(area: str, *beginnings: str) -> list[Trial]:
    """The trials of one area whose names begin with one of these; all without any."""
    trials = import_module(f"benchmarks.trials.{AREAS[area]}").trials()
    return [trial for trial in trials if trial.name.startswith(beginnings or "")]


def attempt_all(trials: Iterable[Trial]) -> list[tuple[Trial, Verdict]]:
    """Attempt each, with nothing on the terminal but a bar of progress."""
    trials = list(trials)
    return [(trial, attempt(trial)) for trial in tqdm(trials, desc=trials[0].area if trials else "", mininterval=5)]


def attempt(trial: Trial) -> Verdict:
    """Attempt one; what it leaves behind goes with its folder."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name, contextlib.redirect_stderr(io.StringIO()):
        os.chdir(name)
        try:
            return trial.attempt(Path(name).resolve())
        except Exception as error:
            return of_error(error, ("the trial itself failed",))
        finally:
            os.chdir(before)


def table(counts: dict[str, Counter[str]]) -> str:
    """In Markdown: area, tried, and how many of each outcome."""
    rows = [
        (area, str(count.total()), *(str(count[outcome]) for outcome in OUTCOMES)) for area, count in counts.items()
    ]
    total = sum(counts.values(), Counter())
    rows.append(("**all**", str(total.total()), *(str(total[outcome]) for outcome in OUTCOMES)))
    lines = [("", "tried", *OUTCOMES), ("---", *["---:"] * (1 + len(OUTCOMES))), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
