"""The front door: every function with its defaults, what may be passed as `encode` and `task`, files of vectors."""

from __future__ import annotations

import json
import re

import mteb
import numpy as np
import pytest

import harness_ext
from harness_ext.data.builder import builder_class
from harness_ext.data.sources import SourceError
from harness_ext.encoders.texts import EncodingError
from harness_ext.leaderboard.checks.recompute import recomputed
from harness_ext.tasks.epsilon_compositionality import EpsilonCompositionalityMini
from tests.harnesses.test_mteb_run import Letters

MINI = "EpsilonCompositionalityMini"


def letters(texts):
    """How often each letter is in a text, by its square root: of vectors that are sums of words', trees are fitted."""
    counts = np.array([[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts], float)
    return np.sqrt(counts)


class Model:
    """As a SentenceTransformer: it can be called, but not with texts."""

    def encode(self, sentences):
        return letters(sentences)

    def __call__(self, features):
        raise AssertionError("called with texts")


OF_RESULTS = {"Comparisons", "Entry", "Measured", "Results", "compare", "load_results", "plot", "read_result"}
FUNCTIONS = {*harness_ext.__all__} - OF_RESULTS - {"CompositionalityEvaluator"}  # these take an encoder


@pytest.mark.real_data
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] * name.startswith(("tree", "polarity")))
        for name in sorted(FUNCTIONS)
    ],
)
def test_every_function_is_called_with_its_defaults(name, unverified_mirror):
    try:
        found = getattr(harness_ext, name)(letters)
    except SourceError as error:  # the Yelp training sentences are not at hand; the error names a protocol without them
        split = re.search(
            r'4000 dev sentences instead .* polarity_sensitivity\(encode, split="(\w+)"\)$', str(error), re.DOTALL
        )
        assert split, error
        found = getattr(harness_ext, name)(letters, split=split[1])
    assert found.interval[0] < found.interval[1]
    assert len(found.items) > 100


@pytest.mark.parametrize("encode", [Model(), Model().encode, lambda texts: letters(texts).tolist()])
def test_objects_with_a_method_encode_and_functions_give_the_same(encode):
    expected = harness_ext.epsilon_compositionality(letters, task=MINI)
    assert harness_ext.epsilon_compositionality(encode, task=MINI).scores.flat() == expected.scores.flat()


@pytest.mark.slow
def test_a_sentence_transformer_as_it_is(minilm):
    from sentence_transformers import SentenceTransformer

    found = harness_ext.epsilon_compositionality(SentenceTransformer(minilm, device="cpu"), task=MINI)
    result = mteb.evaluate(mteb.get_model(minilm, device="cpu"), mteb.get_task(MINI), cache=None)
    (entry,) = result.task_results[0].scores["naturalistic"]
    assert found.scores.flat()["auc_nc_vs_c"] == pytest.approx(entry["main_score"], abs=1e-6)


@pytest.mark.parametrize("encode", ["all-MiniLM-L6-v2", None, np.ones((3, 2))])
def test_what_cannot_encode_is_refused(encode):
    with pytest.raises(TypeError, match=r"pass a function from a list of texts .* such as a SentenceTransformer"):
        harness_ext.epsilon_compositionality(encode, task=MINI)


def test_a_model_of_mteb_is_sent_to_mteb():
    with pytest.raises(TypeError, match=r"call mteb\.evaluate"):
        harness_ext.epsilon_compositionality(mteb.get_model("mteb/baseline-random-encoder"), task=MINI)


@pytest.mark.parametrize("task", [MINI, EpsilonCompositionalityMini, EpsilonCompositionalityMini()])
def test_a_task_is_a_name_a_class_or_an_object(task):
    assert harness_ext.epsilon_compositionality(letters, task=task).interval[0] > 0
    if not isinstance(task, str):
        assert not getattr(task, "data_loaded", False)  # the object is as it was


@pytest.mark.parametrize("task", [None, 3, str])
def test_what_is_no_task_is_refused(task):
    with pytest.raises(TypeError, match=r"pass a task's name, its class, or an object of it; or leave it out\."):
        harness_ext.epsilon_compositionality(letters, task=task)


def sorting(texts):
    texts.sort()
    return letters(texts)


def emptying(texts):
    return letters([texts.pop(0) for _ in range(len(texts))])


def adding(texts):
    texts[0] = f"query: {texts[0]}"
    return letters(texts)


