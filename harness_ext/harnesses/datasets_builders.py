"""Wraps `datasets.load.dataset_module_factory`: `load_dataset("ncimp")` finds our builders.

`datasets` has no extension point for a name, and since version 4 it refuses every script.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness_ext.common.folders import DATASETS
from harness_ext.common.revisions import PINNED
from harness_ext.common.wraps import is_used, wrap

logger = logging.getLogger(__name__)


def register() -> None:
    """Make `load_dataset(name)` find the builders of this project, also where `datasets` refuses
    scripts.

    A local folder of that name with the user's own data comes first, as always, unless a revision
    is given. The tasks give a revision, so they are never measured on other rows.
    """
    for module in ("load", "inspect"):
        wrap(f"datasets.{module}:dataset_module_factory", _finding_ours)


def _finding_ours(find: Callable[..., Any]) -> Callable[..., Any]:
    import datasets.load

    def dataset_module_factory(
        path: str,
        revision: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        if path not in DATASETS:
            try:
                return find(path, revision, *args, **kwargs)
            except RuntimeError as error:  # of datasets 4 and later, for the folder of a script
                name = Path(path).stem
                if name in DATASETS:
                    raise RuntimeError(
                        f"{error}. Its name alone will do: load_dataset({name!r})."
                    ) from None
                raise
        if revision is None and Path(path).is_dir() and not Path(path, f"{path}.py").is_file():
            logger.warning(
                "%r is your own folder %s, not the dataset of compositionality-harness. For that "
                "one, pass "
                "revision=%r or load from elsewhere.",
                path,
                Path(path).absolute(),
                PINNED,
            )
            return find(path, revision, *args, **kwargs)
        is_used()
        # No hash: the builder computes its own, see PinnedBuilder.
        return datasets.load.DatasetModule(
            f"harness_ext.datasets_scripts.{path}.{path}", "", {"dataset_name": path}
        )

    return dataset_module_factory
