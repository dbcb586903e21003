"""Scores by layer: a table for each model and task with results of single layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness_ext.model_name import ModelName
from harness_ext.results.entry import Entry
from harness_ext.show.listing import Listing
from harness_ext.show.model_labels import revision_label
from harness_ext.show.result_tables import OWN_WORDS, main_cell, own_words
from harness_ext.show.verdict import verdict


def layer_of(model: str) -> tuple[str, int] | None:
    """Split the name of a single layer into model and layer; None for any other model.

    Examples:
        >>> layer_of("a/b (layer=6)"), layer_of("a/b (pooling=cls, layer=6)"), layer_of("a/b (pooling=cls)")
        (('a/b', 6), ('a/b (pooling=cls)', 6), None)
    """
    name = ModelName.parse(model)
    layer = name.options.get("layer")
    return None if layer is None else (str(name.but(layer=None)), int(layer))


def profiles(entries: Iterable[Entry]) -> dict[tuple[str, str, str, str], dict[int, Entry]]:
    """Model, revision, task and data -> layer -> entry, for entries of single layers."""
    found: dict[tuple[str, str, str, str], dict[int, Entry]] = {}
    for entry in entries:
        if (named := layer_of(entry.model)) is not None:
            model, layer = named
            found.setdefault((model, entry.revision, entry.task, entry.data), {})[layer] = entry
    return {place: dict(sorted(layers.items())) for place, layers in found.items()}


def layer_tables(entries: Sequence[Entry]) -> Iterator[Listing]:
    """List the main score, own words and gain of each layer: a table per model, task and data.

    Args:
        entries: In the order of `load_results`; entries of whole models are left out.
    """
    found = profiles(entries)
    for (model, revision, task, data), layers in found.items():
        revisions = {place[1] for place in found if place[0] == model}
        rows = tuple(
            (str(layer), main_cell(entry, True), *own_words(entry), verdict(entry)) for layer, entry in layers.items()
        )
        main = next(iter(layers.values())).measure.main
        title = f"{task}, {data}: {model}{revision_label(revision, revisions)}"
        yield Listing(("layer", f"{main} [95 %]", *OWN_WORDS, "in words"), rows, title)
