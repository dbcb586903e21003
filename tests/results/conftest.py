"""What lm-eval has written of two scripted language models."""

import shutil

import pytest


@pytest.fixture(scope="session")
def measured(tmp_path_factory):
    """Two language models, one on all that needs no network and one on less, and what lm-eval returned of the first."""
    from tests.results.scripted_output import OF_BOTH, guesses_otherwise, knows_idioms, save

    folder = tmp_path_factory.mktemp("output")
    returned = save(folder, "scripted/knows", knows_idioms())
    save(folder, "scripted/guesses", guesses_otherwise, OF_BOTH)
    return folder, returned


@pytest.fixture
def output(measured, tmp_path):
    """A copy that a test may damage."""
    return shutil.copytree(measured[0], tmp_path / "output")
