"""A wrapped name of mteb, datasets or lm-eval may go: one line says what is lost, and all else
works.
"""

import json
import os
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import pytest

from harness_ext.common.wraps import NAMES
from tests.processes import ended

ROOT = Path(__file__).parents[1]

FOR_EACH_NAME = """if True:
    import importlib, os, sys, traceback
    from pathlib import Path
    _, program, packages, harness, folder, *words = sys.argv
    for package in packages.split():  # once for all, as children are copies of this process
        importlib.import_module(package)
    for number, word in enumerate(words):
        own = Path(folder, str(number))
        own.mkdir()
        child = os.fork()
        if child == 0:
            for stream, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(own / name, os.O_WRONLY | os.O_CREAT), stream)
            sys.argv = ["-c", harness, word, str(own)]
            # prepared datasets are found without us
            os.environ["HF_DATASETS_CACHE"] = str(own / "datasets")
            if "datasets" in sys.modules:
                sys.modules["datasets"].config.HF_DATASETS_CACHE = own / "datasets"
            try:
                exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        Path(own, "status").write_text(str(os.waitstatus_to_exitcode(status)))
"""

WITHOUT_A_NAME = """if True:
    import json, re, sys
    from importlib.machinery import SourceFileLoader
    harness, words = sys.argv[1], sys.argv[2].split()
    renamed_words = "|".join(word for word in words if word != "evaluate")  # a method of tasks too
    # the module `mteb.models.get_model_meta` keeps its name
    pattern = re.compile(rf"(?<!models\\.)\\b({renamed_words})\\b".encode())
    get_code = SourceFileLoader.get_code
    def renamed(self, fullname):  # as a later version may call it
        if fullname.split(".")[0] == harness and pattern.search(source := self.get_data(self.path)):
            return self.source_to_code(pattern.sub(rb"\\1_2", source), self.path)
        return get_code(self, fullname)
    if renamed_words:
        SourceFileLoader.get_code = renamed
    def works(**abilities):
        works = {}
        for name, ability in abilities.items():
            try:
                works[name] = bool(ability())
            except Exception as error:
                works[name] = False
                print(name, repr(error), file=sys.stderr)
        return works
"""

