"""Import of TensorFlow, for the models that need it."""

import os
import warnings
from typing import Any

from harness_ext.common.extras import imported


def import_with_tensorflow(module: str, extra: str) -> Any:
    """Import a library that is built on TensorFlow, and TensorFlow with it, quietly; raises what
    `imported` does.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # simple-elmo needs the recurrent cells of Keras 2, which the package tf-keras provides
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
    with warnings.catch_warnings():
        # tensorflow-hub imports it
        warnings.filterwarnings("ignore", "pkg_resources is deprecated")
        return imported(module, extra, "This encoder needs")
