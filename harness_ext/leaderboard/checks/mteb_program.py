"""The program of `mteb_reader`: what mteb says of a stranger's files, in a process of its own.

mteb takes seconds and much memory to import, which checks do without.
"""

import json
import os
import shutil
import sys
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import mteb
from mteb.results import TaskResult
from pydantic import ValidationError

_MODEL = Path("results", "a__model", "a_revision")
"""A place where mteb looks for results."""


def problem_of(files: list[Path]) -> tuple[int, str, str] | None:
    """Say why mteb cannot read files of a folder: the number of the file, the key, and the reason;
    None if it can.
    """
    with TemporaryDirectory(prefix="read-") as folder:
        copies = Path(folder, _MODEL)
        copies.mkdir(parents=True)
        for file in files:
            shutil.copy(file, copies / file.name)
        try:
            mteb.ResultCache(folder).load_results(include_remote=False)
        except Exception as error:  # it says the same in many ways
            reason = str(error)
        else:
            return None
    for number, file in enumerate(files):
        if file.name != "model_meta.json":
            try:
                TaskResult.from_disk(file)
            except Exception as error:
                key, reason = _key_and_reason(file, error)
                return number, key, reason
    return 0, "", reason


def _key_and_reason(file: Path, error: Exception) -> tuple[str, str]:
    """Say at which key a result is wrong, and why; the key is empty where mteb does not say."""
    try:
        TaskResult.model_validate_json(file.read_text(encoding="utf-8"))
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_context=False)[0]
        return ".".join(map(str, first["loc"])), first["msg"]
    return "", str(error)


@lru_cache
def registered() -> frozenset[tuple[str | None, str | None]]:
    """Name and revision of each model that mteb's registry, or this project's in it, pins."""
    return frozenset((meta.name, meta.revision) for meta in mteb.get_model_metas())


def main() -> None:
    """Answer each line of the input: names of files, or name and revision of a model."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # for what libraries print
    for line in sys.stdin:
        kind, *words = json.loads(line)
        if kind == "registered":
            name, revision = words
            answer: list[object] = [(name, revision) in registered()]
        else:
            files = [Path(os.fsdecode(bytes.fromhex(word))) for word in words]
            answer = [problem_of(files)]
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
