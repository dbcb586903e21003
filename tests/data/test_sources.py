"""Pinned downloads, against a real server on the loopback."""

from __future__ import annotations

import re
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from harness_ext.data import sources
from harness_ext.data.sources import Source, SourceError, fetch, git_blob_hash, revision_suffix

CONTENT = b"compound,score\nblack box,1.29\n"


@pytest.fixture
def server(monkeypatch):
    """A server whose answers the test lists in advance: (status, body, claimed length[, headers])."""
    answers: list[tuple[int, bytes, int]] = []
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            status, body, length, *headers = answers.pop(0)
            self.send_response(status)
            for name, value in {"Content-Length": str(length), **(headers[0] if headers else {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_HEAD = do_GET  # noqa: N815 - the server's own name; what is written is not sent on by requests

        def log_message(self, *_):
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    monkeypatch.delenv("HF_HUB_OFFLINE")
    monkeypatch.setattr(sources._get.retry, "wait", lambda _: 0.01)
    http.answers, http.asked = answers, asked
    http.url = f"http://127.0.0.1:{http.server_port}/repo/commit/the%20scores.csv"
    yield http
    http.shutdown()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def blob(tmp_path):
    file = tmp_path / "content"
    file.write_bytes(CONTENT)
    return git_blob_hash(file)


def good(body=CONTENT):
    return (200, body, len(body))


def test_the_hash_is_gits_own(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(CONTENT)
    git = subprocess.run(["git", "hash-object", file], capture_output=True, text=True, check=True)
    assert git_blob_hash(file) == git.stdout.strip()


def test_downloads_once_and_names_the_file_as_published(server, cache, blob):
    server.answers.append(good())
    source = Source(server.url, blob)
    path = fetch(source)
    assert path.read_bytes() == CONTENT
    assert path.name == "the scores.csv"
    assert path == cache / source.relative_path
    assert fetch(source) == path
    assert len(server.asked) == 1


def test_tries_again_after_a_server_error_and_a_broken_transfer(server, cache, blob):
    server.answers += [(503, b"", 0), (200, CONTENT[:5], len(CONTENT)), good()]
    assert fetch(Source(server.url, blob)).read_bytes() == CONTENT
    assert len(server.asked) == 3


def test_404_is_final_and_says_what_to_do(server, cache, blob):
    server.answers += [(404, b"", 0)]
    with pytest.raises(SourceError, match=r"(?s)the scores.csv could not be downloaded: 404.*HARNESS_EXT_MIRROR"):
        fetch(Source(server.url, blob))
    assert len(server.asked) == 1
    assert not list(cache.rglob("*.csv"))


def test_a_source_that_cannot_be_had_is_one_message_without_those_that_led_to_it(server, cache, blob):
    server.shutdown()
    server.server_close()
    with pytest.raises(SourceError, match=r"the scores.csv could not be downloaded") as error:
        fetch(Source(server.url, blob))
    assert error.value.__cause__ is None
    assert error.value.__suppress_context__


def test_a_mirror_without_the_file_is_named(server, cache, blob, tmp_path, monkeypatch):
    """Who has set the variable is not told to set it."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{tmp_path / 'gone'}:{tmp_path}")
    with pytest.raises(SourceError) as error:
        fetch(Source(server.url, blob))
    assert f"not in: {tmp_path / 'gone'} (no such folder), {tmp_path}." in str(error.value)
    assert "name that folder in" not in str(error.value)


def test_a_cache_that_cannot_be_written_is_not_needed_where_a_mirror_has_the_file(tmp_path, monkeypatch, blob):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    path = tmp_path / "example.org" / "file.csv"
    path.parent.mkdir()
    path.write_bytes(CONTENT)
    assert fetch(Source("https://example.org/file.csv", blob)) == path


def test_a_cache_that_cannot_be_written_is_named_where_it_is_needed(server, tmp_path, monkeypatch, blob):
    (tmp_path / "file").touch()
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(SourceError, match=r"(?s)file/cache.*HARNESS_EXT_CACHE"):
        fetch(Source(server.url, blob))


def test_the_size_of_a_download_is_known_before_it(server, blob):
    server.answers += [(200, b"", 1_234_567), (404, b"", 0)]
    assert sources.download_size(Source(server.url, blob)) == 1_234_567
    with pytest.raises(SourceError, match=r"the scores\.csv cannot be reached: 404"):
        sources.download_size(Source(server.url, blob))


def test_a_wrong_hash_is_an_error_and_leaves_nothing(server, cache, blob):
    server.answers.append(good(b"something else"))
    with pytest.raises(SourceError) as error:
        fetch(Source(server.url, blob))
    assert blob in str(error.value)
    assert "found:                  " in str(error.value)
    assert "HARNESS_EXT_ALLOW_UNVERIFIED" in str(error.value)
    assert not list(cache.rglob("*.csv"))


def test_a_download_with_a_wrong_hash_is_refused_even_where_other_files_are_allowed(server, cache, blob, monkeypatch):
    """Its rows would be kept, and its results marked, as those of the pinned file, for which it was downloaded."""
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    server.answers.append(good(b"a page to log in"))
    with pytest.raises(SourceError, match=r"(?s)The download of the scores\.csv is not the file.*It was deleted"):
        fetch(Source(server.url, blob))
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_server_that_says_when_to_come_again_is_asked_again_then(server, cache, blob, monkeypatch):
    monkeypatch.setattr(sources._get.retry, "wait", sources._wait)
    server.answers += [(429, b"", 0, {"Retry-After": "1"}), good()]
    started = time.monotonic()
    assert fetch(Source(server.url, blob)).read_bytes() == CONTENT
    assert time.monotonic() - started >= 1


def test_a_damaged_file_in_the_cache_is_downloaded_anew(server, cache, blob):
    source = Source(server.url, blob)
    path = cache / source.relative_path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT[:7])
    server.answers.append(good())
    assert fetch(source).read_bytes() == CONTENT


@pytest.mark.parametrize("variable", ["HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE"])
def test_offline_asks_nobody(server, cache, blob, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    with pytest.raises(SourceError, match=rf"(?s)the scores.csv has not been downloaded.*{server.url}"):
        fetch(Source(server.url, blob))
    assert not server.asked


def test_the_first_mirror_that_has_the_file_wins(tmp_path, monkeypatch, cache, blob):
    source = Source("https://example.org/commit/file.csv", blob)
    empty, mirror = tmp_path / "empty", tmp_path / "mirror"
    path = mirror / "example.org" / "commit" / "file.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    monkeypatch.setenv("HARNESS_EXT_MIRROR", f"{empty}:{mirror}")
    assert fetch(source) == path


def test_unverified_is_refused_unless_allowed_and_then_marked(tmp_path, monkeypatch, cache, blob):
    source = Source("https://example.org/commit/file.csv", blob)
    path = tmp_path / "example.org" / "commit" / "file.csv"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"edited")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
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
