"""Encoders whose vectors depend on the call: one call for a task, nothing remembered, the dtype is
named.
"""

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
from tests.test_contracts import SLOW

EPSILON, AFFINITY = "EpsilonCompositionalityMini", "NounCompoundAffinityMini"
"""Two tasks with common texts."""

QUICK = [name for name, task in ENCODER_TASKS.items() if task.quick]

pytestmark = pytest.mark.filterwarnings("ignore:Estimating quantization parameters")


def planted(seed=1):
    """A bag whose dimensions are not centered, so that a grid moves directions."""
    added_up = bag_of_words(seed, weight=lambda place: 0.8**place)
    return PlantedModel(lambda text: added_up(text) + 1)


def compressed(dtype=OutputDType.INT8, **options):
    """mteb's wrapper around a model that counts its calls."""
    return CompressionWrapper(planted(), dtype, **options)


def static():
    """A model of sentence-transformers with vectors of words, which takes `precision`."""
    sentences = [row["sentence"] for name in (EPSILON, AFFINITY) for row in rows_of(name)]
    tokenizer = word_level(sentences)
    vectors = np.random.default_rng(0).normal(1, size=(tokenizer.get_vocab_size(), 24))
    module = StaticEmbedding(tokenizer, embedding_weights=vectors.astype(np.float32))
    return SentenceTransformer(modules=[module], device="cpu")


def rows_of(name):
    task = mteb.get_task(name)
    task.load_data()
    return task.rows(task.eval_splits[0], task.hf_subsets[0])


def plans_of(task):
    """(split, subset) -> the plan of a task that was run."""
    task.load_data()  # again: mteb unloads it
    places = [(split, subset) for split in task.eval_splits for subset in task.hf_subsets]
    return {place: task.measure.planned(task.rows(*place), place[0]) for place in places}


def scores(entry):
    return {key: value for key, value in entry.items() if isinstance(value, float)}


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in QUICK]
)
def test_every_task_encodes_its_texts_in_one_call(name):
    model = compressed()
    task = mteb.get_task(name)
    entries_of(model, task)
    calls = [sorted(asked) for asked in model.model.calls]
    assert calls == [sorted(plan.texts()) for plan in plans_of(task).values()]


@pytest.mark.parametrize("name", [AFFINITY, "RoleSwapSimilarityMini"])
def test_with_baselines_words_and_probes_are_in_the_same_call(name):
    model = compressed()
    task = mteb.get_task(name)
    entries_of(model, task)
    (plan,) = plans_of(task).values()
    probes = Probes.of(plan.of_baselines().texts(), 16)
    (asked,) = model.model.calls
    assert len(asked) == len({*asked})
    assert {*asked} == {*plan.texts(), *probes.words, *probes.drawn}


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize("kind", ["precision", "wrapper"])
def test_no_score_depends_on_earlier_tasks(kind):
    make = {"precision": static, "wrapper": compressed}[kind]
    options = {"encode_kwargs": {"precision": "int8"}} if kind == "precision" else {}
    alone = {}
    for name in (EPSILON, AFFINITY):
        (alone[name],) = entries_of(make(), name, **options).values()
    for order in ((EPSILON, AFFINITY), (AFFINITY, EPSILON)):
        model = make()
        for name in order:
            (entry,) = entries_of(model, name, **options).values()
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
        (entry,) = entries_of(model, AFFINITY, encode_kwargs={"batch_size": batch_size}).values()
        found.append(scores(entry))
        assert len(model.model.calls) == 1
    assert found[0] == found[1] == found[2]


@pytest.mark.usefixtures("without_baselines")
@pytest.mark.parametrize(
    ("make", "options", "dtype"),
    [
        (compressed, {}, "int8"),
        (lambda: compressed(OutputDType.UINT4), {}, "uint4"),
        (lambda: compressed(OutputDType.FLOAT8_E4M3FN), {}, "float8_e4m3fn"),
        (lambda: compressed(OutputDType.BINARY), {}, "binary"),
        (static, {"precision": "uint8"}, "uint8"),
        (static, {"precision": "float32"}, "float32"),
        (static, {"precision": None}, "float32"),
        (static, {}, "float32"),
    ],
)
def test_the_signature_names_the_output_dtype(make, options, dtype):
    (entry,) = entries_of(make(), AFFINITY, encode_kwargs=options).values()
    assert Signature.parse(entry["signature"]).dtype == dtype


@pytest.mark.usefixtures("without_baselines")
def test_the_signature_names_a_cut_of_the_extremes():
    model = compressed(clipping_margin=(0.01, 0.99))
    (entry,) = entries_of(model, AFFINITY).values()
    assert Signature.parse(entry["signature"]).options == "clipping_margin=[0.01, 0.99]"


def test_integers_depend_on_the_call_and_values_that_are_rounded_by_themselves_do_not():
    for dtype in OutputDType:
        if dtype is not OutputDType.FLOAT32:  # which the wrapper does not take
            model = compressed(dtype)
            assert output_dtype(model, {}) == dtype.value
            assert depends_on_call(model, {}) == ("int" in dtype.value)
            together = encode(model, MANY[:40])
            is_by_itself = np.allclose(encode(model, MANY[:9]), together[:9])
            assert is_by_itself == (not depends_on_call(model, {}))


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
    entries_of(CachedEmbeddingWrapper(compressed(OutputDType.BINARY), tmp_path), AFFINITY)


@pytest.mark.parametrize("option", [AdditiveEncoder, StandardizedEncoder])
def test_options_are_outside(option):
    model = CompressionWrapper(option(planted()), OutputDType.INT8)
    with pytest.raises(EncodingError, match="CompressionWrapper stands around a model with"):
        entries_of(model, AFFINITY)


@pytest.mark.slow
def test_the_additive_baseline_of_compressed_vectors_is_that_of_the_compressed_model():
    measured, model = compressed(), AdditiveEncoder(compressed())
    (of_model,) = entries_of(measured, AFFINITY).values()
    (of_baseline,) = entries_of(model, AFFINITY).values()
    main = ENCODER_TASKS[AFFINITY].measure.main
    assert of_baseline[main] == pytest.approx(of_model[f"additive_{main}"])
    assert [{*asked} for asked in model.model.model.calls] == [
        {*asked} for asked in measured.model.calls
    ]


@pytest.mark.slow
def test_standardized_vectors_are_of_one_call_too():
    model = StandardizedEncoder(compressed())
    entries_of(model, AFFINITY)
    assert len(model.model.model.calls) == 1


def test_other_tasks_have_no_additive_baseline_of_such_vectors():
    """They encode their texts in several calls."""
    with pytest.raises(
        EncodingError,
        match=r"\(additive\): vectors in int8 depend on all .* and Epsilon\w+ does not",
    ):
        encode(AdditiveEncoder(compressed()), MANY[:9])
