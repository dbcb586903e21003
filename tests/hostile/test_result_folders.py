"""Result folders that are not as mteb left them: what the sound results say is shown, and none of them is lost."""

import json
import shutil

import pytest

from tests.command_line import harness_ext
from tests.hostile.planted_results import FIRST, SECOND, TASK, file_of, measure, score_in, sound

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_own_words")]


@pytest.fixture
def out(tmp_path):
    return sound(tmp_path)


def test_show_names_a_damaged_result_and_shows_the_other_and_a_run_puts_it_right(out):
    """All kinds of damage are read in `tests/results/test_load.py`."""
    file, score = file_of(out), score_in(file_of(out))
    file.write_bytes(file.read_bytes()[:-1])
    said = harness_ext("show", out).output
    assert SECOND in said
    assert str(file) in "".join(said.split())
    measure(out)
    assert score_in(file) == score
    assert len([*out.rglob(f"damaged/**/{TASK}*.json")]) == 1


def _of_the_other(out):
    for model, other in ((FIRST, SECOND),):
        for file in file_of(out, other).parent.glob("*.items.parquet"):
            shutil.copy(file, file_of(out, model).parent)


def _no_digest(out):
    content = json.loads(file_of(out).read_text())
    del content["scores"]["naturalistic"][0]["items"]
    file_of(out).write_text(json.dumps(content))


@pytest.mark.parametrize("damage", [_of_the_other, _no_digest])
def test_compare_says_whose_items_are_not_those_of_the_scores(damage, out):
    damage(out)
    done = harness_ext("compare", out)
    assert done.exit_code == 1
    assert f"{TASK}." in done.output


@pytest.mark.parametrize(
    "name", ["a/[bold]mödel-模型 [link=x]", "a/*_`markdown`_*", "a/\N{RIGHT-TO-LEFT OVERRIDE}ledom"]
)
def test_show_of_a_model_named(name, out):
    """The whole name; what cannot be printed is replaced."""
    file_of(out).with_name("model_meta.json").write_text(json.dumps({"name": name, "revision": "1"}))
    assert name.replace("\N{RIGHT-TO-LEFT OVERRIDE}", "\N{REPLACEMENT CHARACTER}") in harness_ext("show", out).output


def test_a_run_on_other_data_into_the_same_folder(out):
    """The earlier result is on data that was not the pinned one: both are there in the end."""
    content = file_of(out).read_text().replace('"dataset_revision": "2"', '"dataset_revision": "2+unverified"')
    file_of(out).write_text(content.replace("@2|", "@2+unverified|"))
    said = harness_ext("show", out).output
    assert "+unverified" in said
    assert SECOND in said
    score = score_in(file_of(out))
    measure(out, overwrite_strategy="always")
    assert (score_in(file_of(out)), len([*out.rglob(f"{TASK}.json")])) == (score, 3)
