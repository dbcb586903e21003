"""Sweeps: a model that fails stops no other, what is there is not measured again, and a lost
machine loses nothing.
"""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import mteb
import psutil
import pytest
from mteb.models import ModelMeta

from harness_ext.encoders.batches import encode_texts
from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.results.load import load_results
from harness_ext.sweep.cluster import fitting_machines, largest_first, memory_of
from harness_ext.sweep.inputs import SweepError, read_models, read_prompts
from harness_ext.sweep.instructions import give_instruction
from harness_ext.sweep.job import INTERRUPTED, MEASURED, THERE, Job, summary
from tests.command_line import harness_ext

pytestmark = pytest.mark.usefixtures("without_baselines")

SMALL_TASKS = ["CaptionSwapMini", "RoleSwapSimilarityMini", "TransitiveSimilarityMini"]
FAST = "CaptionSwapMini"
GIGABYTE = 2**30


class TestModels:
    def test_of_a_file(self, tmp_path):
        file = tmp_path / "models.txt"
        lines = [
            "\ufeff# small",
            "a/b",
            "",
            "  folder/of mine  ",
            "a/b",
            "it's mine",
            "of#mine",
            "c (pooling=cls)",
        ]
        file.write_text("\n".join(lines), encoding="utf-8")
        assert read_models(file) == [
            "a/b",
            "folder/of mine",
            "it's mine",
            "of#mine",
            "c (pooling=cls)",
        ]

    @pytest.mark.parametrize("content", [None, "# nothing\n", b"\xff\xfe\x00"])
    def test_a_file_without_models_is_named(self, tmp_path, content):
        file = tmp_path / "models.txt"
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(SweepError, match=r"--models .*models\.txt"):
            read_models(file)


def do(text, _):
    """The template "Do: {instruction}", as some models have it."""
    return f"Do: {text}\n"


class TestInstructions:
    def test_of_a_file(self, tmp_path):
        file = tmp_path / "prompts.txt"
        file.write_text(
            '\ufeff# four\nnone:\n\nmeaning: "The meaning: "  # a note\nE5: "Do: a # b\\nQuery: '
            '"\nbare: the\n',
            encoding="utf-8",
        )
        expected = {
            "none": "",
            "meaning": "The meaning: ",
            "E5": "Do: a # b\nQuery: ",
            "bare": "the",
        }
        assert read_prompts(file) == expected

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (None, "No such file"),
            ("# nothing\n", "has no instruction"),
            ("a: x\nThe meaning of this\n", "expected lines of NAME:.*line 2"),
            ("a: x\nb: 3\n", "line 2: found '3', expected NAME:"),
            ("a/b: x\n", "line 1: 'a/b' is no name"),
            ("none:\nb: ''\n", "line 2: b has the same instruction as none"),
            ("a: x\nA: y\n", "line 2: A has the same name as a"),
        ],
    )
    def test_what_is_wrong_with_a_file_is_named_with_its_line(self, tmp_path, content, message):
        file = tmp_path / "prompts.txt"
        if content is not None:
            file.write_text(content)
        with pytest.raises(SweepError, match=rf"(?s)--prompts .*prompts\.txt.*{message}"):
            read_prompts(file)

    @pytest.mark.parametrize("text", ["", "Query: "])
    @pytest.mark.parametrize("template", ["plain", None, "Do: {instruction}\n", do])
    def test_it_stands_before_each_text_in_the_template_of_the_model(self, tiny, template, text):
        from mteb.models import SentenceTransformerEncoderWrapper
        from mteb.models.instruct_wrapper import InstructSentenceTransformerModel

        task = mteb.get_task(FAST)
        stands = text
        other = mteb.get_task(SMALL_TASKS[1])
        if template == "plain":
            model = SentenceTransformerEncoderWrapper(str(tiny), device="cpu")
        else:
            others = {task.metadata.type: "no"}
            model = InstructSentenceTransformerModel(
                str(tiny), None, device="cpu", instruction_template=template, prompts_dict=others
            )
            model.mteb_model_meta = ModelMeta.create_empty({"name": "a/b"})
            stands = f"Do: {stands}\n" if template and stands else stands
        assert give_instruction(model, text, [task, other]) is model
        assert prompt_of(model, task.metadata) == stands
        assert prompt_of(model, other.metadata) == stands
        place = {"hf_split": "test", "hf_subset": "default", "encode_kwargs": {}}
        found = encode_texts(model, ["a word", "b"], task_metadata=task.metadata, **place)
        assert found == pytest.approx(
            model.model.encode([f"{stands}a word", f"{stands}b"]), abs=1e-6
        )


