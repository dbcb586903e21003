"""Pinned downloads, against a real server on the loopback; what stalls is given up after half a second here."""

from __future__ import annotations

import gzip
import re
import subprocess
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness_ext.data import sources
from harness_ext.data.sources import Source, SourceError, fetch, git_blob_hash, revision_suffix

CONTENT = b"compound,score\n" + b"".join(b"compound %d,%d\n" % (number, number % 6) for number in range(2000))
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
def server(monkeypatch):
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
    monkeypatch.setattr(sources._get.retry, "wait", lambda _: 0.0)
    http.url = f"http://127.0.0.1:{http.server_port}/repo/commit/the%20scores.csv"
    yield http
    http.shutdown()
    http.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def blob(tmp_path):
    file = tmp_path / "content"
    file.write_bytes(CONTENT)
    return git_blob_hash(file)


@pytest.fixture
def mirrored(tmp_path, monkeypatch, blob):
    """A source, and its file in the second of two mirrors."""
    source = Source("https://example.org/commit/file.csv", blob)
    path = tmp_path / "mirror" / source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{tmp_path / 'empty'}:{tmp_path / 'mirror'}")
    return source, path


def test_the_hash_is_gits_own(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(CONTENT)
    git = subprocess.run(["git", "hash-object", file], capture_output=True, text=True, check=True)
    assert git_blob_hash(file) == git.stdout.strip()


def test_downloads_once_and_names_the_file_as_published(server, cache, blob):
    server.answers.append(answer())
    source = Source(server.url, blob)
    path = fetch(source)
    assert path.read_bytes() == CONTENT
    assert path.name == "the scores.csv"
    assert path == cache / source.relative_path
    assert fetch(source) == path
    assert len(server.asked) == 1


RIGHT = {
    "503, then a transfer that breaks off, then the file": [answer(b"", 503), answer(sent=5), answer()],
    "a server that stalls, then the file": [stall, answer()],
    "the file, compressed": [answer(gzip.compress(CONTENT), Content_Encoding="gzip")],
}
"""What the file is had of all the same."""


@pytest.mark.parametrize("kind", RIGHT)
def test_the_file_is_had_all_the_same(kind, server, cache, blob):
    server.answers += RIGHT[kind]
    assert fetch(Source(server.url, blob)).read_bytes() == CONTENT
    assert len(server.asked) == len(RIGHT[kind])


def test_404_is_final_and_says_what_to_do(server, cache, blob):
    server.answers.append(answer(b"", 404))
    with pytest.raises(SourceError, match=r"(?s)the scores.csv could not be downloaded: 404.*HARNESS_EXT_MIRROR"):
        fetch(Source(server.url, blob))
    assert len(server.asked) == 1
    assert not list(cache.rglob("*.csv"))


def test_a_source_that_cannot_be_had_is_one_message_without_those_that_led_to_it(server, cache, blob):
    server.answers += [answer(b"", 302, Location="http://[/")] * 4  # a redirect to no address
    with pytest.raises(SourceError, match=r"the scores.csv could not be downloaded") as error:
        fetch(Source(server.url, blob))
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_mirror_without_the_file_is_named(server, cache, blob, tmp_path, monkeypatch):
    """Who has set the variable is not told to set it."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{tmp_path / 'gone'}:{tmp_path}")
    with pytest.raises(SourceError) as error:
        fetch(Source(server.url, blob))
    assert f"not in: {tmp_path / 'gone'} (no such folder), {tmp_path}." in str(error.value)
    assert "name that folder in" not in str(error.value)


def test_a_cache_that_cannot_be_written_is_named_where_it_is_needed(server, tmp_path, monkeypatch, blob):
    server.answers.append(answer())
    (tmp_path / "file").touch()
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(SourceError, match=r"(?s)file/cache.*HARNESS_EXT_CACHE"):
        fetch(Source(server.url, blob))


@pytest.mark.parametrize("allowed", ["0", "1"])
def test_a_download_with_a_wrong_hash_is_refused_even_where_other_files_are_allowed(
    server, cache, blob, monkeypatch, allowed
):
    """Its rows would be kept, and its results marked, as those of the pinned file, for which it was downloaded."""
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", allowed)
    server.answers.append(answer(b"a page to log in"))
    with pytest.raises(
        SourceError, match=r"(?s)The download of the scores\.csv is not the file.*It was not kept"
    ) as error:
        fetch(Source(server.url, blob))
    for part in (blob, "found:                  ", "HARNESS_EXT_ALLOW_UNVERIFIED"):
        assert part in str(error.value)
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_damaged_file_in_the_cache_is_downloaded_anew(server, cache, blob):
    source = Source(server.url, blob)
    path = cache / source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:7])
    server.answers.append(answer())
    assert fetch(source).read_bytes() == CONTENT


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
def test_offline_asks_nobody(server, cache, blob, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(SourceError, match=rf"(?s)the scores.csv has not been downloaded.*{server.url}"):
        fetch(Source(server.url, blob))
    assert not server.asked


def test_the_first_mirror_that_has_the_file_wins_and_no_cache_is_needed(mirrored, tmp_path, monkeypatch):
    source, path = mirrored
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "content" / "cache"))  # below a file
    assert fetch(source) == path


def test_unverified_is_refused_unless_allowed_and_then_marked(mirrored, monkeypatch, cache):
    source, path = mirrored
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
    path.write_bytes(b"edited")
    assert revision_suffix([source]) == suffix
    path.write_bytes(CONTENT)
    assert revision_suffix([source]) == ""
