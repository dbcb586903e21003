"""The pages and tables of docs/ that are made from the code: python docs/pages.py, which `make
docs` runs.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import fill
from typing import Any

import griffe
import griffe2md
import typer
from typer.cli import get_docs_for_click

import harness_ext
from harness_ext.cli import app
from harness_ext.common.names import REFERENCE_MODELS, control_label, data_name
from harness_ext.common.revisions import UNVERIFIED
from harness_ext.encoders.poolings import POOLINGS
from harness_ext.measures.core.measure import FEWEST_UNITS, Measure
from harness_ext.measures.core.scores import Axis, Score
from harness_ext.results.reference_scores import FILE
from harness_ext.show.catalogue import datasets_table, tasks_table
from harness_ext.show.explain import measures_of, range_of
from harness_ext.show.listing import Listing, csv_text
from harness_ext.show.numbers import formatted
from harness_ext.show.terms import TERMS, anchor, categories, parts_of_heading
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.papers import AUTHORS_CODE, PAPER_MODELS, PAPER_SAYS, PAPERS

_API = """# What `import harness_ext` offers

`make docs` writes this page from the docstrings. Everything that is not on this page may change. Use tasks through
mteb, and datasets through `datasets`.
"""

_COMMANDS = """# Commands

`harness-ext COMMAND --help` prints the same in the terminal. `make docs` writes this page from it. Commands that print
tables have the option `--format table|markdown|latex|csv|json`.

"""

_SCORES = f"""# The scores

A result file has a key for each score. For example, `rank_share_NC` says how often idiomatic compounds (NC) count as
wholes. Each task has one **main score**, which tables and boards show. This page has the formula of every key;
`harness-ext explain KEY` prints the same for one key.

- *higher* or *lower* says which score is better. *Chance* is the score of random vectors. Where a measure has
  `chance_<key>`, chance is measured on the same answers.
- *interval* means that the file also has the ends of a 95 % interval, `<key>_ci_low` and `<key>_ci_high`.
  They come from 2 000 resamples. In resample i, a *unit*, such as a compound, counts k times. k is Poisson with
  mean 1, and depends only on the unit's name and on i ([how the ends are found](compare.md#computation)).
  `n_<key>` is the number of units.
- `additive_<main>` is the main score of the additive baseline, and `gain_<main>` the gain over it, with an interval and
  a p-value (`gain_<main>_p`). `noise_<main>` and `over_noise_<main>` are the same for matched noise, the stronger of
  `noise_text_<main>` and `noise_neighbors_<main>`
  ([additive_baseline.md](additive_baseline.md)).
- A score needs {FEWEST_UNITS} units if it has a value of chance or a better direction.
  A score without a value is absent.
- `n_excluded_<reason>` counts rows that are left out; `n_excluded_zero_vector` counts rows with a vector without
  direction. `n_same_vector` counts pairs of different texts with one vector, such as texts that a model cuts,
  and `n_texts` the distinct texts.
- `span_level` is 1 if the encoder gives vectors of words in a sentence, else 0. `cosine_alone` appears if vectors
  depend on other texts: it is the cosine of a text with itself, encoded alone.
- Items, one row per comparison, are in Parquet files. [items.csv](items.csv) explains their columns.
- A score without a source was defined by this project.
- `{{…}}` in a key stands for one of several values. More than one measure uses these:
"""

_GLOSSARY = """# Glossary

