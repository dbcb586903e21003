"""Pinned downloads, against a real server on the loopback; what stalls is given up after half a
second here.
"""

from __future__ import annotations

import gzip
import pwd
import re
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness_ext.data import sources
from harness_ext.data.sources import Source, SourceError, fetch, git_blob_hash, revision_suffix

CONTENT = b"compound,score\n" + b"".join(
    b"compound %d,%d\n" % (number, number % 6) for number in range(2000)
)
BLOB = git_blob_hash(CONTENT)
SECONDS = 0.5
"""After which an attempt is given up."""


def answer(body=CONTENT, status=200, /, sent=None, **headers):
    """Answer with this body, of which only as many bytes may be sent."""

    def answered(handler):
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body[:sent])

    return answered


def stall(handler):
    """Some bytes, then nothing more for as long as anybody waits."""
    answer(sent=700)(handler)
    handler.wfile.flush()
    time.sleep(5 * SECONDS)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def server(cache, monkeypatch):
    """A server that gives the answers that the test lists in advance, one after the other."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            http.asked.append(self.path)
            with suppress(OSError):
                http.answers.pop(0)(self)

        do_HEAD = do_GET  # noqa: N815 - the server's own name; what is written is not sent on by requests

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads, block_on_close = True, False

        def handle_error(self, *_):
            pass

    http = Server(("127.0.0.1", 0), Handler)
    http.answers, http.asked = [], []
    threading.Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(sources, "TIMEOUT_SECONDS", SECONDS)
    monkeypatch.setattr(sources, "_unreachable", {})  # another test's server may have had this port
    monkeypatch.setattr(sources._get.retry, "wait", lambda _: 0.0)
    http.source = Source(f"http://127.0.0.1:{http.server_port}/repo/commit/the%20scores.csv", BLOB)
    yield http
    http.shutdown()
    http.server_close()


def test_the_hash_is_gits_own():
    # git hash-object /dev/null
    assert git_blob_hash(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"


def test_downloads_once_and_names_the_file_as_published(server, cache):
    server.answers.append(answer())
    path = fetch(server.source)
    assert path.read_bytes() == CONTENT
    assert path.name == "the scores.csv"
    assert fetch(server.source) == path == cache / server.source.relative_path
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    "answers",
    [
        [answer(b"", 503), answer(sent=5), stall, answer()],
        [answer(gzip.compress(CONTENT), Content_Encoding="gzip")],
    ],
)
def test_the_file_is_had_all_the_same(answers, server):
    server.answers += answers
    assert fetch(server.source).read_bytes() == CONTENT
    assert len(server.asked) == len(answers)


@pytest.mark.parametrize(
    ("status", "more", "said"),
    [
        (404, {}, "could not be downloaded: 404"),
        (302, {"Location": "http://[/"}, "could not be downloaded"),  # no address
        (200, {}, f"is not the file.*{BLOB}.*HARNESS_EXT_ALLOW_UNVERIFIED=1.*was not kept"),
    ],
)
def test_what_cannot_be_had_is_one_message_that_says_what_to_do(
    server, cache, monkeypatch, status, more, said
):
    """Also where other files are allowed: rows of a download would be kept as those of the pinned
    file.
    """
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    server.answers += [answer(b"a page to log in", status, **more)] * 4
    with pytest.raises(SourceError, match=rf"(?s)the scores\.csv {said}.*") as error:
        fetch(server.source)
    assert error.value.__suppress_context__ or not error.value.__context__
    assert ("HARNESS_EXT_MIRROR" in str(error.value), len(server.asked)) == (True, 1)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_server_that_cannot_be_reached_is_not_asked_for_every_file(server, monkeypatch):
    server.answers += [lambda handler: None] * 4
    for _ in range(2):
        with pytest.raises(SourceError, match="could not be downloaded"):
            fetch(server.source)
    assert len(server.asked) == 4
    monkeypatch.setattr(sources, "UNREACHABLE_SECONDS", 0)
    server.answers.append(answer())
    assert fetch(server.source).read_bytes() == CONTENT


def test_a_cache_that_cannot_be_written_is_named_where_it_is_needed(server, monkeypatch):
    server.answers.append(answer())
    monkeypatch.setenv("HARNESS_EXT_CACHE", "/dev/null/cache")
    with pytest.raises(SourceError, match=r"(?s)null/cache.*HARNESS_EXT_CACHE"):
        fetch(server.source)


def test_without_a_home_a_mirror_does_and_else_the_variable_is_named(server, tmp_path, monkeypatch):
    """As in a container whose user has no entry."""

    def no_entry(uid):
        raise KeyError(uid)

    for variable in ("HOME", "HARNESS_EXT_CACHE"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", no_entry)
    with pytest.raises(
        SourceError, match=r"home directory\. Name a folder .* in HARNESS_EXT_CACHE"
    ):
        fetch(server.source)
    path = tmp_path / server.source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    assert fetch(server.source) == path


def test_a_damaged_file_in_the_cache_is_downloaded_anew(server, cache):
    path = cache / server.source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:7])
    server.answers.append(answer())
    assert fetch(server.source).read_bytes() == CONTENT


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
def test_offline_asks_nobody_and_names_mirrors_without_the_file(
    server, tmp_path, monkeypatch, variable
):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(
        SourceError, match=rf"(?s)the scores.csv has not been downloaded.*{server.source.url}"
    ):
        fetch(server.source)
    assert not server.asked
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{tmp_path / 'gone'}:{tmp_path}")
    with pytest.raises(SourceError) as error:
        fetch(server.source)
    assert f"not in: {tmp_path / 'gone'} (no such folder), {tmp_path}." in str(error.value)
    # who has set the variable is not told to set it
    assert "name that folder in" not in str(error.value)


def test_unverified_is_refused_unless_allowed_and_then_marked(tmp_path, monkeypatch):
    """The first mirror that has the file wins, and no cache is needed."""
    source = Source("https://example.org/commit/file.csv", BLOB)
    path = tmp_path / "mirror" / source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{tmp_path / 'empty'}:{tmp_path / 'mirror'}")
    monkeypatch.setenv("HARNESS_EXT_CACHE", "/dev/null/cache")
    assert fetch(source) == path
    path.write_bytes(b"edited")
    with pytest.raises(SourceError, match=r"file\.csv is not the file"):
        fetch(source)
    assert path.read_bytes() == b"edited"  # a mirror is the user's own: never changed
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    assert fetch(source) == path
    suffix = revision_suffix([source])
    assert re.fullmatch(r"\+unverified-[0-9a-f]{8}", suffix)
    path.write_bytes(b"edited otherwise")
    assert revision_suffix([source]) != suffix
    path.write_bytes(CONTENT)
    assert revision_suffix([source]) == ""
