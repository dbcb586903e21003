"""An encoder behind an endpoint of OpenAI's form, as `http://HOST:PORT/v1#MODEL`.

Nothing of it can be hashed: its revision is the day and the model that the endpoint says it answers with, and no result
of it is read again.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Any

from mteb.models.openai_wrappers import OpenAIAPIEncodeWrapper

from harness_ext.common.model_name import plain_letters
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.text_encoder import KeepsIdentity

KEY_VARIABLE = "HARNESS_EXT_API_KEY"
"""The key that is sent to an endpoint. Another program's key, such as OPENAI_API_KEY, is not for every address."""


class EndpointEncoder(KeepsIdentity, OpenAIAPIEncodeWrapper):  # type: ignore[misc]
    """An encoder behind an endpoint."""

    backend = "endpoint"  # in signatures
    _answers = ""

    def __init__(
        self, model_name: str, revision: str | None = None, *, url: str, served: str, device: str | None = None
    ) -> None:
        """Ask the endpoint for a first vector.

        Args:
            model_name: Its name in results.
            revision: Not used.
            url: The address, without `/v1`.
            served: The name by which the endpoint knows the model.
            device: Not used.

        Raises:
            OSError: The endpoint does not answer, or not with a vector; says why.
        """
        # mteb's metadata refuse the name of a model without a slash
        super().__init__(url, model_name, os.environ.get(KEY_VARIABLE), modalities=["text"], use_chat_template=False)
        self.model_name = served
        self._detect_max_length()
        try:
            self._get_embeddings(["crocodile"])
        except (RuntimeError, LookupError, TypeError) as error:
            raise OSError(f"{url}/v1/embeddings gives no vector: {error}. A key is read from {KEY_VARIABLE}.") from None
        day = datetime.now(UTC).date()
        revision = f"{day}-{plain_letters(self._answers)}"
        self._loaded = {"name": model_name, "revision": revision, "loader_kwargs": {}}  # no address in results
        self.mteb_model_meta = self.mteb_model_meta

    def _verify_server(self) -> None:
        """Ask nothing: mteb asks for the list of models, without the key, and some servers have no list."""

    def _make_request(self, endpoint: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Ask, and note which model answers.

        Raises:
            EncodingError: It is another one than before.
        """
        answer: dict[str, Any] = super()._make_request(endpoint, payload)
        model = str(answer.get("model") or self.model_name)
        if self._answers not in {"", model}:
            raise EncodingError(f"{self.endpoint_url} answered with {self._answers} at first, and now with {model}.")
        self._answers = model
        return answer
