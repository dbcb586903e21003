"""The ladder of trust: what puts a cell on which rung, and that an honest one gets there from another machine."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import mteb
import numpy as np
import pytest
from mteb.cache import ResultCache

from harness_ext.fitted.polarity_items import joined
from harness_ext.json_files import DamagedFileError
from harness_ext.leaderboard.checks.pinned_rows import row_findings
from harness_ext.leaderboard.checks.records import Records, Rerun, cell_key
from harness_ext.leaderboard.checks.rerun import rerun
from harness_ext.leaderboard.checks.trust import Trust, trust_of
from harness_ext.results.load import load_results, read_result
from tests.results.measured import QUICK, write_results

NO_RECORDS = Records()


def trusted(entry, records=NO_RECORDS):
    checked = trust_of(entry, records)
    return checked.trust, [*checked.findings]


@pytest.fixture
def entry(submission):
    (found,) = read_result(submission.file)
    return found


def record_of(entry, **changes):
    """What a maintainer got who got the same."""
    cell = dict(zip(("model", "revision", "task", "split", "subset"), cell_key(entry), strict=True))
    same = {"items": entry.digest, "dtype": "float32", "scores": entry.scores, "by": "me", "date": "2026-01-31"}
    return Rerun(**(cell | same | changes))


def with_record(record):
    return Records({cell_key(record): record})


def test_a_rerun_by_a_maintainer_is_the_last_rung(entry):
    def rung(**changes):
        return trusted(entry, with_record(record_of(entry, **changes)))

    main = entry.measure.main
    near, far = ({**entry.scores, main: entry.scores[main] + more} for more in (0.0099, 0.0101))
    assert rung()[0] is rung(scores=near)[0] is rung(scores=far, dtype="bfloat16")[0] is Trust.RERUN
    trust, (finding,) = rung(scores=far)
    assert (trust, finding.key, finding.refused) == (Trust.RECOMPUTED, main, False)
    # it is of the items that were there then
    assert rung(items="0" * 64)[0] is rung(revision="2")[0] is Trust.RECOMPUTED


def test_records_are_files_that_come_back_as_they_were(entry, tmp_path):
    first = record_of(entry, date="2026-01-31", versions={"mteb": "2.26.24"})
    assert Records.load(tmp_path) == NO_RECORDS
    path = first.write(tmp_path)
    assert Records.load(tmp_path).rerun_of(entry) == first
    assert path.parent.name == "reruns"
    for damaged in ("{}x", '{"model": "a/b"}', "3"):
        path.write_text(damaged)
        with pytest.raises(DamagedFileError, match=path.name):
            Records.load(tmp_path)


@pytest.mark.slow
def test_a_rerun_runs_the_model_and_one_that_got_other_scores_is_not_confirmed(tmp_path):
    """A model that mteb knows, which is random but always the same."""
    meta = mteb.get_model_meta("mteb/baseline-random-encoder")
    mteb.evaluate(meta, mteb.get_tasks(tasks=list(QUICK[:2])), cache=ResultCache(tmp_path), show_progress_bar=False)
    entries = load_results(tmp_path).entries
    for outcome in rerun(entries, "A. Maintainer"):
        assert outcome.findings == []
        assert outcome.record.scores == outcome.entry.scores
        outcome.record.write(tmp_path)
    records = Records.load(tmp_path)
    assert {trusted(entry, records)[0] for entry in entries} == {Trust.RERUN}

    other = write_results(tmp_path / "other", {"mteb/baseline-random-encoder": 1}, QUICK[:1])
    folder = other / "results" / "mteb__baseline-random-encoder"
    (folder / "1").rename(folder / str(meta.revision))
    (file,) = folder.glob("*/EpsilonCompositionalityMini.json")
    file.write_text(file.read_text().replace("|revision:1|", f"|revision:{meta.revision}|"))
    (dishonest,) = load_results(other).entries
    (outcome,) = rerun([dishonest], "A. Maintainer")
    assert dishonest.measure.main in {finding.key for finding in outcome.findings}
    outcome.record.write(other)
    assert trusted(dishonest, Records.load(other))[0] is Trust.RECOMPUTED


def test_a_model_that_nobody_else_has_cannot_be_run(entry):
    for model in ("local/mine", "planted/one"):
        (outcome,) = rerun([replace(entry, model=model)], "A. Maintainer")
        assert outcome.record is None
        assert len(outcome.findings) == 1


@pytest.mark.slow
def test_fine_tuned_answers_are_to_the_same_questions(tmp_path):
    """They may be there or not; a training that was asked fewer pairs is told."""
    write_results(tmp_path, {"planted/one": 1}, ["PolaritySensitivityMini"])
    (entry,) = load_results(tmp_path).entries
    items = entry.items()
    tuned = items.answers[(items.answers.classifier == "linear")]
    tuned = replace(tuned, mode=np.full(len(tuned), "ft"))
    for rows, n_findings in ((len(tuned), 0), (len(tuned) - 1, 1)):
        found = list(row_findings(entry, replace(items, answers=joined(items.answers, tuned[np.arange(rows)]))))
        assert len(found) == n_findings, found
    assert (found[0].key, found[0].refused) == ("answers of ft linear 0", True)


def test_rows_that_cannot_be_compared_are_a_note(submission, monkeypatch):
    """Of a task whose data is not at hand."""
    path = submission.of_model / "EpsilonCompositionality.json"
    content = json.loads(submission.file.read_text().replace("EpsilonCompositionalityMini", path.stem))
    content["dataset_revision"] = "9f2dc4e58473f0a314c8a570dca26fa57f987917"
    content["scores"]["naturalistic"][0]["hf_subset"] = "en"
    path.write_text(json.dumps(content))
    for file in submission.of_model.glob(f"{submission.file.stem}.*.parquet"):
        shutil.copy(file, path.with_name(file.name.replace(submission.file.stem, path.stem)))
    (entry,) = read_result(path)
    (mini,) = read_result(submission.file)
    monkeypatch.setenv("HARNESS_EXT_CACHE", str(submission.folder / "no data"))
    (note,) = row_findings(entry, mini.items())
    assert not note.refused
    assert "could not be compared with the pinned dataset" in note.message
