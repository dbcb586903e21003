"""The examples in the docstrings run."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

from harness_ext import evaluators, fitted, framework

MODULES = [
    "harness_ext.statistics.distance",
    "harness_ext.statistics.standardization",
    "harness_ext.encoders.texts",
    "harness_ext.measuring",
    "harness_ext.model_name",
    "harness_ext.store.signature",
    *(
        f"{room.__name__}.{each.name}"
        for room in (framework, evaluators, fitted)
        for each in pkgutil.iter_modules(room.__path__)
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
