"""Import of TensorFlow, for the models that need it."""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any


def import_with_tensorflow(module: str, extra: str) -> Any:
    """Import a library that is built on TensorFlow, and TensorFlow with it, quietly.

    Args:
        module: The library's name.
        extra: The extra of this package that installs it.

    Raises:
        ModuleNotFoundError: The library is not installed; tells how to install it.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # simple-elmo needs the recurrent cells of Keras 2, which the package tf-keras provides
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "pkg_resources is deprecated")  # tensorflow-hub imports it
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: pip install -c constraints.txt '.[{extra}]' in the checkout"
        raise ModuleNotFoundError(message, name=error.name) from error
