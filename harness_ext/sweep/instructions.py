"""Reads the instructions of a sweep, and makes a loaded model put one before each text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness_ext.sweep.models import SweepError, read_lines

if TYPE_CHECKING:
    from mteb.abstasks import AbsTask

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=+-]{0,39}")
"""A name is part of a folder's name, of pages, and of what a submission to a board is called."""


def read_prompts(path: Path) -> dict[str, str]:
    r"""Read instructions, one per line, each a line of YAML: `NAME: "instruction"`; # begins a note.

    Returns:
        Name -> instruction, as written between the quotes; an empty one is none at all.

    Raises:
        SweepError: The file cannot be read, or has no instruction; a line is of another form; two lines have the same
            name or the same instruction. Names file and line.
    """
    prompts: dict[str, str] = {}
    for line_number, line in enumerate(read_lines(path, "--prompts"), start=1):
        place = f"--prompts {path}, line {line_number}"
        try:
            content = yaml.safe_load(line)
        except yaml.YAMLError:
            content = line
        if content is None:
            continue
        (name, text), *more = content.items() if isinstance(content, dict) and content else [(None, None)]
        text = "" if text is None else text
        if more or not isinstance(name, str) or not isinstance(text, str):
            raise SweepError(
                f'{place}: found {line!r}, expected NAME: "instruction", such as meaning: "Represent the meaning: ".'
            )
        if not _NAME.fullmatch(name):
            raise SweepError(f"{place}: {name!r} is no name. Take up to 40 of the characters A-Z a-z 0-9 . _ = + -")
        for other, of_other in prompts.items():
            if name.casefold() == other.casefold() or text == of_other:
                same = "instruction" if text == of_other else "name"
                raise SweepError(f"{place}: {name} has the same {same} as {other}. Leave one of them out.")
        prompts[name] = text
    if not prompts:
        raise SweepError(f'--prompts {path} has no instruction: one per line, NAME: "instruction".')
    return prompts


def give_instruction(model: Any, text: str, tasks: Sequence[AbsTask]) -> Any:
    """Make a model of mteb put an instruction before each text of these tasks, in the model's own template if any.

    mteb's wrappers look for it under the name of the task: in `prompts_dict` if the model has a template, else in
    `model_prompts`.

    Args:
        model: As mteb loads it.
        text: The instruction; empty for none.
        tasks: The tasks.

    Returns:
        The part of the model that keeps its metadata.

    Raises:
        SweepError: The instruction changes no vector.
    """
    from mteb.models.abs_encoder import AbsEncoder

    from harness_ext.encoders.transformer import unwrapped

    encoders = [layer for layer in unwrapped(model) if isinstance(layer, AbsEncoder)]
    encoder: Any = encoders[-1] if encoders else model  # the last is the model itself, inside of `(standardized)`
    if not text:
        encoder.instruction_template = lambda *_: ""  # without it, mteb takes the task's own instruction
    elif _vector(encoder, f"{text} {text}", tasks) == _vector(encoder, text, tasks):
        raise SweepError(
            f"Takes no instruction: its wrapper, {type(encoder).__name__}, encodes each text as it is. Measure it "
            "without --prompts."
        )
    _instruct(encoder, text, tasks)
    return encoder


def _instruct(encoder: Any, text: str, tasks: Sequence[AbsTask]) -> None:
    encoder.model_prompts = encoder.prompts_dict = {task.metadata.name: text for task in tasks}


def _vector(encoder: Any, text: str, tasks: Sequence[AbsTask]) -> list[float]:
    """The vector of a word after an instruction."""
    from harness_ext.encoders.texts import encode_texts

    _instruct(encoder, text, tasks)
    task = tasks[0]
    place = {"hf_split": task.eval_splits[0], "hf_subset": task.hf_subsets[0]}
    (vector,) = encode_texts(encoder, ["word"], task_metadata=task.metadata, encode_kwargs={}, **place)
    values: list[float] = vector.tolist()
    return values
