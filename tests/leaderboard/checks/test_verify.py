"""A sound submission passes; a changed score or a forged item is refused, or listed, with its reason."""

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
from harness_ext.results.load import read_result
from harness_ext.store.item_files import DIGEST, keep, read_items, write_items

from .findings_check import SAMPLES, only

PLACE = ("naturalistic", "default")


def forge(submission, change):
    """Change the items, compute all scores and the digest anew: what a forger does who knows how this works."""
    (entry,) = read_result(submission.file)
    measure = entry.measure
    items = change(read_items(submission.file, measure.items, PLACE, entry.digest))
    digest = keep(items)
    write_items(submission.file, measure.items, {PLACE: digest})
    scores = measure.flat_scores(items)
    submission.edit_entry(**scores, main_score=scores[measure.main], **{DIGEST: digest})


def with_table(items, **changes):
    """Epsilon items whose samples have other columns."""
    samples = items.samples
    return EpsilonItems(type(samples).of({**samples.values(), **changes}), items.compounds)


def test_a_sound_submission_passes_and_is_recomputed(submission):
    verification = verify(submission.folder)
    assert not [finding for finding in verification.findings if finding.refused]
    assert {cell.trust for cell in verification.cells} == {Trust.RECOMPUTED}
    assert len(verification.cells) == 3


@pytest.mark.parametrize("key", ["rank_share_NC", "auc_nc_vs_c_ci_low", "phrase_distance_mean", "n_pairs_C"])
def test_a_tampered_digit_in_a_score(submission, key):
    submission.edit_entry(**{key: submission.entry()[key] + (1 if key.startswith("n_") else 1e-8)})
    (finding,) = only(submission.refused(), key, "does not follow from the items")
    assert finding.file == submission.file
    assert float(finding.found) != float(finding.expected)


def test_a_tampered_main_score(submission):
    submission.edit_entry(main_score=submission.entry()["main_score"] + 1e-7)
    only(submission.refused(), "main_score", "does not follow")


def test_a_score_that_is_left_out(submission):
    def drop(content):
        del content["scores"]["naturalistic"][0]["rank_share_C"]

    submission.edit(drop)
    only(submission.refused(), "rank_share_C", "does not follow")


def test_a_score_beyond_its_range_and_a_key_that_no_task_has(submission):
    submission.edit_entry(rank_share_C=1.5)
    only(submission.refused(), "rank_share_C", "schema")
    submission.edit_entry(rank_share_C=0.5, my_own_score=1.0)
    only(submission.refused(), "", "schema")


def test_a_tampered_digit_in_an_item(submission):
    path = submission.items(SAMPLES)
    table = pyarrow.parquet.read_table(path)
    values = table["context_distance"].to_numpy().copy()
    values[3] += 1e-9
    place = table.schema.get_field_index("context_distance")
    pyarrow.parquet.write_table(table.set_column(place, table.schema.field(place), pyarrow.array(values)), path)
    only(submission.refused(), "items", "were changed after")


def test_items_of_another_model(submission, results):
    for path in results.glob(f"results/planted__other/1/{submission.file.stem}.*items.parquet"):
        shutil.copy(path, submission.of_model)
    only(submission.refused(), "items", "items of .* are missing")


def test_another_model_s_results_under_ones_own_name(submission, results):
    """The digest is that of the other's items: it is on the board already."""
    for path in results.glob(f"results/planted__other/1/{submission.file.stem}.*"):
        shutil.copy(path, submission.of_model)
    text = submission.file.read_text().replace("planted/other", "planted/one")
    submission.file.write_text(text)
    assert not submission.refused()
    findings = only(submission.refused(against=results), "items", "Another model has the same items")
    assert any("planted/other" in finding.expected for finding in findings)
    only(submission.refused(against=results), "", "removes nothing")


