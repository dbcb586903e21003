"""Base class of the dataset builders: a dataset says what its files and its rows are; the rest is
made from that.
"""

import hashlib
import logging
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from importlib.resources import files
from itertools import chain
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, ClassVar, Literal, cast, get_args, get_origin, get_type_hints

import datasets
from datasets import ClassLabel, Features, Value
from typing_extensions import is_typeddict

from harness_ext.data.annotations import Labels
from harness_ext.data.card import info_of
from harness_ext.data.sources import Source, SourceError, blob_in_use, revision_suffix
from harness_ext.data.tables import File, read_table

_VALUES = {str: "string", int: "int32", float: "float64", bool: "bool"}


def features_of(row: type) -> Features:
    """Make the features of rows of a `TypedDict`.

    Its columns may be str, int, float, bool, literals and lists of these, and other such rows; each
    of them or None. A column `Annotated[int, Labels(...)]` is a label; of several types the first
    is stored.

    Raises:
        TypeError: A column has another type; names it.

    Examples:
        >>> from typing import TypedDict
        >>> features_of(TypedDict("Row", {"text": str, "ratings": list[int] | None}))["text"].dtype
        'string'
    """
    return Features(_columns(row))


def _columns(row: type) -> dict[str, Any]:
    hints = get_type_hints(row, include_extras=True)
    return {name: _feature(hint, name) for name, hint in hints.items()}


def _feature(
    hint: Any,
    name: str,
) -> Any:
    if is_typeddict(hint):
        return _columns(hint)
    origin = get_origin(hint)
    arguments = [argument for argument in get_args(hint) if argument is not NoneType]
    labels = [argument for argument in arguments if isinstance(argument, Labels)]
    if origin is Annotated and labels:
        return ClassLabel(names=list(labels[0].names))
    if origin is Literal:
        return Value(_VALUES[type(arguments[0])])
    if origin is list:
        return [_feature(arguments[0], name)]
    if arguments and origin is not dict:  # of a union, or annotated, or not required
        return _feature(arguments[0], name)
    if hint not in _VALUES:
        raise TypeError(f"column {name!r}: {hint} cannot be a column of a dataset")
    return Value(_VALUES[hint])


_name = attrgetter("name")

logger = logging.getLogger(__name__)


