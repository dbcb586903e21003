"""Any task as a function of texts to vectors: what may be passed, and what is refused.

That it gives what the task gives is in `test_contracts.py`.
"""

import mteb
import numpy as np
import pytest
import torch
import transformers
from sentence_transformers import CrossEncoder
from sklearn.cluster import KMeans

import harness_ext
from harness_ext import measure
from harness_ext.encoders.batches import EncodingError
from harness_ext.measures.core.undefined import UndefinedMainScoreError
from harness_ext.tasks import ENCODER_TASKS
from tests.encoders.tiny_transformers import fast, save, small_bert, wordpiece
from tests.planted import letters as letters_of_text
from tests.planted import vectors_of

MINI = "EpsilonCompositionalityMini"
letters = vectors_of(letters_of_text)


class Model:
    """As a SentenceTransformer: it can be called, but not with texts."""

    def encode(self, sentences):
        return letters(sentences)

    def __call__(self, features):
        raise AssertionError("called with texts")


def letters_in_lists(texts):
    return letters(texts).tolist()


@pytest.mark.slow
def test_objects_with_a_method_encode_and_functions_give_the_same():
    task = mteb.get_task(MINI)
    expected = measure(letters, MINI).items.digest()
    assert measure(Model(), type(task)).items.digest() == expected
    assert measure(Model().encode, task).items.digest() == expected
    assert measure(letters_in_lists, task).items.digest() == expected
    assert not getattr(task, "data_loaded", False)  # it is as it was


def sorting(texts):
    texts.sort()
    return letters(texts)


def sorting_spans(sentences, spans):
    sentences.sort(key=len)
    return letters(sentences)


def always_two_rows(texts):
    return np.ones((2, 3))


NO_ENCODER = r"pass a function from a list of texts .* such as a SentenceTransformer"
NO_TASK = r"pass a task's name, its class, or an object of it\."
CHANGED = r"changed the list .* texts = list\(texts\)"
NO_SUBSET = r"NounCompoundAffinity has no subset 'de'\. There are: en, pt, it\."
REFUSED = [
    ({"encode": "all-MiniLM-L6-v2"}, TypeError, NO_ENCODER),
    ({"encode": np.ones((3, 2))}, TypeError, NO_ENCODER),
    ({"encode": mteb.get_model("mteb/baseline-random-encoder")}, TypeError, r"call mteb\.evaluate"),
    ({"encode": sorting}, EncodingError, f"local/sorting {CHANGED}"),
    (
        {"encode": always_two_rows},
        ValueError,
        r"local/always_two_rows returned an array of shape \(2, 3\)",
    ),
    (
        {"task": "NounCompoundAffinityMini", "encode_spans": sorting_spans},
        EncodingError,
        "changed the list",
    ),
    ({"task": None}, TypeError, NO_TASK),
    ({"task": "STS12"}, ValueError, "STS12 is no task of this project"),
    ({"task": "NounCompoundAffinity", "subset": "de"}, ValueError, NO_SUBSET),
]


@pytest.mark.parametrize(("options", "error", "said"), REFUSED)
def test_what_cannot_be_measured_is_refused(options, error, said):
    with pytest.raises(error, match=said):
        measure(**{"encode": letters, "task": MINI, **options})


PAIRS = ["CaptionSwapMini", "RoleSwapSimilarityMini", "IdiomParaphraseMini", "MergeOppositesMini"]


@pytest.mark.parametrize("task", PAIRS)
def test_a_function_of_two_texts_gives_what_vectors_give(task, tmp_path, monkeypatch):
    """The cosine as a function of two texts has all scores of the vectors, and no baseline and no
    gain.
    """

    def cosine(one, other):
        vectors = letters([one, other])
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        first, second = vectors / lengths
        return first @ second

    found = measure(cosine, task)
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    expected = measure(letters, task)
    flat = expected.scores.flat()
    assert found.scores.flat() == pytest.approx(flat, abs=1e-9)
    assert repr(found).splitlines()[1:] == ["additive baseline: not measured", "gain: not measured"]
    found.save(tmp_path, model="me/cosine")
    (entry,) = harness_ext.load_results(tmp_path).entries
    assert entry.model == "me/cosine"
    assert entry.main_score == expected.entry[expected.main]
    assert entry.signature.level == "pair"


