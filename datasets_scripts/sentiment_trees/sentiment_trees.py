"""sentiment_trees: binary parses with a sentiment label on every node.

Socher et al. 2013: Recursive Deep Models for Semantic Compositionality Over a Sentiment Treebank,
EMNLP. Read from its public zip in PTB format; see README.md beside this file for the columns. The
trees of the config `mini` were written for this project (CC0).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from harness_ext.data.builder import PinnedBuilder
from harness_ext.data.rows import TreeRow
from harness_ext.data.sources import Source
from harness_ext.data.tables import File, read_text

_BLANKS = " \t\r\f\v"
"""Separators of tokens. Other blanks are not: some words have a no-break space inside."""
_TOKEN = re.compile(rf"[()]|[^{_BLANKS}()]+")
_LABELS = ("0", "1", "2", "3", "4")
_ESCAPES = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
}


class SentimentTrees(PinnedBuilder):
    """The `datasets` builder of `sentiment_trees`; configs `sst` and `mini`."""

    DEFAULT_CONFIG_NAME = "sst"
    PACKAGED = {"mini": {"test": "mini.txt"}}  # noqa: RUF012
    SPLITS = ("train", "dev", "test")
    SPLITS_OF = {"mini": ("test",)}  # noqa: RUF012
    ROW = TreeRow

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[TreeRow]:
        """Yield the trees of `split`, in the order of the file."""
        file = files[split]
        place, text = read_text(file)
        prefix = "mini" if self.config.name == "mini" else split
        trees = list(read_trees(text, place, prefix))
        if isinstance(file, Source):
            file.check_rows(place, len(trees))
        if not trees:
            raise ValueError(f"{place} holds no trees.")
        yield from trees


def read_trees(
    text: str,
    place: str,
    prefix: str,
) -> Iterator[TreeRow]:
    """Read trees in PTB format, one per line; blank lines are skipped. The prefix is that of the
    ids.

    Raises:
        ValueError: A tree is malformed; names file and line.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.strip(_BLANKS)
        if not line:
            continue
        try:
            tree = parse_tree(line)
        except ValueError as error:
            raise ValueError(f"{place}, line {number}: {error}") from error
        yield {
            "id": f"{prefix}-{number}",
            "sentence": " ".join(tree.words),
            "label": tree.labels[-1],
            "tree": line,
            "words": tree.words,
            "node_labels": tree.labels,
            "left": [left for left, _ in tree.children],
            "right": [right for _, right in tree.children],
        }


class ParsedTree(NamedTuple):
    """A tree; children come before their parents, the root comes last.

    Attributes:
        words: In the order of the sentence, which is that of the leaves.
        labels: Of every node, 0 to 4.
        children: The places of each node's two children, -1 for leaves.
    """

    words: list[str]
    labels: list[int]
    children: list[tuple[int, int]]


def parse_tree(text: str) -> ParsedTree:
    """Read one tree: `(label word)` or `(label tree tree)`, with labels 0 to 4.

    Raises:
        ValueError: The text is not one such tree; describes the fault.

    Examples:
        >>> parse_tree("(3 (2 not) (1 bad))").children
        [(-1, -1), (-1, -1), (0, 1)]
    """
    tree = ParsedTree(words=[], labels=[], children=[])
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
            _add_node(tree, open_nodes.pop())
            if open_nodes:
                open_nodes[-1].append(len(tree.labels) - 1)
            elif position + 1 < len(tokens):
                raise ValueError("unbalanced: the tree ends before the line does")
    if open_nodes:
        raise ValueError(f"unbalanced: {len(open_nodes)} '(' without ')'")
    return tree


def _add_node(tree: ParsedTree, node: list[Any]) -> None:
    """Add a node whose children the tree already has: its label, then a word or two places."""
    label, *parts = node or [None]
    number = len(tree.labels) + 1
    if not isinstance(label, str):
        raise ValueError(f"node {number} has no label")
    if label not in _LABELS:
        raise ValueError(f"label {label!r} of node {number} is not one of {', '.join(_LABELS)}")
    if not parts:
        raise ValueError(f"no word in ({label})")
    if len(parts) == 1 and isinstance(parts[0], str):
        tree.words.append(_unescaped(parts[0]))
        tree.children.append((-1, -1))
    elif len(parts) == 2 and all(isinstance(part, int) for part in parts):
        left, right = parts
        tree.children.append((left, right))
    else:
        raise ValueError(
            f"a node has one word or two subtrees, not {len(parts)} parts: ({label} ...)"
        )
    tree.labels.append(int(label))


def _unescaped(word: str) -> str:
    bracket = _ESCAPES.get(word, word)
    return bracket.replace("\\/", "/").replace("\\*", "*")
