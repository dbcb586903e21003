"""A sound submission passes; a changed score, a forged item or a name of something else is refused
with its reason.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.compute
import pyarrow.parquet
import pytest

from harness_ext.leaderboard.checks.declared import result_findings
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.epsilon.compositionality import rank_shares
from harness_ext.measures.epsilon.items import EpsilonItems
from harness_ext.results.load import read_whole_result
from tests.command_line import harness_ext
from tests.leaderboard.conftest import SAMPLES, Submission, changed, only
from tests.leaderboard.small_board import board_of, edit, truncated
from tests.planted import PlantedModel, bent, entries_of
from tests.results.planted_items import planted_items, write_entry

ROOT = Path(__file__).parents[3]


def test_a_sound_submission_passes_and_is_recomputed(sound):
    verification = verify(sound)
    assert not [finding for finding in verification.findings if finding.refused]
    assert {cell.trust for cell in verification.cells} == {Trust.RECOMPUTED}
    assert len(verification.cells) == 3


@pytest.mark.parametrize("key", ["auc_nc_vs_c_ci_low", "main_score"])
def test_a_tampered_digit_in_a_score(submission, key):
    submission.edit_entry(**{key: submission.entry()[key] + 1e-8})
    (finding,) = only(submission.refused(), key, "does not follow from the items")
    assert finding.file == submission.file
    assert float(finding.found) != float(finding.expected)


def without_a_score(submission):
    edit(submission.file, lambda content: content["scores"]["naturalistic"][0].pop("rank_share_C"))


def of_another_measure(submission):
    submission.edit_entry(
        signature=re.sub(r"epsilon-\d+", "affinity-6", submission.entry()["signature"])
    )


def named(name):
    return lambda submission: edit(submission.meta, lambda content: content.update(name=name))


def of_no_revision(submission):
    edit(submission.meta, lambda content: content.update(revision="external"))
    submission.of_model.rename(submission.of_model.with_name("external"))


def of_a_split_that_is_made_up(submission):
    """It would be a column of its own, in which its maker is the first."""
    submission.file.write_text(submission.file.read_text().replace("naturalistic", "made_up"))


def with_another_digit_in_an_item(submission):
    table = pyarrow.parquet.read_table(submission.items)
    place = table.schema.names.index(f"{SAMPLES}.context_distance")
    lists = [[value + 1e-4 for value in values] for values in table.column(place).to_pylist()]
    changed = table.set_column(
        place, table.schema.field(place), pyarrow.array(lists, table.schema.types[place])
    )
    pyarrow.parquet.write_table(changed, submission.items, compression="zstd")


NONE = "cannot be a model's name"
NAMES = {"other": "of another model", "one/../other": NONE, "=cmd|' /C calc'!A0": NONE}
WRONG = {
    "a truncated result": (lambda one: truncated(one.file), "", "cannot be read"),
    "truncated items": (lambda one: truncated(one.items), "", "cannot be read"),
    "a tampered digit in an item": (with_another_digit_in_an_item, "items", "were changed after"),
    "truncated metadata": (lambda one: truncated(one.meta), "", "cannot be read"),
    "a score that is left out": (without_a_score, "rank_share_C", "does not follow"),
    "no metadata": (lambda one: one.meta.unlink(), "", "metadata are missing"),
    "a signature of another measure": (
        of_another_measure,
        "signature.measure",
        "of another result",
    ),
    "a revision that nobody knows": (of_no_revision, "revision", "Nothing says which version"),
    "an unknown split": (of_a_split_that_is_made_up, "scores", "has no split 'made_up'"),
    "an unknown subset": (
        lambda one: one.edit_entry(hf_subset="<img>"),
        "scores",
        "Subsets are unknown",
    ),
    **{f"the name {name!r}": (named(name), "name", said) for name, said in NAMES.items()},
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_wrong_is_refused_with_its_key_and_reason(submission, how):
    change, key, message = WRONG[how]
    change(submission)
    only(submission.refused(), key, message)


def without_items(content):
    (entry,) = content["scores"]["naturalistic"]
    for key in [key for key in entry if key.endswith("items") or key.startswith("items")]:
        del entry[key]
    return entry


IMPOSSIBLE = {
    "auc_nc_vs_c_ci_high": 7.0,
    "gain_auc_nc_vs_c": 40.0,
    "additive_auc_nc_vs_c": -8.0,
    "additive_fit": 7.0,
}


@pytest.mark.parametrize("key", IMPOSSIBLE)
def test_scores_that_cannot_be_are_refused_without_items_too(submission, key):
    edit(submission.file, lambda content: without_items(content).update({key: IMPOSSIBLE[key]}))
    submission.items.unlink()
    (finding,) = only(submission.refused(), key, "The score is impossible")
    assert finding.found == str(IMPOSSIBLE[key])


def test_a_split_that_is_made_up_is_refused_without_items_too(submission):
    def add(content):
        entry = without_items(content)
        signature = entry["signature"].replace("split:naturalistic", "split:hidden")
        content["scores"]["hidden"] = [{**entry, "signature": signature}]

    edit(submission.file, add)
    submission.items.unlink()
    (finding,) = only(submission.refused(), "scores", "no such split")
    assert finding.found == "hidden"


@pytest.mark.parametrize("scores", [{}, {"naturalistic": []}])
def test_a_result_with_nothing_in_it_is_refused(submission, scores):
    edit(submission.file, lambda content: content.update(scores=scores))
    only(submission.refused(), "scores", "nothing in it")


def test_a_result_without_today_s_main_score_is_refused(submission):
    edit(submission.file, lambda content: without_items(content).pop("auc_nc_vs_c"))
    submission.items.unlink()
    only(submission.refused(), "auc_nc_vs_c", "not among the scores")


def test_options_of_encode_may_have_any_letters(submission):
    signature = submission.entry()["signature"]
    submission.edit_entry(signature=f"{signature}|options:prompt=query: , task=sts/1")
    assert not submission.refused()


def test_results_of_a_board_stand_below_results(submission):
    stray = submission.folder / "planted__other" / "main"
    shutil.copytree(submission.of_model, stray)
    (finding,) = only(submission.refused(is_board=True), "", "A board has its results there")
    assert finding.file == stray / submission.file.name


def test_a_stray_file_hides_no_other_fault(submission):
    submission.file.with_name("notes.txt").write_text("")
    submission.edit_entry(main_score=0.9)
    messages = [finding.message for finding in submission.refused()]
    assert any("has only results of this project's tasks" in message for message in messages)
    assert any("main_score is 0.9" in message for message in messages)


@pytest.mark.parametrize("kind", ["missing", "another order", "another class"])
def test_forged_rows_are_not_those_of_the_dataset(submission, kind):
    def change(items):
        if kind == "missing":
            return items.restrict("compound", items.compounds.compound[1:])
        if kind == "another order":
            return EpsilonItems(items.samples[np.arange(len(items.samples))[::-1]], items.compounds)
        swapped = {"C": "NC", "PC": "PC", "NC": "C"}
        return changed(
            items, "compounds", **{"class": [swapped[one] for one in items.compounds.class_]}
        )

    submission.forge(change)
    only(submission.refused(), "items", "missing, doubled or changed")


@pytest.mark.parametrize("value", [-0.5, 2.5])
def test_forged_distances_that_cannot_be(submission, value):
    def change(items):
        distance = items.samples.context_distance.copy()
        distance[7] = value
        return changed(items, "samples", context_distance=distance)

    submission.forge(change)
    (finding,) = [one for one in submission.refused() if "context_distance" in one.key]
    assert (finding.key, finding.found, finding.expected) == (
        "samples.context_distance, row 7",
        str(value),
        ("0 to 2"),
    )


def test_epsilon_without_the_compounds_that_it_gets_wrong(submission):
    """Each idiom of a low share and each literal compound of a high one has NaN for its
    baseline.
    """

    def change(items):
        samples, compounds, share = items.samples, items.compounds, rank_shares(items)
        hard = np.where(compounds.class_ == "NC", share < 0.3, share > 0.7)
        words = samples.word[np.isin(samples.compound, compounds.compound[hard])]
        mine = np.isin(samples.word, words)
        return changed(
            items, "samples", phrase_distance=np.where(mine, np.nan, samples.phrase_distance)
        )

    submission.forge(change)
    (finding,) = only(submission.refused(), "samples", "are left out, wholly or in part")
    assert finding.expected == "at most 1%"


@pytest.mark.slow
@pytest.mark.usefixtures("without_baselines")
def test_trees_left_out_for_a_reason_of_one_s_own(tmp_path):
    """Trees whose rank is off are said to have a word that no other tree has."""
    entries_of(PlantedModel(bent(3), "planted/cheat"), "TreeReconstructionMini", tmp_path)
    submission = Submission(tmp_path, "TreeReconstructionMini")
    assert not submission.refused()

    def change(items):
        trees = items.trees
        order = np.argsort(np.argsort(trees.error)) + np.argsort(np.argsort(trees.wns))
        drop = (trees.excluded == "") & (np.abs(order - np.median(order)) > len(order) / 4)
        return changed(items, "trees", excluded=np.where(drop, "unseen_word", trees.excluded))

    submission.forge(change)
    only(submission.refused(), "trees.excluded", "contradict the pinned dataset")


def test_an_earlier_version_of_the_measure_is_a_note_and_scores_still_declared_are_checked(
    submission,
):
    submission.edit_entry(
        signature=re.sub(r"epsilon-\d+", "epsilon-1", submission.entry()["signature"])
    )
    assert not submission.refused()
    notes = [
        finding
        for finding in verify(submission.folder).findings
        if finding.key == "signature.measure"
    ]
    assert [(note.found, note.refused) for note in notes] == [("epsilon-1", False)]
    submission.edit_entry(auc_nc_vs_c=0.999)
    assert {finding.key for finding in submission.refused()} == {"main_score"}


def test_a_main_score_that_an_earlier_version_hides_is_self_reported(submission):
    """By naming an earlier version and leaving the main score's key out, any number would count as
    recomputed.
    """

    def forge(content):
        (entry,) = (entry for of_split in content["scores"].values() for entry in of_split)
        entry["signature"] = re.sub(r"epsilon-\d+", "epsilon-1", entry["signature"])
        del entry["auc_nc_vs_c"]
        entry["main_score"] = 0.999

    edit(submission.file, forge)
    (cell,) = verify(submission.folder).cells
    assert cell.entry.main_score == 0.999
    assert cell.trust is Trust.SELF_REPORTED
    only(submission.refused(), "auc_nc_vs_c", "not among the scores")


@pytest.mark.parametrize("hidden", ["gain", "baselines", "intervals", "p-value"])
def test_scores_that_an_earlier_version_hides_are_refused(submission, hidden):
    """By naming an earlier version and leaving out the items of baselines, any gain would count as
    recomputed.
    """
    forged = {
        "gain": {"gain_auc_nc_vs_c": 0.45},
        "baselines": {"additive_auc_nc_vs_c": 0.01, "noise_auc_nc_vs_c": 0.02},
        "intervals": {"gain_auc_nc_vs_c_ci_low": 0.6, "gain_auc_nc_vs_c_ci_high": 0.8},
        "p-value": {"over_noise_auc_nc_vs_c_p": 1e-9},
    }[hidden]

    def forge(content):
        (entry,) = content["scores"]["naturalistic"]
        for key in [key for key in entry if re.match("additive|gain|noise|over_noise", key)]:
            del entry[key]
        entry.update(forged, signature=re.sub(r"epsilon-\d+", "epsilon-1", entry["signature"]))

    edit(submission.file, forge)
    assert {finding.key for finding in submission.refused()} == {*forged}


@pytest.mark.parametrize("version", ["0", "999", "1_0", "x"])
def test_a_version_that_never_was_is_refused(submission, version):
    submission.edit_entry(
        signature=re.sub(r"epsilon-\d+", f"epsilon-{version}", submission.entry()["signature"])
    )
    (finding,) = only(
        submission.refused(), "signature.measure", "by another version of the measure"
    )
    assert finding.found == f"epsilon-{version}"


def test_zero_vectors_for_a_few_compounds_that_it_gets_wrong(submission):
    """2 of 120 compounds, of each kind that of the worst share: 1.7 %."""

    def change(items):
        samples, compounds, share = items.samples, items.compounds, rank_shares(items)
        idioms = compounds.class_ == "NC"
        worst = [
            int(np.nanargmin(np.where(idioms, share, 2))),
            int(np.nanargmax(np.where(idioms, -1, share))),
        ]
        mine = np.isin(samples.compound, compounds.compound[worst])
        return changed(
            items, "samples", context_distance=np.where(mine, np.nan, samples.context_distance)
        )

    before = submission.entry()["main_score"]
    submission.forge(change)
    assert submission.entry()["main_score"] > before
    (finding,) = only(submission.refused(), "samples", "2 of 120 values of 'compound' are left out")
    assert finding.found == "zero vectors in 2 of 120 (1.7%)"


@pytest.mark.parametrize("kind", ["NC", pytest.param("C", marks=pytest.mark.slow)])
def test_a_zero_vector_for_the_compound_that_it_gets_most_wrong_raises_no_score(submission, kind):
    """1 of 120 compounds: no fault, since an honest encoder may have no vector. But a board shows
    no higher score.
    """
    before = submission.entry()["main_score"]

    def change(items):
        samples, compounds, share = items.samples, items.compounds, rank_shares(items)
        wrong = np.where(compounds.class_ == kind, share if kind == "NC" else -share, np.inf)
        mine = samples.compound == compounds.compound[int(np.nanargmin(wrong))]
        return changed(
            items, "samples", context_distance=np.where(mine, np.nan, samples.context_distance)
        )

    submission.forge(change)
    assert submission.entry()["main_score"] > before
    verification = verify(submission.folder)
    assert not verification.is_refused
    (cell,) = verification.cells
    assert cell.trust is Trust.RECOMPUTED
    assert cell.shown.main_score <= before < cell.entry.main_score
    said = {one.key: (one.found, one.expected) for one in verification.findings}
    assert said["samples"][0] == "zero vectors in 1 of 120 (0.8%)"
    assert said["auc_nc_vs_c"] == (repr(cell.entry.main_score), repr(cell.shown.main_score))
    (ranked,) = (of_column for of_column in board_of(submission.folder)[0].ranked_scores.values())
    assert [place.value for place in ranked.values()] == [cell.shown.main_score]


def test_what_is_on_the_board_already_is_not_checked_again(submission, measured_folder):
    shutil.copytree(measured_folder, submission.folder, dirs_exist_ok=True)
    (finding,) = submission.refused(against=measured_folder)
    assert "nothing to check" in finding.message


def test_new_metadata_alone_have_their_results_checked_again(submission, tmp_path):
    board = shutil.copytree(submission.folder, tmp_path / "board")
    edit(submission.meta, lambda content: content.update(name="planted__one"))  # of the same folder
    assert any(
        "another result" in one.message
        for one in submission.refused(against=board, allow_changes=True)
    )


def test_what_git_does_not_track_may_be_missing_and_what_it_tracks_may_not(submission, tmp_path):
    board = shutil.copytree(submission.folder, tmp_path / "board")
    (board / "README.md").write_text("A board.")
    submission.edit_entry(main_score=0.9)

    def gone():
        return [
            one.file.name
            for one in submission.refused(against=board)
            if "removes nothing" in one.message
        ]

    assert gone() == ["README.md"]
    (board / "reruns").mkdir()
    (board / "reruns" / ".gitkeep").touch()
    assert gone() == ["README.md"]
    for command in (["init", "-q"], ["add", "README.md", "results"]):
        subprocess.run(["git", "-C", board, *command], check=True)
    (board / "site").mkdir()
    (board / "site" / "index.html").write_text("")
    assert gone() == ["README.md"]


def test_results_on_other_files_than_the_pinned_ones(submission):
    def is_of(revision):
        edit(submission.file, lambda content: content.update(dataset_revision=revision))

    is_of("3+unverified")
    # another split or subset of the task may be of other files than these rows
    assert not submission.refused()
    signature = submission.entry()["signature"]
    submission.edit_entry(
        signature=signature.replace("compound_mini@3|", "compound_mini@3+unverified|")
    )
    only(submission.refused(), "dataset_revision", "files other than the pinned files")
    is_of("3")
    only(submission.refused(), "signature.dataset", "of another result")
    is_of("1")
    only(submission.refused(), "dataset_revision", "another version of the dataset")


def test_the_command_lists_and_ends_with_its_status(submission, tmp_path):
    done = harness_ext("verify", submission.folder)
    assert done.exit_code == 0
    assert "Nothing is refused." in done.stdout
    assert done.stdout.count("recomputed") == 1
    assert harness_ext("verify", tmp_path / "none").exit_code == 2
    assert harness_ext("verify", "--rerun", submission.folder).exit_code == 2
    submission.edit_entry(rank_share_NC=0.25)
    done = harness_ext("verify", submission.folder, "--format", "json")
    assert done.exit_code == 1
    (refusal,) = [row for row in json.loads(done.stdout) if row.get("finding") == "refused"]
    assert (refusal["key"], refusal["found"]) == ("rank_share_NC", "0.25")
    assert Path(refusal["file"]) == submission.file.relative_to(submission.folder)


def test_only_the_results_of_named_tasks_are_checked(sound, tmp_path):
    folder = shutil.copytree(sound, tmp_path / "submission")
    Submission(folder).edit_entry(rank_share_NC=0.25)
    assert harness_ext("verify", folder).exit_code == 1
    done = harness_ext("verify", folder, "-t", "NounCompoundAffinityMini")
    assert done.exit_code == 0
    assert "Epsilon" not in done.stdout
    for unmeasured in ("TreeReconstruction", "own/mine"):
        done = harness_ext("verify", folder, "-t", unmeasured)
        assert (done.exit_code, unmeasured in done.stdout) == (1, True), done.stdout


def test_a_comment_formats_links_and_calls_nothing(submission):
    edit(submission.meta, lambda content: content.update(name="<img src=x> @everyone `x` | y"))
    done = harness_ext("verify", submission.folder, "--format", "markdown")
    assert done.exit_code == 1
    outside = re.sub(r"`[^`\n]*`", "", done.stdout)
    assert "<img" in done.stdout
    assert "<" not in outside
    assert "@" not in outside


MEMORY = """
import re, sys
from pathlib import Path
from harness_ext.__main__ import main

