"""The newest release of the changelog is the version of the package, with the versions of its measures."""

import re
from pathlib import Path

import yaml

import harness_ext
from harness_ext.tasks import TASKS

ROOT = Path(__file__).parents[2]
SECTIONS = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)


def test_the_newest_release_is_this_version():
    assert SECTIONS[1].startswith("Unreleased\n")
    assert SECTIONS[2].split()[0] == harness_ext.__version__
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == harness_ext.__version__


def test_the_measures_have_the_versions_that_the_changelog_names_last():
    named = {}
    for section in reversed(SECTIONS):
        named |= re.findall(r"`(\w+)` (\d+)\b", section.partition("### Scores changed")[2])
    assert named == {task.measure.name: str(task.measure.version) for task in TASKS.values()}
