"""Sweeps: a model that fails stops no other, what is there is not measured again, and a lost machine loses nothing."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import mteb
import psutil
import pytest

from harness_ext.encoders.identity.facts import prompt_of
from harness_ext.encoders.texts import encode_texts
from harness_ext.results.load import load_results
from harness_ext.sweep.cluster import memory_of
from harness_ext.sweep.inputs import SweepError, read_models, read_prompts
from harness_ext.sweep.instructions import give_instruction
from harness_ext.sweep.job import INTERRUPTED, MEASURED, Job, summary
from tests.conftest import in_a_copy_of_this_process

pytestmark = pytest.mark.usefixtures("without_own_words")

SMALL_TASKS = ["CaptionSwapMini", "IdiomParaphraseMini", "RoleSwapSimilarityMini", "TransitiveSimilarityMini"]
FAST = "CaptionSwapMini"
GIGABYTE = 2**30


def job(folder, model="a/b", tasks=("One", "Two")):
    return Job(model, tuple(tasks), (), folder / "results")


class TestModels:
    def test_of_a_file(self, tmp_path):
        file = tmp_path / "models.txt"
        lines = ["\ufeff# small", "a/b", "", "  folder/of mine  ", "a/b", "it's mine", "of#mine", "c (pooling=cls)"]
        file.write_text("\n".join(lines), encoding="utf-8")
        assert read_models(file) == ["a/b", "folder/of mine", "it's mine", "of#mine", "c (pooling=cls)"]

    @pytest.mark.parametrize("content", [None, "# nothing\n", b"\xff\xfe\x00"])
    def test_a_file_without_models_is_named(self, tmp_path, content):
        file = tmp_path / "models.txt"
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(SweepError, match=r"--models .*models\.txt"):
            read_models(file)


class TestInstructions:
    def test_of_a_file(self, tmp_path):
        file = tmp_path / "prompts.txt"
        file.write_text(
            '\ufeff# four\nnone:\n\nmeaning: "The meaning: "  # a note\nE5: "Do: a # b\\nQuery: "\nbare: the\n',
            encoding="utf-8",
        )
        assert read_prompts(file) == {
            "none": "",
            "meaning": "The meaning: ",
            "E5": "Do: a # b\nQuery: ",
            "bare": "the",
        }

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

    @pytest.mark.parametrize(("text", "stands"), [("", ""), ("Judge", "Judge"), ("Query: ", "Query: ")])
    @pytest.mark.parametrize("template", ["plain", None, "Do: {instruction}\n", lambda text, _: f"Do: {text}\n"])
    def test_it_stands_before_each_text_in_the_template_of_the_model(self, models, template, text, stands):
        from mteb.models import ModelMeta, SentenceTransformerEncoderWrapper
        from mteb.models.instruct_wrapper import InstructSentenceTransformerModel

        task = mteb.get_task(FAST)
        if template == "plain":
            model = SentenceTransformerEncoderWrapper(str(models[0]), device="cpu")
        else:
            others = {task.metadata.type: "no"}
            model = InstructSentenceTransformerModel(
                str(models[0]), None, device="cpu", instruction_template=template, prompts_dict=others
            )
            model.mteb_model_meta = ModelMeta.create_empty({"name": "a/b"})
            stands = f"Do: {stands}\n" if template and stands else stands
        assert give_instruction(model, text, [task]) is model
        assert prompt_of(model, task.metadata) == stands
        place = {"hf_split": "test", "hf_subset": "default", "encode_kwargs": {}}
        found = encode_texts(model, ["a word", "b"], task_metadata=task.metadata, **place)
        assert found == pytest.approx(model.model.encode([f"{stands}a word", f"{stands}b"]), abs=1e-6)


def test_the_summary_says_each_reason_once_with_its_models_and_tasks(tmp_path):
    a, b, c, d = (job(tmp_path, name) for name in "abcd")
    outcomes = {"One": MEASURED, "Two": "no data:\nput it there"}
    ended = {a: outcomes, b: outcomes, c: dict.fromkeys(("One", "Two"), "no such model")}
    lines, missing = summary([a, b, c, d], ["One", "Two"], ended)
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


def test_without_ray_one_sentence_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    listed(tmp_path, ["compositionality/letters"])
    done = in_a_copy_of_this_process(("harness-ext", "sweep", "--models", "models.txt", "-t", FAST), tmp_path, {})
    assert done.returncode == 2
    assert done.stderr == "Error: A sweep needs Ray, in the checkout: pip install -c constraints.txt '.[ray]'\n"


@pytest.mark.parametrize(("arguments", "message"), [([], "-t TASK"), (["-t", "CaptionSwapMni"], "CaptionSwapMini")])
def test_what_is_wrong_with_the_options_is_said_before_anything_runs(tmp_path, arguments, message):
    listed(tmp_path, ["compositionality/letters"])
    done = in_a_copy_of_this_process(("harness-ext", "sweep", "--models", "models.txt", *arguments), tmp_path, {})
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Random models in folders, of letters."""
    from transformers import BertConfig

    from tests.encoders.tiny_transformers import fast, letters, save, save_pooled

    folder, tokenizer = tmp_path_factory.mktemp("models"), fast(letters(), model_max_length=256)
    config = BertConfig(vocab_size=len(tokenizer), hidden_size=32, num_hidden_layers=4, num_attention_heads=2,
                        intermediate_size=64, max_position_embeddings=256)  # fmt: skip
    plain = [save(folder / f"plain-{seed}", config, tokenizer, seed=seed) for seed in range(4)]
    return [Path(save_pooled(folder / f"model-{seed}", plain[seed])) for seed in range(4)]


