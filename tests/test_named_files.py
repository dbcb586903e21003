"""Every Python file that a docstring or a comment names is there."""

import ast
import io
import re
import tokenize
from itertools import chain
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
FOLDERS = ("harness_ext", "tasks", "datasets_scripts", "docs", "benchmarks", "tests")
SOURCES = sorted(chain.from_iterable((ROOT / folder).rglob("*.py") for folder in FOLDERS))
FILES = [f"/{file.relative_to(ROOT).as_posix()}" for file in [*SOURCES, *ROOT.glob("*.py")]]

ELSEWHERE = {
    "infer_vectors.py": "BERTRAM's, whose output is read",
    "NAME.py": "stands for any name",
}
"""The last part of what is named and is not in the tree -> why."""

NAMED = re.compile(r"[\w./-]*\w\.py\b")


def words_of(source: str) -> str:
    """The comments and the docstrings of a module, the strings below a constant too."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    words = [token.string for token in tokens if token.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                words.append(text)
    return "\n".join(words)


def is_there(name: str) -> bool:
    """Whether a file has this path, in full or from some folder on."""
    return any(file.endswith(f"/{name}") for file in FILES)


def missing(source: str) -> list[str]:
    """The files that are named and are not there."""
    if ".py" not in source:  # which saves reading its tokens
        return []
    names = sorted({*NAMED.findall(words_of(source))})
    names_here = [name for name in names if PurePosixPath(name).name not in ELSEWHERE]
    return [name for name in names_here if not is_there(name)]


def test_files_that_are_named_are_there():
    missing_by_file = {}
    for file in SOURCES:
        names = missing(file.read_text(encoding="utf-8"))
        if names:
            missing_by_file[file.relative_to(ROOT).as_posix()] = names
    assert missing_by_file == {}


def test_a_file_that_is_not_there_is_found():
    docstring = '"""The fit is in no_such_fit.py, the pairs in montague/pairs.py."""'
    comment = '# see trees/no_such_forest.py\nNAME = "no_such_text.py"  # text, which names nothing'
    assert missing(f"{docstring}\n{comment}") == ["no_such_fit.py", "trees/no_such_forest.py"]