MTEB = """
    import mteb
    from mteb.mocks.mock_tasks import MockSTSTask
    mteb.get_benchmarks()  # listed before ours are known
    run = mteb.evaluate
    if "evaluate" in words:
        del mteb.evaluate
    import harness_ext
    from mteb.models.cache_wrappers import CachedEmbeddingWrapper
    from harness_ext.encoders.models.additive_model import AdditiveEncoder
    from harness_ext.encoders.wrappers import unwrapped
    from harness_ext.harnesses.mteb.task import task_class
    from harness_ext.leaderboard.hub import eval_config
    from harness_ext.tasks import ENCODER_TASKS
    from tests.planted import COMMIT, PlantedModel, bag_of_words
    run = getattr(mteb, "evaluate", run)
    meta_of = getattr(mteb, "get_model_meta", None) or mteb.get_model_meta_2
    mteb.get_model_meta = meta_of  # public: whoever asks for it would ask for the other name
    MINI, NEXT, folder = "NounCompoundAffinityMini", "NounCompoundScaledSimilarityMini", sys.argv[3]
    def task(name):
        return task_class(ENCODER_TASKS[name])()
    def evaluate(model, tasks, name):
        return run(model, tasks, cache=mteb.ResultCache(f"{folder}/{name}"), show_progress_bar=False)
    def results(name):
        from pathlib import Path
        return [file for file in Path(folder, name).rglob("*.json") if file.stem != "model_meta"]
    model = PlantedModel(bag_of_words(), revision=COMMIT)
    def has_items():
        evaluate(model, [task(MINI)], "one")
        (file,) = results("one")
        return [*file.parent.glob("*.parquet")]
    def is_measured_on_these_data():
        (file,) = results("one")
        other = json.loads(file.read_text()) | {"dataset_revision": "1"}
        file.write_text(json.dumps(other))
        evaluate(model, [task(MINI)], "one")
        return json.loads(file.read_text())["dataset_revision"] != "1"
    def is_kept_by_identity():
        evaluate(PlantedModel(bag_of_words(seed=1), revision=None), [task(NEXT)], "two")
        return not results("two")
    def goes_on():
        class Failing(type(task(NEXT))):
            def load_data(self, **_):
                raise ValueError("no data")
        try:
            evaluate(model, [Failing(), task(NEXT)], "three")
        except Exception as error:
            return results("three")
    def two_passes():
        result = evaluate(AdditiveEncoder(PlantedModel(bag_of_words())), [MockSTSTask()], "four")
        return "additive_fit" in result.task_results[0].scores["test"][0]
    def ends_in_a_line():
        given, sys.argv = sys.argv, ["mteb", "run", "-m", "nobody/nothing", "-t", MINI]
        try:
            (getattr(mteb, "get_model", None) or mteb.get_model_2)("nobody/nothing")
        except SystemExit:
            return True
        finally:
            sys.argv = given
    def a_folder():
        from pathlib import Path
        (Path(folder) / "model").mkdir()
        (Path(folder) / "model" / "config.json").write_text("{}")
        return meta_of(f"{folder}/model", fetch_from_hf=True).model_type == ["dense"]
    print(json.dumps(works(
        task=lambda: mteb.get_task(MINI), ends_in_a_line=ends_in_a_line,
        listed=lambda: MINI in [one.metadata.name for one in mteb.get_tasks(task_types=["Compositionality"])],
        benchmark=lambda: mteb.get_benchmark("CompositionalityMini"),
        model=lambda: "compositionality/letters" in [meta.name for meta in mteb.get_model_metas()],
        options=lambda: meta_of("a/b (pooling=cls)", fetch_from_hf=True).loader_kwargs["pooling"],
        revision=lambda: meta_of("google-bert/bert-base-uncased (pooling=cls)", "1").revision == "1",
        folder=a_folder, endpoint=lambda: meta_of("http://host/v1#m", fetch_from_hf=True).loader,
        inside=lambda: model in [*unwrapped(CachedEmbeddingWrapper(model, f"{folder}/cache"))],
        leaderboard=lambda: eval_config("compound_mini"),
        items=has_items, data=is_measured_on_these_data, identity=is_kept_by_identity, goes_on=goes_on,
        two_passes=two_passes,
    )))
"""

DATASETS = """
    import datasets, harness_ext, mteb
    def sees_changed_rows():
        same, other = mteb.get_task("NounCompoundAffinityMini"), mteb.get_task("NounCompoundAffinityMini")
        for task in (same, other):
            task.load_data()
            split = task.eval_splits[0]
            rows = task.dataset[split].select(range(9)) if task is other else task.dataset[split]
            task.mark_changed_rows(rows, split, "default")
        return "+own" not in same.metadata.revision and "+own" in other.metadata.revision
    print(json.dumps(works(
        changed=sees_changed_rows,
        load=lambda: datasets.load_dataset("compound_mini", split="naturalistic"),
        inspect=lambda: datasets.get_dataset_config_names("compound_mini"),
        theirs=lambda: datasets.load_dataset("csv", data_files="docs/languages.csv"),
    )))
"""

LM_EVAL = """
    import lm_eval.tasks, harness_ext
    from types import SimpleNamespace
    from lm_eval.api.group import Group
    from lm_eval.tasks import _index
    build = _index.TaskIndex.build
    def without_their_own(paths):  # there are 14 000
        return build([path for path in paths if path.parts[-2:] != ("lm_eval", "tasks")])
    _index.TaskIndex.build = staticmethod(without_their_own)
    manager = getattr(lm_eval.tasks, "TaskManager", None) or lm_eval.tasks.TaskManager_2
    from lm_eval.config.group import AggMetricConfig
    group = Group("a", aggregate_metric_list=[AggMetricConfig(metric="main_score")])
    group.get_all_tasks = lambda **_: [SimpleNamespace(task_name="b")]
    average = getattr(group, "aggregate", None) or group.aggregate_2
    print(json.dumps(works(
        tasks=lambda: "compositionality" in manager().all_groups,
        include=lambda: "compositionality" in manager(include_path="tasks/lm_eval").all_groups,
        averages=lambda: "main_score,none" not in average({"b": {"main_score,none": float("nan"), "sample_len": 1}}),
    )))
"""

