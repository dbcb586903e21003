"""The walk of docs/submitting.md, from `mteb run` to a line on a board, word for word."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

import harness_ext

DOCUMENT = Path(harness_ext.__file__).parents[1] / "docs" / "submitting.md"


def commands():
    """The first block of commands."""
    if not DOCUMENT.is_file():
        pytest.skip("the documentation is not installed with the package")
    (block, *_) = re.findall(r"(?:^    .+\n)+", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return [line.strip() for line in block.splitlines()]


def test_it_is_eight_commands_or_fewer():
    assert len(commands()) <= 8
    assert commands()[1].startswith("mteb run ")


@pytest.mark.slow
def test_it_leads_to_a_line_on_a_board(minilm, tmp_path):
    """As a new user: an empty folder, an empty home, nothing cached but the model."""
    home = tmp_path / "home"
    home.mkdir()
    folder = tmp_path / "work"
    folder.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "HOME": str(home), "PATH": path, "HARNESS_EXT_CACHE": str(home / "cache"),
                   "HF_DATASETS_CACHE": str(home / "datasets")}  # fmt: skip
    *walk, serve = commands()
    assert minilm in walk[1]
    for command in walk:
        done = subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True,
                              text=True, timeout=600)  # fmt: skip
        assert done.returncode == 0, (command, done.stdout, done.stderr)
    server = subprocess.Popen(["bash", "-c", f"exec {serve} 0"], cwd=folder, stdout=subprocess.PIPE, text=True,
                              env={**environment, "PYTHONUNBUFFERED": "1"})  # fmt: skip
    try:
        port = re.search(r"port (\d+)", server.stdout.readline())[1]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/data/board.csv") as answer:
            line = answer.read().decode().splitlines()[1]
    finally:
        server.terminate()
        server.wait()
    assert line.startswith(f"{minilm},")
    assert ",recomputed," in line
