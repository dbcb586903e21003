"""Serves a sentence-transformers model by LitServe: python -m tests.encoders.serving FOLDER PORT
KEY.
"""

from __future__ import annotations

import sys

import litserve
from sentence_transformers import SentenceTransformer
from starlette.responses import JSONResponse


class Encoder(litserve.LitAPI):
    def __init__(self, folder):
        super().__init__(spec=litserve.OpenAIEmbeddingSpec())
        self.folder = folder

    def setup(self, device):
        self.model = SentenceTransformer(self.folder, device="cpu")

    def predict(self, texts):
        if isinstance(texts, str):
            texts = [texts]
        return self.model.encode(texts)


class WithKey:
    """Refuses who does not send the key."""

    def __init__(self, app, key):
        self.app = app
        self.key = key

    async def __call__(self, scope, receive, send):
        headers = dict(scope.get("headers") or ())
        sent = headers.get(b"authorization", b"").decode()
        asks = scope["type"] == "http" and scope["path"].startswith("/v1/")
        answer = self.app
        if asks and sent != f"Bearer {self.key}":
            answer = JSONResponse({"error": "wrong key"}, 401)
        await answer(scope, receive, send)


if __name__ == "__main__":
    folder, port, key = sys.argv[1:]
    server = litserve.LitServer(
        Encoder(folder),
        accelerator="cpu",
        devices=1,
        middlewares=[(WithKey, {"key": key})],
    )
    server.run(
        host="127.0.0.1",
        port=int(port),
        num_api_servers=1,
        generate_client_file=False,
        log_level="warning",
    )
