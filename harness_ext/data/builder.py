"""Base class of the dataset builders: its cache key covers their code and their sources."""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

import datasets

from harness_ext.data.sources import Source, SourceError, blob_in_use, fetch, revision_suffix

logger = logging.getLogger(__name__)


class PinnedBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """A `datasets` builder of pinned source files.

    `datasets` caches the rows of a builder under a hash. Here the hash covers the version of `datasets`, the dataset's
    folder, the modules of the builder and the source files in use. So rows from an unverified file, or from older code,
    never pass for the published rows.

    A split whose source files are not available is left out, and is an error only if it is asked for.

    A subclass sets `NAME` and `SOURCES` and implements `rows`.
    """

    NAME: ClassVar[str]
    """The name under which the dataset is loaded; also its folder in `datasets_scripts`."""

    SOURCES: ClassVar[Mapping[str, Mapping[str, Source]]] = {}
    """Config -> its source files, under the names that `rows` uses."""

    SPLITS: ClassVar[tuple[str, ...]]
    FEATURES: ClassVar[datasets.Features]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        sources = self.SOURCES.get(kwargs.get("config_name") or self.DEFAULT_CONFIG_NAME or "default", {})
        kwargs["hash"] = self._fingerprint(sources.values(), kwargs.get("hash"))
        super().__init__(*args, **kwargs)

    @classmethod
    def _fingerprint(cls, sources: Iterable[Source], script_hash: str | None) -> str:
        package = files("harness_ext")
        modules = ("agreement", "builder", "compounds", "compound_tables", "readers")
        code = [package / f"data/{module}.py" for module in modules]
        # the code of all datasets, because datasets share readers: nctti uses readers of ncimp
        for folder in sorted(files("harness_ext.datasets_scripts").iterdir(), key=lambda folder: folder.name):
            if folder.is_dir():
                own = folder.name == cls.NAME
                content = sorted(folder.iterdir(), key=lambda file: file.name)
                code += [file for file in content if own or file.name.endswith(".py")]
        digest = hashlib.sha256(f"{datasets.__version__} {script_hash}".encode())  # earlier versions misread later rows
        for file in code:
            if file.is_file():
                digest.update(file.read_bytes())
        for source in sources:
            digest.update(blob_in_use(source).encode())
        return digest.hexdigest()

    @classmethod
    def sources(cls, config: str, split: str) -> Mapping[str, Source]:
        """List the source files of one split; all files of its config, unless a subclass overrides this."""
        return cls.SOURCES.get(config, {})

    @classmethod
    def revision_suffix(cls, *configs: str, split: str | None = None) -> str:
        """Make the suffix for the source files of configs, or of one of their splits; see `sources.revision_suffix`."""
        files = (cls.sources(config, split) if split else cls.SOURCES.get(config, {}) for config in configs)
        return revision_suffix(source for found in files for source in found.values())

    def splits(self) -> tuple[str, ...]:
        """List the splits of this config: `SPLITS`, unless a subclass has configs with different splits."""
        return self.SPLITS

    def rows(self, files: dict[str, Path], split: str) -> Iterator[Mapping[str, Any]]:
        """Make the rows of `split` from local copies of this config's sources.

        Raises:
            ValueError: The content of a file is not as expected; names the file and the place in it.
        """
        raise NotImplementedError

    def check_rows(self, files: Mapping[str, Path], found: Mapping[str, int]) -> None:
        """Refuse files with another number of rows than the published files.

        Args:
            files: As in `rows`.
            found: Name of a file -> number of rows read from it.

        Raises:
            SourceError: A number differs from the pinned number; names the file.
        """
        for name, n_rows in found.items():
            self.SOURCES[self.config.name][name].check_rows(files[name], n_rows)

    def as_dataset(self, split: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Prepare missing splits if they are requested, then load them as the base class does.

        Raises:
            SourceError: A source file of these splits is not available or is not the pinned file.
        """
        asked = self.splits() if str(split) in {"None", "all"} else re.findall(r"\w+", str(split))
        if missing := [one for one in self.splits() if one in asked and one not in (self.info.splits or ())]:
            for one in missing:
                self._read(one)
            self.info.splits = None  # forget the rows prepared without them
            self.download_and_prepare(download_mode=datasets.DownloadMode.FORCE_REDOWNLOAD)
        return super().as_dataset(split, *args, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=self.FEATURES)

    def _split_generators(self, dl_manager: object) -> list[datasets.SplitGenerator]:
        # Read here, not in _generate_examples: `datasets` hides its errors behind one of its own.
        generators: list[datasets.SplitGenerator] = []
        refused: list[str] = []
        for split in self.splits():
            try:
                generators.append(datasets.SplitGenerator(name=split, gen_kwargs={"rows": self._read(split)}))
            except SourceError as error:
                logger.info("%s (%s): no split %s: %s", self.NAME, self.config.name, split, error)
                refused.append(str(error))
        if not generators and refused:  # any of them may be the requested split
            raise SourceError("\n\n".join(dict.fromkeys(refused)))
        return generators

    def _read(self, split: str) -> tuple[Mapping[str, Any], ...]:
        local = {name: fetch(source) for name, source in self.sources(self.config.name, split).items()}
        return tuple(self.rows(local, split))

    def _generate_examples(self, rows: tuple[Mapping[str, Any], ...]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        yield from enumerate(rows)


def builder_class(name: str) -> type[PinnedBuilder]:
    """Import the builder of the dataset `name`."""
    module = import_module(f"harness_ext.datasets_scripts.{name}.{name}")
    return next(
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, PinnedBuilder) and value is not PinnedBuilder
    )
