"""sentiment_trees: binary parses with a sentiment label on every node.

Socher et al. 2013: Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank, EMNLP. Read from
its public zip in PTB format, or from a folder (`data_dir`) with train.txt, dev.txt and test.txt; see README.md beside
this file for the columns. The trees of the config `mini` were written for this project (CC0).
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypedDict

import datasets

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.card import dataset_folder
from harness_ext.data.sources import Source, SourceError

_ZIP = Source(
    "https://nlp.stanford.edu/sentiment/trainDevTestTrees_PTB.zip", "5bed46c93fbc2d1308b2b632deba46af6a4734c5"
)
_N_TREES = {"train": 8544, "dev": 1101, "test": 2210}
_BLANKS = " \t\r\f\v"
"""Separators of tokens. Other blanks are not: some words have a no-break space inside."""
_TOKEN = re.compile(rf"[()]|[^{_BLANKS}()]+")
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


class TreeRow(TypedDict):
    """One tree; the columns are explained in the dataset card."""

    id: str
    sentence: str
    label: int
    tree: str
    words: list[str]
    node_labels: list[int]
    left: list[int]
    right: list[int]


class SentimentTrees(PinnedBuilder):
    """The `datasets` builder of `sentiment_trees`; configs `sst` and `mini`."""

    NAME = "sentiment_trees"
    BUILDER_CONFIGS = [datasets.BuilderConfig(name=name) for name in ("sst", "mini")]  # noqa: RUF012
    DEFAULT_CONFIG_NAME = "sst"
    SOURCES = {"sst": {"zip": _ZIP}}  # noqa: RUF012
    SPLITS = ("train", "dev", "test")
    FEATURES = datasets.Features(
        {
            "id": datasets.Value("string"),
            "sentence": datasets.Value("string"),
            "label": datasets.Value("int32"),
            "tree": datasets.Value("string"),
            "words": [datasets.Value("string")],
            "node_labels": [datasets.Value("int32")],
            "left": [datasets.Value("int32")],
            "right": [datasets.Value("int32")],
        }
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if folder := kwargs.get("data_dir"):  # its files may change under the same name
            kwargs["hash"] = f"{kwargs.get('hash') or ''}{folder_hash(Path(folder))}"
        super().__init__(*args, **kwargs)

    def splits(self) -> tuple[str, ...]:
        """The splits of the zip or of the folder; `mini` has `test` only."""
        if self.config.name == "mini":
            return ("test",)
        return tuple(tree_files(Path(self.config.data_dir))) if self.config.data_dir else self.SPLITS

    def _read(self, split: str) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.rows({}, split)) if self.config.data_dir else super()._read(split)

    def rows(self, files: dict[str, Path], split: str) -> Iterator[TreeRow]:
        """Yield the trees of `split`, in the order of the file."""
        if self.config.name == "mini":
            text = (dataset_folder(self.NAME) / "mini.txt").read_text(encoding="utf-8")
            yield from read_trees(text, "mini.txt", "mini")
        elif self.config.data_dir:
            file = tree_files(Path(self.config.data_dir))[split]
            trees = list(read_trees(_decoded(file.read_bytes(), str(file)), str(file), split))
            if not trees:
                raise ValueError(f"{file} holds no trees.")
            yield from trees
        else:
            member = f"trees/{split}.txt"
            place = f"{files['zip']}, {member}"
            try:
                with zipfile.ZipFile(files["zip"]) as archive:
                    data = archive.read(member)
            except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, OSError, RuntimeError) as error:
                raise ValueError(f"{place}: {error}") from error
            trees = list(read_trees(_decoded(data, place), place, split))
            if len(trees) != _N_TREES[split]:
                raise SourceError(
                    f"{place} has {len(trees)} trees; the published file has {_N_TREES[split]}. It was cut off, or is "
                    f"another file.\n  published at: {_ZIP.url}\nReplace it."
                )
            yield from trees


def tree_files(folder: Path) -> dict[str, Path]:
    """Find the splits in a folder.

    Raises:
        FileNotFoundError: The folder has none; names the expected files.
    """
    files = {split: folder / f"{split}.txt" for split in SentimentTrees.SPLITS}
    found = {split: file for split, file in files.items() if file.is_file()}
    if not found:
        raise FileNotFoundError(f"{folder}: no train.txt, dev.txt or test.txt with sentiment trees in it.")
    return found


def folder_revision(folder: str) -> str:
    """The revision of trees in a folder of one's own."""
    return f"local-{folder_hash(Path(folder))[:12]}"


