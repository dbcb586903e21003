"""What a model is asked for, counted: which texts share a call, and which are encoded twice."""

from __future__ import annotations

import mteb
import numpy as np
import pytest
from mteb.timing import TimingStack

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.encoders.encoding_key import encoding_key
from harness_ext.encoders.models.text_encoder import TextEncoder
from tests.encoders.tiny_transformers import fast, letters
from tests.planted import PlantedModel, PlantedSpanModel

TASK = mteb.get_task("EpsilonCompositionalityMini").metadata
OTHER_TASK = mteb.get_task("NounCompoundAffinity").metadata
WORDS = ["box", "black", "crocodile", "tears"]
"""Texts of one word, of 3, 5, 9 and 5 letters: their baseline fits nothing."""


def sizes(text):
    return [len(text), text.count("a"), 1]


class CountedTexts(TextEncoder):
    """Reads the text alone.

    Attributes:
        calls: The texts of each call.
    """

    def __init__(self):
        super().__init__("planted/reads-the-text-alone", "1")
        self.calls = []

    def encode_sentences(self, texts, *, batch_size=32, show_progress_bar=True):
        self.calls.append([*texts])
        return np.array([sizes(text) for text in texts], dtype=np.float32)


class KnowsCompounds(CountedTexts):
    """Is given compounds by each task."""

    def add_compounds(self, forms):
        return []


def seen_by(model, task=TASK, *, split="test", subset="en", timer=None, **encode_kwargs):
    """A model as a task sees it, in a split and subset."""
    return TaskEncoder(
        model,
        task,
        hf_split=split,
        hf_subset=subset,
        encode_kwargs={"show_progress_bar": False, **encode_kwargs},
        timer=timer or TimingStack(),
    )


def chooses_by_place():
    """A model that may choose by split and subset."""
    return PlantedModel(sizes)


def asked_for(model):
    """How many texts each call had."""
    return [len(call) for call in model.calls]


@pytest.mark.parametrize(
    ("n_texts", "expected"),
    [(16, [16]), (17, [16, 1]), (32, [16, 16])],
)
def test_a_call_has_at_most_sixteen_batches(n_texts, expected):
    model = chooses_by_place()
    model.tokenizer = fast(letters())
    texts = ["a" * (number + 1) for number in range(n_texts)]
    seen_by(model, batch_size=1)(texts)
    assert asked_for(model) == expected


def test_up_to_sixteen_batches_are_given_in_the_callers_order():
    model = chooses_by_place()
    model.tokenizer = fast(letters())
    texts = ["a" * (number + 1) for number in range(16)]
    seen_by(model, batch_size=1)(texts)
    assert model.calls == [texts]


@pytest.mark.parametrize("option", [{"device": "cpu"}, {"pool": None}, {"precision": "float32"}])
def test_an_argument_whose_cost_depends_on_the_call_keeps_all_texts_in_one(option):
    model = chooses_by_place()
    model.tokenizer = fast(letters())
    seen_by(model, batch_size=1, **option)(["a" * (number + 1) for number in range(40)])
    assert asked_for(model) == [40]


def test_a_batch_has_as_many_texts_as_are_asked_for():
    batches = []

    class Batches(PlantedModel):
        def encode(self, inputs, **kwargs):
            batches.extend(len(batch["text"]) for batch in inputs)
            return super().encode(inputs, **kwargs)

    seen_by(Batches(sizes), batch_size=3)(WORDS)
    assert batches == [3, 1]


def longest_and_size_of_batches(**encode_kwargs):
    """The tokens of the longest text of each batch, and how many texts it has: 300 texts of 30
    tokens, and 700 of 3.
    """
    batches = []

    class Batches(PlantedModel):
        def encode(self, inputs, **kwargs):
            for batch in inputs:
                batches.append((max(map(len, batch["text"])), len(batch["text"])))
            return super().encode(inputs, **kwargs)

    model = Batches(sizes)
    model.tokenizer = fast(letters())
    texts = [f"{number:030}" for number in range(300)] + [f"{number:03}" for number in range(700)]
    vectors = seen_by(model, **encode_kwargs)(texts)
    assert vectors.tolist() == [sizes(text) for text in texts]
    return batches


