"""A hub of models on loopback, for processes whose `huggingface_hub` must get an answer: it has
every model but a few.

Each model has a tiny configuration and a card, no weights, and two commits.
"""

import json
from contextlib import contextmanager
from hashlib import sha1
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

LATEST = "b" * 40
EARLIER = "a" * 40

_CONFIG = {
    "model_type": "bert",
    "hidden_size": 8,
    "num_hidden_layers": 1,
    "num_attention_heads": 1,
    "vocab_size": 9,
    "intermediate_size": 8,
    "max_position_embeddings": 16,
}
_FILES = {
    "config.json": json.dumps(_CONFIG),
    "README.md": "---\nlicense: mit\nlanguage: en\n---\n# A model\n",
}


class _Hub(BaseHTTPRequestHandler):
    """Answers what `huggingface_hub` asks of a model's repository; `nobody/…` is none."""

    def do_GET(self):
        path = self.path.partition("?")[0]
        file = path.rpartition("/")[2]
        if "/nobody/" in path:
            self._answer(404, "{}", {"X-Error-Code": "RepoNotFound"})
        elif path.startswith("/api/models/") and "/commits/" in path:
            commits = [_commit(LATEST), _commit(EARLIER)]
            self._answer(200, json.dumps(commits))
        elif path.startswith("/api/models/"):
            facts = {
                "id": path.removeprefix("/api/models/").partition("/revision/")[0],
                "sha": LATEST,
                "private": False,
                "siblings": [],
                "tags": ["sentence-transformers"],
            }
            self._answer(200, json.dumps(facts))
        elif "/resolve/" in path and file in _FILES:
            content = _FILES[file]
            etag = sha1(content.encode()).hexdigest()
            commit = EARLIER if f"/resolve/{EARLIER}/" in path else LATEST
            self._answer(200, content, {"ETag": f'"{etag}"', "X-Repo-Commit": commit})
        else:
            self._answer(404, "{}", {"X-Error-Code": "EntryNotFound"})

    do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, *_):
        """Print nothing."""

    def _answer(self, status, text, headers=None):
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", len(content))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)


def _commit(name):
    said = {"title": "", "message": "", "authors": []}
    return {"id": name, "date": "2024-01-01T00:00:00.000Z", **said}


@contextmanager
def loopback_hub(folder):
    """The environment of a process that asks this hub; its cache is in the folder."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Hub)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield {"HF_ENDPOINT": address, "HF_HUB_OFFLINE": "0", "HF_HOME": str(folder)}
    finally:
        server.shutdown()
        server.server_close()
