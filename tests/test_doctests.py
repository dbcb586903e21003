"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import harness_ext.evaluators

MODULES = [
    "harness_ext.statistics.standardization",
    "harness_ext.encoders.texts",
    "harness_ext.model_name",
    "harness_ext.store.signature",
    *(f"harness_ext.evaluators.{each.name}" for each in pkgutil.iter_modules(harness_ext.evaluators.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
