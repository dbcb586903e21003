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
from harness_ext.data.sources import Source, SourceError, fetch, git_blob_hash

pytestmark = pytest.mark.slow
NAME = "scores.csv"
CONTENT = b"compound,score\n" + b"".join(b"compound %d,%d\n" % (number, number % 6) for number in range(20_000))
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


def _reset(after):
    """The connection is reset (RST) after some bytes."""

    def answer(handler):
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


GOOD = _answer()
EVER = 99
"""As often as anybody asks."""

RIGHT = {
    "a reset in the middle, twice, then the file": [_reset(9000), _reset(100_000), GOOD],
    "the file, compressed": [_answer(gzip.compress(CONTENT), Content_Encoding="gzip")],
    "a server that stalls, then the file": [_stall(CONTENT[:700]), GOOD],
    "503, come again on a date, then the file": [_answer(b"", 503, Retry_After="Fri, 01 Jan 2027 00:00:00 GMT"), GOOD],
}
"""What the file is had of all the same."""

CLEAR = {
    "a byte now and then, ever": (_stall(CONTENT[:10], b"c"), "bytes came in"),
    "broken compression": (_answer(b"not gzip", Content_Encoding="gzip"), "could not be downloaded"),
    "a redirect to no address": (_answer(b"", 302, Location="http://[/"), "could not be downloaded"),
}
"""What it is not had of, and what must be said beside its name."""


@pytest.fixture
def source(monkeypatch, tmp_path):
    """Serve a source with these answers, one after the other, without a mirror."""
    (tmp_path / "published").write_bytes(CONTENT)
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
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
def test_the_file_is_had_all_the_same(kind, source):
    assert fetch(source([*RIGHT[kind]])).read_bytes() == CONTENT


@pytest.mark.parametrize("kind", CLEAR)
def test_nothing_is_kept_and_the_file_is_had_once_the_server_gives_it(kind, source, tmp_path):
    answer, said = CLEAR[kind]
    answers = [answer] * EVER
    served = source(answers)
    with pytest.raises(SourceError, match=rf"(?s){NAME}.*{said}"):
        fetch(served)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    answers[:] = [GOOD]
    assert fetch(served).read_bytes() == CONTENT
