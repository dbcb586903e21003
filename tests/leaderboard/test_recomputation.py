"""A small board is computed again from its items: what moves, what goes, what stays, and nothing
the second time.
"""

import json
import re
import shutil

import pytest
from pyarrow import parquet

from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.leaderboard.recomputation import VERSIONS_OF_1_0, compute_again
from harness_ext.measures.kinds import rated_pairs
from harness_ext.results.load import load_results
from harness_ext.store.item_files import items_file
from harness_ext.tasks import TASKS
from tests.planted import COMMIT, PlantedModel, bent, entries_of, with_noise

TASK = "RoleSwapSimilarityMini"
MAIN = "spearman_adversarial"
NOISE_KEYS = {
    "noise_items",
    *(f"{name}_{MAIN}" for name in ("noise", "over_noise")),
    *(f"over_noise_{MAIN}_{end}" for end in ("ci_low", "ci_high", "p")),
}


@pytest.fixture(scope="module")
def of_today(tmp_path_factory):
    """A folder with a result, with noise."""
    folder = tmp_path_factory.mktemp("board")
    with with_noise():
        entries_of(PlantedModel(bent()), TASK, folder)
    return folder


@pytest.fixture
def board(of_today, tmp_path):
    """A copy of it."""
    return shutil.copytree(of_today, tmp_path / "board")


def result_file(board):
    return board / "results" / "planted__model" / COMMIT / f"{TASK}.json"


def record_of(board):
    return first(json.loads(result_file(board).read_text()))


def first(content):
    return next(iter(content["scores"].values()))[0]


def edit(board, **changed):
    """Change values of the record; None takes a key away."""
    content = json.loads(result_file(board).read_text())
    record = first(content)
    record.update(changed)
    for key in [key for key, value in record.items() if value is None]:
        del record[key]
    result_file(board).write_text(json.dumps(content))


def as_of_1_0(board, **changed):
    """Make the result one of 1.0: without the scores of both kinds, and what the signature says of
    them.
    """
    signature = re.sub(r"\|noise:[^|]*", "", record_of(board)["signature"])
    kinds = dict.fromkeys((f"noise_text_{MAIN}", f"noise_neighbors_{MAIN}"))
    edit(board, signature=signature, **kinds, **changed)


def bytes_of(board):
    return {file: file.read_bytes() for file in board.rglob("*") if file.is_file()}


def test_a_result_that_follows_from_its_items_stays_to_the_byte(board):
    before = bytes_of(board)
    assert compute_again(board) == []
    assert bytes_of(board) == before


def test_noise_of_1_0_goes_with_its_items_and_nothing_else_moves(board):
    as_of_1_0(board)
    before = record_of(board)
    size = items_file(result_file(board)).stat().st_size
    (change,) = compute_again(board)
    assert change.said == f"removed {', '.join(sorted(NOISE_KEYS))}; 0 numbers moved"
    after = record_of(board)
    assert before.keys() - after.keys() == NOISE_KEYS
    kept = before.keys() - NOISE_KEYS - {"signature"}
    assert {key: after[key] for key in kept} == {key: before[key] for key in kept}
    assert items_file(result_file(board)).stat().st_size < size
    (entry,) = load_results(board).entries
    assert entry.signature.recomputed == entry.measure.definition
    assert entry.digests.keys() == {"items", "additive_items"}


def test_scores_and_intervals_are_computed_and_what_a_run_knows_stays(board, monkeypatch):
    """By an earlier version of the measure, with other scores; the noise is today's."""
    true = record_of(board)
    name = TASKS[TASK].measure.name
    version = TASKS[TASK].measure.version
    monkeypatch.setitem(VERSIONS_OF_1_0, name, version - 1)
    signature = true["signature"].replace(f"{name}-{version}", f"{name}-{version - 1}")
    edit(
        board,
        signature=signature,
        main_score=0.25,
        additive_error=0.0125,
        **{MAIN: 0.25, f"{MAIN}_ci_low": -1.0, f"gain_{MAIN}": 0.5, f"n_{MAIN}": 3},
    )
    compute_again(board)
    after = record_of(board)
    differing = {key for key in true if after[key] != true[key]}
    # the interval and p-value of differences have the error of the run in them
    moved = {
        key for key in differing if re.fullmatch(r"(gain|over_noise)_.*_(ci_low|ci_high|p)", key)
    }
    assert differing - moved == {"signature", "additive_error"}
    assert after["additive_error"] == 0.0125
    assert f"|recomputed:{name}-{version - 1}" in after["signature"]
    assert f"|measure:{name}-{version}|" in after["signature"]
    once = bytes_of(board)
    assert compute_again(board) == []
    assert bytes_of(board) == once


