"""Results folders as `mteb run --output-folder` makes them."""

from __future__ import annotations

import json

import pytest

from harness_ext.results.entry import TASK_BY_NAME


@pytest.fixture
def write_result(tmp_path):
    """Write one entry into a result file below `tmp_path`; returns the file."""

    def write(task, model, main, *, interval=None, revision="abc", split="naturalistic", subset="en", **scores):
        key = TASK_BY_NAME[task].measure.main
        ends = dict(zip((f"{key}_ci_low", f"{key}_ci_high"), interval or (), strict=False))
        entry = {"main_score": main, "hf_subset": subset, "languages": ["eng-Latn"], key: main, **ends, **scores}
        path = tmp_path / "results" / model.replace("/", "__") / revision / f"{task}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = {
            "dataset_revision": "9f2dc4e58473f0a314c8a570dca26fa57f987917",
            "task_name": task,
            "mteb_version": "2.26.24",
            "scores": {},
            "evaluation_time": 1.0,
        }
        if path.exists():
            content = json.loads(path.read_text())
        content["scores"].setdefault(split, []).append(entry)
        path.write_text(json.dumps(content))
        (path.parent / "model_meta.json").write_text(json.dumps({"name": model, "revision": revision}))
        return path

    return write
