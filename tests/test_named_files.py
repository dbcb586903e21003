"""Every Python file that a docstring or a comment names is there."""

import ast
import io
import re
import tokenize
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
FOLDERS = ("harness_ext", "tasks", "datasets_scripts", "docs", "benchmarks", "tests")
SOURCES = sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))
FILES = [file.relative_to(ROOT).as_posix() for file in (*SOURCES, *ROOT.glob("*.py"))]

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
        is_string = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_string and isinstance(node.value.value, str):
            words.append(node.value.value)
    return "\n".join(words)


def is_there(name: str) -> bool:
    """Whether a file has this path, in full or from some folder on."""
    return any(f"/{file}".endswith(f"/{name}") for file in FILES)


def missing(source: str) -> list[str]:
    """The files that are named and are not there."""
    named = set(NAMED.findall(words_of(source)))
    return sorted(
        name for name in named if PurePosixPath(name).name not in ELSEWHERE and not is_there(name)
    )


def test_files_that_are_named_are_there():
    found = {
        file.relative_to(ROOT).as_posix(): missing(file.read_text(encoding="utf-8"))
        for file in SOURCES
    }
    assert {file: names for file, names in found.items() if names} == {}


def test_a_file_that_is_not_there_is_found():
    docstring = '"""The fit is in no_such_fit.py, the pairs in montague/pairs.py."""'
    comment = '# see trees/no_such_forest.py\nNAME = "no_such_text.py"  # text, which names nothing'
    assert missing(f"{docstring}\n{comment}") == ["no_such_fit.py", "trees/no_such_forest.py"]