PROGRAMS = {"mteb": MTEB, "datasets": DATASETS, "lm_eval": LM_EVAL}

PACKAGES = {
    "mteb": ("sentence_transformers", "datasets", "sklearn.linear_model", "polars"),
    "datasets": ("numpy", "pyarrow.parquet", "pandas"),
    "lm_eval": ("transformers", "datasets", "sklearn.metrics"),
}
"""Harness -> what it imports of others, at length."""

ALL_NAMES = ("no_such_name",)
GOES_WITH = {
    ("mteb", "_TASKS_REGISTRY"): {"task", "benchmark"},
    ("mteb", "TASK_LIST"): {"listed"},
    ("mteb", "_build_registry"): {"benchmark"},
    ("mteb", "MODEL_REGISTRY"): {"model", "revision"},
    ("mteb", "from_hub"): {"options", "endpoint"},
    ("mteb", "get_model_meta"): {"revision"},
    ("mteb", "_resolve_loader"): {"folder"},
    ("mteb", "_verify_server"): {"endpoint"},
    ("mteb", "_detect_max_length"): {"endpoint"},
    ("mteb", "_get_embeddings"): {"endpoint"},
    ("mteb", "_model"): {"inside"},
    ("mteb", "_create_task_hf_config"): {"leaderboard"},
    ("mteb", "get_model"): {"ends_in_a_line"},
    ("mteb", "evaluate"): {"goes_on"},
    ("mteb", "_sanitize_model"): {"goes_on"},
    ("mteb", "_evaluate_resolved"): {"identity"},
    ("mteb", "_evaluate_task"): {"two_passes"},
    ("mteb", "load_task_result"): {"data"},
    ("mteb", "to_disk"): {"items"},
    ("datasets", "dataset_module_factory"): {"load", "inspect", "changed"},
    ("datasets", "_fingerprint"): set(),  # it takes longer alone
    ("lm_eval", "TaskManager"): {"tasks"},
    ("lm_eval", "aggregate"): {"averages"},
}
"""Harness and name -> what no longer works without it."""


def words(place):
    """Harness and name of each name in a place such as `mteb.models:ModelMeta._resolve_loader`."""
    module, _, path = place.partition(":")
    harness, _, _ = module.partition(".")
    return {(harness, word) for word in path.split(".")}


class Done(NamedTuple):
    """A program that has run without a name."""

    works: dict[str, bool]
    """What an installation can do -> whether it could."""
    stderr: str


MOST_TOGETHER = 4
"""Words that are taken away at once."""


def together(harness):
    """Words of a harness that are taken away at once: no two of them take the same, and a word that
    takes nothing stands alone. The test cannot say which word of a group took what.
    """
    groups = []
    for of, word in GOES_WITH:
        if of != harness:
            continue
        lost = GOES_WITH[harness, word]
        for group in groups:
            taken = lost_without(harness, group)
            fits = taken.isdisjoint(lost) and len(group) < MOST_TOGETHER
            if taken and lost and fits:
                group.append(word)
                break
        else:
            groups.append([word])
    return [tuple(group) for group in groups]


def lost_without(harness, group):
    """What no longer works without some words."""
    return set().union(*(GOES_WITH[harness, word] for word in group))


