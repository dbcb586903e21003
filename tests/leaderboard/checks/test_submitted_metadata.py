"""Names, revisions, versions, signatures and splits that are not those of the result are refused."""

from __future__ import annotations

import re
from importlib.metadata import version

import pyarrow
import pyarrow.parquet
import pytest
from mteb.results import TaskResult

from harness_ext.leaderboard.checks.result_files import _version_findings
from harness_ext.leaderboard.checks.verify import verify
from tests.leaderboard.conftest import only


@pytest.mark.parametrize("revision", ["no_revision_available", "external", None])
def test_a_revision_that_nobody_knows(submission, revision):
    meta = submission.of_model / "model_meta.json"
    submission.edit(lambda content: content.update(revision=revision), meta)
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


def test_another_mteb(submission):
    def of(version):
        def change(content):
            content["mteb_version"] = version
            for entry in content["scores"]["naturalistic"]:
                entry["signature"] = re.sub(r"\|mteb:[^|]*", f"|mteb:{version}", entry["signature"])
                entry["mteb_version"] = version

        return change

    submission.edit(of("2.0.1"))
    verification = verify(submission.folder)
    assert not verification.is_refused
    assert [one.found for one in verification.findings if one.key == "mteb_version"] == ["2.0.1"]
    submission.edit(of("1.38.0"))
    only(submission.refused(), "mteb_version", "cannot be compared")
    submission.edit(lambda content: content.update(mteb_version="=1+1"))
    only(submission.refused(), "mteb_version", "Nothing says which mteb")
    submission.edit(of("2.26.0"))
    submission.edit_entry(mteb_version="2.26.1")
    only(submission.refused(), "mteb_version", "names another version")


def test_subsets_run_under_several_versions_of_mteb(tmp_path):
    """The range is as mteb writes it when it merges results."""
    scores = {"idioms": [{"mteb_version": "2.9.3"}], "antonyms": [{"mteb_version": "2.26.0"}]}
    result = {"mteb_version": TaskResult._compute_top_level_mteb_version(scores), "scores": scores}
    assert result["mteb_version"] == "2.9.3-2.26.0"
    findings = list(_version_findings(tmp_path, result))
    assert {one.found for one in findings if one.refused} == set()
    assert {one.found for one in findings} == {"2.9.3", "2.26.0"} - {version("mteb")}
    for wrong in ("2.9.3-2.26.1", "2.9.3-", "2.9.3-2.26.0-2.27"):
        refused = [one.found for one in _version_findings(tmp_path, {**result, "mteb_version": wrong}) if one.refused]
        assert refused == [wrong]


def test_a_split_that_is_made_up(submission):
    """It would be a column of its own, in which its maker is the first."""
    text = submission.file.read_text().replace("naturalistic", "made_up")
    submission.file.write_text(text)
    for path in submission.of_model.glob(f"{submission.file.stem}.*items.parquet"):
        rows = pyarrow.parquet.read_table(path)
        split = pyarrow.array(["made_up"] * len(rows)).dictionary_encode()
        metadata = {key: value.replace(b"naturalistic", b"made_up") for key, value in rows.schema.metadata.items()}
        rows = rows.set_column(rows.schema.get_field_index("split"), "split", split).replace_schema_metadata(metadata)
        pyarrow.parquet.write_table(rows, path)
    only(submission.refused(), "scores", "has no split 'made_up'")