class PinnedBuilder(datasets.GeneratorBasedBuilder):  # type: ignore[misc]
    """A `datasets` builder of pinned source files, in the module `NAME.py` of its folder `NAME`.

    `datasets` caches the rows of a builder under a hash. Here the hash covers the version of
    `datasets`, the dataset's folder, the code of all datasets and the files in use. So rows from an
    unverified file, or from older code, never pass for the published rows.

    A split whose source files are not available is left out, and is an error only if it is asked
    for.

    A subclass sets `ROW` and `SPLITS`, and implements `rows`. Its configs are those of
    `sources.csv` in its folder, and the keys of `PACKAGED`.

    Attributes:
        NAME: The name under which the dataset is loaded: that of its module.
        ROW: The type of a row, a `TypedDict`: see `features_of`.
        SPLITS: All splits.
        SPLITS_OF: Config -> its splits, if it has not all.
        SOURCES: Config -> its source files, under the names that `rows` uses: those of
            `sources.csv`.
        PACKAGED: Config -> its files in the dataset's own folder, under the names that `rows` uses.
        FILES_OF: Split -> names of files that no other split needs; all others are for every split.
        INSTEAD: Split -> one of other files that an error names where the split's own cannot be
            had.
    """

    NAME: ClassVar[str]
    ROW: ClassVar[type]
    SPLITS: ClassVar[tuple[str, ...]]
    SPLITS_OF: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    SOURCES: ClassVar[Mapping[str, Mapping[str, Source]]] = {}
    PACKAGED: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    FILES_OF: ClassVar[Mapping[str, Collection[str]]] = {}
    INSTEAD: ClassVar[Mapping[str, str]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.NAME = cls.__module__.rpartition(".")[2]
        pinned = files("harness_ext.datasets_scripts") / cls.NAME / "sources.csv"
        cls.SOURCES = read_sources(pinned) if pinned.is_file() else cls.SOURCES
        configs = dict.fromkeys((*cls.SOURCES, *cls.PACKAGED))
        cls.BUILDER_CONFIGS = [cls.BUILDER_CONFIG_CLASS(name=config) for config in configs]

    def __init__(
        self,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        config = kwargs.get("config_name") or self.DEFAULT_CONFIG_NAME or "default"
        sources = self.SOURCES.get(config, {})
        in_use = [blob_in_use(source) for source in sources.values()]
        kwargs["hash"] = self._fingerprint(in_use, kwargs.get("hash"))
        super().__init__(*args, **kwargs)

    @classmethod
    def _fingerprint(
        cls,
        in_use: Iterable[str],
        script_hash: str | None,
    ) -> str:
        # the code of all datasets, because datasets share readers: nctti uses readers of ncimp
        folders = [files("harness_ext") / "data", *files("harness_ext.datasets_scripts").iterdir()]
        folders = [folder for folder in folders if folder.is_dir()]
        # earlier versions misread later rows
        digest = hashlib.sha256(f"{datasets.__version__} {script_hash}".encode())
        for folder in sorted(folders, key=_name):
            is_of_dataset = folder.name == cls.NAME
            for file in sorted(folder.iterdir(), key=_name):
                if file.is_file() and (is_of_dataset or file.name.endswith(".py")):
                    digest.update(file.read_bytes())
        for content in in_use:
            digest.update(content.encode())
        return digest.hexdigest()

    @classmethod
    def sources(
        cls,
        config: str,
        split: str,
    ) -> Mapping[str, Source]:
        """List the source files that a split of a config needs; all of the config if there is no
        such split.
        """
        sources = cls.SOURCES.get(config, {})
        if split not in cls.FILES_OF:
            return dict(sources)
        of_splits = set(chain.from_iterable(cls.FILES_OF.values()))
        of_other_splits = of_splits.difference(cls.FILES_OF[split])
        return {name: source for name, source in sources.items() if name not in of_other_splits}

    @classmethod
    def revision_suffix(
        cls,
        *configs: str,
        split: str | None = None,
    ) -> str:
        """Make the suffix for the source files of configs, or of one of their splits; see
        `sources.revision_suffix`.
        """
        in_question: list[Source] = []
        for config in configs:
            if split:
                in_question += cls.sources(config, split).values()
            else:
                in_question += cls.SOURCES.get(config, {}).values()
        return revision_suffix(in_question)

    def splits(self) -> tuple[str, ...]:
        """List the splits of this config."""
        return self.SPLITS_OF.get(self.config.name, self.SPLITS)

    def rows(
        self,
        files: Mapping[str, File],
        split: str,
    ) -> Iterator[Mapping[str, Any]]:
        """Make the rows of `split` from the files of this config.

        Raises:
            SourceError: A source file is not available, is not the pinned file, or has another
                number of rows.
            ValueError: The content of a file is not as expected; names the file and the place in
                it.
        """
        raise NotImplementedError

    def as_dataset(
        self,
        split: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Prepare missing splits if they are requested, then load them as the base class does.

        Raises:
            SourceError: A source file of these splits is not available or is not the pinned file.
        """
        is_every = str(split) in {"None", "all"}
        asked = self.splits() if is_every else re.findall(r"\w+", str(split))
        prepared = self.info.splits or ()
        lacking = [name for name in self.splits() if name not in prepared]
        missing = [name for name in lacking if name in asked]
        if missing:
            for name in missing:
                self._read(name)
            self.info.splits = None  # forget the rows prepared without them
            self.download_and_prepare(download_mode=datasets.DownloadMode.FORCE_REDOWNLOAD)
        return super().as_dataset(split, *args, **kwargs)

    def _info(self) -> datasets.DatasetInfo:
        return datasets.DatasetInfo(features=features_of(self.ROW), **info_of(self.NAME))

    def _split_generators(
        self,
        dl_manager: object,
    ) -> list[datasets.SplitGenerator]:
        # Read here, not in _generate_examples: `datasets` hides its errors behind one of its own.
        generators: list[datasets.SplitGenerator] = []
        refused: list[str] = []
        for split in self.splits():
            try:
                rows = self._read(split)
                generators.append(datasets.SplitGenerator(split, gen_kwargs={"rows": rows}))
            except SourceError as error:
                logger.info("%s (%s): no split %s: %s", self.NAME, self.config.name, split, error)
                refused.append(str(error))
        if not generators and refused:  # any of them may be the requested split
            raise SourceError("\n\n".join(_without_repetitions(refused)))
        return generators

    def _read(
        self,
        split: str,
    ) -> tuple[Mapping[str, Any], ...]:
        config = self.config.name
        folder = files("harness_ext.datasets_scripts") / self.NAME
        own_files = self.PACKAGED.get(config, {})
        packaged = {name: folder / file for name, file in own_files.items()}
        sources = self.sources(config, split)
        try:
            return tuple(self.rows({**sources, **packaged}, split))
        except SourceError as error:
            instead = self.INSTEAD.get(split)
            if instead not in self.splits():
                raise
            note = (
                f"The split {instead} has these sentences from a public table: mteb run … "
                f"--eval-splits {instead}, or "
                f'load_dataset("{self.NAME}", "{config}", split="{instead}").'
            )
            raise SourceError(f"{error}\n{note}") from None
        except (LookupError, AttributeError, TypeError) as error:
            # A pinned file is as its reader expects; another file may be anything, and only its
            # name helps.
            unverified: set[str] = set()
            for source in sources.values():
                if blob_in_use(source) != source.blob:
                    unverified.add(source.name)
            if not unverified:
                raise
            raise ValueError(
                f"{', '.join(sorted(unverified))}: not as in the published file: {error!r}"
            ) from error

    def _generate_examples(
        self, rows: tuple[Mapping[str, Any], ...]
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        yield from enumerate(rows)


def read_sources(file: File) -> Mapping[str, Mapping[str, Source]]:
    """Read the pinned files of a dataset, a line each: config -> name -> file. Configs may share
    one.
    """
    sources: dict[str, dict[str, Source]] = {}
    for line in read_table(file):
        rows = int(line["rows"]) if line.get("rows") else None
        member = line.get("member") or ""
        source = Source(line["url"], line["blob"], rows, member)
        for config in line["configs"].split("; "):
            sources.setdefault(config, {})[line["name"]] = source
    return sources


def _without_repetitions(messages: Sequence[str]) -> Iterator[str]:
    """Yield each message once, and none that another one begins with."""
    distinct = dict.fromkeys(messages)
    for message in distinct:
        if not any(other.startswith(f"{message}\n") for other in distinct):
            yield message


def builder_class(name: str) -> type[PinnedBuilder]:
    """Import the builder of the dataset `name`."""
    module = import_module(f"harness_ext.datasets_scripts.{name}.{name}")
    for value in vars(module).values():
        is_builder = isinstance(value, type) and issubclass(value, PinnedBuilder)
        if is_builder and value.__module__ == module.__name__:
            return cast("type[PinnedBuilder]", value)
    raise LookupError(f"{module.__name__} has no builder.")