The words of tables, pages and pictures. `make docs` writes this page; `harness-ext explain TERM` prints the same in the
terminal, and `harness-ext explain KEY` explains the key of a score ([all keys](measures.md)).
"""

_HEADINGS = re.compile(r"^```.*?^```$|^\|[^\n]*(?=\n\| ---)", re.DOTALL | re.MULTILINE)
"""The headings of a table in Markdown; or a block of code, whose tables are none."""

_LINK_OR_CODE = re.compile(r"(\[[^]]*\]\([^)]*\)|`[^`]*`)")

_LINE = 120
"""The characters of a line of a page."""

_SAID_ONCE = {"n_excluded_zero_vector", "span_level"}
"""Keys of many measures, which the head of the page explains."""


def pages(docs: Path) -> Iterator[tuple[Path, str]]:
    """Yield each page in the folder `docs`, and what it should be."""
    made = dict(_made(docs))
    for page in sorted(docs.glob("*.md")):
        text = made.get(page) or page.read_text(encoding="utf-8")
        made[page] = with_links(text)
    yield from made.items()


def with_links(
    markdown: str,
    glossary: str = "glossary.md",
) -> str:
    """Link the words of the headings of tables to the glossary, which is at the address from the
    page. Code, and what is a link already, stay as they are.
    """

    def linked(found: re.Match[str]) -> str:
        if found[0].startswith("```"):
            return found[0]
        parts = _LINK_OR_CODE.split(found[0])
        return "".join(_with_links(part, glossary) for part in parts)

    return _HEADINGS.sub(linked, markdown)


def _with_links(text: str, glossary: str) -> str:
    """Link the words of a text of headings, unless it is a link or code."""
    if _LINK_OR_CODE.fullmatch(text):
        return text
    parts = []
    for words, term in parts_of_heading(text):
        parts.append(f"[{words}]({glossary}#{anchor(term)})" if term else words)
    return "".join(parts)


def _made(docs: Path) -> Iterator[tuple[Path, str]]:
    """Yield each page that is made from the code, and what it says."""
    yield docs / "api.md", api_page()
    yield docs / "commands.md", commands_page()
    yield docs / "measures.md", measures_page()
    yield docs / "glossary.md", glossary_page()
    yield docs / "items.csv", items_table()
    poolings = tuple((f"`{name}`", pooling.vector) for name, pooling in POOLINGS.items())
    for name, tables in {
        "tasks.md": {"tasks": full_tasks_table()},
        "datasets.md": {"datasets": datasets_table()},
        "validity.md": {"controls": controls_table()},
        "compare.md": {"designs": designs_table(docs)},
        "models.md": {"poolings": Listing(("pooling", "vector of a text"), poolings)},
        "paper_models.md": {
            "code": Listing(("task", "authors' code"), tuple(AUTHORS_CODE.items())),
            **{paper: models_table(paper) for paper in PAPER_MODELS},
            **{
                f"{paper} says": Listing(("the paper says", "here"), said)
                for paper, said in PAPER_SAYS.items()
            },
        },
    }.items():
        text = (docs / name).read_text(encoding="utf-8")
        for mark, table in tables.items():
            in_bold = table.markdown().replace(r"\*\*", "**")
            text = write_between(text, mark, in_bold)
        yield docs / name, text


def designs_table(docs: Path) -> Listing:
    """What rows of each task share, and how often intervals hold the truth with it as the unit;
    docs/designs.csv has more columns. The unit of today is in bold.
    """
    rows: list[tuple[str, ...]] = []
    lines = (docs / "designs.csv").read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(lines):
        is_unit = row["is_unit"] == "True"
        factor = f"**{row['factor']}**" if is_unit else row["factor"]
        data = f"{row['task']}, {row['subset']}"
        figures = (row["values"], row["icc_cosines"], row["coverage"])
        rows.append((data, factor, *figures))
    header = ("data", "factor", "values", "correlation", "coverage")
    return Listing(header, tuple(rows))


def write_between(markdown: str, name: str, text: str) -> str:
    """Put the text of a page between the marks `<!-- NAME -->` and `<!-- end -->`.

    Raises:
        ValueError: The page lacks a mark.
    """
    before, mark, rest = markdown.partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not (mark and end):
        raise ValueError(
            f"no place for the text of {name}: <!-- {name} --> ... <!-- end -->, each on its own "
            "line"
        )
    return f"{before}{mark}{text}\n{end}{after}"


def glossary_page() -> str:
    """What `harness-ext explain terms` explains, a heading for each term, so that pages can link to
    it.
    """
    lines = [_GLOSSARY]
    for term, text in TERMS.items():
        heading = f"{term[0].upper()}{term[1:]}"
        lines += [f"## {heading}", "", fill(text, _LINE), ""]
    lines += ["## Categories of tasks", ""]
    for category, tasks in categories().items():
        names = ", ".join(task.name for task in tasks if not task.quick)
        lines.append(fill(f"- **{category}**: {names}", _LINE, subsequent_indent="  "))
    return "\n".join([*lines, ""])


def full_tasks_table() -> Listing:
    """The tasks without their small versions, which ask the same."""
    table = tasks_table()
    rows = [row for row in table.rows if not ENCODER_TASKS[row[0]].quick]
    return replace(table, rows=tuple(rows))


def controls_table() -> Listing:
    """The main scores of control encoders on the full tasks, marked where the 95 % interval is
    above chance, the best of each row in bold.

    Of tasks with English data, that alone.
    """
    rows: dict[tuple[str, str], dict[str, str]] = {}
    values: dict[tuple[str, str], dict[str, float]] = {}
    for shipped in csv.DictReader(FILE.read_text(encoding="utf-8").splitlines()):
        task = ENCODER_TASKS[shipped["task"]]
        subset = shipped["subset"]
        languages = task.languages.items()
        english = [name for name, codes in languages if "eng-Latn" in codes]
        if task.quick or UNVERIFIED in shipped["dataset"] or (english and subset not in english):
            continue
        chance = task.measure.main_declaration.chance
        place = (task.name, data_name(subset, shipped["split"]))
        known = rows.setdefault(place, {})
        known["chance"] = formatted(chance)
        control = control_label(shipped["model"])
        value = float(shipped["value"])
        values.setdefault(place, {})[control] = value
        is_above_chance = float(shipped["low"]) > chance
        mark = " ▲" if is_above_chance else ""
        known[control] = f"{formatted(value)}{mark}"
    for place, values_of_place in values.items():
        best = max(values_of_place.values())
        for control, value in values_of_place.items():
            if value == best:
                cell = rows[place][control]
                rows[place][control] = f"**{cell}**"
    columns = ("chance", *map(control_label, REFERENCE_MODELS))
    lines: list[tuple[str, ...]] = []
    for place, known in sorted(rows.items()):
        cells = [known.get(column, "") for column in columns]
        lines.append((*place, *cells))
    return Listing(("task", "data", *columns), tuple(lines))


def models_table(paper: str) -> Listing:
    """The models of a paper: the paper's label with a remark, the name that runs, and the paper's
    only language, if any has one.
    """
    models = PAPER_MODELS[paper]
    has_languages = any(model.language for model in models)
    header = ("model", "name", "language") if has_languages else ("model", "name")
    rows = []
    for model in models:
        label = f"{model.label} ({model.remark})" if model.remark else model.label
        row = (label, f"`{model.name}`", model.language or "")
        rows.append(row[: len(header)])
    return Listing(header, tuple(rows))


def commands_page() -> str:
    """Write every command of `harness-ext` from its own help, as typer does."""
    command = typer.main.get_command(app)
    _in_whole_sentences(command)
    context = typer.Context(command, info_name="harness-ext")
    text = get_docs_for_click(obj=command, ctx=context, name="harness-ext", title=" ")
    for of_every_command in (
        r"\* `--(help|format <table).*\n",
        r"\*\*Usage\*\*:\n\n```console\n.*\n```\n\n",
    ):
        text = re.sub(of_every_command, "", text)
    return _COMMANDS + re.sub(r"\*\*Options\*\*:\n\n(?=\n|\*\*|#|$)", "", text.lstrip("# \n"))


def _in_whole_sentences(command: Any) -> None:
    """Let lists of commands have the first paragraph of the help, which is cut to 45 letters
    elsewhere.
    """
    for subcommand in getattr(command, "commands", {}).values():
        first_paragraph, _, _ = subcommand.help.partition("\n\n")
        subcommand.short_help = " ".join(first_paragraph.split())
        _in_whole_sentences(subcommand)


def api_page() -> str:
    """Write what `harness_ext.__all__` names from its docstrings."""
    sections = []
    for name, module in harness_ext._PUBLIC.items():
        loader = griffe.GriffeLoader(docstring_parser="google")
        documented = loader.load(module)[name]
        text = griffe2md.render_object_docs(
            documented,
            config={
                "docstring_style": "google",
                "heading_level": 2,
                "show_signature_annotations": True,
            },
        )
        _, _, below_heading = text.partition("\n")
        body = below_heading.replace(f"`{module}.", "`")
        unlinked = re.sub(r"\[([^][]*(?:\[[^][]*\])?[^][]*)\]\(#[\w.]+\)", r"\1", body)
        code = re.sub(r"<code>(.*?)</code>", r"`\1`", unlinked)
        without_attributes = re.sub(
            r"### `[\w.]+`\n\n```python\n(?!\S+\().*\n```\n+(?=###|$)", "", code + "\n"
        )
        # each has a section below
        without_lists = re.sub(r"\*\*Functions:\*\*\n\n(- .*\n)+", "", without_attributes)
        one_blank_line = re.sub(r"\n{3,}", "\n\n", without_lists).strip()
        sections.append(f"## `harness_ext.{name}`\n\n{one_blank_line}\n")
    return "\n".join([_API, *sections])


def measures_page() -> str:
    """Write every key of a result file from its declaration."""
    measures = measures_of()
    shared = _axes_of_several([measure for _, measure in measures])
    lines = [_SCORES]
    for axis in shared:
        lines.append(f"  - {_axis_line([axis])}")
    lines += ["", "Short names of sources:", ""]
    for short, paper in PAPERS.items():
        lines.append(f"- **{short}** {paper}")
    for names, measure in measures:
        lines += ["", f"## {', '.join(names)}", "", *_measure_lines(measure, shared)]
    return "\n".join(lines) + "\n"


def items_table() -> str:
    """Write the columns of the items of each measure."""
    records: list[dict[str, str]] = []
    for _, measure in measures_of():
        for table, kind in measure.items.table_types().items():
            place = {"measure": measure.name, "table": table}
            for column, (_, _, description) in kind.columns().items():
                records.append({**place, "column": column, "meaning": description})
    return csv_text(records, list(records[0]))


def _axes_of_several(measures: list[Measure[Any]]) -> list[Axis]:
    """The axes that more than one measure has."""
    axes: list[Axis] = []
    for measure in measures:
        axes += _axes(measure)
    several: list[Axis] = []
    for axis in axes:
        if axes.count(axis) > 1 and axis not in several:
            several.append(axis)
    return several


def _axes(measure: Measure[Any]) -> list[Axis]:
    by_name: dict[str, Axis] = {}
    for score in measure.declared_scores:
        by_name |= {axis.name: axis for axis in score.axes}
    return list(by_name.values())


def _axis_line(axes: list[Axis]) -> str:
    """Explain the values of axes that share them."""
    names = ", ".join(f"`{{{axis.name}}}`" for axis in axes)
    values = axes[0].values.items()
    meanings = "; ".join(f"`{value}` {meaning}" for value, meaning in values)
    return f"{names}: {meanings}."


def _measure_lines(measure: Measure[Any], shared: list[Axis]) -> Iterator[str]:
    smallest = formatted(measure.main_declaration.smallest_effect)
    ours = ", no measure of the paper" if measure.main_is_ours else ""
    argued = f"; the paper argues for `{measure.headline}`" if measure.headline else ""
    yield f"*{measure.wording().question}*"
    yield ""
    yield (
        f"Main score: `{measure.main}`{ours}{argued}. Smallest effect of interest: {smallest}. "
        f"Unit: {measure.unit}."
    )
    yield f"Measure: `{measure.name}`, version {measure.version}."
    yield ""
    if measure.exploratory:
        yield f"Exploratory: no overall place counts it. {measure.exploratory}"
        yield ""
    yield "| key | computed as | about | source |"
    yield "| --- | --- | --- | --- |"
    counts = []
    for score in measure.declared_scores:
        if score.key in _SAID_ONCE:
            continue
        if score.key.startswith("n_"):
            counts.append(f"`{score.key}` {score.formula}")
            continue
        source = "" if score.source == "this project" else score.source
        cells = (
            f"`{score.key}`",
            f"{score.title}: {score.formula}",
            ", ".join(_facts(score)),
            source,
        )
        yield "| " + " | ".join(map(_cell, cells)) + " |"
    if counts:
        yield ""
        yield "Counts: " + "; ".join(counts) + "."
    same: dict[tuple[tuple[str, str], ...], list[Axis]] = {}
    for axis in _axes(measure):
        if axis not in shared:
            values = tuple(axis.values.items())
            same.setdefault(values, []).append(axis)
    for axes in same.values():
        yield ""
        yield _axis_line(axes)


def _facts(score: Score) -> Iterator[str]:
    """What is known about a score: its range, direction, chance and ceiling, and an interval."""
    yield range_of(score).replace(" to ", "…")
    if score.better != "neither":
        yield score.better
    if score.chance is not None:
        yield f"chance {score.chance:g}"
    if score.ceiling is not None:
        yield f"people {score.ceiling:g}"
    if score.interval:
        yield "interval"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    for path, text in pages(Path(__file__).parent):
        path.write_text(text, encoding="utf-8")
        print(path.name)
