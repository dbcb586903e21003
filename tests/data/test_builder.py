"""What every dataset says of itself: features from its row type, a card that explains each column,
files that exist.
"""

from __future__ import annotations

import re
from importlib.metadata import metadata
from typing import Annotated, Literal, NotRequired, TypedDict

import datasets
import pytest
from datasets import ClassLabel, Features, Value
from huggingface_hub import DatasetCard

from harness_ext.common.folders import DATASETS
from harness_ext.data.annotations import Labels
from harness_ext.data.builder import PinnedBuilder, builder_class, features_of
from harness_ext.data.card import dataset_folder
from harness_ext.data.sources import Source
from harness_ext.data.tables import read_table


class Inner(TypedDict):
    text: str
    span: list[int]


class Row(TypedDict):
    score: float | None
    is_known: bool
    label: Annotated[int, Labels(("no", "yes"), "")]
    note: Annotated[str | None, "of the writer"]
    inner: Inner
    others: list[Inner] | None
    kind: Literal["a", "b"] | None
    group: NotRequired[int | str]


def test_features_are_those_of_the_row_type():
    inner = {"text": Value("string"), "span": [Value("int32")]}
    others = {"label": ClassLabel(names=["no", "yes"]), "inner": inner, "others": [inner]}
    plain = {
        "note": "string",
        "kind": "string",
        "group": "int32",
        "score": "float64",
        "is_known": "bool",
    }
    assert features_of(Row) == Features(
        {name: Value(kind) for name, kind in plain.items()} | others
    )


@pytest.mark.parametrize("name", DATASETS)
def test_the_card_explains_every_column_and_names_every_config_and_split(name):
    builder = builder_class(name)
    card = DatasetCard((dataset_folder(name) / "README.md").read_text(encoding="utf-8"))
    explained = [
        cell
        for row in re.findall(r"^\| (`.*?) \|", card.text, re.MULTILINE)
        for cell in re.findall("`(.*?)`", row)
    ]
    assert [column for column in features_of(builder.ROW) if column not in explained] == []
    splits = {
        config.name: builder.SPLITS_OF.get(config.name, builder.SPLITS)
        for config in builder.BUILDER_CONFIGS
    }
    listed = card.data.to_dict().get("configs", [])
    assert {
        each["config_name"]: {file["split"] for file in each["data_files"]} for each in listed
    } == {config: set(of_config) for config, of_config in splits.items()}
    for packaged in builder.PACKAGED.values():
        assert all((dataset_folder(name) / file).is_file() for file in packaged.values())


@pytest.mark.parametrize("name", DATASETS)
def test_the_info_of_every_config_says_what_it_is_whose_and_where_from(name):
    folder = dataset_folder(name)
    card = DatasetCard((folder / "README.md").read_text(encoding="utf-8"))
    facts = card.data.to_dict()
    for config in builder_class(name).BUILDER_CONFIGS:
        info = datasets.load_dataset_builder(name, config.name).info
        assert info.features
        assert len(info.description) > 50
        assert info.description in " ".join(card.text.split())
        assert info.license == facts["license"]
        if "mteb" in facts:
            assert info.homepage == facts["mteb"]["reference"]
            keys = re.findall(r"^@\w+{(.+),$", info.citation, re.MULTILINE)
            assert keys == facts["mteb"]["cite"]
        else:  # written for this project
            links = metadata("compositionality-harness").get_all("Project-URL") or []
            assert bool(info.homepage) == any(link.startswith("Source, ") for link in links)
            assert info.citation.startswith("@software{compositionality-harness,")


def test_loaded_rows_say_it_too():
    info = datasets.load_dataset("compound_mini", split="naturalistic").info
    assert info.description.startswith("120 English noun compounds")
    assert info.license == "cc0-1.0"


CARD = "---\nlicense: mit\n---\n# A dataset\n\nWhat it is.\n"


class Pinned(PinnedBuilder):
    SOURCES = {"default": {"pairs": Source("https://example.org/pairs.csv", "0" * 40, rows=1)}}  # noqa: RUF012
    SPLITS = ("test",)
    ROW = Inner

    def rows(self, files, split):
        for line in read_table(files["pairs"]):
            yield {"text": {"a": "b"}[line["text"]], "span": []}


@pytest.fixture
def pairs_file(tmp_path, monkeypatch):
    """The copy of the file of `Pinned` in a mirror; unverified ones are allowed."""
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    monkeypatch.setattr("harness_ext.data.builder.files", lambda package: tmp_path)
    monkeypatch.setattr("harness_ext.data.card.dataset_folder", lambda name: tmp_path)
    (tmp_path / "README.md").write_text(CARD)
    (tmp_path / "example.org").mkdir()
    return tmp_path / "example.org" / "pairs.csv"


def test_rows_of_another_file_never_come_from_the_cache(pairs_file, tmp_path):
    """Two runs with one cache; in between the file was replaced."""

    class AsTheyAre(Pinned):
        def rows(self, files, split):
            for line in read_table(files["pairs"]):
                yield {"text": line["text"], "span": []}

    texts = []
    for text in ("published", "unverified", "published"):
        pairs_file.write_text(f"text\n{text}\n")
        builder = AsTheyAre(cache_dir=str(tmp_path / "cache"))
        builder.download_and_prepare()
        texts += builder.as_dataset("test")["text"]
    assert texts == ["published", "unverified", "published"]


def test_an_unverified_file_that_is_not_as_its_reader_expects_is_named(pairs_file, tmp_path):
    pairs_file.write_text("text\nother\n")
    builder = Pinned(cache_dir=str(tmp_path / "cache"))
    with pytest.raises(
        ValueError, match=r"pairs\.csv: not as in the published file: KeyError\('other'\)"
    ):
        builder.download_and_prepare()
    pairs_file.write_text("text\na\n")
    builder.download_and_prepare()
    assert isinstance(builder.as_dataset("test"), datasets.Dataset)
    assert Pinned.revision_suffix("default").startswith("+unverified-")
