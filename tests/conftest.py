"""What the tests share: an environment of their own, the packaged encoder, the papers' data where
they are at hand.
"""

from __future__ import annotations

import gc
import io
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from importlib import metadata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "quick", max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("quick")

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache" / "tests"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Before anything imports datasets or huggingface_hub, which read these once.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HOME"] = str(CACHE / "huggingface")
os.environ["HARNESS_EXT_CACHE"] = str(CACHE / "sources")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("OMP_NUM_THREADS", "1")  # there are as many tests at once as processors
SHARED = ROOT.parent / "shared"
FOLDERS_BESIDE = (SHARED / "mirror", SHARED / "reconstructed")
BESIDE = os.pathsep.join(str(folder) for folder in FOLDERS_BESIDE if folder.is_dir())
# A worker of pytest-xdist imports this file too, in the environment that its parent has left.
MIRROR = os.environ.pop("HARNESS_EXT_MIRROR", "") or os.environ.get("TESTS_MIRROR", "") or BESIDE
os.environ["TESTS_MIRROR"] = MIRROR
os.environ.pop("HARNESS_EXT_ALLOW_UNVERIFIED", None)
# it takes as long as all else: a test that asks for it has `with_noise`
os.environ["HARNESS_EXT_NOISE"] = "0"


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported makes many objects and leaves few to collect.

    It stays; the garbage collector need not look at it again.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory):
    """A folder that all workers of this test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def _prepared(of_all_workers):
    """Where datasets are, once prepared."""
    return of_all_workers / "prepared"


@pytest.fixture(autouse=True)
def _own_datasets_cache(_prepared, monkeypatch):
    """Rows are prepared once for all tests: `datasets` finds them under a hash of files and code.

    A test that does not import `datasets` does not wait for it: whatever imports it later reads the
    variable.
    """
    monkeypatch.setenv("HF_DATASETS_CACHE", str(_prepared))
    if "datasets" in sys.modules:
        monkeypatch.setattr("datasets.config.HF_DATASETS_CACHE", _prepared)


@pytest.fixture
def own_rows(tmp_path, monkeypatch):
    """Nothing that another test has prepared is found: for tests of data that are not at hand."""
    import datasets

    folder = tmp_path / "own_rows"
    monkeypatch.setenv("HF_DATASETS_CACHE", str(folder))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder)


@pytest.fixture
def without_baselines(monkeypatch):
    """Measure no baselines, which take as long again: for tests that ask nothing of them."""
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")


@pytest.fixture
def mirror(monkeypatch):
    """The papers' data files as a mirror; their verified parts only, unless the test allows
    more.
    """
    if not MIRROR:
        pytest.skip("the papers' data files are not here: name their folders in HARNESS_EXT_MIRROR")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", MIRROR)
    return MIRROR


@pytest.fixture
def unverified_mirror(mirror, monkeypatch):
    """The same with the rebuilt English naturalistic files, whose hashes differ from the
    authors'.
    """
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    return mirror


@pytest.fixture(scope="session")
def minilm():
    """The name of the packaged encoder, which is in the tests' Hugging Face cache after this."""
    from filelock import FileLock

    from harness_ext.cli.demo import MODEL, seed_encoder

    hf_home = Path(os.environ["HF_HOME"])
    hf_home.mkdir(parents=True, exist_ok=True)
    with FileLock(hf_home / "seed.lock"):
        seed_encoder(hf_home)
    return MODEL


@pytest.fixture(scope="session")
def measured_folder(of_all_workers):
    """Results of two bags of words on `measured.QUICK`, measured once per test run: to be read, not
    to be changed.

    They are of planted/one and planted/other, whose words were drawn with the seeds 1 and 2.
    """
    from filelock import FileLock

    from tests.results.measured import write_results

    folder = of_all_workers / "measured"
    with FileLock(of_all_workers / "measured.lock"):
        if not folder.is_dir():
            partly = of_all_workers / "measured-partly"
            write_results(partly, {"planted/one": 1, "planted/other": 2})
            partly.rename(folder)
    return folder


@pytest.fixture
def measured_copy(measured_folder, tmp_path):
    """A copy of these results that a test may change."""
    return shutil.copytree(measured_folder, tmp_path / "measured")


WITH_THREADS = {"ray", "tensorflow"}
"""Libraries that wait for ever in a copy of a process, which has none of its threads."""

THEIR_TESTS = {"test_elmo.py", "test_universal_sentence_encoder.py", "test_sweep.py"}


def pytest_collection_modifyitems(items):
    """Tests that load these come last: after them, each command takes an interpreter of its own."""
    items.sort(key=lambda item: item.path.name in THEIR_TESTS)


def _main(program):
    """What a command of this environment calls."""
    (command,) = metadata.entry_points(group="console_scripts", name=program)
    return command.load()


