"""A sound submission passes; a changed score, a forged item or a name of something else is refused with its reason."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from harness_ext.evaluators.epsilon import EpsilonItems
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from tests.leaderboard.conftest import SAMPLES, changed, only
from tests.leaderboard.small_board import truncated


def test_a_sound_submission_passes_and_is_recomputed(submission):
    verification = verify(submission.folder)
    assert not [finding for finding in verification.findings if finding.refused]
    assert {cell.trust for cell in verification.cells} == {Trust.RECOMPUTED}
    assert len(verification.cells) == 3


@pytest.mark.parametrize("key", ["rank_share_NC", "auc_nc_vs_c_ci_low", "main_score", "n_pairs_C"])
def test_a_tampered_digit_in_a_score(submission, key):
    submission.edit_entry(**{key: submission.entry()[key] + (1 if key.startswith("n_") else 1e-8)})
    (finding,) = only(submission.refused(), key, "does not follow from the items")
    assert finding.file == submission.file
    assert float(finding.found) != float(finding.expected)


def meta(submission):
    return submission.of_model / "model_meta.json"


def without_a_score(submission):
    submission.edit(lambda content: content["scores"]["naturalistic"][0].pop("rank_share_C"))


def of_another_measure(submission):
    submission.edit_entry(signature=re.sub(r"epsilon-\d+", "epsilon-0", submission.entry()["signature"]))


def named(name):
    return lambda submission: submission.edit(lambda content: content.update(name=name), meta(submission))


def of_a_split_that_is_made_up(submission):
    """It would be a column of its own, in which its maker is the first."""
    submission.file.write_text(submission.file.read_text().replace("naturalistic", "made_up"))


def of_an_earlier_measure(submission):
    """Which did not have all scores."""
    of_another_measure(submission)
    without_a_score(submission)


NAMES = ("other", "../../other", "<b>one</b>", "=cmd|' /C calc'!A0", "one\nother", "@here")
WRONG = {
    "a truncated result": (lambda one: truncated(one.file), "", "cannot be read"),
    "truncated items": (lambda one: truncated(one.items(SAMPLES)), "", "cannot be read"),
    "truncated metadata": (lambda one: truncated(meta(one)), "", "cannot be read"),
    "a score that is left out": (without_a_score, "rank_share_C", "does not follow"),
    "no metadata": (lambda one: meta(one).unlink(), "", "metadata are missing"),
    "a signature of another measure": (of_another_measure, "signature.measure", "of another result"),
    "a signature of an earlier measure": (of_an_earlier_measure, "signature.measure", "of another result"),
    "an unknown split": (of_a_split_that_is_made_up, "scores", "has no split 'made_up'"),
    "an unknown subset": (lambda one: one.edit_entry(hf_subset="<img>"), "scores", "Subsets are unknown"),
    **{f"the name {name!r}": (named(name), "name", "of another model|cannot be a model's name") for name in NAMES},
}


@pytest.mark.parametrize("how", WRONG)
def test_what_is_wrong_is_refused_with_its_key_and_reason(submission, how):
    change, key, message = WRONG[how]
    change(submission)
    only(submission.refused(), key, message)


def test_a_tampered_digit_in_an_item(submission):
    path = submission.items(SAMPLES)
    table = pyarrow.parquet.read_table(path)
    values = table["context_distance"].to_numpy().copy()
    values[3] += 1e-9
    place = table.schema.get_field_index("context_distance")
    pyarrow.parquet.write_table(table.set_column(place, table.schema.field(place), pyarrow.array(values)), path)
    only(submission.refused(), "items", "were changed after")


@pytest.mark.parametrize("kind", ["missing", "twice", "another name", "another order", "another class"])
def test_forged_rows_are_not_those_of_the_dataset(submission, kind):
    def change(items):
        rows = np.arange(len(items.samples))
        if kind == "missing":
            return items.restrict("compound", items.compounds.compound[1:])
        if kind == "twice":
            return EpsilonItems(items.samples[np.append(rows, rows[:40])], items.compounds)
        if kind == "another order":
            return EpsilonItems(items.samples[rows[::-1]], items.compounds)
        if kind == "another class":
            swapped = {"C": "NC", "PC": "PC", "NC": "C"}
            return changed(items, "compounds", **{"class": [swapped[one] for one in items.compounds.class_]})
        compound = np.where(rows == 0, items.compounds.compound[-1], items.samples.compound)
        return changed(items, "samples", compound=compound)

    submission.forge(change)
    table = "compounds.class" if kind == "another class" else SAMPLES
    only(submission.refused(), table, "missing or doubled|differ from the pinned dataset")


@pytest.mark.parametrize("value", [-0.1, 2.5])
def test_forged_distances_that_cannot_be(submission, value):
    def change(items):
        distance = items.samples.context_distance.copy()
        distance[7] = value
        return changed(items, "samples", context_distance=distance)

    submission.forge(change)
    (finding,) = [one for one in submission.refused() if "context_distance" in one.key]
    assert (finding.key, finding.found, finding.expected) == ("samples.context_distance, row 7", str(value), "0 to 2")


def test_epsilon_without_the_compounds_that_it_gets_wrong(submission):
    """Each idiom of a low share and each literal compound of a high one has NaN for its own words."""

    def change(items):
        samples, compounds, share = items.samples, items.compounds, items.rank_shares
        hard = np.where(compounds.class_ == "NC", share < 0.3, share > 0.7)
        words = samples.word[np.isin(samples.compound, compounds.compound[hard])]
        mine = np.isin(samples.word, words)
        return changed(items, "samples", phrase_distance=np.where(mine, np.nan, samples.phrase_distance))

    submission.forge(change)
    (finding,) = only(submission.refused(), "samples", "are left out, wholly or in part")
    assert finding.expected == "at most 5%"


def test_one_zero_vector_is_counted_and_no_fault(submission):
    """An honest encoder may have no vector for a sentence."""

    def change(items):
        first = np.arange(len(items.samples)) == 0
        return changed(items, "samples", context_distance=np.where(first, np.nan, items.samples.context_distance))

    submission.forge(change)
    assert not submission.refused()
    assert any("zero vectors in 1 of 60" in finding.found for finding in verify(submission.folder).findings)


def test_what_is_on_the_board_already_is_not_checked_again(submission, measured_folder):
    shutil.copytree(measured_folder, submission.folder, dirs_exist_ok=True)
    (finding,) = submission.refused(against=measured_folder)
    assert "nothing to check" in finding.message


@pytest.mark.parametrize("revision", ["no_revision_available", "external", None])
def test_a_revision_that_nobody_knows(submission, revision):
    submission.edit(lambda content: content.update(revision=revision), meta(submission))
    if revision:
        submission.of_model.rename(submission.of_model.with_name(revision))
    only(submission.refused(), "revision", "Nothing says which version")


def test_results_on_other_files_than_the_pinned_ones(submission):
    submission.edit(lambda content: content.update(dataset_revision="2+unverified"))
    assert not submission.refused()  # another split or subset of the task may be of other files than these rows

    def sign(content):
        for entry in content["scores"]["naturalistic"]:
            entry["signature"] = entry["signature"].replace("compound_mini@2|", "compound_mini@2+unverified|")

    submission.edit(sign)
    only(submission.refused(), "dataset_revision", "files other than the pinned files")
    submission.edit(lambda content: content.update(dataset_revision="2"))
    only(submission.refused(), "signature.dataset", "of another result")
    submission.edit(lambda content: content.update(dataset_revision="1"))
    only(submission.refused(), "dataset_revision", "another version of the dataset")


@pytest.mark.slow
def test_the_command_lists_and_ends_with_its_status(submission, run, tmp_path):
    done = run("harness-ext", "verify", str(submission.folder))
    assert "Nothing is wrong with it." in done.stdout
    assert done.stdout.count("recomputed") == 3
    assert run("harness-ext", "verify", str(tmp_path / "none"), check=False).returncode == 2
    assert run("harness-ext", "verify", "--rerun", str(submission.folder), check=False).returncode == 2
    submission.edit_entry(rank_share_NC=0.25)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "json", check=False)
    assert done.returncode == 1
    (refusal,) = [row for row in json.loads(done.stdout) if row.get("finding") == "refused"]
    assert refusal["key"] == "rank_share_NC"
    assert refusal["found"] == "0.25"
    assert Path(refusal["file"]) == submission.file.relative_to(submission.folder)


def test_a_comment_formats_links_and_calls_nothing(submission, run):
    meta = submission.of_model / "model_meta.json"
    submission.edit(lambda content: content.update(name="<img src=x> @everyone `x` | y"), meta)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "markdown", check=False)
    assert done.returncode == 1
    outside = re.sub(r"`[^`\n]*`", "", done.stdout)
    assert "<img" in done.stdout
    assert "<" not in outside
    assert "@" not in outside
