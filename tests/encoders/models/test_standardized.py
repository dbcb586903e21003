"""Standardised dimensions: by hand, against a planted rogue dimension, with additive baselines."""

import mteb
import numpy as np
import pytest
from datasets import load_dataset
from hypothesis import given
from hypothesis import strategies as st
from mteb.models import EncoderProtocol

from harness_ext.common.model_name import ModelName
from harness_ext.encoders.models.standardized import StandardizedEncoder
from harness_ext.measures.core.inputs import Span
from harness_ext.statistics.standardization import standardized
from tests.encoders.models.test_every_layer import bert  # noqa: F401 - a fixture
from tests.encoders.test_one_pass import task_encoder
from tests.planted import PlantedModel, drawn
from tests.tasks.test_additive_baseline import bag, entry_of, knows_idioms

TASK = "EpsilonCompositionalityMini"
MAIN = "auc_nc_vs_c"


def cosines(vectors):
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    directions = vectors / lengths
    return directions @ directions.T


def test_a_rogue_dimension_by_hand():
    """Means 0, 0 and 102, deviations 2, 1 and 2: a large third dimension makes opposite vectors
    look alike.
    """
    vectors = np.array(
        [
            [2.0, 1, 100],
            [2, -1, 104],
            [-2, 1, 104],
            [-2, -1, 100],
            [0, 0, 0],
        ]
    )
    expected = [
        [1, 1, -1],
        [1, -1, 1],
        [-1, 1, 1],
        [-1, -1, -1],
        [0, 0, 0],
    ]
    assert cosines(vectors[:4]).min() > 0.998
    found = standardized(vectors)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    third = 1 / 3
    np.testing.assert_allclose(cosines(found[:4])[0], [1, -third, -third, -third], atol=1e-12)


def test_a_dimension_without_spread_and_vectors_mapped_by_others():
    texts = np.array([[1.0, 0.1], [3.0, 0.1]], dtype=np.float32)
    others = np.array([[2, 0.3], [5, 0.1], [0, 0]], dtype=np.float32)
    found = standardized(others, texts)
    np.testing.assert_array_equal(found, [[0, 0], [3, 0], [0, 0]])
    zeros = np.zeros((2, 3))
    np.testing.assert_array_equal(standardized(zeros), zeros)
    noise = np.float32(1e-8) * np.arange(5, dtype=np.float32)
    nearly_constant = np.float32(0.1) + noise[:, None]
    np.testing.assert_array_equal(standardized(nearly_constant), np.zeros((5, 1)))


def four(numbers):
    return st.lists(numbers, min_size=4, max_size=4)


@given(
    scales=four(st.floats(1e-3, 1e3)),
    shifts=four(st.floats(-1e3, 1e3)),
    seed=st.integers(0, 2**16),
)
def test_scaling_and_shifting_dimensions_changes_nothing(scales, shifts, seed):
    generator = np.random.default_rng(seed)
    vectors, words = generator.normal(size=(2, 9, 4))
    moved = vectors * scales + shifts
    moved_words = words * scales + shifts
    np.testing.assert_allclose(standardized(moved), standardized(vectors), atol=1e-7)
    found = standardized(moved_words, moved)
    np.testing.assert_allclose(found, standardized(words, vectors), atol=1e-7)


@pytest.mark.slow
def test_an_encoder_with_a_rogue_dimension_is_seen_through_and_a_bag_of_words_gains_nothing(
    monkeypatch,
):
    """It knows idioms, behind a large dimension without meaning.

    Words and probes are mapped as the texts are; by mean and deviation of their own the two bags
    would differ.
    """
    rows = load_dataset("compound_mini", split="naturalistic")
    encode = knows_idioms({row["compound"] for row in rows if row["class"] == "NC"})

    def with_a_rogue_dimension(text):
        rogue_value = 1000 * drawn(text)[0]
        return np.append(encode(text), rogue_value)

    rogue = PlantedModel(with_a_rogue_dimension)
    with monkeypatch.context() as without_baselines:
        without_baselines.setenv("HARNESS_EXT_ADDITIVE", "0")
        hidden = scores_of(rogue)[MAIN]
        plain = scores_of(bag())[MAIN]
    seen = scores_of(StandardizedEncoder(rogue))
    of_bag = scores_of(StandardizedEncoder(bag()))
    assert hidden < 0.8
    assert seen[MAIN] > 0.98
    assert seen[f"gain_{MAIN}_ci_low"] > 0
    assert of_bag[f"gain_{MAIN}"] == pytest.approx(0, abs=1e-9)
    assert of_bag[MAIN] != pytest.approx(plain, abs=1e-6)


def scores_of(model):
    _, entry = entry_of(model, TASK)
    return entry


def test_other_callers_are_refused():
    model = StandardizedEncoder(bag())
    assert isinstance(model, EncoderProtocol)
    with pytest.raises(
        ValueError,
        match=r"planted/bag \(standardized\): dimensions are standardised over all texts",
    ):
        model.encode([{"text": ["black box"]}])


def test_words_inside_sentences_are_standardised_among_themselves(bert):  # noqa: F811
    model = mteb.get_model(f"{bert} (layer=3, standardized)", device="cpu")
    assert str(model.mteb_model_meta.name) == "local/layered-bert (layer=3, standardized)"
    words = [Span("a black box", 1, 3), Span("a box", 1, 2)]
    texts, spans = task_encoder(model).with_spans(["black box", "the crate"], words)
    for vectors in (texts, spans):
        # of two, one is above the mean and one below
        np.testing.assert_allclose(np.abs(vectors), 1, atol=1e-4)


def test_names():
    for name in (
        "a/b (pooling=cls, injected=/x/v, 2.txt, standardized)",
        "a/b (embed_dim=3) (standardized)",
    ):
        parsed = ModelName.parse(name)
        assert str(parsed) == name
        assert parsed.options["standardized"] == "standardized"
    assert ModelName.parse("a/b (embed_dim=3) (standardized)").checkpoint == "a/b (embed_dim=3)"
