"""Tasks on a user's own data, `own/NAME`, and where a folder of results says that their
rows are.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from harness_ext.common.files import whole_file
from harness_ext.common.names import OWN
from harness_ext.own_data.fields import measure_named, split_name
from harness_ext.own_data.rows import UNKNOWN_LANGUAGE, OwnRows, rows_for_measure
from harness_ext.own_data.table import OwnDataError, table_of_files
from harness_ext.tasks import declared_task
from harness_ext.tasks.task import Task

if TYPE_CHECKING:
    from datasets import Dataset
    from mteb.abstasks import AbsTask

    from harness_ext.measures.core.items import Items
    from harness_ext.measures.core.measure import Rows


_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
"""Names that no file of Windows may have."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class OwnTask(Task):
    """A task on a user's own rows."""

    rows: OwnRows

    def load(
        self,
        split: str,
        subset: str,
    ) -> Dataset:
        """The rows, whatever the split."""
        from datasets import Dataset

        return Dataset.from_list(self.rows.complete)

    def planned(self, rows: Rows, split: str) -> Items:
        """The items of rows; those of its own rows were planned when they were checked."""
        return self.rows.planned(rows, split)

    def own_revision(self) -> str:
        """A hash of the rows."""
        return self.rows.revision


def declared(
    name: str,
    rows: OwnRows,
) -> OwnTask:
    """The declaration of a task on own rows, `own/NAME`.

    Raises:
        OwnDataError: Rows do not fit or are too few, or the name is no name of a file.
    """
    name = name.removeprefix(OWN)
    if not re.fullmatch(r"\w[\w.-]*", name) or _RESERVED.fullmatch(name):
        raise OwnDataError(
            f"{name!r} is no name of a task: letters, digits, _ - . expected, and no name that "
            "Windows keeps, such as CON. Give one by --name NAME."
        )
    rows.check()

    fields = {
        **vars(declared_task(f"{OWN}{name}", rows.measure.name)),
        "languages": {"default": (rows.language,)},
        "splits": (split_name(rows.measure),),
    }
    return OwnTask(**fields, rows=rows)


def registered_task(task: Task) -> AbsTask:
    """Make mteb know a declared task on own rows in this process, and return its task."""
    from harness_ext.harnesses.mteb.registration import add_task, task_named

    add_task(task)
    return task_named(task.name)


@dataclass(frozen=True)
class OwnPlace:
    """Where the rows of a task `own/NAME` are. A folder of results keeps it, and no text of the
    rows.

    Attributes:
        files: The files, or the dataset on the Hub.
        columns: Field -> its column, or several, of which each makes a row.
    """

    measure: str
    files: tuple[str, ...]
    columns: Mapping[str, str | Sequence[str]]
    language: str = UNKNOWN_LANGUAGE

    def rows(self) -> OwnRows:
        """Read the rows. Raises what `table_of_files` and `rows_for_measure` do."""
        table = table_of_files(self.files)
        measure = measure_named(self.measure)
        return rows_for_measure(measure, table, self.columns, self.language)

    def write(
        self,
        folder: Path,
        name: str,
    ) -> None:
        """Keep it in a folder of results."""
        file = _file(folder, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        place = replace(self, files=tuple(map(_absolute, self.files)))
        with whole_file(file) as partial:
            partial.write_bytes(_PLACE.dump_json(place, indent=2))


_PLACE = TypeAdapter(OwnPlace)


def _absolute(file: str) -> str:
    """The whole path of a file; the name of a dataset on the Hub as it is."""
    path = Path(file)
    return str(path.absolute()) if path.exists() else file


def _file(
    folder: Path,
    name: str,
) -> Path:
    return folder / OWN / f"{name.removeprefix(OWN)}.json"


def add_own_tasks(
    folder: Path,
    names: Iterable[str],
) -> None:
    """Make mteb know the tasks `own/NAME` of these names in this process.

    Raises:
        OwnDataError: The folder of results does not say where the rows are, or they cannot be had.
    """
    for name in names:
        if name.startswith(OWN):
            rows = place_of(folder, name).rows()
            registered_task(declared(name, rows))


def place_of(
    folder: Path,
    name: str,
) -> OwnPlace:
    """Where the rows of a task `own/NAME` are, whose results are in the folder.

    Raises:
        OwnDataError: The folder does not say; says what to do.
    """
    try:
        return _PLACE.validate_json(_file(folder, name).read_bytes())
    except (OSError, ValidationError) as error:
        raise OwnDataError(
            f"{_file(folder, name)} does not say where the rows of {name} are ({error}). Measure "
            f"it once: harness-ext measure MEASURE FILE -m MODEL --name {name.removeprefix(OWN)} "
            f"--output-folder {folder}"
        ) from None


def measure_models(
    task: Task,
    models: Sequence[str],
    folder: Path,
    batch_size: int,
) -> list[str]:
    """Measure models on a task on own rows as `mteb run` would, and return their names in the
    results.

    Raises:
        UnknownNameError: A model cannot be loaded; says why.
        ValueError: A score is not defined; says why.
    """
    import mteb

    from harness_ext.harnesses.mteb.registration import load_model

    task_of_mteb = registered_task(task)
    cache = mteb.ResultCache(folder)
    names: list[str] = []
    for model in models:
        loaded = load_model(model)
        result = mteb.evaluate(
            loaded, task_of_mteb, cache=cache, encode_kwargs={"batch_size": batch_size}
        )
        names.append(str(result.model_name))
    return names
