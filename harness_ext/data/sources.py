"""Pinned downloads: every source file is a URL at a commit and the git blob hash of its bytes.

A file is taken from the first of these places that has it:

1. the folders of `HARNESS_EXT_MIRROR` (`os.pathsep`-separated), as `<folder>/<host>/<path>`;
2. the download cache, `HARNESS_EXT_CACHE` (default `~/.cache/harness_ext`), in the same layout;
3. the network, unless `HF_HUB_OFFLINE` or `HF_DATASETS_OFFLINE` is set.

The hash is checked wherever the file comes from. `HARNESS_EXT_ALLOW_UNVERIFIED=1` accepts a local
file with a wrong hash; the results then have `+unverified` in their dataset revision. It never
accepts a download with a wrong hash.
"""

import hashlib
import logging
import math
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

import requests
from tenacity import retry, retry_if_exception, stop_after_attempt, wait_exponential

from harness_ext.common.files import whole_file
from harness_ext.common.revisions import UNVERIFIED

_WITHOUT_DOWNLOADS = ContextVar("without_downloads", default=False)

logger = logging.getLogger(__name__)

TIMEOUT_SECONDS = 30.0  # a download fails if the server sends nothing for so long
# an unreachable server is not asked again for so long: a board needs hundreds of files
UNREACHABLE_SECONDS = 60.0
# what sets a variable of the environment
_YES = frozenset(("1", "on", "yes", "true"))
# server -> when it was asked last, and what went wrong
_unreachable: dict[str, tuple[float, str]] = {}


class SourceError(RuntimeError):
    """A source file is not available or is not the pinned file. The message names the file and a
    remedy.
    """


@dataclass(frozen=True)
class Source:
    r"""A file at a fixed commit of a public repository.

    Attributes:
        url: Address of the published file; percent-encoded.
        blob: Its git blob hash, `sha1("blob <size>\0" + bytes)`, 40 hexadecimal digits.
        rows: Number of rows; None if not pinned.
        member: Path of the table inside of the file, which is a zip archive; empty if the file is
            the table.
    """

    url: str
    blob: str
    rows: int | None = None
    member: str = ""

    @property
    def relative_path(self) -> Path:
        """The file's path below a mirror folder: `<host>/<path>`."""
        parts = urlsplit(self.url)
        return Path(parts.netloc, unquote(parts.path).lstrip("/"))

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.relative_path.name

    def check_rows(
        self,
        place: str,
        found: int,
    ) -> None:
        """Raise SourceError if a copy, whatever its hash, has another number of rows than the
        published file.
        """
        if self.rows not in {None, found}:
            raise SourceError(
                f"{place} has {found} rows; the published file has {self.rows}. It was cut off, or "
                f"is another file.\n  published at: {self.url}\nReplace it."
            )


def git_blob_hash(file: Path | bytes) -> str:
    r"""Compute git's hash of a file or its content: `sha1("blob <size>\0" + bytes)`, in
    hexadecimal.
    """
    data = file if isinstance(file, bytes) else file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _is_set(*variables: str) -> bool:
    values = [os.environ.get(name, "").strip().lower() for name in variables]
    return not _YES.isdisjoint(values)


def unverified_allowed() -> bool:
    """Whether `HARNESS_EXT_ALLOW_UNVERIFIED` is set."""
    return _is_set("HARNESS_EXT_ALLOW_UNVERIFIED")


def downloads_forbidden() -> bool:
    """Whether `HF_HUB_OFFLINE` or `HF_DATASETS_OFFLINE` is set, or the caller is inside
    `without_downloads`.
    """
    return _WITHOUT_DOWNLOADS.get() or _is_set("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")


@contextmanager
def without_downloads() -> Iterator[None]:
    """Read only files that are here, inside the context."""
    token = _WITHOUT_DOWNLOADS.set(True)
    try:
        yield
    finally:
        _WITHOUT_DOWNLOADS.reset(token)


def cache_folder() -> Path:
    """The folder of downloads and of other reproducible files: `HARNESS_EXT_CACHE`.

    Raises:
        SourceError: It is not set, and the user has no home.
    """
    try:
        return Path(os.environ.get("HARNESS_EXT_CACHE") or "~/.cache/harness_ext").expanduser()
    except RuntimeError as error:
        raise SourceError(
            f"{error} Name a folder that can be written to in HARNESS_EXT_CACHE."
        ) from None


def _mirror_folders() -> list[Path]:
    folders = filter(None, os.environ.get("HARNESS_EXT_MIRROR", "").split(os.pathsep))
    return [Path(folder).expanduser().absolute() for folder in folders]


def _folders() -> Iterator[Path]:
    yield from _mirror_folders()
    yield cache_folder()  # which need not be, where a mirror has the file


def local_copy(source: Source) -> Path | None:
    """Find the file in the mirror folders, then in the cache, whatever its hash."""
    for folder in _folders():
        path = folder / source.relative_path
        if path.is_file():
            return path
    return None


