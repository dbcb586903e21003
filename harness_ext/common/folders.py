"""The folders of the package that hold its datasets and its tasks for lm-eval."""

from importlib.util import find_spec
from pathlib import Path


def _folder(package: str) -> Path:
    """The folder of a package, which is not imported: in a wheel inside this one, in a checkout
    beside it.
    """
    spec = find_spec(package)
    assert spec is not None and spec.origin is not None, package
    return Path(spec.origin).parent


def _names_of_datasets() -> tuple[str, ...]:
    names: list[str] = []
    for folder in _folder("harness_ext.datasets_scripts").glob("*"):
        if (folder / f"{folder.name}.py").is_file():
            names.append(folder.name)
    return tuple(sorted(names))


DATASETS = _names_of_datasets()
"""Every dataset of this project, by the name under which `load_dataset` knows it: the folders with
a builder.
"""


def lm_eval_tasks() -> Path:
    """The folder of the tasks for lm-eval: the argument of `--include_path`.

    Raises:
        FileNotFoundError: The installation lacks it.
    """
    folder = _folder("harness_ext.tasks") / "lm_eval"
    if not folder.is_dir():
        raise FileNotFoundError(
            f"{folder}: the tasks for lm-eval are not there. Install the package again."
        )
    return folder