def listed(folder, models):
    file = folder / "models.txt"
    file.write_text("\n".join(map(str, models)))
    return str(file)


def scores(folder):
    """(model, task) -> every score of it."""
    found = load_results(folder)
    assert not found.problems
    return {
        (entry.model, entry.task): {key: value for key, value in entry.scores.items() if isinstance(value, float)}
        for entry in found.entries
    }


@pytest.mark.slow
class TestOnThisMachine:
    def test_a_model_that_fails_stops_no_other_and_the_same_command_goes_on(self, run, models, tmp_path):
        broken = tmp_path / "broken"
        broken.mkdir()
        (broken / "modules.json").write_text("[")
        file = listed(tmp_path, [models[0], broken, models[1]])
        command = ["harness-ext", "sweep", "--models", file, "-t", FAST]
        first = run(*command, check=False)
        assert first.returncode == 2
        said = first.stdout
        assert "3 models × 1 tasks: 2 measured, 0 there already, 1 missing." in said
        assert f"Missing (1): all tasks of {broken}" in said
        assert "    JSONDecodeError: " in said
        assert said.splitlines()[-1].split() == command
        assert set(scores(tmp_path / "results")) == {(f"local/model-{n}", FAST) for n in (0, 1)}
        listed(tmp_path, models[:3])
        second = run(*command)
        assert "3 models × 1 tasks: 1 measured, 2 there already, 0 missing." in second.stdout

    def test_each_model_is_measured_under_each_instruction(self, run, models, tmp_path):
        task = "RoleSwapSimilarityMini"
        names = [f"{models[0]} (standardized)", f"{models[0].with_name('plain-0')} (pooling=mean)"]
        file = tmp_path / "prompts.txt"
        file.write_text('none: ""\nask: "the meaning of "\n')
        command = ["harness-ext", "sweep", "--models", listed(tmp_path, names), "--prompts", str(file), "-t", task]
        first = run(*command, check=False).stdout
        assert "2 models × 2 instructions × 1 tasks: 3 measured, 0 there already, 1 missing." in first
        assert f"all tasks of {names[1]} [prompt_ask]\n    Takes no instruction: its wrapper" in first
        found = scores(tmp_path / "results")
        name = "local/model-0 (standardized)"
        assert found[f"{name} [prompt_none]", task] != found[f"{name} [prompt_ask]", task]
        entries = load_results(tmp_path / "results").entries
        assert {entry.signature.prompt for entry in entries if "prompt_ask" in entry.model} == {"the meaning of "}
        assert {entry.signature.prompt for entry in entries if "prompt_none" in entry.model} == {""}
        run("mteb", "run", "-m", names[0], "-t", task, "--output-folder", "results")
        assert scores(tmp_path / "results")[name, task] == found[f"{name} [prompt_none]", task]
        assert len({one.revision for one in load_results(tmp_path / "results").entries if "model-0" in one.model}) == 1

        other = Job(names[0], (task,), (), tmp_path / "results", prompt_name="ask", prompt="another ")
        (said,) = other.measure().values()
        assert "was measured with the instruction 'the meaning of '. Give 'another ' another name." in said
        assert scores(tmp_path / "results").items() >= found.items()

    def test_when_the_command_is_killed_its_processes_end_too(self, models, tmp_path):
        command = ["harness-ext", "sweep", "--models", listed(tmp_path, models[:1]), "-t", "MontagueConsistency"]
        program = str(Path(sys.executable).with_name(command[0]))

        def at_work():
            places = [one.info for one in psutil.process_iter(["pid", "cwd"]) if one.info["cwd"] == str(tmp_path)]
            return {place["pid"] for place in places} - {process.pid}

        with subprocess.Popen([program, *command[1:]], cwd=tmp_path) as process:
            wait_for(at_work, process)
            process.send_signal(signal.SIGKILL)
        while at_work():
            time.sleep(0.1)