@pytest.mark.parametrize("kind", ["missing", "twice", "another name", "another order"])
def test_forged_rows_are_not_those_of_the_dataset(submission, kind):
    def change(items):
        rows = np.arange(len(items.samples))
        if kind == "missing":
            return items.restrict("compound", items.compounds.compound[1:])
        if kind == "twice":
            return EpsilonItems(items.samples[np.append(rows, rows[:40])], items.compounds)
        if kind == "another order":
            return EpsilonItems(items.samples[rows[::-1]], items.compounds)
        compound = np.where(rows == 0, items.compounds.compound[-1], items.samples.compound)
        return EpsilonItems(type(items.samples).of({**items.samples.values(), "compound": compound}), items.compounds)

    forge(submission, change)
    only(submission.refused(), SAMPLES, "missing or doubled|differ from the pinned dataset")


def test_forged_labels_of_the_compounds(submission):
    def change(items):
        compounds = items.compounds
        swapped = np.select([compounds.class_ == "C", compounds.class_ == "NC"], ["NC", "C"], compounds.class_)
        return EpsilonItems(items.samples, type(compounds).of({**compounds.values(), "class": swapped}))

    forge(submission, change)
    only(submission.refused(), "compounds.class", "differ from the pinned dataset")


@pytest.mark.parametrize("value", [-0.1, 2.5])
def test_forged_distances_that_cannot_be(submission, value):
    def change(items):
        distance = items.samples.context_distance.copy()
        distance[7] = value
        return with_table(items, context_distance=distance)

    forge(submission, change)
    (finding,) = [one for one in submission.refused() if "context_distance" in one.key]
    assert (finding.key, finding.found, finding.expected) == ("samples.context_distance, row 7", str(value), "0 to 2")


def test_forged_distances_of_one_pair_that_differ(submission):
    """The same two words are compared in several rows; a forger has to think of all of them."""

    def change(items):
        distance = items.samples.phrase_distance.copy()
        distance[5] *= 0.9
        return with_table(items, phrase_distance=distance)

    forge(submission, change)
    only(submission.refused(), "samples.phrase_distance", "another distance elsewhere")


def test_forged_distances_that_close_no_triangle(submission):
    """Every row of a side is forged alike, but the other two sides do not reach it."""

    def change(items):
        samples = items.samples
        one, other = samples.word[5], samples.synonym[5]
        distance, baseline = samples.phrase_distance.copy(), samples.baseline_phrase_distance.copy()
        for first, second, column in (
            (samples.word, samples.synonym, distance),
            (samples.synonym, samples.other_synonym, baseline),
        ):
            column[((first == one) & (second == other)) | ((first == other) & (second == one))] = 1e-4
        return with_table(items, phrase_distance=distance, baseline_phrase_distance=baseline)

    forge(submission, change)
    only(submission.refused(), "samples.phrase_distance", "No vectors are so far")


def test_what_is_on_the_board_already_is_not_checked_again(submission, results):
    shutil.copytree(results, submission.folder, dirs_exist_ok=True)
    (finding,) = submission.refused(against=results)
    assert "nothing to check" in finding.message


@pytest.mark.slow
def test_the_command_lists_and_ends_with_1(submission, run):
    submission.edit_entry(rank_share_NC=0.25)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "json", check=False)
    assert done.returncode == 1
    (refusal,) = [row for row in json.loads(done.stdout) if row.get("") == "refused"]
    assert refusal["key"] == "rank_share_NC"
    assert refusal["found"] == "0.25"
    assert Path(refusal["file"]) == submission.file.relative_to(submission.folder)


@pytest.mark.slow
def test_the_other_exit_statuses(submission, run, tmp_path):
    done = run("harness-ext", "verify", str(submission.folder))
    assert "Nothing is wrong with it." in done.stdout
    assert done.stdout.count("recomputed") == 3
    assert run("harness-ext", "verify", str(tmp_path / "none"), check=False).returncode == 1
    assert run("harness-ext", "verify", "--rerun", str(submission.folder), check=False).returncode == 2


def test_a_comment_formats_links_and_calls_nothing(submission, run):
    meta = submission.of_model / "model_meta.json"
    submission.edit(lambda content: content.update(reference="<img src=x> @everyone `x` | y"), meta)
    done = run("harness-ext", "verify", str(submission.folder), "--format", "markdown", check=False)
    assert done.returncode == 1
    outside = re.sub(r"`[^`\n]*`", "", done.stdout)
    assert "<img" in done.stdout
    assert "<" not in outside
    assert "@" not in outside
