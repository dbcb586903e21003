"""What a paper shows of its own measures.

The measures stand in `measures/NAME/`, and what is shown of them alone in `show/papers/NAME.py`, a
module with a `PAPER`. It is looked up here, by the package of a measure, and imported when it is
first needed. What a paper does not have of its own is shown as of any measure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from harness_ext.measures.core.measure import Measure


@dataclass(frozen=True)
class Paper:
    """What a paper shows of its own.

    Attributes:
        figures: Measure's name -> what draws its figures, from the panels of all models, subsets
            and splits.
        name: The paper's, in front of its interpretation.
        interpretation: The scores of a model -> what the paper calls such a model; empty if it
            cannot be said.
        caution: What to know of the interpretation, wherever it stands.
        in_text: Model -> what the text of the paper calls it, where its own rule gives another
            name.
    """

    figures: Mapping[str, Callable[[Sequence[Any]], Iterator[Any]]] = field(default_factory=dict)
    name: str = ""
    interpretation: Callable[[Mapping[str, float]], str] = lambda scores: ""
    caution: str = ""
    in_text: Mapping[str, str] = field(default_factory=dict)


def paper_of(measure: Measure[Any]) -> Paper:
    """Look up what its paper shows of a measure."""
    return _paper(measure.package.rpartition(".")[2])


@cache  # one for each package of measures
def _paper(name: str) -> Paper:
    module = f"{__package__}.papers.{name}"
    return import_module(module).PAPER if name and find_spec(module) else Paper()
