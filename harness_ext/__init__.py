"""Compositionality measures for text encoders, as an extension of mteb, datasets and lm-eval.

Importing this package makes `mteb`, `datasets` and `lm_eval` know the tasks, benchmarks and
datasets it brings, now if they are already imported, otherwise as soon as they are. It imports
nothing heavy itself: every Python of the environment imports it at start-up, through
`harness_ext_autoload.pth`. What `__all__` names is loaded on first use.
"""

import os

from harness_ext import _autoload

TYPE_CHECKING = False  # as typing's, which would cost start-up time
if TYPE_CHECKING:
    from harness_ext.deciding import safe_to_merge as safe_to_merge
    from harness_ext.measures.merging.decision import MergeDecision as MergeDecision
    from harness_ext.measuring import Measured as Measured
    from harness_ext.measuring import measure as measure
    from harness_ext.results.compare import Comparisons as Comparisons
    from harness_ext.results.compare import compare as compare
    from harness_ext.results.entry import Entry as Entry
    from harness_ext.results.entry import Results as Results
    from harness_ext.results.load import load_results as load_results
    from harness_ext.results.load import read_result as read_result
    from harness_ext.show.figures.main_scores import plot as plot
    from harness_ext.training.evaluator import (
        CompositionalityEvaluator as CompositionalityEvaluator,
    )

__version__ = "1.1.0"

_PUBLIC = {
    "measure": "harness_ext.measuring",
    "Measured": "harness_ext.measuring",
    "safe_to_merge": "harness_ext.deciding",
    "MergeDecision": "harness_ext.measures.merging.decision",
    "CompositionalityEvaluator": "harness_ext.training.evaluator",
    "compare": "harness_ext.results.compare",
    "load_results": "harness_ext.results.load",
    "plot": "harness_ext.show.figures.main_scores",
    "read_result": "harness_ext.results.load",
    "Results": "harness_ext.results.entry",
    "Entry": "harness_ext.results.entry",
    "Comparisons": "harness_ext.results.compare",
}

__all__ = sorted(_PUBLIC)  # for type checkers the imports above are public

# In a wheel, tasks/ and datasets_scripts/ are inside this package; in a checkout they stand beside
# it.
if not os.path.isdir(os.path.join(__path__[0], "tasks")):  # noqa: PTH112, PTH118 - pathlib costs start-up time
    __path__.append(os.path.dirname(__path__[0]))  # noqa: PTH120

_autoload.install()


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


if not TYPE_CHECKING:  # else every misspelt name would be an object to a type checker

    def __getattr__(name: str) -> object:
        module = _PUBLIC.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        from harness_ext.common.random_states import random_states_kept

        with random_states_kept():  # the import of mteb seeds everything
            return getattr(import_module(module), name)
