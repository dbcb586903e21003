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
    generator = np.random.default_rng(zlib.crc32(text.encode()))
    return generator.normal(size=8).tolist()


def embeddings(vectors):
    """The data of an answer: a vector for each text, with its index."""
    return [{"index": index, "embedding": vector} for index, vector in enumerate(vectors)]


def right(texts):
    return {"data": embeddings(map(vector, texts)), "model": "m"}


def always_right(texts, _):
    return 200, right(texts)


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
                n_bytes = int(self.headers["Content-Length"])
                texts = json.loads(self.rfile.read(n_bytes))["input"]
                asked.append(texts)
                if sent is not None:
                    sent.append(self.headers["Authorization"])
                status, answer, *headers = answers(texts, len(asked))
                self.send_response(status)
                for header in headers:
                    self.send_header(*header)
                self.end_headers()
                if not isinstance(answer, str):
                    answer = json.dumps(answer)
                self.wfile.write(answer.encode())

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}/v1#m", asked

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def encoded(name, texts):
    model = mteb.get_model(name)
    return np.asarray(model._get_embeddings(texts))


TEXTS = [f"text {n}" for n in range(10)]
VECTORS = np.float32([vector(text) for text in TEXTS])


@pytest.mark.parametrize("status", [429, pytest.param(503, marks=pytest.mark.slow)])
def test_an_endpoint_that_asks_to_wait_is_asked_again(status, serve):
    def later_at_the_second_request(texts, n_requests):
        if n_requests == 2:
            return status, "later", ("Retry-After", "1")
        return 200, right(texts)

    name, asked = serve(later_at_the_second_request)
    assert np.array_equal(encoded(name, TEXTS), VECTORS)
    assert len(asked) == 3


@pytest.mark.parametrize("status", [400, 413])
def test_an_endpoint_that_takes_few_texts_gets_few_at_once(status, serve):
    def three_at_most(texts, _):
        if len(texts) > 3:
            return status, "at most 3"
        return 200, right(texts)

    name, asked = serve(three_at_most)
    assert np.array_equal(encoded(name, TEXTS), VECTORS)
    n_texts = [len(texts) for texts in asked]
    assert n_texts == [1, 10, 5, 2, 2, 2, 2, 2]


def test_bytes_in_base64_are_vectors(serve):
    def answer(texts, _):
        data = embeddings(map(vector, texts))
        for item in data:
            in_bytes = np.float32(item["embedding"]).tobytes()
            item["embedding"] = base64.b64encode(in_bytes).decode()
        data.reverse()  # in another order
        return 200, {"data": data, "model": "m"}

    name, _ = serve(answer)
    assert np.array_equal(encoded(name, TEXTS), VECTORS)


@pytest.mark.parametrize("code", [301, 302])
def test_an_endpoint_that_sends_on_is_said(code, serve):
    target, _ = serve(always_right)
    address = f"{target.partition('#')[0]}/embeddings"

    def sent_on(*_):
        return code, "", ("Location", address)

    def sent_on_as_a_post(*_):
        return 307, "", ("Location", address)

    name, _ = serve(sent_on)
    with pytest.raises(OSError, match=rf"sends on to {address} \({code}\).*Name that"):
        encoded(name, TEXTS)
    name, _ = serve(sent_on_as_a_post)
    assert np.array_equal(encoded(name, TEXTS), VECTORS)


def says_no(texts):
    return {"error": {"message": "model overloaded"}}


def page(texts):
    return "<html> Login </html>"


def without_index(texts):
    data = [{"embedding": vector(text)} for text in texts]
    return {"data": data, "model": "m"}


def one_vector_less(texts):
    return right(texts[:-1])


def one_index(texts):
    item = {"index": 0, "embedding": vector("a")}
    return {"data": [item] * len(texts)}


def without_vectors(texts):
    data = [{"index": index} for index in range(len(texts))]
    return {"data": data, "model": "m"}


def vectors_of_tokens(texts):
    return {"data": embeddings([[[1.0]]] * len(texts))}


def ragged(texts):
    vectors = [[1.0] * length for length in range(len(texts))]
    return {"data": embeddings(vectors)}


def two_dimensions(texts):
    return {"data": embeddings([[1.0, 2.0]] * len(texts))}


