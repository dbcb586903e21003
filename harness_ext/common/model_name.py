"""Names of models with the options of this project: `checkpoint (pooling=cls, layer=6,
standardized)`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness_ext.common.errors import UnknownNameError, shown, unknown_name

_VALUES = {
    "pooling": r"pooling=([^(),]*)",
    "layer": r"layer=(\d+)",
    "lm_states": r"lm_states=(\w+)",
    "layer_pooling": r"layer_pooling=(\w+)",
    "injected": r"injected=([^()]+?)",  # a file, whose name may have a comma
    "dtype": r"dtype=(\w+)",
    "device_map": r"device_map=([\w:]+)",
    "standardized": r"(standardized)",
    "additive": r"(additive)",
}
"""The options in the order of a name, so that a model has one name."""

_NAME = re.compile(r"(?P<checkpoint>.+) \((?P<options>.+)\)", re.DOTALL)
_OPTIONS = re.compile("".join(f"(?:, {value})?" for value in _VALUES.values()), re.DOTALL)

_BRACKETS = re.compile(r"([^()\[\]]+?)\s*[(\[]\s*([^()\[\]]*?)\s*[)\]]*", re.DOTALL)
"""A name with options, however its brackets are written."""

_ENDPOINT = re.compile(r"(https?://[^\s@?#]+?)/v1/?#(\S.*)")

ENDPOINT = "endpoint/"  # how names of results begin whose model answers behind an endpoint


LOCAL = "local/"  # how names begin of models in a folder or file of somebody's machine


def local_name(place: Path) -> str:
    """The name of a model in a folder or file."""
    return f"{LOCAL}{plain_letters(place.resolve().name)}"


def plain_letters(name: str) -> str:
    """Write a name in the letters that a board takes: `Müller` becomes `Muller`."""
    letters = unicodedata.normalize("NFKD", name)
    letters = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9 ._+=,:()-]", "_", letters)


def _is_here(name: str) -> bool:
    """Whether there is a folder or file of this name."""
    path = Path(name)
    try:
        return path.is_dir() or path.is_file()
    except OSError:  # the name is too long, or stands in a folder that may not be read
        return False


@dataclass(frozen=True)
class ModelName:
    """A checkpoint and its options.

    Attributes:
        checkpoint: The name without options, or the whole name if it has others than those of this
            project.
        options: Option -> value, in the order of the name; the value of a flag is its own name.

    Examples:
        >>> ModelName.parse("a/b (pooling=cls, standardized)")
        ModelName(checkpoint='a/b', options={'pooling': 'cls', 'standardized': 'standardized'})
        >>> ModelName.parse("a/b (pooling=cls, pooling=cls)").options
        {}
        >>> str(ModelName.parse("a/b (standardized)").but(layer="6"))
        'a/b (layer=6, standardized)'
    """

    checkpoint: str
    options: Mapping[str, str]

    @classmethod
    def parse(cls, name: str) -> ModelName:
        """Read a name. Values are not checked."""
        named = _NAME.fullmatch(name)
        options = _OPTIONS.fullmatch(f", {named['options']}") if named else None
        if named is None or options is None:
            return cls(name, {})
        values = dict(zip(_VALUES, options.groups(), strict=True))
        given = {option: value for option, value in values.items() if value is not None}
        return cls(named["checkpoint"], given)

    @property
    def endpoint(self) -> tuple[str, str] | None:
        """The address and the model of `http://HOST:PORT/v1#MODEL`; None for a name of another
        form.

        Raises:
            UnknownNameError: It is an address of another form, or has options of weights.
        """
        if not self.checkpoint.startswith(("http://", "https://")):
            return None
        match = _ENDPOINT.fullmatch(self.checkpoint)
        if match is None or self.options.keys() - {"standardized", "additive"}:
            # not above: it takes a tenth of a second, and tables of results do without it
            from harness_ext.common.copied_names import about_address

            raise UnknownNameError(about_address(self.checkpoint))
        return match[1], match[2]

    def check(self) -> None:
        """Refuse what can be no name on the Hub, and is nothing of this machine.

        Raises:
            UnknownNameError: There is no such folder or file, or no such option, or it is another
                text that people copy; says what to write.
        """
        if self.endpoint:
            return
        name = self.checkpoint
        if name.strip() and _is_here(name):  # an empty one is the current folder
            return
        self._check_options()
        from harness_ext.common import copied_names

        if copied_names.is_path(name):
            reason = "no such folder or file"
        elif not copied_names.is_name_on_hub(name):
            reason = "no model has such a name" if name.strip() else "the name is empty"
        else:
            return
        quoted = shown(copied_names.without_secrets(name))
        raise UnknownNameError(f"{quoted}: {reason}. {copied_names.what_to_write(name)}")

    def _check_options(self) -> None:
        """Refuse options that could not be read."""
        in_brackets = _BRACKETS.fullmatch(self.checkpoint.strip())
        if in_brackets:
            checkpoint, options = in_brackets.groups()
            meant = ModelName.parse(f"{checkpoint} ({options})")
            if meant.options:
                raise UnknownNameError(
                    f"{shown(self.checkpoint)}: its options have other brackets. Write {meant}."
                )
        named = _NAME.fullmatch(self.checkpoint)
        if named is None:
            return
        for part in named["options"].split(", "):
            option = part.partition("=")[0]
            if option not in _VALUES:
                raise unknown_name(
                    "option", option, _VALUES, f"It is in the name of the model {self.checkpoint}."
                )
        order = ", ".join(_VALUES)
        raise UnknownNameError(
            f"{self.checkpoint}: its options have another order or no value. They are: {order}."
        )

    def __str__(self) -> str:
        options: list[str] = []
        for option, value in self.options.items():
            options.append(value if value == option else f"{option}={value}")
        return f"{self.checkpoint} ({', '.join(options)})" if options else self.checkpoint

    def but(self, **options: str | None) -> ModelName:
        """The name with these options changed; None removes an option."""
        values = {**self.options, **options}
        given: dict[str, str] = {}
        for option in _VALUES:
            value = values.get(option)
            if value is not None:
                given[option] = value
        return ModelName(self.checkpoint, given)