@pytest.mark.parametrize("encode_kwargs", [{}, {"batch_size": 32}])
def test_a_batch_of_short_texts_has_as_many_tokens_as_one_of_long_texts(encode_kwargs):
    """512 tokens are a batch of 170 texts of three."""
    batches = longest_and_size_of_batches(**encode_kwargs)
    assert batches[:9] == [(30, 32)] * 9
    assert batches[-1][0] == 3
    assert max(n_texts for longest, n_texts in batches if longest == 3) == 512 // 3


@pytest.mark.parametrize("batch_size", [8, 31])
def test_a_batch_size_of_the_users_own_is_the_most_texts_however_short(batch_size):
    batches = longest_and_size_of_batches(batch_size=batch_size)
    assert {n_texts for _, n_texts in batches[:-1]} <= {batch_size, *range(1, batch_size)}
    assert max(n_texts for _, n_texts in batches) == batch_size


def test_words_that_are_texts_are_encoded_once_where_the_text_alone_is_read():
    model = CountedTexts()
    encoder = seen_by(model)
    encoder(["crocodile tears", *WORDS])
    encoder.additive_baseline(WORDS)
    asked = [text for call in model.calls for text in call]
    assert asked[:5] == ["crocodile tears", *WORDS]
    assert not {*asked[5:]} & {*WORDS}


def test_texts_of_another_subset_or_split_are_encoded_anew_where_the_model_may_choose_by_them():
    model = chooses_by_place()
    for place in ({}, {"subset": "pt"}, {"split": "train"}, {}):
        seen_by(model, **place)(WORDS)
    assert asked_for(model) == [4, 4, 4]


def test_words_of_another_subset_or_split_are_encoded_once():
    """The first time the four texts, and then their words and probes; then the texts alone."""
    model = chooses_by_place()
    for place in ({}, {"subset": "pt"}, {"split": "train"}):
        seen_by(model, **place).additive_baseline(WORDS)
    texts, words_and_probes, *later = model.calls
    assert texts == WORDS
    assert {*words_and_probes} >= {*WORDS}
    assert later == [WORDS, WORDS]


def test_a_second_baseline_of_the_same_texts_asks_for_nothing():
    model = chooses_by_place()
    seen_by(model).additive_baseline(WORDS)
    n_calls = len(model.calls)
    seen_by(model).additive_baseline(WORDS)
    assert len(model.calls) == n_calls


def test_three_texts_are_asked_for_alone_and_no_more():
    """The shortest, the third of four by length, and the longest: of 3, 5 and 9 letters."""
    model = chooses_by_place()
    encoder = seen_by(model)
    encoder(WORDS)
    encoder.cosine_alone(WORDS)
    assert model.calls == [WORDS, ["box"], ["tears"], ["crocodile"]]


def test_a_single_text_is_asked_for_alone_once():
    model = chooses_by_place()
    seen_by(model).cosine_alone(["box"])
    assert model.calls == [["box"], ["box"]]


def test_a_span_is_asked_for_once_and_all_layers_side_by_side_anew():
    """All layers side by side are large, and are not kept."""
    from harness_ext.measures.core.inputs import Span

    model = PlantedSpanModel(sizes)
    span = Span("a black box", 1, 3)
    for pooling, n_asked in (("mean", 1), ("mean", 1), ("concatenate", 2), ("concatenate", 3)):
        seen_by(model).with_spans(WORDS, [span], pooling)
        assert model.spans == [("a black box", (1, 3))] * n_asked


def test_time_for_words_is_no_time_for_texts():
    timer = TimingStack()
    seen_by(chooses_by_place(), timer=timer).additive_baseline(WORDS)
    assert [phase["name"] for phase in timer.phases] == ["Encoding", "Encoding words"]


def test_the_order_of_arguments_makes_no_other_key():
    model = chooses_by_place()
    one = encoding_key(model, TASK, {"batch_size": 4, "truncate_dim": 3})
    assert encoding_key(model, TASK, {"truncate_dim": 3, "batch_size": 4}) == one


@pytest.mark.parametrize(("make", "n_calls"), [(CountedTexts, 1), (KnowsCompounds, 2)])
def test_a_model_that_each_task_gives_compounds_shares_no_vectors(make, n_calls):
    model = make()
    for task in (TASK, OTHER_TASK):
        seen_by(model, task)(WORDS)
    assert len(model.calls) == n_calls


def test_another_batch_size_or_dimension_is_encoded_anew():
    model = CountedTexts()
    for options in ({}, {"batch_size": 2}, {"truncate_dim": 2}, {}):
        seen_by(model, **options)(WORDS)
    assert asked_for(model) == [4, 4, 4]
