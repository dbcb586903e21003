"""Check which source files of the datasets are available, before a long run needs them."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from harness_ext.common.errors import unknown_name
from harness_ext.common.folders import DATASETS
from harness_ext.data.builder import builder_class
from harness_ext.data.sources import (
    Source,
    cache_folder,
    downloads_forbidden,
    git_blob_hash,
    local_copy,
    unverified_allowed,
)

State = Literal["here", "unverified", "to be downloaded", "missing", "refused"]


class CheckedSource(NamedTuple):
    """A source file of a dataset, and its availability.

    Attributes:
        state: Files that are `missing` or `refused` cannot be used.
        detail: The file's path, its address, or the problem.
    """

    dataset: str
    config: str
    file: str
    state: State
    detail: str


def check_sources(names: Sequence[str] | None = None) -> Iterator[CheckedSource]:
    """Look for every source file of these datasets, or of all; download none. Raises what
    `chosen_datasets` does.
    """
    for name in chosen_datasets(names):
        builder = builder_class(name)
        for config in builder.BUILDER_CONFIGS:
            # by address, because an archive holds several tables
            sources_of_config = builder.SOURCES.get(config.name, {})
            sources = {source.url: source for source in sources_of_config.values()}
            if not sources:
                yield CheckedSource(name, config.name, "", "here", "in this package")
            for source in sources.values():
                yield CheckedSource(name, config.name, source.name, *_state(source))


def chosen_datasets(names: Sequence[str] | None) -> Sequence[str]:
    """The datasets of these names; all if None.

    Raises:
        UnknownNameError: There is no dataset of that name; lists the datasets.
    """
    for name in {*(names or ())} - {*DATASETS}:
        raise unknown_name("dataset", name, DATASETS)
    return names or DATASETS


def _state(source: Source) -> tuple[State, str]:
    path = local_copy(source)
    if path and git_blob_hash(path) == source.blob:
        return "here", str(path)
    if path and unverified_allowed():
        return "unverified", f"{path}: differs from the published file"
    if path and not path.is_relative_to(cache_folder()):  # where damaged files are replaced
        return (
            "refused",
            f"{path}: differs from the published file; HARNESS_EXT_ALLOW_UNVERIFIED=1 accepts it",
        )
    if downloads_forbidden():
        return (
            "missing",
            "not here, and HF_HUB_OFFLINE or HF_DATASETS_OFFLINE forbids the download from "
            f"{source.url}",
        )
    return "to be downloaded", f"from {source.url}"
