"""The newest release of the changelog is the version of the package, with the versions of its
measures.
"""

import os
import re
from pathlib import Path

import pytest
import yaml

import harness_ext
from harness_ext.tasks import TASKS
from tests.processes import ended

ROOT = Path(__file__).parents[2]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", CHANGELOG, flags=re.MULTILINE)


def test_the_newest_release_is_this_version():
    assert SECTIONS[1].startswith("Unreleased\n")
    assert SECTIONS[2].split()[0] == harness_ext.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == harness_ext.__version__


def test_the_measures_have_the_versions_that_the_changelog_names_last():
    named = {}
    for section in reversed(SECTIONS):
        _, _, changed = section.partition("### Scores changed")
        named |= re.findall(r"`(\w+)` (\d+)\b", changed)
    measures = [task.measure for task in TASKS.values()]
    assert named == {measure.name: str(measure.version) for measure in measures}


STATUS_OF_TAG = {
    f"v{harness_ext.__version__}": 0,
    "v0.9.9": 1,
}


@pytest.mark.parametrize(("tag", "status"), STATUS_OF_TAG.items())
def test_a_release_has_the_tag_of_the_version_and_its_part_of_the_changelog(tag, status, tmp_path):
    file = ROOT / ".github" / "workflows" / "release.yml"
    workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
    steps = workflow["jobs"]["build"]["steps"]
    lines_of_step = {step["name"]: step["run"] for step in steps if "name" in step}
    for name in ("CHANGELOG.md", "harness_ext"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("The tag is the version", "What the changelog says of it"):
        environment = os.environ | {"GITHUB_REF_NAME": tag}
        done = ended(["bash", "-ec", lines_of_step[name]], tmp_path, environment)
        assert done.returncode == status, done.stderr
    notes = (tmp_path / "notes.md").read_text(encoding="utf-8")
    _, _, newest = SECTIONS[2].partition("\n")
    assert notes == ("" if status else newest)
