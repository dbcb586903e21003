"""An encoder behind an endpoint of OpenAI's form, as `http://HOST:PORT/v1#MODEL`.

Nothing of it can be hashed: its revision is the day and the model that the endpoint says it answers
with, and no result of it is read again. Vectors are paid for: those of a run that was cut off are
kept until its result is written.
"""

import base64
import json
import os
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import requests
from mteb.models.openai_wrappers import OpenAIAPIEncodeWrapper
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from harness_ext.common.arrays import Vectors
from harness_ext.common.model_name import plain_letters
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.text_encoder import KeepsIdentity

KEY_VARIABLE = "HARNESS_EXT_API_KEY"
"""The key that is sent to an endpoint. Another program's key, such as OPENAI_API_KEY, is not for
every address.
"""

_BECOME_GET = frozenset((301, 302, 303))
"""After these answers a POST goes on as a GET, without its texts."""

_LONGEST = 300
"""The most characters of what a server says that a message quotes."""

_LATER = Retry(
    5,
    connect=2,
    backoff_factor=1,
    status_forcelist=[429, 500, 502, 503, 504],
    allowed_methods=None,
    raise_on_status=False,
)
"""When a request is sent again: after as long as the endpoint says, else after 0, 2, 4, 8, 16
seconds.
"""


class EndpointEncoder(KeepsIdentity, OpenAIAPIEncodeWrapper):  # type: ignore[misc]
    """An encoder behind an endpoint."""

    backend = "endpoint"  # in signatures
    _at_once = 2**31
    _kept: Path | None = None

    def __init__(
        self,
        model_name: str,
        revision: str | None = None,
        *,
        url: str,
        served: str,
        device: str | None = None,
    ) -> None:
        """Ask the endpoint at an address, without `/v1`, for a first vector of the model that it
        serves under a name.

        Raises:
            ValueError: The key cannot be sent; says where, and not what it is.
            OSError: The endpoint does not answer, or not with a vector; says why.
        """
        self._facts: dict[str, str | int] = {}
        self._earlier: dict[str, list[float]] = {}
        self._session = requests.Session()
        self._session.mount(url, HTTPAdapter(max_retries=_LATER))
        # mteb's metadata refuse the name of a model without a slash
        super().__init__(url, model_name, _key(), modalities=["text"], use_chat_template=False)
        self.model_name = served
        self._detect_max_length()
        try:
            self._get_embeddings(["crocodile"])
        except EncodingError as error:
            raise OSError(f"{error} A key is read from {KEY_VARIABLE}.") from None
        day = datetime.now(UTC).date()
        revision = f"{day}-{plain_letters(str(self._facts['model']))}"
        # no address in results
        self._loaded = {"name": model_name, "revision": revision, "loader_kwargs": {}}
        self.mteb_model_meta = self.mteb_model_meta

    def _verify_server(self) -> None:
        """Ask nothing: mteb asks for the list of models, without the key, and some servers have no
        list.
        """

    @contextmanager
    def keeping_vectors(self, folder: Path, task: str) -> Iterator[None]:
        """Keep the vectors for a task in a file of the folder, and take those there; without an
        error it is removed.
        """
        name = sha256(repr((self.endpoint_url, self._loaded, task)).encode()).hexdigest()
        self._kept = folder / f".vectors-{name[:12]}.jsonl"
        lines: list[str] = []
        if self._kept.exists():
            lines = self._kept.read_text(encoding="utf-8").splitlines()
        for line in lines:
            with suppress(ValueError):  # the program was killed while it wrote the line
                self._earlier.update([json.loads(line)])
        try:
            yield
            self._kept.unlink(missing_ok=True)
        finally:
            self._kept = None
            self._earlier = {}

    def _get_embeddings(self, texts: list[str]) -> Vectors:
        """A vector of each text, in smaller requests where the endpoint takes no more at once."""
        known: dict[str, Any] = {}
        for text in texts:
            name = _name(text)
            if name in self._earlier:
                # once: who asks for a text again wants to see whether its vector changes
                known[text] = self._earlier.pop(name)
        while new := [text for text in texts if text not in known]:
            known |= self._ask(new[: self._at_once])
        vectors = [known[text] for text in texts]
        return np.array(vectors, dtype=np.float32)

    def _ask(
        self,
        texts: list[str],
    ) -> dict[str, Vectors]:
        """Ask for vectors, and keep them; none if the endpoint refuses so many texts at once: then
        half as many.

        Raises:
            EncodingError: It does not answer with a vector of each text, of the same model and
                dimensions as before; names what it said.
        """
        payload: dict[str, Any] = {
            "model": self.model_name,
            "input": texts,
            "encoding_format": "float",
        }
        payload |= {"truncate_prompt_tokens": self.max_length} if self.max_length else {}
        place = f"{self.endpoint_url}/v1/embeddings"
        headers = {"Authorization": f"Bearer {self.api_key}"} if self.api_key else {}
        try:
            response = self._session.post(
                place, json=payload, headers=headers, timeout=self.timeout
            )
        except requests.RequestException as error:
            reason = self._without_key(str(error))
            raise EncodingError(f"{place} does not answer: {reason}.") from None
        codes = [earlier.status_code for earlier in response.history]
        if not _BECOME_GET.isdisjoint(codes):
            there = self._without_key(response.url)
            raise EncodingError(
                f"{place} sends on to {there} ({codes[0]}), and a request that is sent on so asks "
                "for a page. Name that address in the place of the first."
            )
        if response.status_code in {400, 413} and len(texts) > 1:
            self._at_once = len(texts) // 2
            return {}
        answer: Any = {}
        try:
            answer = response.json()
            vectors = _vectors(answer["data"], len(texts))
        except (LookupError, TypeError, ValueError) as error:
            reason = str(error)
            if not (isinstance(answer, dict) and answer.get("data")):
                reason = response.text
            # cut last: else a part of the key may be left
            reason = " ".join(self._without_key(reason).split())[:_LONGEST]
            of = f"{texts[0]!r}" if len(texts) == 1 else f"each of {len(texts)} texts"
            raise EncodingError(
                f"{place} gives no vector of {of} ({response.status_code}): {reason}."
            ) from None
        model = self._without_key(str(answer.get("model") or self.model_name))
        facts = {"model": model, "dimensions": vectors.shape[1]}
        for fact, now in facts.items():
            before = self._facts.setdefault(fact, now)
            if before != now:
                raise EncodingError(
                    f"{place} answered with {before} ({fact}) at first, and now with {now}."
                )
        if self._kept:
            with self._kept.open("a", encoding="utf-8") as lines:
                lines.writelines(
                    json.dumps([_name(text), vector.tolist()]) + "\n"
                    for text, vector in zip(texts, vectors, strict=True)
                )
        return dict(zip(texts, vectors, strict=True))

    def _without_key(self, text: str) -> str:
        """A text of a server or a library without the key, also as JSON or an address has it."""
        if self.api_key:
            in_json = json.dumps(self.api_key)[1:-1]
            in_address = quote(self.api_key, safe="")
            for written in (self.api_key, in_json, in_address):
                text = text.replace(written, "…")
        return text


