"""Writes the pages of a report, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from harness_ext.results.compare import Comparison, ComparisonError, compare, holm
from harness_ext.results.entry import Entry, Results, kept
from harness_ext.results.relate import TooFewModelsError, relate
from harness_ext.show.comparison_tables import conclusion, matrix, pairs
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.relation_table import relation_table
from harness_ext.show.report.compound_pages import CompoundPages
from harness_ext.show.report.first_page import first_page
from harness_ext.show.report.pictures import unchecked
from harness_ext.show.report.task_page import task_page
from harness_ext.show.report.units import Viewed, unit_page, viewed
from harness_ext.show.static_site import Site, check_is_ours, shown
from harness_ext.store.item_files import ItemsError

if TYPE_CHECKING:
    from harness_ext.show.figures import Figure, FigureFormat


@dataclass(frozen=True)
class Link:
    """A link of the navigation."""

    page: str
    title: str


def write_report(
    results: Results,
    folder: Path,
    *,
    sentences: bool = True,
    figures: FigureFormat | None = None,
    force: bool = False,
) -> list[str]:
    """Write a report on results into a folder: `index.html` is its first page.

    Args:
        results: The results, from `load_results`.
        folder: The folder; made if missing. Pages of an earlier report are replaced.
        sentences: Whether to show sentences of the available datasets.
        figures: A format to write every picture in, with its caption, into the subfolder `figures`.
        force: Whether to write into the folder even if it has files of others.

    Returns:
        A message for each thing left out of the report.

    Raises:
        ReportError: A package is missing, or the folder cannot be written to or has files of others.
    """
    if not force:
        check_is_ours(folder)
    site = Site(folder)
    from harness_ext.show.figures import (
        figures_of,
        gains,
        has_gain,
        layer_curves,
        main_scores,
        save_figures,
        task_scores,
    )

    # cut names of any length once, or pictures would hold them many times
    entries = [kept(entry, model=shown(entry.model)) for entry in results.entries]
    labels = model_labels(entries)
    names = {entry: labels[entry.model, entry.revision] for entry in entries}
    by_task = {task: list(found) for task, found in groupby(entries, key=lambda entry: entry.task)}
    unusable = _without_items(entries)
    usable = {task: [entry for entry in found if entry not in unusable] for task, found in by_task.items()}
    several = len(set(names.values())) > 1
    not_made: list[str] = []
    problems = {
        "Damaged files": list(results.problems),
        "Results without items: only their scores are shown": [*dict.fromkeys(unusable.values())],
        "Pictures and pages that could not be made": not_made,
    }

    pictures: dict[str, list[Figure]] = {}
    views: dict[str, list[Viewed]] = {}
    steps = tqdm(by_task, desc="Pictures", unit="task", disable=None)
    for task in steps:
        steps.set_postfix_str(task)
        pictures[task] = []
        try:
            with unchecked():
                pictures[task].append(task_scores(by_task[task]))
                pictures[task] += figures_of(usable[task])
        except (ItemsError, KeyError, ValueError, IndexError) as error:
            not_made.append(f"{task}: its pictures: {error!r}")
        try:
            views[task] = list(viewed(usable[task], names, sentences=sentences))
        except (ItemsError, KeyError, ValueError, IndexError) as error:
            not_made.append(f"{task}: its single examples: {error!r}")
    compounds = CompoundPages([one for found in views.values() for one in found])
    listed = [text for found in problems.values() for text in found]
    try:
        relations = relate(results.entries)
    except TooFewModelsError:
        relations = []

    pages = {
        "index.html": "Overview",
        **({"compounds.html": "Compounds"} if compounds.pages else {}),
        **({"compare.html": "Comparison"} if several else {}),
        **({"relate.html": "Relations"} if relations else {}),
        **({"problems.html": "Left out"} if listed else {}),
    }
    site.share(
        navigation={
            "Pages": [Link(page, title) for page, title in pages.items()],
            "Tasks": [Link(f"{task}.html", task) for task in by_task],
        }
    )

    with unchecked():
        overview = [main_scores(entries)] if entries else []
        overview += [gains(entries)] if any(map(has_gain, entries)) else []
        overview += [curves] if (curves := layer_curves(entries)) else []
    first_page(site, entries, names, overview, len(listed))
    for task, found in by_task.items():
        about = [text for entry, text in unusable.items() if entry.task == task]
        task_page(site, found, names, pictures[task], views.get(task, []), about)
        for view in views.get(task, []):
            unit_page(site, view, compounds.pages)
    compounds.write(site)
    if several:
        _comparison_page(site, [entry for found in usable.values() for entry in found])
    if relations:
        site.write("relate.html", "relate.html", listing=relation_table(relations))
    if listed:
        site.write("problems.html", "problems.html", problems=problems)
    if figures:
        save_figures(tqdm([*overview, *chain(*pictures.values())], desc="Files"), folder / "figures", figures)
    return listed


def _without_items(entries: Sequence[Entry]) -> dict[Entry, str]:
    """Find entries whose items are missing or damaged, with the reason."""
    found: dict[Entry, str] = {}
    for entry in tqdm(entries, desc="Items", unit="result", disable=None):
        try:
            entry.items()
        except ItemsError as error:
            found[entry] = str(error)
    return found


def _comparison_page(site: Site, entries: list[Entry]) -> None:
    """Write the comparisons, and the reasons why some results cannot be compared."""
    comparisons: list[Comparison] = []
    compared: list[Entry] = []
    problems = []
    for _, same in groupby(entries, key=lambda entry: (entry.task, entry.subset, entry.split)):
        group = list(same)
        try:
            comparisons += compare(group)
            compared += group
        except ComparisonError as error:
            problems.append(str(error))
    comparisons = holm(comparisons)
    listings: list[Listing] = []
    if comparisons:
        if len({(entry.model, entry.revision) for entry in compared}) > 2:
            listings += matrix(compared, comparisons)
        listings.append(pairs(comparisons))
    sentence = conclusion(comparisons) if comparisons else "No two models were measured on the same data."
    listings = [replace(one, note="" if one.note == sentence else one.note) for one in listings]
    site.write("compare.html", "compare.html", listings=listings, problems=problems, conclusion=sentence)
