"""The judge tells the outcomes apart, else trials that pass would say nothing."""

import numpy as np
import pytest

from harness_ext.results.load import load_results
from tests.hostile.judge import assert_right_or_clear, harness_ext


def refused(*arguments, **options):
    with pytest.raises(AssertionError) as error:
        assert_right_or_clear(*arguments, **options)
    return str(error.value).split(":")[0]


def test_values_and_errors(tmp_path):
    assert_right_or_clear(lambda: 1, lambda value: value == 1)
    assert_right_or_clear(lambda: load_results(tmp_path / "gone"), None, "gone")
    assert refused(lambda: 2, lambda value: value == 1) == "silent"
    assert refused(lambda: np.zeros(2) @ np.zeros(3), bool) == "raw"
    assert refused(lambda: load_results(tmp_path / "gone"), None, "elsewhere") == "raw"


def test_commands(tmp_path):
    assert_right_or_clear(lambda: harness_ext("explain", "auc_nc_vs_c"), lambda said: "auc_nc_vs_c" in said)
    assert_right_or_clear(lambda: harness_ext("show", tmp_path / "gone"), None, "gone")
    assert refused(lambda: harness_ext("explain", "auc_nc_vs_c"), lambda said: "auc_nc_vs_d" in said) == "silent"
    assert refused(lambda: harness_ext("show", tmp_path / "gone"), None, "elsewhere") == "raw"


def test_a_result_that_goes_is_lost(tmp_path):
    file = tmp_path / "results" / "a" / "1" / "T.json"
    file.parent.mkdir(parents=True)
    entry = '{"hf_subset": "default", "main_score": 0.5}'
    file.write_text(f'{{"task_name": "T", "dataset_revision": "1", "scores": {{"test": [{entry}]}}}}')
    assert_right_or_clear(lambda: True, bool, folder=tmp_path)
    assert refused(lambda: not file.unlink(), bool, folder=tmp_path) == "lost"
