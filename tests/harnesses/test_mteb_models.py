"""The names that are read from mteb's source are those that mteb knows."""

from __future__ import annotations

from mteb.models.model_implementations import MODEL_REGISTRY

from harness_ext.harnesses.mteb_models import known_models


def test_nearly_every_model_is_found_and_none_is_made_up():
    ours = {name for name, meta in MODEL_REGISTRY.items() if meta.name and "/" in name}
    assert len(known_models() & ours) > 0.95 * len(ours)
    assert len(known_models() - ours) < 0.05 * len(ours)