def folder_hash(folder: Path) -> str:
    """Hash the trees in a folder, in hexadecimal."""
    digest = hashlib.sha256()
    for split, file in tree_files(folder).items():
        digest.update(split.encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{place} is not a UTF-8 text file: {error}") from error


def read_trees(text: str, place: str, prefix: str) -> Iterator[TreeRow]:
    """Read trees in PTB format, one per line; blank lines are skipped.

    Args:
        text: The file's text.
        place: The file's name, for messages.
        prefix: Beginning of the ids.

    Raises:
        ValueError: A tree is malformed; names file and line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if not (line := line.strip(_BLANKS)):
            continue
        try:
            words, labels, children = parse_tree(line)
        except ValueError as error:
            raise ValueError(f"{place}, line {number}: {error}") from error
        yield {
            "id": f"{prefix}-{number}",
            "sentence": " ".join(words),
            "label": labels[-1],
            "tree": line,
            "words": words,
            "node_labels": labels,
            "left": [left for left, _ in children],
            "right": [right for _, right in children],
        }


def parse_tree(text: str) -> tuple[list[str], list[int], list[tuple[int, int]]]:
    """Read one tree: `(label word)` or `(label tree tree)`, with labels 0 to 4.

    Returns:
        The words; the labels of the nodes; and the places of each node's children, -1 for leaves. Children come before
        their parents, the root comes last, and leaves come in the order of the words.

    Raises:
        ValueError: The text is not one such tree; describes the fault.

    Examples:
        >>> parse_tree("(3 (2 not) (1 bad))")
        (['not', 'bad'], [2, 1, 3], [(-1, -1), (-1, -1), (0, 1)])
    """
    words: list[str] = []
    labels: list[int] = []
    children: list[tuple[int, int]] = []
    open_nodes: list[list[Any]] = []  # label, then places of subtrees or a word
    tokens = _TOKEN.findall(text)
    for position, token in enumerate(tokens):
        if not open_nodes and token != "(":
            raise ValueError("a tree begins with '('")
        if token == "(":
            open_nodes.append([])
        elif token != ")":
            open_nodes[-1].append(token)
        else:
            label, *parts = open_nodes.pop() or [None]
            if not isinstance(label, str):
                raise ValueError(f"node {len(labels) + 1} has no label")
            if label not in {"0", "1", "2", "3", "4"}:
                raise ValueError(f"label {label!r} of node {len(labels) + 1} is not one of 0, 1, 2, 3, 4")
            if len(parts) == 1 and isinstance(parts[0], str):
                words.append(_unescaped(parts[0]))
                children.append((-1, -1))
            elif len(parts) == 2 and all(isinstance(part, int) for part in parts):
                children.append((parts[0], parts[1]))
            elif not parts:
                raise ValueError(f"no word in ({label})")
            else:
                raise ValueError(f"a node has one word or two subtrees, not {len(parts)} parts: ({label} ...)")
            labels.append(int(label))
            if open_nodes:
                open_nodes[-1].append(len(labels) - 1)
            elif position + 1 < len(tokens):
                raise ValueError("unbalanced: the tree ends before the line does")
    if open_nodes:
        raise ValueError(f"unbalanced: {len(open_nodes)} '(' without ')'")
    return words, labels, children


def _unescaped(word: str) -> str:
    return _ESCAPES.get(word, word).replace("\\/", "/").replace("\\*", "*")