@pytest.mark.parametrize("prompt", ["", "Query: "])
def test_a_result_of_another_instruction_of_the_same_name_is_not_taken(prompt, tiny, tmp_path):
    def measured(text):
        return Job(str(tiny), (FAST,), (), tmp_path, None, "ask", text).measure()[FAST]

    assert measured("the meaning of ") == MEASURED
    assert measured("the meaning of ") == THERE
    assert "was measured with the instruction 'the meaning of '" in measured(prompt)


def test_a_result_without_instruction_is_not_taken_for_one_with_it(tiny, tmp_path):
    def measured(text):
        return Job(str(tiny), (FAST,), (), tmp_path, None, "ask", text).measure()[FAST]

    assert measured("") == MEASURED
    assert "was measured with the instruction ''" in measured("Query: ")


def test_a_result_is_there_though_the_model_can_no_longer_be_loaded(tmp_path, monkeypatch):
    def measured(*tasks):
        return Job("compositionality/letters", tasks, (), tmp_path).measure()

    def lost(*_, **__):
        raise OSError("no network")

    measured(FAST)
    monkeypatch.setattr(ModelMeta, "load_model", lost)
    other = SMALL_TASKS[1]
    assert measured(FAST, other) == {FAST: THERE, other: "no network"}


def test_a_result_with_an_instruction_is_stored_with_the_settings_of_the_model_too(
    tiny, tmp_path, monkeypatch
):
    """Such as the type of its numbers, where that is not that of its checkpoint."""
    load = ModelMeta.load_model

    def with_setting(meta, **options):
        model = load(meta, **options)
        settings = {"experiment_kwargs": {"dtype": "float16"}}
        model.mteb_model_meta = model.mteb_model_meta.model_copy(update=settings)
        return model

    monkeypatch.setattr(ModelMeta, "load_model", with_setting)
    job = Job(str(tiny), (FAST,), (), tmp_path, None, "ask", "Query: ")
    assert job.measure() == {FAST: MEASURED}
    (entry,) = load_results(tmp_path).entries
    assert entry.model.endswith("[dtype_float16__prompt_ask]")


@pytest.mark.slow
def test_the_instruction_is_no_part_of_a_revision_that_is_a_hash_of_the_model(
    tiny, tmp_path, monkeypatch
):
    load = ModelMeta.load_model

    def without_revision(meta, **options):
        model = load(meta, **options)
        model.mteb_model_meta = model.mteb_model_meta.model_copy(update={"revision": None})
        return model

    monkeypatch.setattr(ModelMeta, "load_model", without_revision)
    for prompt in ("Query: ", "Sentence: "):
        job = Job(str(tiny), (FAST,), (), tmp_path, None, prompt.rstrip(": "), prompt)
        assert job.measure() == {FAST: MEASURED}
    first, second = load_results(tmp_path).entries
    assert first.revision.startswith("weights-")
    assert first.revision == second.revision


def test_a_task_that_is_named_twice_is_measured_once(tmp_path):
    job = Job("a", (FAST, FAST, SMALL_TASKS[1]), ("CompositionalityMini",), tmp_path)
    names = [task.metadata.name for task in job.tasks()]
    assert names[:2] == [FAST, SMALL_TASKS[1]]
    assert len(names) == len({*names}) > 2


def test_the_largest_models_come_first_and_ask_for_no_more_than_a_machine_has(tmp_path):
    """A large one that begins last would be waited for alone."""
    names = ["my/folder", "Qwen/Qwen3-Embedding-8B", "sentence-transformers/all-MiniLM-L6-v2"]
    jobs = [Job(name, (FAST,), (), tmp_path) for name in names]
    memory = largest_first(jobs, 20 * GIGABYTE)
    assert [job.model for job in memory] == [names[1], names[2], names[0]]
    large, small, _ = memory.values()
    assert large == 20 * GIGABYTE
    assert 2 * GIGABYTE < small < 3 * GIGABYTE