@pytest.mark.parametrize("encode", [sorting, emptying, adding])
def test_a_function_that_changes_its_list_is_refused(encode):
    with pytest.raises(EncodingError, match=rf"local/{encode.__name__} changed the list .* texts = list\(texts\)"):
        harness_ext.epsilon_compositionality(encode, task=MINI)


def test_spans_that_are_sorted_in_place_are_refused():
    def encode_spans(sentences, spans):
        sentences.sort(key=len)
        return letters(sentences)

    with pytest.raises(EncodingError, match="changed the list"):
        harness_ext.affinity(letters, encode_spans=encode_spans, task="NounCompoundAffinityMini")


@pytest.mark.slow
def test_vectors_in_a_file_by_the_literal_commands(run, tmp_path):
    texts: list[str] = []
    harness_ext.epsilon_compositionality(lambda asked: texts.extend(asked) or letters(asked), task=MINI)
    lines = [f"{word} {' '.join(map(str, letters([word])[0]))}\n" for word in sorted({*" ".join(texts).split()})]
    (tmp_path / "vectors.txt").write_text("".join(lines), encoding="utf-8")
    run("mteb", "run", "-m", "vectors.txt", "-t", MINI, "--output-folder", "out")
    (result,) = tmp_path.glob(f"out/results/local__vectors.txt/*/{MINI}.json")
    (tmp_path / "models.txt").write_text("vectors.txt\n")
    run("harness-ext", "sweep", "--models", "models.txt", "--tasks", MINI, "--output-folder", "swept")
    (swept,) = tmp_path.glob(f"swept/results/local__vectors.txt/*/{MINI}.json")
    assert swept.parent.name == result.parent.name
    one, other = (json.loads(file.read_text())["scores"]["naturalistic"][0]["main_score"] for file in (result, swept))
    assert one == other


@pytest.mark.real_data
def test_only_what_was_made_of_unverified_files_is_marked(unverified_mirror, tmp_path):
    """The English naturalistic files at hand are rebuilt ones; the others are the authors' own."""
    task = mteb.get_task("NounCompoundAffinity", eval_splits=["naturalistic", "neutral"])
    mteb.evaluate(Letters(), task, cache=mteb.ResultCache(tmp_path), show_progress_bar=False)
    (file,) = tmp_path.rglob("NounCompoundAffinity.json")
    entries = {(entry.subset, entry.split): entry for entry in harness_ext.load_results(tmp_path).entries}
    pinned = type(task).metadata.revision
    revisions = {place: entry.dataset_revision for place, entry in entries.items()}
    rebuilt = revisions.pop(("en", "naturalistic"))
    assert rebuilt.startswith(f"{pinned}+unverified-")
    assert set(revisions) == {
        ("en", "neutral"), *((language, split) for language in ("it", "pt") for split in ("naturalistic", "neutral")),
    }  # fmt: skip
    assert set(revisions.values()) == {pinned}
    assert json.loads(file.read_text())["dataset_revision"] == rebuilt  # mteb has one per file: of the worst
    assert {entry.data for entry in entries.values()} == {
        "en naturalistic +unverified", "en neutral", "it naturalistic", "it neutral", "pt naturalistic", "pt neutral",
    }  # fmt: skip
    refused = {place: [found.key for found in recomputed(entry) if found.refused] for place, entry in entries.items()}
    assert refused.pop(("en", "naturalistic")) == ["dataset_revision"]
    assert not any(refused.values())
    # a file made before says so of all its rows, in its signatures too
    file.write_text(file.read_text().replace(f"ncimp@{pinned}|", f"ncimp@{rebuilt}|"))
    assert {entry.dataset_revision for entry in harness_ext.read_result(file)} == {rebuilt}


def test_polarity_is_of_the_files_of_its_split(tmp_path, monkeypatch):
    """Of other system outputs than the published ones, references are no worse."""
    task = mteb.get_task("PolaritySensitivity")
    (source,) = (each for name, each in builder_class("polarity_pairs").SOURCES["system"].items() if name == "pairs.0")
    (tmp_path / source.relative_path).parent.mkdir(parents=True)
    (tmp_path / source.relative_path).write_text("another\n")
    monkeypatch.setenv("HARNESS_EXT_MIRROR", str(tmp_path))
    monkeypatch.setenv("HARNESS_EXT_ALLOW_UNVERIFIED", "1")
    pinned = type(task).metadata.revision
    assert task.data_revision().startswith(f"{pinned}+unverified-")
    assert task.data_revision("reference", "default") == task.data_revision("reference_trained_on_dev") == pinned
    assert task.data_revision("system_trained_on_dev", "default") == task.data_revision()
