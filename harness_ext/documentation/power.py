"""A table of the effects that a number of units can show."""

from __future__ import annotations

from harness_ext.names import UnknownNameError, data_name
from harness_ext.results.known_columns import columns_of_measure
from harness_ext.show.listing import Listing
from harness_ext.show.numbers import number
from harness_ext.tasks.task import Task


def power_listing(task: Task, units: int | None = None) -> Listing:
    """The smallest effects that units find in 80 % of all samples, by the errors of the models on the project's board.

    Args:
        task: The task. Of a task that the board has not, the columns of its measure are taken.
        units: How many; by default those that each column has.

    Raises:
        UnknownNameError: The board has no column of its measure.
    """
    known = columns_of_measure(task.measure)
    columns = [column for column in known if column.task == task.name] or known
    if not columns:
        raise UnknownNameError(
            f"{task.name}: this project's board has no models with intervals in the measure {task.measure.name}. A "
            f"rule of thumb: harness-ext needs {task.measure.name}"
        )
    rows = tuple(
        (
            column.task,
            data_name(column.subset, column.split),
            column.key,
            str(units or column.units),
            number(column.smallest(units or column.units)),
            str(column.units_for(column.smallest_effect)),
        )
        for column in columns
    )
    smallest = number(columns[0].smallest_effect)
    header = ("task", "data", "score", "units", "finds", f"units to find {smallest}")
    note = (
        f"A unit is a {task.measure.unit}. Finds: the smallest score above chance, or gain, found in 80 % of all "
        "samples. From the root mean square of the models' standard errors, which differ between models."
    )
    return Listing(header, rows, note=note, labels=3, figures=3)