def test_a_machine_fits_with_enough_of_both():
    machines = [{"CPU": 8.0}, {"CPU": 1.0, "GPU": 2.0}, {"CPU": 4.0, "GPU": 1.0}, {}]
    assert fitting_machines(machines, 2, 1) == [machines[2]]
    assert fitting_machines(machines, 1, 0) == machines[:3]
    assert fitting_machines(machines, 4, 0.5) == [machines[2]]
    assert fitting_machines(machines, 9, 0) == []


def test_the_summary_says_each_reason_once_with_its_models_and_tasks(tmp_path):
    jobs = [Job(name, ("One", "Two"), (), tmp_path) for name in "abcd"]
    a, b, c, _ = jobs
    one_without_data = {"One": MEASURED, "Two": "no data:\nput it there"}
    no_model = {"One": "no such model", "Two": "no such model"}
    ended = {a: one_without_data, b: one_without_data, c: no_model}
    lines, missing = summary(jobs, ["One", "Two"], ended)
    assert missing == 6
    assert lines == [
        "4 models × 2 tasks: 2 measured, 0 there already, 6 missing.",
        *("", "Missing (2): Two of a, b", "    no data:", "    put it there"),
        *("", "Missing (2): all tasks of c", "    no such model"),
        *("", "Missing (2): all tasks of d", f"    {INTERRUPTED}"),
    ]


