"""Writes the pages of a report, in their order."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from tqdm import tqdm

from harness_ext.common.names import file_name
from harness_ext.results.compare import Comparison, ComparisonError, compare, holm
from harness_ext.results.entry import Entry, Results, by_data
from harness_ext.show.comparison_tables import conclusion, matrix, pairs
from harness_ext.show.figures import Figure, figures_of, layer_curves
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import model_labels
from harness_ext.show.report.pages import Viewed, first_page, task_page, unit_page, views_of
from harness_ext.show.static_site import Site, check_is_ours, cut
from harness_ext.show.terms import TERMS
from harness_ext.store.item_files import ItemsError


@dataclass
class _Task:
    """The content of a task's pages.

    Attributes:
        entries: All entries of the task.
        without_items: Entry -> the reason why its items cannot be read.
        figures: The pictures.
        views: The units of each entry with items.
        not_made: A message for each picture or page that could not be made.
    """

    entries: list[Entry]
    without_items: dict[Entry, str] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)
    views: list[Viewed] = field(default_factory=list)
    not_made: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The task's name."""
        return self.entries[0].task

    @property
    def usable(self) -> list[Entry]:
        """The entries with items."""
        return [entry for entry in self.entries if entry not in self.without_items]

    def prepare(
        self,
        names: Mapping[Entry, str],
        *,
        sentences: bool,
    ) -> None:
        """Read the items, draw the pictures and view the units; what cannot be made is noted."""
        for entry in self.entries:
            try:
                entry.items()
            except ItemsError as error:
                self.without_items[entry] = str(error)
        with self._noting("pictures"):
            self.figures += figures_of(self.usable)
        with self._noting("single examples"):
            self.views += views_of(
                self.usable,
                names,
                sentences=sentences,
            )

    @contextmanager
    def _noting(self, what: str) -> Iterator[None]:
        try:
            yield
        # of items that a picture or page has no place for
        except (KeyError, ValueError, IndexError) as error:
            self.not_made.append(f"{self.name}: its {what}: {error!r}")


def write_report(
    results: Results, folder: Path, *, sentences: bool = True, force: bool = False
) -> list[str]:
    """Write a report on results into a folder: `index.html` is its first page.

    Args:
        results: The results, from `load_results`.
        folder: The folder; made if missing. Pages of an earlier report are replaced.
        sentences: Whether to show sentences of the available datasets.
        force: Whether to write into the folder even if it has files of others.

    Returns:
        A message for each thing left out of the report.

    Raises:
        MissingExtraError: A package is missing.
        ReportError: The folder cannot be written to or has files of others.
    """
    if not force:
        check_is_ours(folder)
    site = Site(folder)
    # cut names of any length once, or pictures would hold them many times
    entries = [replace(entry, model=cut(entry.model)) for entry in results.entries]
    labels = model_labels(entries)
    names = {entry: labels[entry.model, entry.revision] for entry in entries}
    tasks = [_Task([*same]) for _, same in groupby(entries, key=attrgetter("task"))]
    for task in tqdm(
        tasks,
        desc="Pictures",
        unit="task",
        disable=None,
    ):
        task.prepare(names, sentences=sentences)
    problems = _problems(results, tasks)
    left_out = [*chain(*problems.values())]
    has_comparison = len(set(names.values())) > 1
    pages = {"index.html": "Overview", "glossary.html": "Glossary"}
    if has_comparison:
        pages["compare.html"] = "Comparison"
    if left_out:
        pages["problems.html"] = "Left out"
    task_pages = {f"{file_name(task.name)}.html": task.name for task in tasks}
    site.share(navigation={"Pages": pages, "Tasks": task_pages})
    curves = layer_curves(entries)
    first_page(
        site,
        entries,
        names,
        [curves] if curves else [],
        len(left_out),
    )
    site.write("glossary.html", "glossary.html", terms=TERMS)
    if has_comparison:
        site.write("compare.html", "compare.html", **_comparisons(_usable(tasks)))
    if left_out:
        site.write("problems.html", "problems.html", problems=problems)
    for task in tasks:
        reasons = [*task.without_items.values()]
        task_page(
            site,
            task.entries,
            names,
            task.figures,
            task.views,
            reasons,
        )
        for viewed in task.views:
            unit_page(site, task.name, viewed)
    return left_out


def _problems(
    results: Results,
    tasks: Sequence[_Task],
) -> dict[str, list[str]]:
    """What is left out of a report: heading -> messages."""
    reasons: dict[str, None] = {}
    not_made: list[str] = []
    for task in tasks:
        reasons |= dict.fromkeys(task.without_items.values())
        not_made += task.not_made
    return {
        "Damaged files": list(results.problems),
        "Results without items: only their scores are shown": [*reasons],
        "Pictures and pages that could not be made": not_made,
    }


def _usable(tasks: Sequence[_Task]) -> list[Entry]:
    """The entries with items of all tasks."""
    entries: list[Entry] = []
    for task in tasks:
        entries += task.usable
    return entries


def _comparisons(entries: Sequence[Entry]) -> dict[str, Any]:
    """Compare all models: tables, a conclusion, and the reasons why some results cannot be
    compared.
    """
    found: list[Comparison] = []
    comparable: list[Entry] = []
    problems: list[str] = []
    for group in by_data(entries):
        try:
            found += compare(group)
            comparable += group
        except ComparisonError as error:
            problems.append(str(error))
    comparisons = holm(found)
    sentence = "No two models were measured on the same data."
    listings: list[Listing] = []
    if comparisons:
        sentence = conclusion(comparisons)
        if len({(entry.model, entry.revision) for entry in comparable}) > 2:
            listings += matrix(comparable, comparisons)
        listings.append(pairs(comparisons))
    for number, listing in enumerate(listings):
        if listing.note == sentence:
            listings[number] = replace(listing, note="")
    return {"listings": listings, "problems": problems, "conclusion": sentence}