def test_a_cross_encoder_measures_pairs_and_no_task_of_vectors(tmp_path):
    words = wordpiece()
    tokenizer = fast(words, model_max_length=64)
    model = CrossEncoder(save(tmp_path, small_bert(words), tokenizer), num_labels=1)
    found = measure(model, "CaptionSwapMini")
    assert 0 <= found.scores["share_swaps"] <= 1
    with pytest.raises(
        TypeError,
        match=r"CrossEncoder compares two texts, and Epsilon\w+ needs a vector of each\. ",
    ):
        measure(model, MINI)


def test_an_encoder_of_two_arguments_was_taken_for_a_function_of_two_texts():
    def encode(texts, batch_size):
        return letters(texts)[:batch_size]

    said = "encode compares two texts, .* It takes two arguments: it is called with two texts"
    with pytest.raises(TypeError, match=said):
        measure(encode, MINI)


class OldEncoder:
    """As mteb 1 had them."""

    def encode(self, sentences, task_name, prompt_type=None, **_):
        raise AssertionError


class NewEncoder:
    """As mteb 2 has them."""

    def encode(self, inputs, *, task_metadata, hf_split, hf_subset, prompt_type=None, **_):
        raise AssertionError


def transformer():
    return transformers.BertModel(small_bert(wordpiece()))


def pipeline():
    tokenizer = fast(wordpiece(), model_max_length=64)
    return transformers.pipeline("feature-extraction", model=transformer(), tokenizer=tokenizer)


def linear():
    return torch.nn.Linear(3, 3)


def data_parallel():
    return torch.nn.DataParallel(linear())


IS_OF_MTEB = r", a model of mteb: call mteb\.evaluate\(model, task\)"
IS_NO_ENCODER = f": {NO_ENCODER}"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (pipeline, IS_NO_ENCODER),
        (transformer, IS_NO_ENCODER),
        (linear, IS_NO_ENCODER),
        (data_parallel, IS_NO_ENCODER),
        (KMeans, IS_NO_ENCODER),
        (OldEncoder, IS_OF_MTEB),
        (NewEncoder, IS_OF_MTEB),
    ],
)
def test_an_object_without_vectors_of_texts_says_what_it_is_and_what_to_pass(make, said):
    model = make()
    with pytest.raises(TypeError, match=f"encode is a {type(model).__name__}{said}"):
        measure(model, MINI)


UNDEFINED = (
    r"the main score {main} of local/zeros is not defined. It is of 0 .* Left out: n_excluded_\w+ "
    r"= \d+ .*zeros"
)


@pytest.mark.parametrize("name", ["EpsilonCompositionalityMini", "IdiomParaphraseMini"])
def test_an_encoder_of_zeros_is_refused_with_the_reason(name):
    def zeros(texts):
        return np.zeros((len(texts), 8))

    with pytest.raises(
        UndefinedMainScoreError, match=UNDEFINED.format(main=ENCODER_TASKS[name].measure.main)
    ):
        measure(zeros, name)


def test_three_lines_say_what_was_measured(monkeypatch):
    found = measure(letters, "CaptionSwapMini")
    low, high = found.gain_interval
    main, additive, gain = repr(found).splitlines()
    assert main.startswith(
        f"share_swaps: {found.scores['share_swaps']:.3f} [{found.interval[0]:.3f}, "
    )
    assert additive == f"additive baseline: {found.additive:.3f}"
    assert gain == f"gain: {found.gain:.3f} [{low:.3f}, {high:.3f}]"
    monkeypatch.setenv("HARNESS_EXT_ADDITIVE", "0")
    assert (
        repr(measure(letters, "CaptionSwapMini"))
        == f"{main}\nadditive baseline: not measured\ngain: not measured"
    )


def test_every_public_name_is_there_and_documented():
    for name in harness_ext.__all__:
        assert getattr(harness_ext, name).__doc__
