"""Montague modifier consistency, on all phrases of the released vocabulary or on the phrases with
one adjective.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness_ext.measures.montague.consistency import MONTAGUE
from harness_ext.tasks.task import MODIFIERS, Task, on_data

if TYPE_CHECKING:
    from datasets import Dataset


class _OneAdjective(Task):
    """The phrases of one adjective and a noun."""

    def load(self, split: str, subset: str) -> Dataset:
        """Leave out the phrases of two adjectives."""
        rows = super().load(split, subset)
        return rows.filter(lambda pattern: pattern == "AN", input_columns="pattern")


_SHARED: dict[str, Any] = {
    "measure": MONTAGUE,
    "category": MODIFIERS,
    "splits": ("test",),
    **on_data("modifier_phrases", "1", "released"),
}

_MONTAGUE = Task(
    name="MontagueConsistency",
    description=(
        "Do the distances between adjective-noun phrases and their words respect set semantics? A "
        "wild dog is a wild thing and a dog, a skilful king is a king, a fake dog is no dog: three "
        "metamorphic tests of intersectivity and subsectivity, on all phrases of 61 adjectives and "
        "12 nouns."
    ),
    **_SHARED,
    telling_keys=("pair_S-I_S-NI", "non_subsective_S-I", "non_subsective_NS-Pr"),
)

TASKS = (
    _MONTAGUE,
    _OneAdjective(
        name="MontagueConsistencyFast",
        description=(
            "MontagueConsistency on the 732 phrases of one adjective and a noun, in seconds. The "
            "main score is the same; what is missing are the phrases of two adjectives."
        ),
        **_SHARED,
        quick=True,
        in_demo=True,
    ),
)