def blob_in_use(source: Source) -> str:
    """Find the hash of the file that `fetch` would return: the pinned one, unless another local
    copy is accepted.
    """
    path = local_copy(source) if unverified_allowed() else None
    return git_blob_hash(path) if path else source.blob


def revision_suffix(sources: Iterable[Source]) -> str:
    """Write `+unverified-` and a hash of the unverified files in use; empty if all files are the
    pinned files.

    So results on two different unverified copies have different revisions.
    """
    unverified: dict[str, str] = {}
    for source in sources:
        blob = blob_in_use(source)
        if blob != source.blob:
            unverified[source.url] = blob
    if not unverified:
        return ""
    listed = repr(sorted(unverified.items()))
    digest = hashlib.sha256(listed.encode()).hexdigest()
    return f"{UNVERIFIED}-{digest[:8]}"


def fetch(source: Source) -> Path:
    """Return the path of a local, verified copy of `source`; download it if necessary.

    Raises:
        SourceError: The file is in no mirror and not in the cache, and cannot be downloaded; or its
            hash is wrong.
    """
    path = local_copy(source)
    if path is None:
        return _download(source, cache_folder() / source.relative_path)
    found = git_blob_hash(path)
    if found == source.blob:
        return path
    if unverified_allowed():
        logger.warning("Using %s although its hash is %s, not %s.", path, found, source.blob)
        return path
    if path not in [folder / source.relative_path for folder in _mirror_folders()]:
        logger.warning("%s in the download cache is damaged; downloading it again.", path)
        return _download(source, path)
    raise SourceError(f"{path} {_not_the_file(source, found)}Remove or replace it.")


def _not_the_file(
    source: Source,
    found: str,
) -> str:
    return (
        "is not the file that the published results were computed from.\n  expected git blob "
        f"hash: {source.blob}\n  found:                  {found}\n  published at:           "
        f"{source.url}\nTo use your own copy, put it into a folder of HARNESS_EXT_MIRROR and set "
        "HARNESS_EXT_ALLOW_UNVERIFIED=1; results are then marked '+unverified'. "
    )


def _may_succeed_later(error: BaseException) -> bool:
    """After lost connections, time-outs, 429 and server errors."""
    response = getattr(error, "response", None)
    if not isinstance(error, requests.RequestException):
        return False
    return response is None or response.status_code == 429 or 500 <= response.status_code < 600


@retry(
    retry=retry_if_exception(_may_succeed_later),
    stop=stop_after_attempt(4),
    wait=wait_exponential(1),
    reraise=True,
)
def _get(url: str) -> bytes:
    response = requests.get(url, timeout=TIMEOUT_SECONDS)
    response.raise_for_status()
    return response.content


def _get_from_reachable(url: str) -> bytes:
    server = urlsplit(url).netloc
    asked, problem = _unreachable.get(server, (-math.inf, ""))
    if time.monotonic() - asked < UNREACHABLE_SECONDS:
        raise requests.ConnectionError(problem)
    try:
        return _get(url)
    except requests.ConnectionError as error:
        _unreachable[server] = time.monotonic(), str(error)
        raise


def _download(
    source: Source,
    target: Path,
) -> Path:
    """Download to `target`; the file appears only when the download is complete and verified."""
    remedy = f"\n  published at: {source.url}\n{{}} {_without_a_network(source)}"
    if downloads_forbidden():
        problem = (
            "has not been downloaded yet, and HF_HUB_OFFLINE or HF_DATASETS_OFFLINE forbids it."
        )
        raise SourceError(
            f"{source.name} {problem}{remedy.format('Unset the variable once to download it.')}"
        )
    try:
        data = _get_from_reachable(source.url)
    # a redirect to an invalid address is a ValueError
    except (requests.RequestException, ValueError) as error:
        check = remedy.format("Check the connection and try again.")
        raise SourceError(f"{source.name} could not be downloaded: {error}{check}") from None
    # checked even if unverified files are allowed: rows of a download are cached as rows of the
    # pinned file
    found = git_blob_hash(data)
    if found != source.blob:
        raise SourceError(
            f"The download of {source.name} {_not_the_file(source, found)}It was not kept. Try "
            "again."
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target) as partial:
            partial.write_bytes(data)
    except OSError as error:
        raise SourceError(
            f"{source.name}: {error}\nName a folder that can be written to in HARNESS_EXT_CACHE."
        ) from None
    return target


def _without_a_network(source: Source) -> str:
    """Tell where to put the file in a mirror, and which mirrors were searched."""
    begin = (
        f"To work without a network, put the file into a folder{{}} as {source.relative_path}{{}}."
    )
    folders = _mirror_folders()
    if not folders:
        return begin.format("", " and name that folder in HARNESS_EXT_MIRROR")
    searched: list[str] = []
    for folder in folders:
        searched.append(str(folder) if folder.is_dir() else f"{folder} (no such folder)")
    return begin.format(" of HARNESS_EXT_MIRROR", f"; not in: {', '.join(searched)}")
