"""A model behind an endpoint, served on loopback by LitServe: the scores of the same model here, and no key."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import mteb
import pytest
import requests

from harness_ext.encoders.models.endpoint import KEY_VARIABLE, EndpointEncoder
from harness_ext.encoders.texts import EncodingError
from harness_ext.model_name import ModelName
from harness_ext.names import UnknownNameError
from harness_ext.results.load import load_results
from tests.command_line import harness_ext
from tests.every_command import prepare, save_tiny

KEY = "not-in-a-result"
TASK = "EpsilonCompositionalityMini"
SERVED = "org/tiny"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The folder of a model, and its name behind an endpoint."""
    folder = tmp_path_factory.mktemp("served")
    save_tiny(folder)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tests.encoders.serving", str(folder / "tiny"), str(port), KEY]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=Path(__file__).parents[3], stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            while not healthy(port):  # however busy the machine is; pytest ends a test that hangs
                assert server.poll() is None, (folder / "log").read_text()
                time.sleep(0.5)
            yield folder / "tiny", f"http://127.0.0.1:{port}/v1#{SERVED}"
        finally:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)


def healthy(port):
    """Whether the server answers that its model is loaded."""
    try:
        return requests.get(f"http://127.0.0.1:{port}/health", timeout=5).text == "ok"
    except requests.RequestException:
        return False


def numbers(text):
    """Every score of a machine-readable answer or result, without names and texts."""
    return [value for record in text for value in record.values() if isinstance(value, float)]


@pytest.mark.slow
def test_the_same_model_has_the_same_scores(served, run, tmp_path, monkeypatch):
    folder, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    prepare(tmp_path)
    (tmp_path / "results").unlink()
    for model in (name, str(folder)):
        run("mteb", "run", "-m", model, "-t", TASK, "--output-folder", "results")
        run("harness-ext", "measure", "merge_opposites", "pairs.csv", "-m", model, "--output-folder", "results")
    by_task = {}
    for entry in load_results(tmp_path / "results").entries:
        by_task.setdefault(entry.task, {})[entry.model] = entry
    assert by_task.keys() == {TASK, "own/pairs"}
    day = datetime.now(UTC).date()
    for entries in by_task.values():
        there, here = entries["endpoint/org_tiny"], entries["local/tiny"]
        assert there.revision == there.signature.revision == f"{day}-org_tiny"
        assert there.signature.backend == "endpoint"
        assert dict(there.scores) == pytest.approx(dict(here.scores), abs=1e-5)
    written = [path.read_bytes() for path in (tmp_path / "results").rglob("*") if path.is_file()]
    assert len(written) > 5
    assert not [text for text in written if KEY.encode() in text or b"127.0.0.1" in text]


@pytest.mark.slow
def test_safe_to_merge_says_the_same(served, monkeypatch):
    folder, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    there, here = (
        json.loads(harness_ext("safe-to-merge", "-m", model, "--format", "json").stdout) for model in (name, folder)
    )
    assert len(numbers(there)) > 10
    assert numbers(there) == pytest.approx(numbers(here), abs=1e-5)


@pytest.mark.slow
def test_no_result_is_read_again(served, tmp_path, monkeypatch):
    _, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    asked = []
    ask = EndpointEncoder._make_request
    monkeypatch.setattr(EndpointEncoder, "_make_request", lambda *given: asked.append(1) or ask(*given))
    counts = []
    for _ in range(2):
        mteb.evaluate(
            mteb.get_model_meta(name, fetch_from_hf=True), mteb.get_task(TASK), cache=mteb.ResultCache(tmp_path)
        )
        counts.append(len(asked))
    assert counts[1] == 2 * counts[0] > 2


@pytest.mark.slow
def test_another_model_that_answers_is_refused(served, monkeypatch):
    _, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    model = mteb.get_model(name)
    assert model.mteb_model_meta.name == "endpoint/org_tiny"
    model.model_name = "org/other"  # LitServe answers by the name that it is asked by
    with pytest.raises(EncodingError, match="answered with org/tiny at first, and now with org/other"):
        model._get_embeddings(["a"])


@pytest.mark.slow
def test_without_the_key_the_reason_is_said(served, monkeypatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    done = harness_ext("safe-to-merge", "-m", served[1])
    assert done.exit_code == 2
    assert "(401)" in done.stderr
    assert f"A key is read from {KEY_VARIABLE}." in done.stderr


def test_names():
    assert ModelName.parse("https://host/a/v1#org/m (standardized)").endpoint == ("https://host/a", "org/m")
    assert ModelName.parse("http://host:80/v1/#m").endpoint == ("http://host:80", "m")
    assert ModelName.parse("org/m").endpoint is None
    wrapped = mteb.get_model_meta("http://host/v1#org/m (own words)", fetch_from_hf=True)
    assert wrapped.name == "endpoint/org_m (own words)"
    for wrong in ("http://host/v1", "http://host#m", "http://me:secret@host/v1#m", "http://host/v1?key=secret#m",
                  "http://host/v1#m (layer=3)"):  # fmt: skip
        with pytest.raises(UnknownNameError, match=r"http://HOST:PORT/v1#MODEL") as refused:
            ModelName.parse(wrong).check()
        assert "secret" not in str(refused.value)
    assert "its only options are" in harness_ext("layers", "-m", "http://host/v1#m", "-t", TASK).stderr
