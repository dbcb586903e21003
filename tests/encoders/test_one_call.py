"""Encoders whose vectors depend on the call: one call for a task, nothing remembered, the dtype is
named.
"""

from functools import partial

import mteb
import numpy as np
import pytest
import torch
from mteb.models import CachedEmbeddingWrapper, CompressionWrapper
from mteb.types import OutputDType
from sentence_transformers import SentenceTransformer

from harness_ext.encoders.additive_baseline import Probes
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.models.additive_model import AdditiveEncoder
from harness_ext.encoders.models.standardized import StandardizedEncoder
from harness_ext.encoders.one_call import depends_on_call, output_dtype
from harness_ext.store.signature import Signature
from harness_ext.tasks import ENCODER_TASKS
from tests.encoders.as_mteb import encode
from tests.encoders.library_modules import StaticEmbedding
from tests.encoders.test_vectors import MANY, as_a_task_sees
from tests.encoders.tiny_transformers import fast, letters, word_level
from tests.planted import PlantedModel, bag_of_words, entries_of
from tests.test_contracts import quick_tasks

EPSILON = "EpsilonCompositionalityMini"
AFFINITY = "NounCompoundAffinityMini"  # has texts in common with it

pytestmark = pytest.mark.filterwarnings("ignore:Estimating quantization parameters")


def planted(seed=1):
    """A bag whose dimensions are not centered, so that a grid moves directions."""

    def weight(place):
        return 0.8**place

    added_up = bag_of_words(seed, weight=weight)

    def vector(text):
        return added_up(text) + 1

    return PlantedModel(vector)


def compressed(dtype=OutputDType.INT8, **options):
    """mteb's wrapper around a model that counts its calls."""
    return CompressionWrapper(planted(), dtype, **options)


def static():
    """A model of sentence-transformers with vectors of words, which takes `precision`."""
    rows = [*rows_of(EPSILON), *rows_of(AFFINITY)]
    tokenizer = word_level([row["sentence"] for row in rows])
    shape = (tokenizer.get_vocab_size(), 24)
    vectors = np.random.default_rng(0).normal(1, size=shape)
    module = StaticEmbedding(tokenizer, embedding_weights=vectors.astype(np.float32))
    return SentenceTransformer(modules=[module], device="cpu")


def rows_of(name):
    task = mteb.get_task(name)
    task.load_data()
    split = task.eval_splits[0]
    subset = task.hf_subsets[0]
    return task.rows(split, subset)


def plans_of(task):
    """The plans of a task that was run, of its splits and subsets in order."""
    task.load_data()  # again: mteb unloads it
    plans = []
    for split in task.eval_splits:
        for subset in task.hf_subsets:
            rows = task.rows(split, subset)
            plans.append(task.measure.planned(rows, split))
    return plans


def only_entry(model, name, **options):
    """What a task of one split and one subset says of a model."""
    (entry,) = entries_of(model, name, **options).values()
    return entry


def scores(entry):
    return {key: value for key, value in entry.items() if isinstance(value, float)}


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("name", quick_tasks())
def test_every_task_encodes_its_texts_in_one_call(name):
    model = compressed()
    task = mteb.get_task(name)
    entries_of(model, task)
    calls = [sorted(asked) for asked in model.model.calls]
    assert calls == [sorted(plan.texts()) for plan in plans_of(task)]


@pytest.mark.parametrize(
    "name", [pytest.param(AFFINITY, marks=pytest.mark.slow), "RoleSwapSimilarityMini"]
)
def test_with_baselines_words_and_probes_are_in_the_same_call(name):
    model = compressed()
    task = mteb.get_task(name)
    entries_of(model, task)
    (plan,) = plans_of(task)
    texts_of_baselines = plan.of_baselines().texts()
    probes = Probes.of(texts_of_baselines, 16)
    (asked,) = model.model.calls
    assert len(asked) == len({*asked})
    assert {*asked} == {*plan.texts(), *probes.words, *probes.drawn}


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    ("make", "encode_kwargs"),
    [
        pytest.param(static, {"precision": "int8"}, id="precision"),
        pytest.param(compressed, {}, id="wrapper"),
    ],
)
def test_no_score_depends_on_earlier_tasks(make, encode_kwargs):
    alone = {}
    for name in (EPSILON, AFFINITY):
        alone[name] = only_entry(make(), name, encode_kwargs=encode_kwargs)
    for order in ((EPSILON, AFFINITY), (AFFINITY, EPSILON)):
        model = make()
        for name in order:
            entry = only_entry(model, name, encode_kwargs=encode_kwargs)
            assert scores(entry) == scores(alone[name])
            assert "cosine_alone" not in entry  # no text is encoded alone


@pytest.mark.usefixtures("without_baselines")
def test_no_score_depends_on_the_batch_size():
    """Of a model with a tokenizer, whose texts are sorted by tokens and encoded in several
    calls.
    """
    found = []
    for batch_size in (1, 7, 512):
        model = compressed()
        model.model.tokenizer = fast(letters())
        options = {"batch_size": batch_size}
        entry = only_entry(model, "RoleSwapSimilarityMini", encode_kwargs=options)
        found.append(scores(entry))
        assert len(model.model.calls) == 1
    assert found[0] == found[1] == found[2]


