"""Pinned downloads: every source file is a URL at a commit and the git blob hash of its bytes.

A file is taken from the first of these places that has it:

1. the folders of `HARNESS_EXT_MIRROR` (`os.pathsep`-separated), as `<folder>/<host>/<path>`;
2. the download cache, `HARNESS_EXT_CACHE` (default `~/.cache/harness_ext`), in the same layout;
3. the network, unless `HF_HUB_OFFLINE` or `HF_DATASETS_OFFLINE` is set.

The hash is checked wherever the file comes from. `HARNESS_EXT_ALLOW_UNVERIFIED=1` accepts a local file with a wrong
hash; the results then have `+unverified` in their dataset revision. It never accepts a download with a wrong hash.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import requests
from tenacity import before_sleep_log, retry, retry_if_exception, stop_after_attempt, wait_exponential
from tqdm.auto import tqdm
from urllib3.exceptions import HTTPError

from harness_ext.files import whole_file
from harness_ext.names import UNVERIFIED

if TYPE_CHECKING:
    from tenacity import RetryCallState

logger = logging.getLogger(__name__)

ATTEMPTS = 4
TIMEOUT_SECONDS = 30.0
"""An attempt fails if the server does not answer within this time, or then sends less than `SLOWEST_BYTES` in it."""

SLOWEST_BYTES = 1024
LONGEST_WAIT_SECONDS = 60.0
"""Limit on the wait that a server asks for (Retry-After)."""


class SourceError(RuntimeError):
    """A source file is not available or is not the pinned file. The message names the file and a remedy."""


@dataclass(frozen=True)
class Source:
    r"""A file at a fixed commit of a public repository.

    Attributes:
        url: Address of the published file; percent-encoded.
        blob: Its git blob hash, `sha1("blob <size>\0" + bytes)`, 40 hexadecimal digits.
        rows: Number of rows; None if not pinned.
        member: Path of the table inside of the file, which is a zip archive; empty if the file is the table.
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

    def check_rows(self, place: str, found: int) -> None:
        """Refuse a copy with another number of rows than the published file, whatever its hash.

        Args:
            place: The copy, and the member of an archive.
            found: Number of rows read from it.

        Raises:
            SourceError: The number differs from `rows`; names the file.
        """
        if self.rows not in {None, found}:
            raise SourceError(
                f"{place} has {found} rows; the published file has {self.rows}. It was cut off, or is another file.\n"
                f"  published at: {self.url}\nReplace it."
            )


def git_blob_hash(path: Path) -> str:
    r"""Compute git's hash of the file's contents: `sha1("blob <size>\0" + bytes)`, in hexadecimal."""
    data = path.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _is_set(*variables: str) -> bool:
    return any(os.environ.get(name, "").strip().lower() in {"1", "on", "yes", "true"} for name in variables)


def unverified_allowed() -> bool:
    """Whether `HARNESS_EXT_ALLOW_UNVERIFIED` is set."""
    return _is_set("HARNESS_EXT_ALLOW_UNVERIFIED")


def downloads_forbidden() -> bool:
    """Whether `HF_HUB_OFFLINE` or `HF_DATASETS_OFFLINE` is set."""
    return _is_set("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE")


def cache_folder() -> Path:
    """The folder of downloads and of other reproducible files: `HARNESS_EXT_CACHE`."""
    return Path(os.environ.get("HARNESS_EXT_CACHE") or "~/.cache/harness_ext").expanduser()


def _mirror_folders() -> Iterator[Path]:
    for folder in os.environ.get("HARNESS_EXT_MIRROR", "").split(os.pathsep):
        if folder:
            yield Path(folder).expanduser().absolute()


def local_copy(source: Source) -> Path | None:
    """Find the file in the mirror folders, then in the cache, whatever its hash."""
    folders = [*_mirror_folders(), cache_folder()]
    return next((path for folder in folders if (path := folder / source.relative_path).is_file()), None)


def in_cache(path: Path) -> bool:
    """Whether a file is in the download cache, where damaged files are replaced."""
    return path.is_relative_to(cache_folder())


def blob_in_use(source: Source) -> str:
    """Find the hash of the file that `fetch` would return.

    It is the pinned hash, unless `HARNESS_EXT_ALLOW_UNVERIFIED=1` accepts another local copy.
    """
    if not unverified_allowed():
        return source.blob
    path = local_copy(source)
    return source.blob if path is None else git_blob_hash(path)


def revision_suffix(sources: Iterable[Source]) -> str:
    """Write `+unverified-` and a hash of the unverified files in use; empty if all files are the pinned files.

    So results on two different unverified copies have different revisions.
    """
    in_use = {source.url: blob for source in sources if (blob := blob_in_use(source)) != source.blob}
    return f"{UNVERIFIED}-{hashlib.sha256(repr(sorted(in_use.items())).encode()).hexdigest()[:8]}" if in_use else ""


def fetch(source: Source) -> Path:
    """Return the path of a local, verified copy of `source`; download it if necessary.

    Raises:
        SourceError: The file is in no mirror and not in the cache, and cannot be downloaded; or its hash is wrong.
    """
    cached = cache_folder() / source.relative_path
    path = local_copy(source)
    if path == cached and git_blob_hash(path) != source.blob and not unverified_allowed():
        logger.warning("%s in the download cache is damaged; downloading it again.", path)
        path = None
    if path is None:
        return _download(source, cached)
    _verify(path, source)
    return path


