"""mteb's own files are sound; whatever is damaged in somebody's metadata is not known."""

from __future__ import annotations

import json

import pytest
from mteb.models.model_implementations import MODEL_REGISTRY
from pydantic import ValidationError

from harness_ext.store.mteb_files import ModelMetaFile


def test_the_metadata_of_every_model_that_mteb_knows_are_sound():
    for meta in MODEL_REGISTRY.values():
        ModelMetaFile.model_validate(json.loads(json.dumps(meta.to_dict(), default=str)))


@pytest.mark.parametrize(
    ("key", "value"),
    [("n_parameters", -1), ("n_parameters", "1"), ("languages", [1])],
)
def test_a_damaged_key_is_not_known(key, value):
    content = {"name": "a/b", "n_parameters": 3, "unheard": [1], key: value}
    with pytest.raises(ValidationError, match=key):
        ModelMetaFile.model_validate(content)
    known = ModelMetaFile.known(content)
    assert known.name == "a/b"
    assert getattr(known, key) is None


@pytest.mark.parametrize("content", [[], None, "text", 3])
def test_of_metadata_that_are_no_object_nothing_is_known(content):
    assert ModelMetaFile.known(content) == ModelMetaFile()
