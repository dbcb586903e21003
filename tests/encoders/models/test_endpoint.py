"""A model behind an endpoint, served on loopback by LitServe: the scores of the same model here,
and no key.
"""

from __future__ import annotations

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

from harness_ext.common.errors import UnknownNameError
from harness_ext.common.model_name import ModelName
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.endpoint import KEY_VARIABLE, EndpointEncoder
from harness_ext.results.load import load_results
from tests.command_line import harness_ext, save_tiny
from tests.planted import entries_of

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
    command = [
        sys.executable,
        "-m",
        "tests.encoders.serving",
        str(folder / "tiny"),
        str(port),
        KEY,
    ]
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            command,
            cwd=Path(__file__).parents[3],
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
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


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_the_same_model_has_the_same_scores_and_no_result_is_read_again(
    served, run, tmp_path, monkeypatch
):
    folder, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    results = tmp_path / "results"
    run("mteb", "run", "-m", name, "-t", TASK, "--output-folder", "results")
    entries_of(mteb.get_model(str(folder)), TASK, results)
    entries = {entry.model: entry for entry in load_results(results).entries}
    there = entries.pop("endpoint/org_tiny")
    here = entries.pop("local/tiny")
    assert not entries
    assert there.revision == f"{datetime.now(UTC).date()}-org_tiny"
    assert there.signature.revision == there.revision
    assert there.signature.backend == "endpoint"
    assert dict(there.scores) == pytest.approx(dict(here.scores), abs=1e-5)
    written = [path.read_bytes() for path in results.rglob("*") if path.is_file()]
    assert len(written) > 5
    for content in written:
        assert KEY.encode() not in content
        assert b"127.0.0.1" not in content

    asked = []
    ask = EndpointEncoder._ask

    def ask_and_count(*given):
        asked.append(given)
        return ask(*given)

    monkeypatch.setattr(EndpointEncoder, "_ask", ask_and_count)
    meta = mteb.get_model_meta(name, fetch_from_hf=True)
    entries_of(meta, TASK, results)
    assert len(asked) > 2  # as many as it takes to load it


@pytest.mark.slow
def test_another_model_that_answers_is_refused_and_without_the_key_the_reason_is_said(
    served, monkeypatch
):
    _, name = served
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    model = mteb.get_model(name)
    model.model_name = "org/other"  # LitServe answers by the name that it is asked by
    with pytest.raises(
        EncodingError, match=r"answered with org/tiny \(model\) at first, and now with org/other"
    ):
        model._get_embeddings(["a"])
    monkeypatch.delenv(KEY_VARIABLE)
    done = harness_ext("safe-to-merge", "-m", name)
    assert done.exit_code == 2
    assert "(401)" in done.stderr
    assert f"A key is read from {KEY_VARIABLE}." in done.stderr


def test_names():
    standardized = ModelName.parse("https://host/a/v1#org/m (standardized)")
    assert standardized.endpoint == ("https://host/a", "org/m")
    with_port = ModelName.parse("http://host:80/v1/#m")
    assert with_port.endpoint == ("http://host:80", "m")
    assert ModelName.parse("org/m").endpoint is None
    additive = mteb.get_model_meta("http://host/v1#org/m (additive)", fetch_from_hf=True)
    assert additive.name == "endpoint/org_m (additive)"
    for wrong in (
        "http://host/v1",
        "http://host#m",
        "http://me:secret@host/v1#m",
        "http://host/v1?key=secret#m",
        "http://host/v1#m (layer=3)",
    ):
        with pytest.raises(
            UnknownNameError, match=r"a model behind an endpoint is http://.*#"
        ) as refused:
            ModelName.parse(wrong).check()
        assert "secret" not in str(refused.value)
    done = harness_ext("layers", "-m", "http://host/v1#m", "-t", TASK)
    assert "its only options are" in done.stderr