def another_model(texts):
    return {**right(texts), "model": "other"}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(says_no, "model overloaded", id="says no"),
        pytest.param(page, "<html> Login </html>", id="page"),
        pytest.param(without_index, "10 vectors with the index None", id="no index"),
        pytest.param(one_vector_less, "9 vectors with the index 0, 1", id="short"),
        pytest.param(one_index, "the index 0, 0", id="one index"),
        pytest.param(without_vectors, "'embedding'", id="no vector"),
        pytest.param(vectors_of_tokens, "of tokens", id="tokens"),
        pytest.param(ragged, "inhomogen", id="ragged"),
        pytest.param(
            two_dimensions,
            "answered with 8 .dimensions. at first, and now with 2",
            id="dimensions",
        ),
        pytest.param(
            another_model, "answered with m .model. at first, and now with other", id="model"
        ),
    ],
)
def test_an_answer_that_is_wrong_is_said_in_the_words_of_the_server(answer, message, serve):
    name, _ = serve(right_at_first(answer))
    with pytest.raises(EncodingError, match=message):
        encoded(name, TEXTS)


def right_at_first(answer):
    """An endpoint that answers the first request rightly, and the others in this way."""

    def answers(texts, n_requests):
        if n_requests == 1:
            return 200, right(texts)
        return 200, answer(texts)

    return answers


def test_at_the_first_text_and_later_it_is_one_line_and_without_the_key(serve, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")

    def refuses_from(first):
        def answers(texts, n_requests):
            if n_requests < first:
                return 200, right(texts)
            return 401, "no: sk-secret"

        return answers

    for first in (1, 4):
        name, _ = serve(refuses_from(first))
        done = harness_ext("safe-to-merge", "-m", name, "--batch-size", "50")
        assert done.exit_code == 2, done.stderr
        assert "(401): no: …" in done.stderr
        assert "Traceback" not in done.stderr
        last_line = done.stderr.splitlines()[-1]
        assert last_line.startswith("Error: http://127.0.0.1")


def test_a_line_end_after_the_key_is_not_sent(serve, monkeypatch):
    sent = []
    name, _ = serve(always_right, sent)
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
    name, asked = serve(always_right)
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
    "cut within the key": f"{'x' * 250} Bearer {KEY} is wrong",
    "as JSON": json.dumps({"error": f"{KEY} is wrong"}),
    "in an address": f"<a href='login?key={quote(KEY, safe='')}'>",
    "as an index": {"data": [{"index": KEY, "embedding": [1.0]}]},
    "as a vector": {"data": [{"index": 0, "embedding": [KEY]}]},
    "as the model": {**right(["a"]), "model": KEY},
}
"""Answers to the question for one text."""


@pytest.mark.parametrize("kind", QUOTES)
def test_no_part_of_the_key_is_in_a_message(kind, serve, monkeypatch):
    def quotes_the_key(texts):
        return QUOTES[kind]

    monkeypatch.setenv(KEY_VARIABLE, KEY)
    name, _ = serve(right_at_first(quotes_the_key))
    with pytest.raises(EncodingError) as failed:
        encoded(name, ["a"])
    assert "Secret7" not in str(failed.value)
    assert len(str(failed.value)) < 500


def test_vectors_that_are_paid_for_are_kept_until_the_result_is_written(
    serve, tmp_path, without_baselines
):
    broken = [True]

    def answers(texts, n_requests):
        if broken and n_requests > 3:
            return 401, "no credit"
        return 200, right(texts)

    name, asked = serve(answers)
    task = mteb.get_task(TASK, eval_splits=["idioms"])

    def evaluate(folder):
        mteb.evaluate(
            mteb.get_model(name),
            task,
            cache=mteb.ResultCache(folder),
            encode_kwargs={"batch_size": 8},
        )

    with pytest.raises(EncodingError, match="no credit"):
        evaluate(tmp_path)
    paid = asked[1] + asked[2]
    (stored,) = tmp_path.glob(".vectors-*")
    content = stored.read_text()
    assert len(content.splitlines()) == len(paid) == 16
    assert not any(text in content for text in paid)
    with stored.open("a") as lines:
        lines.write('["cut off')
    broken.clear()
    asked.clear()
    evaluate(tmp_path)
    asked_again = [texts for texts in asked if {*paid} & {*texts}]
    assert len(asked_again) <= 3
    assert all(len(texts) == 1 for texts in asked_again)  # each alone, anew
    assert not [*tmp_path.glob(".vectors-*")]
    (entry,) = load_results(tmp_path).entries
    other = tmp_path / "other"
    evaluate(other)
    (other_entry,) = load_results(other).entries
    assert other_entry.main_score == entry.main_score
