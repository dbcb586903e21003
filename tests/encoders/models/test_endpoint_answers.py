"""What endpoints answer beside vectors: each is mended, waited for, or said in one line."""

from __future__ import annotations

import base64
import json
import threading
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import quote

import mteb
import numpy as np
import pytest

from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.endpoint import KEY_VARIABLE
from harness_ext.results.load import load_results
from tests.command_line import harness_ext

TASK = "IdiomParaphraseMini"


def vector(text):
    return np.random.default_rng(zlib.crc32(text.encode())).normal(size=8).tolist()


def right(texts):
    return {
        "data": [{"index": n, "embedding": vector(text)} for n, text in enumerate(texts)],
        "model": "m",
    }


@pytest.fixture
def serve():
    """A function that starts an endpoint, and returns its name and the texts that it is asked
    about.

    It takes a function from texts and the number of the request to the answer, and a list that gets
    the keys that are sent.
    """
    servers = []

    def start(answers, sent=None):
        asked = []

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                self.send_error(404)

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                asked.append(body["input"])
                if sent is not None:
                    sent.append(self.headers["Authorization"])
                status, answer, *headers = answers(body["input"], len(asked))
                self.send_response(status)
                for header in headers:
                    self.send_header(*header)
                self.end_headers()
                self.wfile.write(
                    (answer if isinstance(answer, str) else json.dumps(answer)).encode()
                )

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1#m", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def encoded(name, texts):
    return np.asarray(mteb.get_model(name)._get_embeddings(texts))


TEXTS = [f"text {n}" for n in range(10)]
VECTORS = np.float32([vector(text) for text in TEXTS])


@pytest.mark.parametrize("status", [429, 503])
def test_an_endpoint_that_asks_to_wait_is_asked_again(status, serve):
    name, asked = serve(
        lambda texts, n: (status, "later", ("Retry-After", "1")) if n == 2 else (200, right(texts))
    )
    assert np.array_equal(encoded(name, TEXTS), VECTORS)
    assert len(asked) == 3


@pytest.mark.parametrize("status", [400, 413])
def test_an_endpoint_that_takes_few_texts_gets_few_at_once(status, serve):
    name, asked = serve(
        lambda texts, n: (200, right(texts)) if len(texts) <= 3 else (status, "at most 3")
    )
    assert np.array_equal(encoded(name, TEXTS), VECTORS)
    assert [len(texts) for texts in asked] == [1, 10, 5, 2, 2, 2, 2, 2]


def test_bytes_in_base64_are_vectors(serve):
    def answer(texts, _):
        data = right(texts)
        for item in data["data"]:
            item["embedding"] = base64.b64encode(np.float32(item["embedding"]).tobytes()).decode()
        return 200, {**data, "data": data["data"][::-1]}  # in another order

    assert np.array_equal(encoded(serve(answer)[0], TEXTS), VECTORS)


@pytest.mark.parametrize("code", [301, 302])
def test_an_endpoint_that_sends_on_is_said(code, serve):
    there, _ = serve(lambda texts, _: (200, right(texts)))
    address = f"{there.partition('#')[0]}/embeddings"
    name, _ = serve(lambda *_: (code, "", ("Location", address)))
    with pytest.raises(OSError, match=rf"sends on to {address} \({code}\).*Name that"):
        encoded(name, TEXTS)
    name, _ = serve(lambda *_: (307, "", ("Location", address)))
    assert np.array_equal(encoded(name, TEXTS), VECTORS)


def without(answer, key):
    return {
        **answer,
        "data": [
            {name: value for name, value in item.items() if name != key} for item in answer["data"]
        ],
    }


