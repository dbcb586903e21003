"""sentiment_trees: the reader, where the trees come from, what the card promises."""

from __future__ import annotations

import itertools
import re
import zipfile
from collections import Counter

import datasets
import pytest

from harness_ext.data.builder import dataset_folder
from harness_ext.data.sources import SourceError
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import SentimentTrees, parse_tree, read_trees

TREES = "(3 (2 It) (4 (2 was) (4 fine)))\n(1 (2 (2 The) (2 end)) (1 drags))\n"


@pytest.fixture(autouse=True)
def _own_source_cache(tmp_path_factory, monkeypatch):
    """What is recorded by one test must not bind another."""
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path_factory.mktemp("sources")))


def test_children_come_before_parents_and_leaves_in_order():
    assert parse_tree("(3 (2 It) (4 (2 was) (4 fine)))") == (
        ["It", "was", "fine"],
        [2, 2, 4, 4, 3],
        [(-1, -1), (-1, -1), (-1, -1), (1, 2), (0, 3)],
    )


def test_brackets_and_slashes_are_unescaped():
    words, _, _ = parse_tree(r"(2 (2 -LRB-) (2 (2 1\/2) (2 -RRB-)))")
    assert words == ["(", "1/2", ")"]


def test_a_very_deep_tree_needs_no_recursion():
    words, labels, _ = parse_tree("(2 (2 a) " * 5000 + "(2 b)" + ")" * 5000)
    assert (len(words), len(labels)) == (5001, 10001)


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ("(3 (2 a) (2 b)", r"unbalanced: 1 '\(' without '\)'"),
        ("(3 (2 a) (2 b)))", "unbalanced: the tree ends before the line does"),
        ("(3 (2 a) (2 b)) (2 c)", "unbalanced: the tree ends before the line does"),
        ("3 (2 a)", r"a tree begins with '\('"),
        ("(3 (2 a) (5 b))", "label '5' of node 2 is not one of 0, 1, 2, 3, 4"),
        ("(3 (2 a) (-1 b))", "label '-1' of node 2"),
        ("((2 a) (2 b))", "node 3 has no label"),
        ("()", "node 1 has no label"),
        ("(3 (2 a) (2))", r"no word in \(2\)"),
        ("(3 (2 a))", r"one word or two subtrees, not 1 parts"),
        ("(3 (2 a) (2 b) (2 c))", r"one word or two subtrees, not 3 parts"),
        ("(3 two words)", r"one word or two subtrees, not 2 parts"),
    ],
)
def test_a_malformed_tree_is_named_with_file_and_line(tree, message):
    with pytest.raises(ValueError, match=rf"^some/test\.txt, line 2: .*{message}"):
        list(read_trees(f"(2 fine)\n{tree}\n", "some/test.txt", "x"))


def test_from_a_folder(tmp_path):
    (tmp_path / "test.txt").write_text(TREES, encoding="utf-8")
    (tmp_path / "dev.txt").write_text("(2 (2 only) (2 one))\n\n", encoding="utf-8")
    rows = datasets.load_dataset("sentiment_trees", data_dir=str(tmp_path))
    assert {split: part["id"] for split, part in rows.items()} == {"dev": ["dev-1"], "test": ["test-1", "test-2"]}
    first = rows["test"][0]
    assert (first["sentence"], first["label"], first["node_labels"]) == ("It was fine", 3, [2, 2, 4, 4, 3])
    assert (first["left"], first["right"]) == ([-1, -1, -1, 1, 0], [-1, -1, -1, 2, 3])


def test_a_changed_folder_is_read_again(tmp_path):
    (tmp_path / "test.txt").write_text(TREES, encoding="utf-8")
    assert datasets.load_dataset("sentiment_trees", data_dir=str(tmp_path))["test"].num_rows == 2
    (tmp_path / "test.txt").write_text(TREES * 2, encoding="utf-8")
    assert datasets.load_dataset("sentiment_trees", data_dir=str(tmp_path))["test"].num_rows == 4


def test_a_malformed_tree_in_a_folder_is_named(tmp_path):
    (tmp_path / "dev.txt").write_text(TREES + "(2 (2 a)\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"dev\.txt, line 3: unbalanced"):
        datasets.load_dataset("sentiment_trees", data_dir=str(tmp_path))


def test_a_folder_without_trees_says_what_is_looked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no train\.txt, dev\.txt or test\.txt"):
        datasets.load_dataset("sentiment_trees", data_dir=str(tmp_path))


def put_zip(mirror, trees):
    path = mirror / "nlp.stanford.edu" / "sentiment" / "trainDevTestTrees_PTB.zip"
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for split in ("train", "dev", "test"):
            archive.writestr(f"trees/{split}.txt", trees)
    return path


def test_the_first_zip_is_recorded_and_others_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    put_zip(tmp_path, TREES)
    assert SentimentTrees.revision_suffix("sst") == ""
    rows = datasets.load_dataset("sentiment_trees", "sst")
    assert {split: part.num_rows for split, part in rows.items()} == {"train": 2, "dev": 2, "test": 2}
    recorded = SentimentTrees.revision_suffix("sst")
    assert re.fullmatch(r"\+zip-[0-9a-f]{12}", recorded)
    datasets.load_dataset("sentiment_trees", "sst")

    put_zip(tmp_path, TREES * 2)
    with pytest.raises(SourceError, match=r"recorded on first use in .*trainDevTestTrees_PTB\.zip\.blob"):
        datasets.load_dataset("sentiment_trees", "sst", download_mode="force_redownload")
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    assert SentimentTrees.revision_suffix("sst") == f"{recorded}+unverified"
    assert datasets.load_dataset("sentiment_trees", "sst", split="test").num_rows == 4


@pytest.mark.parametrize("content", [b"not a zip", None])
def test_a_damaged_zip_is_named(tmp_path, monkeypatch, content):
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    path = put_zip(tmp_path, TREES)
    if content:
        path.write_bytes(content)
    else:
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("README", "nothing here")
    with pytest.raises(ValueError, match=r"trainDevTestTrees_PTB\.zip, trees/train\.txt"):
        datasets.load_dataset("sentiment_trees", "sst")


def test_offline_without_the_zip_the_error_names_it(monkeypatch):
    monkeypatch.delenv("HARNESS_EXT_MIRROR", raising=False)
    with pytest.raises(SourceError, match=r"trainDevTestTrees_PTB\.zip has not been downloaded yet"):
        datasets.load_dataset("sentiment_trees", "sst")


def test_mini_is_as_the_card_says():
    rows = datasets.load_dataset("sentiment_trees", "mini", split="test")
    assert rows.num_rows == 60
    assert Counter(rows["label"]).keys() == {0, 1, 2, 3, 4}
    assert min(Counter(rows["label"]).values()) >= 9
    assert all(len(row["words"]) >= 3 for row in rows)
    words = [{word.lower() for word in row["words"]} for row in rows]
    assert all(len(one & other) / len(one | other) <= 0.6 for one, other in itertools.combinations(words, 2))
    lines = (dataset_folder("sentiment_trees") / "mini.txt").read_text(encoding="utf-8").splitlines()
    assert [row["tree"] for row in rows] == lines
