"""TEMPORARY: measures declared in the old way, as classes of the new one."""

from __future__ import annotations

from dataclasses import fields as fields_of
from typing import Any

from harness_ext.measures.core import measure as new
from harness_ext.measures.core.fill import fill as plain_fill
from harness_ext.measures.core.scores import number
from harness_ext.measures.core.scores import score as new_score
from harness_ext.measures.core.wording import Wording

FEWEST_UNITS, Rows, RowError = new.FEWEST_UNITS, new.Rows, new.RowError


def _method(name, declared):
    names = [axis.name for axis in declared.axes]

    def method(self, items, *values):
        function = declared.compute or declared.value
        return function(items, dict(zip(names, values, strict=True)))

    method.__name__ = name
    given = dict(
        key=declared.key or name,
        title=declared.title.replace("{", "{{"),
        formula=declared.formula,
        range=declared.range,
        better=declared.direction,
        chance=declared.chance,
        source=declared.source,
        axes=declared.axes,
        interval=declared.interval,
        not_in_interval=declared.not_in_interval,
        ceiling=declared.ceiling,
        smallest_effect=declared.smallest_effect,
    )
    return (new_score if declared.compute else number)(**given)(method)


def Measure(
    *,
    name,
    scores,
    plan=None,
    fill=plain_fill,
    wording=Wording(),
    view=None,
    closer_look=None,
    needs=None,
    learned=None,
    made_of=None,
    examples=(),
    **fields,
) -> Any:
    base = new.Measure if plan is None else new.EncoderMeasure
    body: dict[str, Any] = {"name": name, "question": wording.question, "wording": lambda self: wording, **fields}
    if plan is not None:
        body |= {
            "row": needs,
            "examples": examples,
            "plan": lambda self, rows, split="": plan(rows, split),
        }
        if fill is not plain_fill:
            body["fill"] = lambda self, plan_, encode: fill(plan_, encode)
    if plan is None:
        body.pop("labels", None), body.pop("symmetric", None)
    if view:
        body["view"] = lambda self, items: view(items)
    if closer_look:
        body["closer_look"] = lambda self: closer_look
    if learned:
        body["learned"] = lambda self, row: learned(row)
    if made_of:
        body |= {"line": made_of[0], "rows_of": lambda self, lines, file: made_of[1](lines, file)}
    methods = {one.name: _method(one.name, getattr(scores, one.name)) for one in fields_of(scores)}
    clash = [name for name in methods if hasattr(base, name)]
    methods = {f"old_{name}" if name in clash else name: method for name, method in methods.items()}
    return type(name, (base,), {**body, **methods})()