def _verify(path: Path, source: Source) -> None:
    found = git_blob_hash(path)
    if found == source.blob:
        return
    if unverified_allowed():
        logger.warning("Using %s although its hash is %s, not %s.", path, found, source.blob)
        return
    raise SourceError(
        f"{path} {_not_the_file(source, found)}"
        "Remove or replace the file (if it is in a mirror folder: HARNESS_EXT_MIRROR), or set "
        "HARNESS_EXT_ALLOW_UNVERIFIED=1 to use it anyway; results are then marked '+unverified'."
    )


def _not_the_file(source: Source, found: str) -> str:
    return (
        "is not the file that the published results were computed from.\n"
        f"  expected git blob hash: {source.blob}\n"
        f"  found:                  {found}\n"
        f"  published at:           {source.url}\n"
    )


def download_size(source: Source) -> int | None:
    """Ask for the size of a download in bytes; None if the server does not tell.

    Raises:
        SourceError: The server cannot be reached, or does not have the file.
    """
    try:
        with requests.head(
            source.url, allow_redirects=True, timeout=TIMEOUT_SECONDS, headers={"Accept-Encoding": "identity"}
        ) as response:
            response.raise_for_status()
            return _size(response)
    except (requests.RequestException, ValueError) as error:  # a redirect to an invalid address is a ValueError
        raise SourceError(f"{source.name} cannot be reached: {error}") from None


def _size(response: requests.Response) -> int | None:
    said = response.headers.get("Content-Length", "")
    return int(said) or None if said.isdecimal() else None


_MAY_SUCCEED_LATER = (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError)


def _is_worth_retrying(error: BaseException) -> bool:
    """Whether the same request may succeed later: after lost connections, time-outs, 429 and server errors."""
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return error.response.status_code == 429 or error.response.status_code >= 500
    return isinstance(error, _MAY_SUCCEED_LATER)


_backing_off = wait_exponential(multiplier=0.5, max=10)


def _wait(state: RetryCallState) -> float:
    """Seconds until the next attempt: the server's Retry-After, up to `LONGEST_WAIT_SECONDS`."""
    response = getattr(state.outcome and state.outcome.exception(), "response", None)
    asked = "" if response is None else response.headers.get("Retry-After", "")
    return min(float(asked), LONGEST_WAIT_SECONDS) if asked.isdecimal() else _backing_off(state)


@retry(
    retry=retry_if_exception(_is_worth_retrying),
    stop=stop_after_attempt(ATTEMPTS),
    wait=_wait,
    before_sleep=before_sleep_log(logger, logging.WARNING),
    reraise=True,
)
def _get(url: str, target: Path) -> None:
    """Download `url` to `target`, with a progress bar."""
    with requests.get(url, stream=True, timeout=TIMEOUT_SECONDS) as response, target.open("wb") as file:
        response.raise_for_status()
        with tqdm(total=_size(response), unit="B", unit_scale=True, desc=unquote(Path(url).name)) as progress:
            for part in _parts(response):
                file.write(part)
                progress.update(len(part))


def _parts(response: requests.Response) -> Iterator[bytes]:
    """Yield the bytes as they arrive.

    Raises:
        requests.ConnectionError: The transfer broke off.
        requests.Timeout: The transfer is slower than `SLOWEST_BYTES` in `TIMEOUT_SECONDS`.
    """
    started, received = time.monotonic(), 0
    try:
        while part := response.raw.read1(1 << 16, decode_content=True):  # iter_content waits for a full part
            yield part
            received += len(part)
            if time.monotonic() - started > TIMEOUT_SECONDS:
                if received < SLOWEST_BYTES:
                    raise requests.Timeout(f"only {received} bytes came in {TIMEOUT_SECONDS:g} seconds")
                started, received = time.monotonic(), 0
    except HTTPError as error:
        raise requests.ConnectionError(f"the transfer broke off: {error}") from error


def _download(source: Source, target: Path) -> Path:
    """Download to `target`; the file appears only when the download is complete and verified."""
    if downloads_forbidden():
        raise SourceError(
            f"{source.name} has not been downloaded yet, and HF_HUB_OFFLINE or HF_DATASETS_OFFLINE forbids it.\n"
            f"  published at: {source.url}\nUnset the variable once to download it. {_without_a_network(source)}"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(target) as partial:
            _get(source.url, partial)
            # checked even if unverified files are allowed: rows of a download are cached as rows of the pinned file
            if (found := git_blob_hash(partial)) != source.blob:
                raise SourceError(
                    f"The download of {source.name} {_not_the_file(source, found)}It was deleted. Try again, perhaps "
                    "from another network. To use your own copy, put it into a folder of HARNESS_EXT_MIRROR and set "
                    "HARNESS_EXT_ALLOW_UNVERIFIED=1; results are then marked '+unverified'."
                )
    except (requests.RequestException, ValueError) as error:  # a redirect to an invalid address is a ValueError
        raise SourceError(
            f"{source.name} could not be downloaded: {error}\n"
            f"  published at: {source.url}\nCheck the connection and try again. {_without_a_network(source)}"
        ) from None
    except OSError as error:
        raise SourceError(
            f"{source.name} could not be kept in the download cache: {error}\n"
            "Name a folder that can be written to in HARNESS_EXT_CACHE."
        ) from None
    return target


def _without_a_network(source: Source) -> str:
    """Tell where to put the file in a mirror, and which mirrors were searched."""
    searched = list(_mirror_folders())
    if not searched:
        return (
            f"To work without a network, put the file into a folder as {source.relative_path} and name that folder in "
            "HARNESS_EXT_MIRROR."
        )
    folders = ", ".join(f"{folder}{'' if folder.is_dir() else ' (no such folder)'}" for folder in searched)
    return (
        f"To work without a network, put the file into a folder of HARNESS_EXT_MIRROR as {source.relative_path}; not "
        f"in: {folders}."
    )
