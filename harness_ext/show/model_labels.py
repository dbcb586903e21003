"""Labels of models in tables, pictures and pages."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from harness_ext.common.names import REFERENCE_MODELS, control_label
from harness_ext.results.entry import Entry

_LONGEST = 60
"""The most characters of a label."""

_SHORT_REVISION = 8
"""The characters of a revision that is cut."""


def revision_label(
    revision: str,
    revisions: Collection[str],
) -> str:
    """Write ` @revision` if a model has several, short if that tells them apart; else nothing.

    Examples:
        >>> revision_label("1", {"1"}), revision_label("0123456789", {"1", "0123456789"})
        ('', ' @01234567')
    """
    if len(revisions) == 1:
        return ""
    shortened_revisions = {other[:_SHORT_REVISION] for other in revisions}
    if len(shortened_revisions) == len(revisions):
        return f" @{revision[:_SHORT_REVISION]}"
    return f" @{revision}"


def named(
    entry: Entry,
    entries: Sequence[Entry],
) -> str:
    """Write the model's whole name, with its revision if there are several."""
    revisions = {other.revision for other in entries if other.model == entry.model}
    return f"{entry.model}{revision_label(entry.revision, revisions)}"


def model_labels(entries: Iterable[Entry]) -> dict[tuple[str, str], str]:
    """Model and revision -> label. Owner and revision are left out unless they tell models apart.

    Examples:
        >>> from types import SimpleNamespace
        >>> models = ("a/base", "b/base")
        >>> one, other = (SimpleNamespace(model=model, revision="1") for model in models)
        >>> model_labels([one]), model_labels([one, other])
        ({('a/base', '1'): 'base'}, {('a/base', '1'): 'a/base', ('b/base', '1'): 'b/base'})
    """
    models = dict.fromkeys((entry.model, entry.revision) for entry in entries)
    revisions: dict[str, set[str]] = {}
    for name, revision in models:
        revisions.setdefault(name, set()).add(revision)
    without_owner = {name: _without_owner(name) for name in revisions}
    taken = Counter(without_owner[name] for name, _ in models)
    labels: dict[tuple[str, str], str] = {}
    for name, revision in models:
        short_name = without_owner[name]
        is_told_apart = taken[short_name] == len(revisions[name])
        label = shortened(short_name if is_told_apart else name)
        label += revision_label(revision, revisions[name])
        while label in labels.values():
            label += "′"
        labels[name, revision] = label
    return labels


def _without_owner(name: str) -> str:
    """A model's name without its owner; what tables call a control encoder."""
    if name in REFERENCE_MODELS:
        return control_label(name)
    return re.sub(r"^[^/ ]*/(?=.)", "", name)


def shortened(text: str) -> str:
    """Cut a name to a readable length."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def listed(names: Sequence[str]) -> str:
    """Join names for a sentence.

    Examples:
        >>> listed(["C", "PC", "NC"])
        'C, PC and NC'
    """
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
