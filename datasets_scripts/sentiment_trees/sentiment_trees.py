"""sentiment_trees: binary parses with a sentiment label on every node.

Socher et al. 2013: Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank,
EMNLP. Read from its public zip in PTB format; see README.md beside this file for the columns. The
trees of the config `mini` were written for this project (CC0).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import TreeRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_text

_BLANKS = " \t\r\f\v"
"""Separators of tokens. Other blanks are not: some words have a no-break space inside."""
_TOKEN = re.compile(rf"[()]|[^{_BLANKS}()]+")
_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}


class SentimentTrees(PinnedBuilder):
    """The `datasets` builder of `sentiment_trees`; configs `sst` and `mini`."""

    DEFAULT_CONFIG_NAME = "sst"
    PACKAGED = {"mini": {"test": "mini.txt"}}  # noqa: RUF012
    SPLITS = ("train", "dev", "test")
    SPLITS_OF = {"mini": ("test",)}  # noqa: RUF012
    ROW = TreeRow

    def rows(self, files: Mapping[str, File], split: str) -> Iterator[TreeRow]:
        """Yield the trees of `split`, in the order of the file."""
        file = files[split]
        place, text = read_text(file)
        trees = list(read_trees(text, place, "mini" if self.config.name == "mini" else split))
        if isinstance(file, Source):
            file.check_rows(place, len(trees))
        if not trees:
            raise ValueError(f"{place} holds no trees.")
        yield from trees


def read_trees(text: str, place: str, prefix: str) -> Iterator[TreeRow]:
    """Read trees in PTB format, one per line; blank lines are skipped. The prefix is that of the
    ids.

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
        The words; the labels of the nodes; and the places of each node's children, -1 for leaves.
        Children come before their parents, the root comes last, and leaves come in the order of the
        words.

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
                raise ValueError(
                    f"label {label!r} of node {len(labels) + 1} is not one of 0, 1, 2, 3, 4"
                )
            if len(parts) == 1 and isinstance(parts[0], str):
                words.append(_unescaped(parts[0]))
                children.append((-1, -1))
            elif len(parts) == 2 and all(isinstance(part, int) for part in parts):
                children.append((parts[0], parts[1]))
            elif not parts:
                raise ValueError(f"no word in ({label})")
            else:
                raise ValueError(
                    f"a node has one word or two subtrees, not {len(parts)} parts: ({label} ...)"
                )
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