def compressed_to(dtype):
    return partial(compressed, dtype)


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    ("make", "options", "dtype"),
    [
        (compressed, {}, "int8"),
        (compressed_to(OutputDType.UINT4), {}, "uint4"),
        (compressed_to(OutputDType.FLOAT8_E4M3FN), {}, "float8_e4m3fn"),
        (compressed_to(OutputDType.BINARY), {}, "binary"),
        (static, {"precision": "uint8"}, "uint8"),
        (static, {"precision": "float32"}, "float32"),
        (static, {"precision": None}, "float32"),
        (static, {}, "float32"),
    ],
)
def test_the_signature_names_the_output_dtype(make, options, dtype):
    entry = only_entry(make(), "RoleSwapSimilarityMini", encode_kwargs=options)
    assert Signature.parse(entry["signature"]).dtype == dtype


@pytest.mark.usefixtures("without_baselines")
def test_the_signature_names_a_cut_of_the_extremes():
    model = compressed(clipping_margin=(0.01, 0.99))
    entry = only_entry(model, AFFINITY)
    assert Signature.parse(entry["signature"]).options == "clipping_margin=[0.01, 0.99]"


def test_integers_depend_on_the_call_and_values_that_are_rounded_by_themselves_do_not():
    for dtype in OutputDType:
        is_known = "float8" not in dtype.value or hasattr(torch, dtype.value)
        if dtype is OutputDType.FLOAT32 or not is_known:
            continue  # the wrapper does not take it, or an earlier torch does not have it
        model = compressed(dtype)
        is_of_the_call = depends_on_call(model, {})
        assert output_dtype(model, {}) == dtype.value
        assert is_of_the_call == ("int" in dtype.value)
        together = encode(model, MANY[:40])
        fewer = encode(model, MANY[:9])
        is_by_itself = np.allclose(fewer, together[:9])
        assert is_by_itself != is_of_the_call


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_vectors_that_are_rounded_by_themselves_are_remembered_and_encoded_in_several_calls():
    model = compressed(OutputDType.BINARY)
    model.model.tokenizer = fast(letters())
    entries_of(model, EPSILON, encode_kwargs={"batch_size": 2})
    n_calls = len(model.model.calls)
    assert n_calls > 5
    entries_of(model, EPSILON, encode_kwargs={"batch_size": 2})
    assert len(model.model.calls) == n_calls + 3  # the texts alone


def without_memory(inside, most):
    """Make a model raise what torch does where a call has more texts than fit."""
    plain = inside.encode

    def encode(inputs, **options):
        if len(inputs.dataset) > most:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB.")
        return plain(inputs, **options)

    inside.encode = encode


def test_what_does_not_fit_into_memory_is_an_error_and_no_second_call():
    model = compressed()
    without_memory(model.model, 100)
    said = (
        r"planted/model: not enough memory for the \d+ texts, words and probes of Epsilon\w+ in "
        r"one call "
        r"\(CUDA out of memory.*\)\. It is not split, because vectors in int8 depend on .* smaller "
        r"batch_size"
    )
    with pytest.raises(EncodingError, match=said):
        entries_of(model, EPSILON)
    assert model.model.calls == []


def test_a_text_that_nobody_expected_is_an_error():
    encoder = as_a_task_sees(compressed())
    encoder(MANY[:9])
    encoder(MANY[3:6])
    with pytest.raises(
        EncodingError,
        match=r"'aaaa' is asked for after the one call\. Name it to TaskEncoder.expect",
    ):
        encoder(["aaaa"])


@pytest.mark.usefixtures("without_baselines")
def test_a_cache_of_mteb_would_mix_calls(tmp_path):
    said = r"planted/model: mteb's CachedEmbeddingWrapper would mix .* int8 .*Measure without it"
    with pytest.raises(EncodingError, match=said):
        entries_of(CachedEmbeddingWrapper(compressed(), tmp_path), AFFINITY)
    with pytest.raises(EncodingError, match=said):
        model = CachedEmbeddingWrapper(planted(), tmp_path)
        entries_of(model, AFFINITY, encode_kwargs={"precision": "int8"})
    model = compressed(OutputDType.BINARY)
    entries_of(CachedEmbeddingWrapper(model, tmp_path), AFFINITY)


@pytest.mark.parametrize("option", [AdditiveEncoder, StandardizedEncoder])
def test_options_are_outside(option):
    model = CompressionWrapper(option(planted()), OutputDType.INT8)
    with pytest.raises(EncodingError, match="CompressionWrapper stands around a model with"):
        entries_of(model, AFFINITY)


@pytest.mark.slow
def test_the_additive_baseline_of_compressed_vectors_is_that_of_the_compressed_model():
    model = compressed()
    baseline = AdditiveEncoder(compressed())
    entry = only_entry(model, AFFINITY)
    entry_of_baseline = only_entry(baseline, AFFINITY)
    main = ENCODER_TASKS[AFFINITY].measure.main
    assert entry_of_baseline[main] == pytest.approx(entry[f"additive_{main}"])
    asked = [{*texts} for texts in model.model.calls]
    asked_by_baseline = [{*texts} for texts in baseline.model.model.calls]
    assert asked_by_baseline == asked


@pytest.mark.slow
def test_standardized_vectors_are_of_one_call_too():
    model = StandardizedEncoder(compressed())
    entries_of(model, AFFINITY)
    assert len(model.model.model.calls) == 1


def test_other_tasks_have_no_additive_baseline_of_such_vectors():
    """They encode their texts in several calls."""
    model = AdditiveEncoder(compressed())
    with pytest.raises(
        EncodingError,
        match=r"\(additive\): vectors in int8 depend on all .* and Epsilon\w+ does not",
    ):
        encode(model, MANY[:9])