def in_a_copy_of_this_process(command: tuple[str, ...], folder: Path, environment: dict[str, str]):
    """A command that has ended, in a folder: in a fork of this process, which has imported what the
    command needs.
    """
    from harness_ext.leaderboard.checks.mteb_reader import MTEB

    main = _main(command[0])
    if "verify" in command:
        MTEB.start()  # imports mteb: once for all copies
    with tempfile.TemporaryFile("w+") as stdout, tempfile.TemporaryFile("w+") as stderr:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if not child:
            status = 1
            try:
                if MTEB.process is not None:
                    MTEB._owner = os.getpid()  # this process waits, so only the copy asks
                os.chdir(folder)
                os.environ.update(environment)
                os.dup2(stdout.fileno(), 1)
                os.dup2(stderr.fileno(), 2)
                sys.stdin = io.StringIO()
                sys.stdout = os.fdopen(1, "w")
                sys.stderr = os.fdopen(2, "w")
                sys.argv = [*command]
                logging.root.handlers.clear()
                try:
                    code = main()
                except SystemExit as error:
                    code = error.code
                if isinstance(code, str):
                    print(code, file=sys.stderr)
                status = code if isinstance(code, int) else int(code is not None)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        _, wait_status = os.waitpid(child, 0)
        status = os.waitstatus_to_exitcode(wait_status)
        stdout.seek(0)
        stderr.seek(0)
        return subprocess.CompletedProcess(command, status, stdout.read(), stderr.read())


@pytest.fixture
def run(tmp_path):
    """Run a command of this environment as a person would, in an empty folder. Returns the finished
    process.

    Commands of `harness-ext`, `mteb` and `lm_eval` run in a copy of this process, unless a test
    asks for one of its own or sets what libraries read when they are imported.
    """

    def run(*command: str, check: bool = True, apart: bool = False, **environment: str):
        program = Path(sys.executable).with_name(command[0])
        is_ours = all(name.startswith("HARNESS_EXT_") for name in environment)
        # a sweep starts Ray
        is_apart = apart or command[1] == "sweep" or WITH_THREADS & sys.modules.keys()
        if command[0] in ("harness-ext", "mteb", "lm_eval", "lm-eval") and is_ours and not is_apart:
            done = in_a_copy_of_this_process(command, tmp_path, {"COLUMNS": "100", **environment})
        else:
            done = subprocess.run(
                [str(program), *command[1:]],
                cwd=tmp_path,
                env={
                    **os.environ,
                    "HF_DATASETS_CACHE": str(tmp_path / "datasets"),
                    "COLUMNS": "100",
                    **environment,
                },
                capture_output=True,
                text=True,
                timeout=900,
            )
        if check and done.returncode:
            pytest.fail(
                f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
            )
        return done

    return run


@pytest.fixture(scope="module")
def browser():
    """Chromium without a window; skips, and says so, where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    paths = [*filter(None, map(shutil.which, BROWSERS))]
    if not paths:
        pytest.skip(
            f"no browser: none of {', '.join(BROWSERS)} is in PATH (Debian: apt-get install "
            "chromium)"
        )
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=paths[0], args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Open a page of a site and wait until a condition holds on it; whatever goes wrong on a page
    fails the test.
    """
    contexts = []
    wrong = []

    def open_page(start, name, condition, width=1200, scheme="light"):
        viewport = {"width": width, "height": 800}
        context = browser.new_context(viewport=viewport, color_scheme=scheme)
        contexts.append(context)
        page = context.new_page()

        def on_console(said):
            if said.type == "error":
                wrong.append(f"{name}: {said.text}")

        def on_error(error):
            wrong.append(f"{name}: {error}")

        def on_dialog(dialog):
            wrong.append(f"{name}: a script ran: {dialog.message}")

        def on_request(request):
            if not request.url.startswith((start, "data:", "blob:")):
                wrong.append(f"{name}: {request.url}")

        page.on("console", on_console)
        page.on("pageerror", on_error)
        page.on("dialog", on_dialog)
        page.on("request", on_request)
        page.goto(f"{start}/{name}")
        page.wait_for_function(f"() => {condition}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert wrong == []


@pytest.fixture
def accessible():
    """Look at contrast, labels, roles and headings of an open page: what axe-core checks."""
    from axe_playwright_python.sync_playwright import Axe

    def accessible(page):
        for details in page.query_selector_all("details"):
            details.evaluate("details => details.open = true")
        options = {
            "resultTypes": ["violations"],
            "runOnly": ["wcag2a", "wcag2aa", "best-practice"],
            "preload": False,
        }
        found = Axe().run(page, options=options)
        assert found.violations_count == 0, found.generate_report()

    return accessible


@pytest.fixture
def write_result(tmp_path):
    """Write one entry into a result file below `tmp_path`, as mteb lays it out; returns the
    file.
    """
    from harness_ext.tasks import ENCODER_TASKS

    def write(
        task,
        model,
        main,
        *,
        interval=None,
        revision="abc",
        split="naturalistic",
        subset="en",
        **scores,
    ):
        key = ENCODER_TASKS[task].measure.main
        entry = {
            "main_score": main,
            "hf_subset": subset,
            "languages": ["eng-Latn"],
            key: main,
            **scores,
        }
        if interval:
            low, high = interval
            entry |= {f"{key}_ci_low": low, f"{key}_ci_high": high}
        path = tmp_path / "results" / model.replace("/", "__") / revision / f"{task}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "dataset_revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917",
            "task_name": task,
            "mteb_version": "2.26.24",
            "scores": {},
            "evaluation_time": 1.0,
        }
        if path.exists():
            content = json.loads(path.read_text())
        content["scores"].setdefault(split, []).append(entry)
        path.write_text(json.dumps(content))
        meta = {"name": model, "revision": revision}
        (path.parent / "model_meta.json").write_text(json.dumps(meta))
        return path

    return write