def test_the_first_definition_stays_named_when_it_is_computed_twice(board):
    as_of_1_0(board)
    compute_again(board)
    edit(board, **{f"{MAIN}_ci_low": -1.0})
    compute_again(board)
    (entry,) = load_results(board).entries
    assert entry.signature.recomputed == entry.measure.definition
    assert entry.interval()[0] > -1


def test_a_rewritten_board_is_verified(board):
    as_of_1_0(board)
    compute_again(board)
    (cell,) = verify(board).cells
    assert cell.trust is Trust.RECOMPUTED


@pytest.mark.parametrize("version", ["4", "99", "x"])
def test_of_a_version_before_1_0_or_unknown_nothing_is_computed(board, version):
    signature = re.sub(r"role_swap-\d+", f"role_swap-{version}", record_of(board)["signature"])
    edit(board, signature=signature)
    before = bytes_of(board)
    (change,) = compute_again(board)
    assert change.said.startswith(f"it is by role_swap-{version}, and scores by role_swap-")
    assert "mteb run -m" in change.said
    assert bytes_of(board) == before


def test_without_items_nothing_is_computed(board):
    items_file(result_file(board)).unlink()
    edit(board, main_score=0.25, **{MAIN: 0.25})
    before = bytes_of(board)
    (change,) = compute_again(board)
    assert "the items that" in change.said
    assert bytes_of(board) == before


@pytest.mark.slow
def test_a_result_that_is_measured_again_replaces_it_as_usual(board):
    as_of_1_0(board)
    compute_again(board)
    with with_noise():
        entries_of(PlantedModel(bent()), TASK, board, overwrite_strategy="always")
    record = record_of(board)
    assert record.keys() >= NOISE_KEYS | {f"noise_text_{MAIN}"}
    assert "recomputed:" not in record["signature"]
    assert not [*board.rglob("*set-aside*")]
    assert compute_again(board) == []


def test_every_measure_of_encoders_has_its_version_of_1_0():
    measures = {
        task.measure.name: task.measure for task in TASKS.values() if task.harness == "mteb"
    }
    assert measures.keys() <= VERSIONS_OF_1_0.keys()
    assert all(VERSIONS_OF_1_0[name] <= measure.version for name, measure in measures.items())


def test_no_folder_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        compute_again(tmp_path / "none")


def test_items_that_lack_a_column_get_it_from_the_data(tmp_path):
    """Verbs of both sentences, which results of 1.0 do not have."""
    task = "TransitiveSimilarityMini"
    entries_of(PlantedModel(bent()), task, tmp_path)
    (file,) = tmp_path.glob(f"results/*/*/{task}.json")
    measured = first(json.loads(file.read_text()))
    path = items_file(file)
    parquet.write_table(parquet.read_table(path).drop_columns("pairs.verbs"), path)
    (joined, *_) = compute_again(tmp_path)
    assert str(joined).endswith("joined to the rows of the data")
    again = first(json.loads(file.read_text()))
    scores = {key: value for key, value in again.items() if isinstance(value, float)}
    assert scores == pytest.approx({key: measured[key] for key in scores}, abs=1e-6)
    assert compute_again(tmp_path) == []


def one_by_one(row, number_of_first):
    """Each pair is a group of its own."""
    return row["id"]


def test_items_of_an_earlier_reading_of_the_same_files_have_the_groups_of_today(
    of_today, tmp_path, monkeypatch
):
    """Those of the baseline and of matched noise too, which stay."""
    data = TASKS[TASK].dataset
    with monkeypatch.context() as earlier, with_noise():
        earlier.setitem(data, "revision", "f00d")
        earlier.setattr(rated_pairs, "_group", one_by_one)
        entries_of(PlantedModel(bent()), TASK, tmp_path)
    assert record_of(tmp_path)[f"n_{MAIN}"] == 48
    monkeypatch.setitem(data, "revision", "f00d-2")
    (joined, *_) = compute_again(tmp_path)
    assert str(joined).endswith("joined to the rows of the data")
    again = record_of(tmp_path)
    expected = record_of(of_today)
    assert again[f"n_{MAIN}"] == 24
    scores = {key: value for key, value in expected.items() if isinstance(value, float)}
    assert {key: again[key] for key in scores} == pytest.approx(scores, abs=1e-6)
    assert "@f00d-2|" in again["signature"]
    assert compute_again(tmp_path) == []
