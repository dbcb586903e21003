"""Servers that fail while a source is downloaded: the file is had all the same, or an error names it.

`tests/data/test_sources.py` has statuses, hashes and mirrors. The server is a real one on this machine. What stalls is
given up after half a second here, which is half a minute otherwise (`harness_ext.data.sources.TIMEOUT_SECONDS`), and
nothing is waited between attempts, but for `Retry-After`.
"""

import gzip
import socket
import struct
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness_ext.data import sources
from harness_ext.data.sources import Source, fetch, git_blob_hash

pytestmark = [pytest.mark.hostile, pytest.mark.slow]
NAME = "scores.csv"
CONTENT = b"compound,score\n" + b"".join(b"compound %d,%d\n" % (number, number % 6) for number in range(20_000))
PAGE = b"<!DOCTYPE html><html><body>Please log in</body></html>\n"
SECONDS = 0.5
"""After which an attempt is given up."""


def _answer(body=CONTENT, status=200, /, sent=None, **headers):
    """Answer with this body, of which only as many bytes may be sent."""

    def answer(handler):
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            if value:
                handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body[:sent])

    return answer


def _chunked(body, *, whole):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for start in range(0, len(body), 9000):
            part = body[start : start + 9000]
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        handler.wfile.write(b"0\r\n\r\n" if whole else b"1000\r\nhalf")

    return answer


def _reset(after):
    """The connection is reset (RST) after some bytes; after none, before there is an answer at all."""

    def answer(handler):
        if after:
            _answer(sent=after)(handler)
            handler.wfile.flush()
            time.sleep(0.05)
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()

    return answer


def _stall(before, each=b""):
    """Some bytes, then nothing more, or a byte now and then, for as long as anybody waits."""

    def answer(handler):
        _answer(sent=len(before))(handler)
        while True:
            handler.wfile.flush()
            time.sleep(SECONDS / 5)
            handler.wfile.write(each)

    return answer


def _silent(handler):
    """The connection is taken, and nothing said."""
    time.sleep(4 * SECONDS)


def _noise(handler):
    handler.wfile.write(b"\x00\x01 this is not HTTP\r\n\r\n")


def _to(place):
    return _answer(b"", 302, Location=place)


GOOD = _answer()
EVER = 99
"""As often as anybody asks."""

RIGHT = {
    "a reset before the answer, then the file": [_reset(0), GOOD],
    "a reset in the middle, twice, then the file": [_reset(9000), _reset(100_000), GOOD],
    "cut off in a chunk, then the file": [_chunked(CONTENT[:50_000], whole=False), GOOD],
    "the file in chunks": [_chunked(CONTENT, whole=True)],
    "the file without a length": [_answer(Content_Length="")],
    "the file, compressed": [_answer(gzip.compress(CONTENT), Content_Encoding="gzip")],
    "a length that is no number": [_answer(Content_Length="", X_Length="many")],
    "a server that stalls, then the file": [_stall(CONTENT[:700]), GOOD],
    "503, come again on a date, then the file": [_answer(b"", 503, Retry_After="Fri, 01 Jan 2027 00:00:00 GMT"), GOOD],
    "a redirect to another host": [_to("http://localhost:{port}/elsewhere"), GOOD],
    "no HTTP, then the file": [_noise, GOOD],
}
"""What the file is had of all the same."""

CLEAR = {
    "cut off, ever": (_answer(sent=len(CONTENT) // 2), ("could not be downloaded", "Check the connection")),
    "cut off, and no length said": (
        _answer(CONTENT[: len(CONTENT) // 2], Content_Length=""),
        ("The download of", "is not the file"),
    ),
    "no answer, ever": (_silent, ("could not be downloaded", "timed out")),
    "a stall in the middle, ever": (_stall(CONTENT[:9000]), ("could not be downloaded", "timed out")),
    "a byte now and then, ever": (_stall(CONTENT[:10], b"c"), ("could not be downloaded", "bytes came in")),
    "a page to log in": (_answer(PAGE), ("The download of", "is not the file")),
    "broken compression": (_answer(b"not gzip", Content_Encoding="gzip"), ("could not be downloaded",)),
    "429, ever": (_answer(b"", 429, Retry_After="0"), ("could not be downloaded", "429")),
    "a redirect in a circle": (_to("/round"), ("could not be downloaded", "redirects")),
    "a redirect to an unknown scheme": (_to("gopher://localhost/scores.csv"), ("could not be downloaded", "gopher")),
    "a redirect to nowhere": (_to("http://localhost:1/"), ("could not be downloaded",)),
    "a redirect to no address": (_to("http://[/"), ("could not be downloaded",)),
    "no HTTP, ever": (_noise, ("could not be downloaded",)),
}
"""What it is not had of, and what must be said beside its name."""


@pytest.fixture
def source(monkeypatch, environment, tmp_path):
    """Serve a source with these answers, one after the other, without a mirror."""
    (tmp_path / "published").write_bytes(CONTENT)
    no_mirror = dict.fromkeys(("HARNESS_EXT_MIRROR", "HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"))
    environment(HARNESS_EXT_CACHE=str(tmp_path / "cache"), **no_mirror)
    pause = sources._wait
    monkeypatch.setattr(sources, "TIMEOUT_SECONDS", SECONDS)
    monkeypatch.setattr(
        sources._get.retry, "wait", lambda state: pause(state) if "Retry-After" in headers(state) else 0.0
    )
    servers = []

    def headers(state):
        return getattr(state.outcome.exception().response, "headers", {})

    def source(answers):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                with suppress(OSError):
                    answers.pop(0)(self)

            def send_header(self, keyword, value):
                super().send_header(keyword, value.replace("{port}", str(self.server.server_address[1])))

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads, block_on_close = True, False

            def handle_error(self, *_):
                pass

        servers.append(Server(("127.0.0.1", 0), Handler))
        threading.Thread(target=servers[0].serve_forever, args=(0.01,), daemon=True).start()
        blob = git_blob_hash(tmp_path / "published")
        return Source(f"http://127.0.0.1:{servers[0].server_address[1]}/commit/{NAME}", blob)

    yield source
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize("kind", RIGHT)
def test_the_file_is_had_all_the_same(kind, source, judge):
    served = source([*RIGHT[kind]])
    judge(lambda: fetch(served).read_bytes(), lambda content: content == CONTENT, NAME)


@pytest.mark.parametrize("kind", CLEAR)
def test_nothing_is_kept_and_the_file_is_had_once_the_server_gives_it(kind, source, environment, tmp_path, judge):
    """Also where other files than the pinned are allowed."""
    answer, said = CLEAR[kind]
    answers = [answer] * EVER
    served = source(answers)
    for allowed in (None, "1") if said[0].startswith("The download") else (None,):
        environment(HARNESS_EXT_ALLOW_UNVERIFIED=allowed)
        judge(lambda: fetch(served), None, NAME, *said)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    answers[:] = [GOOD]
    assert fetch(served).read_bytes() == CONTENT
