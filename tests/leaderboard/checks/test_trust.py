"""The ladder of trust: what puts a cell on which rung, and that an honest one gets there from
another machine.
"""

from __future__ import annotations

import shutil
from dataclasses import replace

import mteb
import numpy as np
import pytest

from harness_ext.common.json_files import DamagedFileError
from harness_ext.leaderboard.checks.pinned_rows import row_findings
from harness_ext.leaderboard.checks.records import Rerun, cell_key, load_reruns
from harness_ext.leaderboard.checks.rerun import rerun
from harness_ext.leaderboard.checks.trust import Trust, trust_of
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.polarity.items import joined
from harness_ext.results.load import load_results, read_result
from tests.command_line import harness_ext
from tests.leaderboard.conftest import SAMPLES, Submission, changed
from tests.planted import entries_of
from tests.results.measured import QUICK, write_results


def trusted(entry, records):
    checked = trust_of(entry, records)
    return checked.trust, [*checked.findings]


@pytest.fixture
def entry(submission):
    (found,) = read_result(submission.file)
    return found


def record_of(entry, **changes):
    """What a maintainer got who got the same."""
    return replace(
        Rerun(*cell_key(entry), entry.digest, "float32", entry.scores, "me", "2026-01-31"),
        **changes,
    )


def test_a_rerun_by_a_maintainer_is_the_last_rung(entry):
    def rung(**changes):
        record = record_of(entry, **changes)
        return trusted(entry, {(cell_key(record), record.items): record})

    main = entry.measure.main
    near, far = ({**entry.scores, main: entry.scores[main] + more} for more in (0.0099, 0.0101))
    assert rung()[0] is rung(scores=near)[0] is rung(scores=far, dtype="bfloat16")[0] is Trust.RERUN
    trust, (finding,) = rung(scores=far)
    assert (trust, finding.key, finding.refused) == (Trust.RECOMPUTED, main, False)
    # it is of the items that were there then
    assert rung(items="0" * 64)[0] is rung(revision="2")[0] is Trust.RECOMPUTED


def test_records_are_files_that_come_back_as_they_were(entry, tmp_path):
    first = record_of(entry, versions={"mteb": "2.26.24"})
    assert load_reruns(tmp_path) == {}
    path = first.write(tmp_path)
    assert load_reruns(tmp_path) == {(cell_key(entry), entry.digest): first}
    assert path.parent.name == "reruns"
    path.write_text('{"model": "a/b"}')
    with pytest.raises(DamagedFileError, match=path.name):
        load_reruns(tmp_path)


def test_records_of_models_with_long_names_are_files_of_their_own(entry, tmp_path):
    """A disk takes names of 255 letters at most, and these differ in their last one."""
    names = [f"{'a/' + 160 * 'x'}{last}" for last in "ab"]
    records = [record_of(entry, model=name, split="naturalistic_rebuilt") for name in names]
    for record in records:
        record.write(tmp_path)
    assert [*load_reruns(tmp_path).values()] == records


def test_a_submission_s_own_records_count_for_nothing(submission, entry, tmp_path):
    """A forger's record of his own cell; the same is a maintainer's where the folder is a board."""
    record_of(entry).write(submission.folder)
    for options, rung in (({}, Trust.RECOMPUTED), ({"is_board": True}, Trust.RERUN)):
        (cell,) = verify(submission.folder, **options).cells
        assert cell.trust is rung
    assert "recomputed" in harness_ext("verify", submission.folder).stdout
    board = tmp_path / "board"
    board.mkdir()
    (refusal,) = submission.refused(against=board)
    assert refusal.file.parent.name == "reruns"
    assert harness_ext("verify", submission.folder, "--rerun", "--by", "me").exit_code == 2


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_a_rerun_runs_the_model_and_one_that_got_other_scores_is_not_confirmed(tmp_path):
    """A model that mteb knows, which is random but always the same."""
    honest = tmp_path / "honest"
    entries_of(mteb.get_model("mteb/baseline-random-encoder"), QUICK[0], honest)
    dishonest = shutil.copytree(honest, tmp_path / "dishonest")
    Submission(dishonest).forge(
        lambda items: changed(items, SAMPLES, context_distance=items.samples.context_distance[::-1])
    )
    for folder, status, rung in ((honest, 0, Trust.RERUN), (dishonest, 3, Trust.RECOMPUTED)):
        done = harness_ext("verify", folder, "--board", "--rerun", "--by", "A. Maintainer")
        assert done.exit_code == status, done.output
        (entry,) = load_results(folder).entries
        assert trusted(entry, load_reruns(folder))[0] is rung


@pytest.mark.usefixtures("without_baselines")
def test_a_rerun_signs_only_what_it_ran_on_the_same_data(tmp_path):
    """A model that mteb knows. On other data it would prove nothing, whatever scores it gets."""
    entries_of(mteb.get_model("mteb/baseline-random-encoder"), "CaptionSwapMini", tmp_path)
    (entry,) = load_results(tmp_path).entries
    ((record, findings),) = rerun([entry], "A. Maintainer")
    assert (record.items, findings) == (entry.digest, [])
    of_other_data = replace(entry, dataset_revision="another")
    ((record, (finding,)),) = rerun([of_other_data], "A. Maintainer")
    assert record is None
    assert (finding.found, finding.expected) == (entry.dataset_revision, "another")
    assert "The data here is another" in finding.message


def test_a_model_that_nobody_else_has_cannot_be_run(entry):
    for model in ("local/mine", "planted/one"):
        ((record, findings),) = rerun([replace(entry, model=model)], "A. Maintainer")
        assert record is None
        assert len(findings) == 1


@pytest.mark.slow
def test_fine_tuned_answers_are_to_the_same_questions(tmp_path):
    """They may be there or not; a training that was asked fewer pairs is told."""
    write_results(tmp_path, {"planted/one": 1}, ["PolaritySensitivityMini"])
    (entry,) = load_results(tmp_path).entries
    items = entry.items()
    tuned = items.answers[(items.answers.classifier == "linear")]
    tuned = replace(tuned, mode=np.full(len(tuned), "ft"))
    for rows, n_findings in ((len(tuned), 0), (len(tuned) - 1, 1)):
        found = list(
            row_findings(
                entry, replace(items, answers=joined(items.answers, tuned[np.arange(rows)]))
            )
        )
        assert len(found) == n_findings, found
    assert (found[0].key, found[0].refused) == ("answers of ft linear 0", True)


def test_rows_that_cannot_be_compared_are_a_note(entry):
    """Of data that is not at hand."""
    (note,) = row_findings(replace(entry, dataset_revision="another"), entry.items())
    assert not note.refused
    assert "could not be compared with the pinned dataset" in note.message