WRONG = {
    "says no": (lambda texts: {"error": {"message": "model overloaded"}}, "model overloaded"),
    "page": (lambda texts: "<html> Login </html>", "<html> Login </html>"),
    "no index": (lambda texts: without(right(texts), "index"), "10 vectors with the index None"),
    "short": (lambda texts: right(texts[:-1]), "9 vectors with the index 0, 1"),
    "one index": (
        lambda texts: {"data": [{"index": 0, "embedding": vector("a")}] * len(texts)},
        "the index 0, 0",
    ),
    "no vector": (lambda texts: without(right(texts), "embedding"), "'embedding'"),
    "tokens": (
        lambda texts: {"data": [{"index": n, "embedding": [[1.0]]} for n in range(len(texts))]},
        "of tokens",
    ),
    "ragged": (
        lambda texts: {"data": [{"index": n, "embedding": [1.0] * n} for n in range(len(texts))]},
        "inhomogen",
    ),
    "dimensions": (
        lambda texts: {"data": [{"index": n, "embedding": [1.0, 2.0]} for n in range(len(texts))]},
        "answered with 8 .dimensions. at first, and now with 2",
    ),
    "model": (
        lambda texts: {**right(texts), "model": "other"},
        "answered with m .model. at first, and now with other",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_an_answer_that_is_wrong_is_said_in_the_words_of_the_server(kind, serve, monkeypatch):
    answer, said = WRONG[kind]
    name, _ = serve(lambda texts, n: (200, right(texts) if n == 1 else answer(texts)))
    with pytest.raises(EncodingError, match=said):
        encoded(name, TEXTS)


def test_at_the_first_text_and_later_it_is_one_line_and_without_the_key(serve, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    for first in (1, 4):
        name, _ = serve(
            lambda texts, n, first=first: (
                (200, right(texts)) if n < first else (401, "no: sk-secret")
            )
        )
        done = harness_ext("safe-to-merge", "-m", name, "--batch-size", "50")
        assert (done.exit_code, "(401): no: …" in done.stderr) == (2, True), done.stderr
        assert "Traceback" not in done.stderr
        assert done.stderr.splitlines()[-1].startswith("Error: http://127.0.0.1")


def test_a_line_end_after_the_key_is_not_sent(serve, monkeypatch):
    sent = []
    name, _ = serve(lambda texts, n: (200, right(texts)), sent)
    for key in ("sk-secret\n", "sk-secret\r\n", " sk-secret"):
        monkeypatch.setenv(KEY_VARIABLE, key)
        assert len(encoded(name, TEXTS)) == len(TEXTS)
    assert {*sent} == {"Bearer sk-secret"}
    monkeypatch.setenv(KEY_VARIABLE, "\n")
    sent.clear()
    encoded(name, TEXTS)
    assert {*sent} == {None}


UNSENDABLE = {
    "en dash": ("sk-THIS\u2013IS", "8 is EN DASH"),
    "line end inside": ("sk-THIS\nIS", "8 is U\\+000A"),
    "accent": ("sk-THISé", "8 is LATIN SMALL LETTER E WITH ACUTE"),
    "invisible": ("sk-THIS\u200bIS", "8 is ZERO WIDTH SPACE"),
}


@pytest.mark.parametrize("kind", UNSENDABLE)
def test_a_key_that_cannot_be_sent_is_refused_and_not_printed(kind, serve, monkeypatch):
    key, said = UNSENDABLE[kind]
    name, asked = serve(lambda texts, n: (200, right(texts)))
    monkeypatch.setenv(KEY_VARIABLE, key)
    with pytest.raises(ValueError, match=f"The key in {KEY_VARIABLE} cannot be sent: .* {said}"):
        mteb.get_model(name)
    done = harness_ext("safe-to-merge", "-m", name)
    assert done.exit_code == 2
    assert "cannot be sent" in done.stderr
    assert "sk-" not in done.output
    assert asked == []


KEY = f"sk-{'Secret7' * 6}/{'x' * 5}"
"""Of 51 letters, one of which an address writes in another way."""

QUOTES = {
    "cut within the key": lambda texts: f"{'x' * 250} Bearer {KEY} is wrong",
    "as JSON": lambda texts: json.dumps({"error": f"{KEY} is wrong"}),
    "in an address": lambda texts: f"<a href='login?key={quote(KEY, safe='')}'>",
    "as an index": lambda texts: {"data": [{"index": KEY, "embedding": [1.0]}] * len(texts)},
    "as a vector": lambda texts: {"data": [{"index": 0, "embedding": [KEY]}]},
    "as the model": lambda texts: {**right(texts), "model": KEY},
}


@pytest.mark.parametrize("kind", QUOTES)
def test_no_part_of_the_key_is_in_a_message(kind, serve, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    name, _ = serve(lambda texts, n: (200, right(texts)) if n == 1 else (200, QUOTES[kind](texts)))
    with pytest.raises(EncodingError) as failed:
        encoded(name, ["a"])
    assert "Secret7" not in str(failed.value)
    assert len(str(failed.value)) < 500


def test_vectors_that_are_paid_for_are_kept_until_the_result_is_written(
    serve, tmp_path, without_baselines
):
    broken = [True]
    name, asked = serve(
        lambda texts, n: (401, "no credit") if broken and n > 3 else (200, right(texts))
    )
    task, cache = mteb.get_task(TASK, eval_splits=["idioms"]), mteb.ResultCache(tmp_path)
    options = {"cache": cache, "encode_kwargs": {"batch_size": 8}}
    with pytest.raises(EncodingError, match="no credit"):
        mteb.evaluate(mteb.get_model(name), task, **options)
    paid = [text for texts in asked[1:3] for text in texts]
    (kept,) = tmp_path.glob(".vectors-*")
    assert len(kept.read_text().splitlines()) == len(paid) == 16
    assert not any(text in kept.read_text() for text in paid)
    with kept.open("a") as lines:
        lines.write('["cut off')
    broken.clear()
    asked.clear()
    mteb.evaluate(mteb.get_model(name), task, **options)
    assert not {*paid} & {text for texts in asked for text in texts if len(texts) > 1}
    # each alone, anew
    assert [len(texts) for texts in asked if texts[0] in paid] in ([], [1], [1] * 2, [1] * 3)
    assert not [*tmp_path.glob(".vectors-*")]
    (entry,) = load_results(tmp_path).entries
    other = tmp_path / "other"
    mteb.evaluate(mteb.get_model(name), task, **{**options, "cache": mteb.ResultCache(other)})
    assert load_results(other).entries[0].main_score == entry.main_score
