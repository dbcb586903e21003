"""TensorFlow, for those who have asked for a model that needs it."""

from __future__ import annotations

import importlib
import os
import warnings
from typing import Any


def import_with_tensorflow(module: str, extra: str) -> Any:
    """Import a library that is built on TensorFlow, and TensorFlow with it, quietly.

    Args:
        module: Its name.
        extra: The extra of this package that installs it.

    Raises:
        ModuleNotFoundError: It is not installed; says how to install it.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # simple-elmo is built on the recurrent cells of Keras 2, which TensorFlow has from the package tf-keras
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "pkg_resources is deprecated")  # tensorflow-hub's import of it
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        message = f"{error.name} is not installed: pip install -c constraints.txt '.[{extra}]' in the checkout"
        raise ModuleNotFoundError(message, name=error.name) from error
