from __future__ import annotations

import logging
from typing import Any

import mteb  # noqa: F401 - before our tasks, as a user would
import numpy as np
import pytest
from mteb.models import ModelMeta
from mteb.models.abs_encoder import AbsEncoder
from mteb.timing import TimingStack

from harness_ext.encoders.encoding import TaskEncoder
from harness_ext.tasks import TypeTokenIdiomaticity

TASK = TypeTokenIdiomaticity()
COMPOUNDS = [f"mod{number} head{number}" for number in range(12)]


def unit(degrees: float) -> np.ndarray:
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])


class PlantedEncoder(AbsEncoder):
    """Words at 0 and 90 degrees, compounds turned away from their middle by what they are idiomatic."""

    def __init__(self) -> None:
        self.mteb_model_meta = ModelMeta.create_empty({"name": "test/planted"})
        self.texts: list[str] = []

    def vector(self, text: str) -> np.ndarray:
        if text in COMPOUNDS:
            return unit(45 + 3 * COMPOUNDS.index(text))
        return unit(0 if text.startswith("mod") else 90)

    def encode(self, inputs: Any, **kwargs: Any) -> np.ndarray:
        self.texts += (texts := [text for batch in inputs for text in batch["text"]])
        return np.array([self.vector(text) for text in texts])


class PlantedSpanEncoder(PlantedEncoder):
    """In a sentence, the compound is turned away from the compound alone by what it is idiomatic there."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[tuple[str, tuple[int, int]]] = []

    def encode_spans(self, sentences: list[str], spans: list[tuple[int, int]]) -> np.ndarray:
        self.spans += zip(sentences, spans, strict=True)
        vectors = []
        for sentence, (start, end) in zip(sentences, spans, strict=True):
            words = sentence.split()
            inside = " ".join(words[start:end])
            if end - start == len(words):
                vectors.append(unit(45) if inside in COMPOUNDS else self.vector(inside))
            else:
                vectors.append(unit(45 + 10 * (5 - float(words[-1]))))
        return np.array(vectors, dtype=np.float32)


def row(number: int, context: int, **changes: Any) -> dict[str, Any]:
    """Less compositional by 0.4 with each number, and by 0.1 (then 0.2) with each context."""
    token_score = 5 - 0.4 * number - (0, 0.1, 0.3)[context - 1]
    return {
        "id": f"en-{number}-{context}",
        "compound": COMPOUNDS[number],
        "context": context,
        "surface": COMPOUNDS[number],
        "class": ("C", "PC", "NC")[number // 4],
        "type_score": 5 - 0.4 * number,
        "token_score": token_score,
        "sentence": f"see the {COMPOUNDS[number]} scored {token_score:.2f}",
        "span": [2, 4],
        **changes,
    }


ROWS = [row(number, context) for number in range(12) for context in (1, 2, 3)]


def measure(model: PlantedEncoder, rows: list[dict[str, Any]]) -> tuple[dict[str, float], list[dict[str, Any]]]:
    encode = TaskEncoder(
        model,
        TASK.metadata,
        hf_split="naturalistic",
        hf_subset="en",
        encode_kwargs={"show_progress_bar": False},
        timer=TimingStack(),
    )
    return TASK.measure(rows, encode)


def test_sentence_only_encoder() -> None:
    model = PlantedEncoder()
    scores, predictions = measure(model, ROWS)
    assert scores["phrase_additivity_type_spearman"] == pytest.approx(1)
    assert (scores["main_is_span"], TASK.main_score_key(scores)) == (0, "phrase_additivity_type_spearman")
    assert not [key for key in scores if key.startswith(("nc_out", "cross", "spread"))]
    assert sorted(model.texts) == sorted({*COMPOUNDS, *" ".join(COMPOUNDS).split()})
    assert predictions[1]["phrase_additivity"] == pytest.approx(np.cos(np.radians(3)))


def test_span_encoder_that_knows() -> None:
    model = PlantedSpanEncoder()
    scores, _ = measure(model, ROWS)
    for key in ("nc_out_type", "nc_out_comp_type", "nc_out_token", "nc_out_comp_token"):
        assert scores[f"{key}_spearman"] == pytest.approx(1)
    assert scores["cross_sentence_spearman_mean"] == pytest.approx(-1)  # the more different the farther
    assert {scores[f"cross_sentence_spearman_mean_{klass}"] for klass in ("C", "PC", "NC")} == {-1.0}
    assert (scores["main_is_span"], TASK.main_score_key(scores)) == (1, "nc_out_type_spearman")
    assert len(model.spans) == len(set(model.spans)) == 36 + 12 + 24


def test_main_score_in_the_result_is_the_one_that_is_there() -> None:
    for model, main in (
        (PlantedEncoder(), "phrase_additivity_type_spearman"),
        (PlantedSpanEncoder(), "nc_out_type_spearman"),
    ):
        scores, _ = measure(model, ROWS)
        TASK._add_main_score(scores)
        assert scores["main_score"] == scores[main]
        assert {f"{main}_ci_low", f"{main}_ci_high"} <= scores.keys()


def test_what_has_no_partner_is_counted_and_named(caplog: pytest.LogCaptureFixture) -> None:
    rows = [
        *ROWS[:-3],
        row(11, 1, sentence=None, span=None, surface=None, id="no-sentence"),
        row(11, 2, token_score=None, type_score=None, id="no-score", **{"class": None}),
        row(11, 3, type_score=None),
    ]
    with caplog.at_level(logging.WARNING):
        scores, predictions = measure(PlantedSpanEncoder(), rows)
    assert scores["n_excluded_no_sentence"] == 1
    assert scores["n_excluded_no_score"] == 1
    assert scores["n_excluded_no_type_score"] == 1
    assert scores["n_excluded_cross_sentence"] == 1  # one sentence is left of the last compound
    assert "no-sentence" in caplog.text
    assert "no-score" in caplog.text
    assert predictions[-1]["cross_sentence_spearman"] is None


def test_hyphens_join_two_words() -> None:
    model = PlantedEncoder()
    measure(model, [{**ROWS[0], "compound": "caixa-forte"}, *ROWS[3:]])
    assert {"caixa", "forte", "caixa-forte"} <= set(model.texts)