try:
    main()
except SystemExit as ended:
    print(ended.code, re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1], file=sys.stderr)
"""
"""Runs a command, and prints its exit status and the peak of its memory in KB."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says the peak")
def test_a_board_is_verified_in_little_memory(run):
    """235 cells: their items are let go one after the other."""
    done = run(
        "python", "-c", MEMORY, "verify", "--board", str(ROOT / "leaderboard"), "--format", "csv"
    )
    code, peak = done.stderr.splitlines()[-1].split()
    assert code == "0"
    assert int(peak) <= 310_000


def test_a_missing_column_of_a_list_is_noted_with_the_command_that_measures_it(tmp_path):
    """Rebuilt sentences stand for the authors', which nobody can have."""
    epsilon, verbs = "EpsilonCompositionality", "TransitiveSimilarity"
    sound = write_entry(
        tmp_path, epsilon, planted_items(epsilon), place=("naturalistic_rebuilt", "en")
    )
    assert not [
        one for one in result_findings(read_whole_result(sound.file)) if one.key == "scores"
    ]
    lacking = write_entry(tmp_path, verbs, planted_items(verbs), place=("test", "gs2011"))
    (note,) = [
        one for one in result_findings(read_whole_result(lacking.file)) if one.key == "scores"
    ]
    assert not note.refused
    assert note.message == (
        "It has no scores of test ks2013. Without them the model is not on the list of all "
        "columns. Measure them: mteb run -m MODEL -t TransitiveSimilarity --eval-splits test"
    )
