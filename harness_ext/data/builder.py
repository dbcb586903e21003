"""What the dataset builders share: a cache key that covers their code and their sources."""

from __future__ import annotations

import hashlib
import logging
import re
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, ClassVar

import datasets

from harness_ext.data.sources import SourceError, blob_in_use, fetch, revision_suffix

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from importlib.resources.abc import Traversable
    from pathlib import Path

    from harness_ext.data.sources import Source

logger = logging.getLogger(__name__)


def dataset_folder(name: str) -> Traversable:
    """The folder of the dataset `name` in the installed package: its builder, its card, its own data."""
    return files(f"harness_ext.datasets_scripts.{name}")


class PinnedBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """A `datasets` builder of pinned source files.

    `datasets` keeps what a builder made under a hash. Here the hash covers its version, the dataset's folder, the
    modules it is built with and the source files in use, so that rows made from an unverified file, or by older code,
    are never taken for the published ones.

    A split whose source files cannot be had is left out, and is an error only where somebody asks for it.

    A subclass sets `NAME` and `SOURCES` and implements `rows`.
    """

    NAME: ClassVar[str]
    """The name under which the dataset is loaded; also its folder in `datasets_scripts`."""

    SOURCES: ClassVar[Mapping[str, Mapping[str, Source]]] = {}
    """For each config, its source files under the names by which `rows` asks for them."""

    SPLITS: ClassVar[tuple[str, ...]]
    FEATURES: ClassVar[datasets.Features]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        sources = self.SOURCES.get(kwargs.get("config_name") or self.DEFAULT_CONFIG_NAME or "default", {})
        kwargs["hash"] = self._fingerprint(sources.values(), kwargs.get("hash"))
        super().__init__(*args, **kwargs)

    @classmethod
    def _fingerprint(cls, sources: Iterable[Source], script_hash: str | None) -> str:
        package = files("harness_ext")
        modules = ("builder", "compounds", "compound_tables", "readers")
        code = [package / f"data/{module}.py" for module in modules]
        # the code of all datasets, for one may be read with the readers of another, as nctti is with those of ncimp
        for folder in sorted(files("harness_ext.datasets_scripts").iterdir(), key=lambda folder: folder.name):
            if folder.is_dir():
                own = folder.name == cls.NAME
                content = sorted(folder.iterdir(), key=lambda file: file.name)
                code += [file for file in content if own or file.name.endswith(".py")]
        digest = hashlib.sha256(f"{datasets.__version__} {script_hash}".encode())  # earlier ones cannot read later rows
        for file in code:
            if file.is_file():
                digest.update(file.read_bytes())
        for source in sources:
            digest.update(blob_in_use(source).encode())
        return digest.hexdigest()

    @classmethod
    def sources(cls, config: str, split: str) -> Mapping[str, Source]:
        """The source files of one split: all of its config, unless a subclass says which it needs."""
        return cls.SOURCES.get(config, {})

    @classmethod
    def revision_suffix(cls, *configs: str) -> str:
        """Of the source files of these configs, see `harness_ext.data.sources.revision_suffix`."""
        return revision_suffix(source for config in configs for source in cls.SOURCES.get(config, {}).values())

    def splits(self) -> tuple[str, ...]:
        """The splits of this config: `SPLITS`, unless a subclass has configs that differ in them."""
        return self.SPLITS

    def rows(self, files: dict[str, Path], split: str) -> Iterator[Mapping[str, Any]]:
        """The rows of `split`, made from local copies of this config's sources.

        Raises:
            ValueError: A file is not as expected; names the file and the place in it.
        """
        raise NotImplementedError

    def check_rows(self, files: Mapping[str, Path], found: Mapping[str, int]) -> None:
        """Refuse files that do not have as many rows as the published ones.

        Args:
            files: As in `rows`.
            found: The name of a file -> the rows that were read from it.

        Raises:
            SourceError: A number is not the pinned one; names the file.
        """
        for name, n_rows in found.items():
            self.SOURCES[self.config.name][name].check_rows(files[name], n_rows)

    def as_dataset(self, split: Any = None, *args: Any, **kwargs: Any) -> Any:
        """As the base class, once the splits that are asked for are there.

        Raises:
            SourceError: A source file of theirs cannot be had or is not the pinned one.
        """
        asked = self.splits() if str(split) in {"None", "all"} else re.findall(r"\w+", str(split))
        if missing := [one for one in self.splits() if one in asked and one not in (self.info.splits or ())]:
            for one in missing:
                self._read(one)
            self.info.splits = None  # what was prepared without them
            self.download_and_prepare(download_mode=datasets.DownloadMode.FORCE_REDOWNLOAD)
        return super().as_dataset(split, *args, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=self.FEATURES)

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        # Read here rather than in _generate_examples, whose errors `datasets` hides behind one of its own.
        generators: list[datasets.SplitGenerator] = []
        refused: list[str] = []
        for split in self.splits():
            try:
                generators.append(datasets.SplitGenerator(name=split, gen_kwargs={"rows": self._read(split)}))
            except SourceError as error:
                logger.info("%s (%s): no split %s: %s", self.NAME, self.config.name, split, error)
                refused.append(str(error))
        if not generators and refused:  # any of them may be the one that was asked for
            raise SourceError("\n\n".join(dict.fromkeys(refused)))
        return generators

    def _read(self, split: str) -> tuple[Mapping[str, Any], ...]:
        local = {name: fetch(source) for name, source in self.sources(self.config.name, split).items()}
        return tuple(self.rows(local, split))

    def _generate_examples(self, rows: tuple[Mapping[str, Any], ...]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        yield from enumerate(rows)


def builder_class(name: str) -> type[PinnedBuilder]:
    """The builder of the dataset `name`."""
    module = import_module(f"harness_ext.datasets_scripts.{name}.{name}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, PinnedBuilder) and value is not PinnedBuilder
    )