def _key() -> str | None:
    """The key that is sent, without blanks and line ends around it; None if there is none.

    Raises:
        ValueError: It has a character that no header can have, such as a dash of a word processor.
    """
    key = os.environ.get(KEY_VARIABLE, "").strip()
    for place, character in enumerate(key, start=1):
        if not " " <= character <= "~":
            name = unicodedata.name(character, f"U+{ord(character):04X}")
            raise ValueError(
                f"The key in {KEY_VARIABLE} cannot be sent: its character {place} is {name}, and a "
                "key has letters, digits and signs of ASCII alone. Copy it again."
            )
    return key or None


def _vectors(
    data: list[dict[str, Any]],
    n: int,
) -> Vectors:
    """The vectors of an answer, in the order of their texts, shape (n, d); an error if it has not
    one per text.
    """
    numbers = [str(item.get("index")) for item in data]
    if sorted(numbers) != sorted(map(str, range(n))):
        raise ValueError(f"{len(data)} vectors with the index {', '.join(numbers[:5])}")
    vectors = [item["embedding"] for item in sorted(data, key=itemgetter("index"))]
    if isinstance(vectors[0], str):
        vectors = [np.frombuffer(base64.b64decode(vector), dtype="<f4") for vector in vectors]
    array = np.array(vectors, dtype=np.float32)
    if array.ndim != 2:
        raise ValueError("vectors of tokens")
    return array


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()