def wait_for(condition, process):
    """Wait as long as the process runs, however busy the machine is; pytest ends a test that hangs."""
    while not condition():
        assert process.poll() is None, f"it ended with {process.returncode} before"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_a_machine_of_a_ray_cluster_is_lost_and_no_result(models, tmp_path, monkeypatch):
    """A node is killed while it measures, two come: all results there, none scored twice, none other."""
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "datasets"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    models = models[:2]
    chosen = [word for task in SMALL_TASKS for word in ("-t", task)]
    command = ["harness-ext", "sweep", "--models", listed(tmp_path, models), *chosen, "--output-folder"]

    program = str(Path(sys.executable).with_name(command[0]))
    for model in models:
        Job(str(model), tuple(SMALL_TASKS), (), tmp_path / "alone").measure()
    expected = scores(tmp_path / "alone")
    assert len(expected) == len(models) * len(SMALL_TASKS)

    node = {"num_cpus": 1, "memory": 3 * GIGABYTE}
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={**node, "num_cpus": 0})
    try:
        lost = cluster.add_node(**node)
        cluster.wait_for_nodes()
        options = [*command[1:], "together", "--ray", cluster.address]
        with subprocess.Popen([program, *options], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
            wait_for(lambda: any((tmp_path / "together").rglob("*Mini.json")), process)
            lose(lost)
            cluster.remove_node(lost, allow_graceful=False)
            for _ in range(2):
                cluster.add_node(**node)
            said, _ = process.communicate()
    finally:
        cluster.shutdown()

    assert process.returncode == 0, said
    size = f"{len(models)} models × {len(SMALL_TASKS)} tasks"
    found = re.search(rf"{size}: (\d+) measured, (\d+) there already, 0 missing", said)
    assert found, said
    assert int(found[2]) >= 1, "the lost node was at work on a model, whose finished results were found"
    found = scores(tmp_path / "together")
    assert found.keys() == expected.keys()
    for place, numbers in found.items():  # what is begun again is encoded in other batches, which round differently
        assert numbers == pytest.approx(expected[place], rel=1e-3, abs=1e-5), place


def lose(node):
    """Kill the processes of a node at once, as a power cut does; its workers would notice its end after seconds."""
    (raylet,) = node.all_processes["raylet"]
    first = psutil.Process(raylet.process.pid)
    for process in [*first.children(recursive=True), first]:
        process.kill()
