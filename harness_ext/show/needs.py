"""What measures need of a user's own rows, as tables and as a file to begin with."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from harness_ext.common.files import whole_file
from harness_ext.measures.core.measure import EncoderMeasure
from harness_ext.own_data.fields import Field, columns_of
from harness_ext.own_data.fitting_measure import examples, smallest_gain
from harness_ext.own_data.table import OwnDataError
from harness_ext.show.listing import Listing

_UNITS = (10, 60, 300)
"""The numbers of units for which the smallest gain is shown."""


def measures_listing(measures: Iterable[EncoderMeasure[Any]]) -> Listing:
    """The measures, the columns each needs, and the smallest gain that 10, 60 and 300 units
    show.
    """
    rows: list[tuple[str, ...]] = []
    for measure in measures:
        columns = [*filter(None, map(_name_if_needed, columns_of(measure)))]
        gains = [f"{smallest_gain(measure, units):.2f}" for units in _UNITS]
        rows.append(
            (
                measure.name,
                ", ".join(columns),
                measure.unit,
                ", ".join(gains),
                measure.wording().question,
            )
        )
    header = (
        "measure",
        "columns",
        "unit",
        f"smallest gain of {', '.join(map(str, _UNITS))} units",
        "question",
    )
    note = (
        "harness-ext needs MEASURE explains the columns; --template FILE writes a file to begin "
        "with."
    )
    return Listing(
        header,
        tuple(rows),
        note=note,
        labels=3,
        prose=1,
    )


def fields_listing(measure: EncoderMeasure[Any]) -> Listing:
    """The columns that a measure needs, with an example."""
    (example, *_) = examples(measure, 1)
    rows: list[tuple[str, ...]] = []
    for field in columns_of(measure):
        cell = example.get(field.name, field.example)
        rows.append((field.name, field.meaning, _needed(field), cell))
    gains = ", ".join(f"{units} show {smallest_gain(measure, units):.2f}" for units in _UNITS)
    over = "the encoder's additive baseline" if measure.additive else "chance"
    note = (
        f"At least {measure.fewest_units} units ({measure.unit}) are needed. The smallest gain "
        f"over {over} that they show: {gains}."
    )
    return Listing(
        ("column", "what", "needed", "example"),
        tuple(rows),
        title=f"{measure.name}: {measure.wording().question}",
        note=note,
        labels=2,
        prose=2,
    )


def _name_if_needed(field: Field) -> str:
    """The name of a field that a row must have, or another in its place; empty if it need not."""
    either = field.either
    if either:
        return f"{field.name} or {either.other}"
    return field.name if field.is_needed else ""


def check_new_file(file: Path) -> None:
    """Refuse a file that `write_rows` would not write.

    Raises:
        FileExistsError: There is such a file.
        OwnDataError: It is neither a CSV file nor a workbook, by its name.
    """
    if file.suffix.lower() not in {".csv", ".xlsx"}:
        raise OwnDataError(f"{file}: a name that ends with .csv or .xlsx expected.")
    if file.exists():
        raise FileExistsError(f"{file} is there already, and stays as it is. Give another name.")


def _needed(field: Field) -> str:
    """Whether a file needs a column, or what is taken without it."""
    if field.otherwise:
        return f"else {field.otherwise.says}"
    either = field.either
    if either:
        return f"or {either.other}"
    return "yes" if field.is_needed else "may be left out"


def write_rows(
    rows: Sequence[Mapping[str, str]],
    file: Path,
) -> None:
    """Write cells of a table as a CSV file or a workbook, texts as they are. Raises what
    `check_new_file` does.
    """
    import pandas  # takes half a second

    check_new_file(file)
    table = pandas.DataFrame([*rows])
    with whole_file(file) as partial:
        if file.suffix.lower() == ".csv":
            table.to_csv(partial, index=False)
            return
        with pandas.ExcelWriter(partial, engine="openpyxl") as writer:
            table.to_excel(writer, index=False)
            for row in writer.book.active.iter_rows():
                for cell in row:
                    if cell.data_type == "f":
                        cell.data_type = "s"  # no formula, though it begins with =
