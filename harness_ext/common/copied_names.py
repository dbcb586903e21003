"""What to write in place of a text that people copy, and that can be no name of a model."""

import re
from pathlib import PurePosixPath, PureWindowsPath
from urllib.parse import SplitResult, urlsplit

from huggingface_hub import constants
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

_FORMS = (
    "A model is ORGANIZATION/NAME on the Hub, a folder such as ./FOLDER, or "
    "http://HOST:PORT/v1#MODEL."
)
_HOSTS_OF_HUB = {"huggingface.co", "www.huggingface.co", "hf.co"}

_NAME = r"[\w.-]+/[\w.-]+"
_WITH_REVISION = re.compile(rf"({_NAME})[@:#]([^\s@:#]+)")
_ADDRESS = re.compile(r"([\w.-]+:\d+)(?:/[^#]*)?(?:#(\S+))?")
_OF_PROGRAM = re.compile(r"[A-Za-z][\w.-]+:(\S+)")
_IN_CACHE = re.compile(r"models--([\w.-]+?)--([\w.-]+)")
_AMONG_OTHERS = re.compile(rf"(?<![\w./-]){_NAME}(?![\w./-])")
_USER = re.compile(r"\S*@(?=[\w.-]+:\d)")
_QUESTION = re.compile(r"\?[^#\s]*")


def is_name_on_hub(name: str) -> bool:
    """Whether a model on the Hub may have this name, `ORGANIZATION/NAME` or `NAME`."""
    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return name == name.strip()  # earlier versions of huggingface_hub take a line end for nothing


def is_path(name: str) -> bool:
    """Whether a text can only be meant as a folder or file, of this machine or another."""
    path = PurePosixPath(name)
    is_of_windows = bool(PureWindowsPath(name).drive) or "\\" in name
    starts = name.startswith((".", "~")) or path.is_absolute()
    return is_of_windows or starts or name.endswith("/") or len(path.parts) > 2


def without_secrets(text: str) -> str:
    """Leave out what may be a key: what stands before the @ of an address, and after its ?."""
    return _QUESTION.sub("?…", _USER.sub("…@", text))


def what_to_write(name: str) -> str:
    """Say what to write in place of a text that is no folder or file here, and no name on the Hub.

    Args:
        name: The text, without options in brackets. It is no address that begins with `http`, for
            which there is `about_address`.

    Returns:
        One sentence or two.

    Examples:
        >>> what_to_write("org/name@main")
        'Write org/name. A revision is no part of a name: mteb run has --model-revision main.'
        >>> what_to_write("ollama:all-minilm")
        'Write http://HOST:PORT/v1#all-minilm for a model of a server.'
        >>> what_to_write(" 'org/name'")
        'Write org/name.'
    """
    text = _QUESTION.sub("", _USER.sub("", name)).strip()
    model = _page_of(text)
    if model:
        return f"Write {model}."
    with_revision = _WITH_REVISION.fullmatch(text)
    if with_revision:
        model, revision = with_revision.groups()
        said = "A revision is no part of a name: mteb run has --model-revision"
        return f"Write {model}. {said} {revision}."
    address = _ADDRESS.fullmatch(text)
    if address:
        server, model = address.groups()
        return f"Write http://{server}/v1#{model or 'MODEL'} for a model of a server."
    in_cache = _IN_CACHE.search(text)
    if in_cache:
        organization, model = in_cache.groups()
        return f"Write {organization}/{model} for the model in this folder of the cache."
    if is_path(text):
        plain = text.rstrip("/")
        return f"Write {plain} for the model on the Hub." if _has_two_parts(plain) else _FORMS
    with_program = _OF_PROGRAM.fullmatch(text)
    if with_program:
        model = with_program[1]
        on_hub = f"{model} for the model on the Hub, or " if _has_two_parts(model) else ""
        return f"Write {on_hub}http://HOST:PORT/v1#{model} for a model of a server."
    parts = [part.rstrip(".-") for part in _AMONG_OTHERS.findall(text)]
    among_others = [part for part in parts if is_name_on_hub(part)]
    return f"Write {among_others[0]}." if len(among_others) == 1 else _FORMS


def about_address(address: str) -> str:
    """Say what is wrong with an address, `http://…` or `https://…`, that is of no endpoint.

    Of the address it quotes the server alone: the rest may hold a key.
    """
    split = _split(address)
    if split is None:
        return f"An address of a model cannot be read. {_FORMS}"
    server = f"{split.scheme}://{split.netloc.rpartition('@')[2]}"
    model = _page_of(address)
    if model:
        return f"{server}{split.path}: it is the page of a model. Write {model}."
    return (
        f"{server}: a model behind an endpoint is {server}/v1#MODEL, without a user or a question "
        "mark, and its only options are (standardized) and (additive)."
    )


def _has_two_parts(name: str) -> bool:
    return "/" in name and is_name_on_hub(name)


def _page_of(link: str) -> str:
    """Find the name of the model whose page on the Hub a link is of; empty for any other text."""
    split = _split(link if "://" in link else f"//{link}")
    own = urlsplit(constants.ENDPOINT).hostname
    if split is None or split.hostname not in _HOSTS_OF_HUB | {own}:
        return ""
    organization_and_name = split.path.strip("/").split("/")[:2]
    name = "/".join(organization_and_name)
    return name if _has_two_parts(name) else ""


def _split(address: str) -> SplitResult | None:
    try:
        return urlsplit(address)
    except ValueError:  # of brackets
        return None