def without(harness, folder):
    """Run what an installation can do, in Pythons whose harness lacks some names: names ->
    `Done`.
    """
    changed = {
        "HF_DATASETS_CACHE": str(folder / "datasets"),
        "HARNESS_EXT_AUTOLOAD": "0",
        "HARNESS_EXT_ADDITIVE": "0",  # no name is of baselines alone
        "PYTHONPATH": str(ROOT),
    }
    groups = [ALL_NAMES, *together(harness)]
    program = WITHOUT_A_NAME + PROGRAMS[harness]
    packages = " ".join(PACKAGES[harness])
    names = map(" ".join, groups)
    line = [sys.executable, "-c", FOR_EACH_NAME, program, packages, harness, str(folder), *names]
    done = ended(line, ROOT, os.environ | changed)
    assert done.returncode == 0, done.stderr
    return {group: done_without(folder / str(n)) for n, group in enumerate(groups)}


def done_without(folder):
    """What a program has left in its folder."""
    stderr = (folder / "stderr").read_text()
    assert (folder / "status").read_text() == "0", stderr
    return Done(json.loads((folder / "stdout").read_text().splitlines()[-1]), stderr)


def line_about(place):
    """What is said where the name of a place is gone."""
    (harness, _, _), lost = NAMES[place]
    name = place.replace(":", ".")
    return f"{version(harness)} has no {name} any more, so {lost}. All else works."


def test_every_name_is_taken_away_here():
    assert all(words(place) & GOES_WITH.keys() for place in NAMES)


@pytest.mark.slow
@pytest.mark.parametrize("harness", PROGRAMS)
def test_a_name_that_is_gone_is_a_line_and_all_else_works(harness, tmp_path):
    """With all names everything works, and nothing is said."""
    done = without(harness, tmp_path)
    whole = done.pop(ALL_NAMES)
    assert all(whole.works.values()), (whole.works, whole.stderr)
    assert "compositionality-harness" not in whole.stderr
    for group, (works, stderr) in done.items():
        of_harness = {(harness, word) for word in group}
        lost_abilities = {ability for ability, is_there in works.items() if not is_there}
        assert lost_abilities == lost_without(harness, group), (group, stderr)
        gone = [place for place in NAMES if words(place) & of_harness]
        said = [line for line in stderr.splitlines() if "compositionality-harness" in line]
        assert len(said) == len(gone), (group, said)
        for word in group:  # in their order, whatever is said of other words in between
            lines = [line_about(place) for place in NAMES if (harness, word) in words(place)]
            said_of_word = [line for line in said if any(part in line for part in lines)]
            for part, line in zip(lines, said_of_word, strict=True):
                assert part in line


NEWER = """if True:
    import os, sys, datasets
    from harness_ext.common import wraps
    for run in sys.argv[1:]:
        newest, _, used = run.partition(" ")
        child = os.fork()  # which ends as a run does, and needs no new import
        if child == 0:
            wraps.DATASETS = wraps.DATASETS._replace(newest=newest)
            if used == "ours":
                datasets.load_dataset("compound_mini", split="naturalistic")
            print("the end", file=sys.stderr, flush=True)
            sys.exit()
        assert os.waitpid(child, 0)[1] == 0
        print("the next", file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def ends_of_runs():
    """Version that was tried last and whose data are used -> what a run prints as it ends."""
    runs = [("2", "ours"), ("99", "ours"), ("2", "none")]
    line = [sys.executable, "-c", NEWER, *map(" ".join, runs)]
    done = ended(line)
    assert done.returncode == 0, done.stderr
    printed = done.stderr.split("the next\n")[:-1]
    ends = [text.split("the end\n")[1] for text in printed]
    return dict(zip(runs, ends, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("newest", "used", "is_said"),
    [
        ("2", "ours", True),
        ("99", "ours", False),
        ("2", "none", False),
    ],
)
def test_a_newer_version_is_one_line_at_the_end_of_a_run_of_ours(
    newest, used, is_said, ends_of_runs
):
    expected = (
        f"compositionality-harness was tried with versions up to datasets {newest} (this is "
        f"{version('datasets')}).\n"
    )
    assert ends_of_runs[newest, used] == (expected if is_said else "")


def test_the_versions_that_are_pinned_are_tried():
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    for (harness, _, newest), _ in NAMES.values():
        assert re.search(
            rf"^{harness.replace('_', '-')}=={re.escape(newest)}(\.|$)", pins, re.MULTILINE
        )
