"""The folder and the card of a dataset."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from huggingface_hub import DatasetCard


def dataset_folder(name: str) -> Traversable:
    """Find the folder of the dataset `name` in the installed package: its builder, its card, its own data."""
    return files(f"harness_ext.datasets_scripts.{name}")


def dataset_card(name: str) -> DatasetCard:
    """Read the card of the dataset `name`."""
    return DatasetCard((dataset_folder(name) / "README.md").read_text(encoding="utf-8"))


def dataset_facts(name: str) -> dict[str, Any]:
    """Read the head of the card of the dataset `name`, such as its `license` and its `pretty_name`."""
    data: Any = dataset_card(name).data
    return dict(data.to_dict())