def test_a_model_needs_memory_by_its_weights():
    assert 2 * GIGABYTE < memory_of("sentence-transformers/all-MiniLM-L6-v2") < 3 * GIGABYTE
    assert memory_of("Qwen/Qwen3-Embedding-8B") > 25 * GIGABYTE
    assert memory_of("my/folder") == 2 * GIGABYTE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Error: Which tasks? Name them with -t TASK"),
        (["-t", "CaptionSwapMni"], "CaptionSwapMini"),
        (
            ["-t", FAST],
            'Error: A sweep needs ray, of the extra "ray". In the checkout: pip install -c '
            'constraints.txt ".[ray]"\n',
        ),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(tmp_path, monkeypatch, arguments, message):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.chdir(tmp_path)
    done = harness_ext(
        "sweep", "--models", listed(tmp_path, ["compositionality/letters"]), *arguments
    )
    assert (done.exit_code, done.stdout) == (2, "")
    assert message in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A random model of letters in a folder; beside it, `plain` is the same without its pooling."""
    from transformers import BertConfig

    from tests.encoders.tiny_transformers import fast, letters, save, save_pooled

    folder = tmp_path_factory.mktemp("models")
    tokenizer = fast(letters(), model_max_length=256)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=4,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=256,
    )
    plain = save(folder / "plain", config, tokenizer)
    return Path(save_pooled(folder / "tiny", plain))


def listed(folder, models):
    file = folder / "models.txt"
    file.write_text("\n".join(map(str, models)))
    return str(file)


@pytest.mark.slow
class TestOnThisMachine:
    def test_models_are_measured_under_instructions_and_one_that_fails_stops_no_other(
        self, run, tiny, tmp_path
    ):
        task = "RoleSwapSimilarityMini"
        name = f"{tiny} (standardized)"
        broken = tmp_path / "broken"
        broken.mkdir()
        (broken / "modules.json").write_text("[")
        file = tmp_path / "prompts.txt"
        file.write_text('ask: "the meaning of "\n')
        models = listed(tmp_path, [broken, name])
        command = ["harness-ext", "sweep", "--models", models, "--prompts", str(file), "-t", task]
        done = run(*command, check=False)
        assert done.returncode == 2
        assert (
            "2 models × 1 instructions × 1 tasks: 1 measured, 0 there already, 1 missing."
            in done.stdout
        )
        assert (
            f"Missing (1): all tasks of {broken} [prompt_ask]\n    JSONDecodeError: " in done.stdout
        )
        assert done.stdout.splitlines()[-1].split() == command

        def measured(*prompt, name=name):
            job = Job(name, (task,), (), tmp_path / "results", None, *prompt)
            return job.measure()[task]

        assert measured("ask", "the meaning of ") == THERE
        assert (
            "was measured with the instruction 'the meaning of '. Give 'x ' another name."
            in measured("ask", ("x "))
        )
        assert "Takes no instruction: its wrapper" in measured(
            "ask", "x ", name=f"{tiny.parent / 'plain'} (pooling=mean)"
        )
        assert measured("none", "") == measured() == MEASURED
        entries = load_results(tmp_path / "results").entries
        assert len({entry.revision for entry in entries}) == 1
        plain, ask, none = entries
        assert plain.signature.prompt == ""
        assert ask.signature.prompt == "the meaning of "
        assert none.signature.prompt == ""
        assert plain.scores == none.scores != ask.scores

    def test_no_module_of_the_folder_is_imported_but_those_of_pythonpath(self, run, tmp_path):
        """A user's file may have the name of a library; paths are relative to the user's folder."""
        for name in ("datasets", "transformers", "sentence_transformers", "torch", "mteb"):
            (tmp_path / f"{name}.py").write_text(f"raise SystemExit('own {name}.py')\n")
        modules = tmp_path / "modules"
        modules.mkdir()
        (modules / "sitecustomize.py").write_text(
            "import os, sys\n"
            "with open(os.environ['HARNESS_EXT_MARKER'], 'a') as file:\n"
            "    print(sys.orig_argv, file=file)\n"
        )
        marker = tmp_path / "marker"
        models = listed(tmp_path, ["compositionality/letters"])
        environment = {"PYTHONPATH": "modules", "HARNESS_EXT_MARKER": str(marker)}
        done = run("harness-ext", "sweep", "--models", models, "-t", FAST, **environment)
        assert "1 measured, 0 there already, 0 missing." in done.stdout
        assert "default_worker.py" in marker.read_text()

    def test_when_the_command_is_killed_its_processes_end_too(self, tiny, tmp_path):
        program = str(Path(sys.executable).with_name("harness-ext"))
        models = listed(tmp_path, [tiny])
        command = [program, "sweep", "--models", models, "-t", "MontagueConsistency"]

        with subprocess.Popen(command, cwd=tmp_path) as process:
            this = psutil.Process(process.pid)

            def is_at_work():
                children = this.children(recursive=True)
                return any(place(child) == str(tmp_path) for child in children)

            wait_for(is_at_work, process)
            started = this.children(recursive=True)
            process.send_signal(signal.SIGKILL)
        while any(child.is_running() for child in started):
            time.sleep(0.1)


def place(process):
    """The folder that a process works in; empty if it has ended."""
    try:
        return process.cwd()
    except psutil.Error:
        return ""


def wait_for(condition, process):
    """Wait as long as the process runs, however busy the machine is; pytest ends a test
    that hangs.
    """
    while not condition():
        assert process.poll() is None, f"it ended with {process.returncode} before"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_machine_of_a_ray_cluster_is_lost_and_no_result(tiny, tmp_path, monkeypatch):
    """A node is killed while it measures, another comes: all results are there, and none was scored
    twice.
    """
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    options = ["--models", listed(tmp_path, [tiny]), "--output-folder", "together"]
    for task in SMALL_TASKS:
        options += ["-t", task]
    results_folder = tmp_path / "together"

    def has_a_result():
        return any(results_folder.rglob("*Mini.json"))

    node = {"num_cpus": 1, "memory": 3 * GIGABYTE}
    head = node | {"num_cpus": 0}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args=head)
    try:
        lost = cluster.add_node(**node)
        cluster.wait_for_nodes()
        command = [sys.executable, "-m", "harness_ext", "sweep"]
        line = [*command, *options, "--ray", cluster.address]
        pipe = subprocess.PIPE
        with subprocess.Popen(line, cwd=tmp_path, stdout=pipe, text=True) as process:
            wait_for(has_a_result, process)
            lose(lost)
            cluster.remove_node(lost, allow_graceful=False)
            cluster.add_node(**node)
            said, _ = process.communicate()
    finally:
        cluster.shutdown()

    assert process.returncode == 0, said
    found = re.search(
        rf"1 models × {len(SMALL_TASKS)} tasks: \d+ measured, (\d+) there already, 0 missing", said
    )
    assert found, said
    assert int(found[1]) >= 1, (
        "the lost node was at work on a model, whose finished results were found"
    )
    results = load_results(results_folder)
    assert not results.problems
    assert [entry.task for entry in results.entries] == SMALL_TASKS


def lose(node):
    """Kill the processes of a node at once, as a power cut does; its workers would notice its end
    after seconds.
    """
    (raylet,) = node.all_processes["raylet"]
    first = psutil.Process(raylet.process.pid)
    for process in [*first.children(recursive=True), first]:
        process.kill()
