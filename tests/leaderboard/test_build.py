"""`harness-ext leaderboard build`: what is on a board, what is not, and why."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from urllib.parse import quote

import pyarrow.parquet
import pytest

from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.leaderboard import cells as reading
from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.board_cache import BoardCache
from harness_ext.leaderboard.build import build
from harness_ext.leaderboard.cells import read_cells, read_file
from harness_ext.leaderboard.checks.records import Records, Rerun
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.page_data import difference_data, form_rows, shown_columns
from harness_ext.names import REFERENCE_MODELS
from harness_ext.results.compare import compare, overall, ranks
from harness_ext.results.load import load_results
from harness_ext.results.ranks import Basis

from .synthetic import write_models

TASKS = ("PolaritySensitivity", "TreeReconstruction")
FILE = "results/synthetic__model-00001/1/PolaritySensitivity.json"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    write_models(folder, range(4), TASKS)
    return folder


@pytest.fixture
def results(made, tmp_path):
    """A copy that a test may spoil."""
    return shutil.copytree(made, tmp_path / "board")


@pytest.fixture
def cache(tmp_path):
    return BoardCache(tmp_path / "cache.sqlite")


def board_of(folder, cache, records=None, **how):
    reads = list(read_cells([folder], cache, **how))
    problems = [text for read in reads for text in read.problems]
    board, doubled = make_board([cell for read in reads for cell in read.cells], records or Records(), cache)
    return board, problems + doubled


def change(folder, file=FILE, place=0, **changed):
    """Other values in one entry of a result file."""
    path = folder / file
    content = json.loads(path.read_text())
    (found,) = content["scores"].values()
    found[place] |= changed
    path.write_text(json.dumps(content))


def lines(site):
    with (site / "data" / "board.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_board_has_every_cell(results, cache):
    board, problems = board_of(results, cache)
    assert problems == []
    assert [column[:3] for column in board.columns] == [
        ("PolaritySensitivity", "default", "reference"),
        ("PolaritySensitivity", "other", "reference"),
        ("TreeReconstruction", "default", "dev_words_from_train"),
        ("TreeReconstruction", "other", "dev_words_from_train"),
    ]
    assert len(board.rows) == 4
    assert all(len(board.places[column]) == 4 for column in board.columns)
    assert board.overall == board.columns[:1]  # `other` is a subset that the tasks have not, trees are exploratory
    assert tuple(board.overall_ranks) == board.rows
    for column in board.columns:
        assert board.bases(column) == {Basis.UNITS: 4}
        assert {place.trust for place in board.places[column].values()} == {Trust.RECOMPUTED}


def test_a_construct_is_the_mean_of_its_columns(tmp_path, cache):
    """Worked out from the tables; of one column it is that column, above chance."""
    write_models(tmp_path, range(3), ["TransitiveSimilarity", "RoleSwapSimilarity", "PolaritySensitivity"])
    board, _ = board_of(tmp_path, cache)
    roles, polarity = sorted(board.constructs, key=lambda one: -len(one.columns))
    assert [column[:2] for column in roles.columns] == [
        ("RoleSwapSimilarity", "default"),
        ("TransitiveSimilarity", "gs2011"),
        ("TransitiveSimilarity", "ks2013"),
    ]
    (column,) = polarity.columns
    chance = board.score(column).chance
    for row in board.rows:
        values = [board.places[one][row].value for one in roles.columns]
        place = roles.places[row]
        assert place.value == pytest.approx(sum(values) / 3)
        widest = max(high - low for low, high in (board.places[one][row].interval for one in roles.columns))
        assert 0 < place.interval[1] - place.interval[0] < widest
        one, same = polarity.places[row], board.places[column][row]
        assert one.value == pytest.approx(same.value - chance)
        assert one.interval == pytest.approx([end - chance for end in same.interval])
        assert one.rank == same.rank


def test_two_models_differ_as_compare_says(results, cache):
    """The intervals of scores that are no shares are those of `compare` too."""
    board, _ = board_of(results, cache)
    differences, shown = difference_data(board), shown_columns(board)
    assert len(differences) == 6
    for n, column in enumerate(shown):
        if column in board.columns:
            entries = [one for one in load_results(results, [column.task]).entries if one.subset == column.subset]
            order = {row.model: number for number, row in enumerate(board.rows)}
            for one in compare(entries):
                places = sorted((order[one.first.model], order[one.second.model]))
                sign = 1 if order[one.first.model] == places[0] else -1
                value, low, high = differences[",".join(map(str, places))][n]
                assert value == pytest.approx(sign * one.difference, abs=1e-4)
                if column.task == "TreeReconstruction":
                    assert sorted([low, high]) == pytest.approx(sorted([sign * one.low, sign * one.high]), abs=1e-3)


def test_ranks_are_those_of_compare(results, cache):
    board, _ = board_of(results, cache)
    for column in board.columns:
        entries = [entry for entry in load_results(results, [column.task]).entries if entry.subset == column.subset]
        expected = {entry.model: rank for entry, rank in ranks(entries).items()}
        assert {row.model: place.rank for row, place in board.places[column].items()} == expected


@pytest.mark.parametrize("shown", ["gain", "score"])
def test_ranks_of_gains_and_of_scores_are_those_of_compare(measured, cache, shown):
    cells = [cell for read in read_cells([measured], cache) for cell in read.cells]
    board, _ = make_board(cells, Records(), cache, shown)
    assert len({place.rank for column in board.columns for place in board.places[column].values()}) > 1
    for column in board.columns:
        main = column.definition.main
        assert board.keys[column] == (gain_key(main) if shown == "gain" else main)
        expected = ranks(load_results(measured, [column.task]).entries, board.keys[column])
        found = {place.cell.model: place.rank for place in board.places[column].values()}
        assert found.pop("compositionality/letters") is None
        assert found == {entry.model: rank for entry, rank in expected.items()}
    over, of_all = overall(load_results(measured).entries, shown)
    assert over == board.overall
    assert of_all == board.overall_ranks
    assert {row.model for row in of_all} == {"planted/0", "planted/1", "planted/2"}


def test_what_is_read_is_not_read_again(results, cache, monkeypatch):
    first, _ = board_of(results, cache)
    change(results, model_note="nothing that the board knows")

    seen = []
    read_file = reading.read_file
    monkeypatch.setattr(reading, "read_file", lambda file, **how: seen.append(file) or read_file(file, **how))
    second, problems = board_of(results, cache)
    assert problems == []
    assert seen == [results / FILE]
    for column in first.columns:
        assert {row: place.rank for row, place in first.places[column].items()} == {
            row: place.rank for row, place in second.places[column].items()
        }


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])


def other_item(path):
    table = pyarrow.parquet.read_table(path)
    column = table.column_names.index("original_correct")
    turned = pyarrow.compute.invert(table["original_correct"])
    pyarrow.parquet.write_table(table.set_column(column, "original_correct", turned), path)


BAD = {
    "a digit of a score": (lambda folder: change(folder, fb_linear_accuracy=0.123), "does not follow"),
    "a digit of the main score": (lambda folder: change(folder, main_score=0.123), "main_score is 0.123"),
    "a score that is no number": (lambda folder: change(folder, main_score="<b>"), "a number expected"),
    "a signature of another model": (
        lambda folder: change(
            folder, signature=json.loads((folder / FILE.replace("00001", "00002")).read_text())["scores"]
            ["reference"][0]["signature"]
        ),
        "signature is of another result",
    ),
    "items that were changed": (
        lambda folder: other_item((folder / FILE).with_name("PolaritySensitivity.answers.items.parquet")),
        "were changed after",
    ),
    "items of another model": (
        lambda folder: shutil.copy(
            (folder / FILE.replace("00001", "00002")).with_name("PolaritySensitivity.answers.items.parquet"),
            (folder / FILE).parent,
        ),
        "are missing",
    ),
    "truncated items": (
        lambda folder: truncated((folder / FILE).with_name("PolaritySensitivity.answers.items.parquet")),
        "cannot be read",
    ),
    "no items": (
        lambda folder: (folder / FILE).with_name("PolaritySensitivity.answers.items.parquet").unlink(),
        "are missing",
    ),
    "truncated JSON": (lambda folder: truncated(folder / FILE), "cannot be read"),
    "a key twice": (
        lambda folder: (folder / FILE).write_text((folder / FILE).read_text().replace("{", '{"task_name": 1, ', 1)),
        "twice",
    ),
    "a deep file": (lambda folder: (folder / FILE).write_text("[" * 100_000), "cannot be read"),
    "a huge file": (lambda folder: (folder / FILE).write_text(" " * 3_000_000), "too many"),
    "rows that the pinned data has not": (
        lambda folder: (folder / FILE).write_text((folder / FILE).read_text().replace("made-up", "x+unverified")),
        "files other than the pinned files",
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", BAD)
def test_a_bad_file_is_left_out_with_its_reason(results, cache, how):
    spoil, reason = BAD[how]
    spoil(results)
    board, problems = board_of(results, cache)
    assert problems
    assert all("model-00001" in problem for problem in problems)
    assert any(reason in problem for problem in problems), problems
    assert {len(board.places[column]) for column in board.columns} == {3, 4}
    assert board_of(results, cache)[1] == problems  # from the cache too


def rebuild_data(folder, *models):
    """Make results say that their data is other than the pinned."""
    for model in models:
        for file in folder.glob(f"results/synthetic__model-0000{model}/1/*.json"):
            if file.stem in TASKS:
                file.write_text(file.read_text().replace("made-up", "made-up+unverified.abc"))


def test_unverified_data_is_on_a_board_that_allows_it_in_columns_of_its_own(results, cache):
    rebuild_data(results, 1, 2)
    assert len(board_of(results, cache)[0].rows) == 2
    board, problems = board_of(results, cache, allow_unverified=True)
    assert problems == []
    assert len(board.rows) == 4
    assert not any(column.is_unverified for column in board.overall)
    for column in (*board.columns, *board.others):
        assert len(board.places[column]) == 2
        assert {row.model[-1] in "12" for row in board.places[column]} == {column.is_unverified}


def test_a_private_board_of_rebuilt_data_alone_ranks_its_models(results, cache, tmp_path):
    rebuild_data(results, *range(4))
    board, problems = board_of(results, cache, allow_unverified=True)
    assert problems == []
    assert len(board.overall_ranks) == 4
    assert all(column.is_unverified for column in board.overall)
    build([results], tmp_path / "site", cache=tmp_path / "other.sqlite", allow_unverified=True)
    page = (tmp_path / "site" / "index.html").read_text()
    assert page.count("· unverified data") == len(board.columns) + len(board.constructs)
    assert "made-up+unverified.abc" in (tmp_path / "site" / "columns.html").read_text()
    with (tmp_path / "site" / "data" / "board.csv").open() as lines:
        assert all("+unverified" in row["dataset"] for row in csv.DictReader(lines))


def test_scores_on_unverified_data_still_have_to_follow_from_the_items(results, cache):
    rebuild_data(results, 1)
    change(results, main_score=0.123, **{"combined_accuracy": 0.123})
    _, problems = board_of(results, cache, allow_unverified=True)
    assert problems
    assert all("model-00001" in problem for problem in problems)


def test_links_are_not_followed(results, cache, tmp_path):
    elsewhere = shutil.move(results / "results/synthetic__model-00001", tmp_path / "elsewhere")
    (results / "results/synthetic__model-00001").symlink_to(elsewhere)
    board, problems = board_of(results, cache)
    assert len(problems) == 2
    assert all("is a link" in problem for problem in problems)
    assert len(board.rows) == 3


def test_another_version_is_a_ranking_of_its_own(results, cache, tmp_path):
    for name in ("00002", "00003"):
        path = results / FILE.replace("00001", name)
        path.write_text(path.read_text().replace("polarity-", "polarity-9"))
    board, _ = board_of(results, cache)
    assert [column.data for column in board.others] == ["reference", "other reference"]
    assert all(len(board.places[column]) == 2 for column in board.others)
    assert len(board.overall_ranks) == 2
    site = tmp_path / "site"
    build([results], site, cache=tmp_path / "cache.sqlite")
    assert "Differences from the board: measure polarity-" in (site / "versions.html").read_text()


def test_other_makers_scores_are_no_part_of_a_ranking(results, cache):
    for name in ("00001", "00002", "00003"):
        change(results, FILE.replace("00001", name), main_score=0.5, fb_linear_pss=0.5)
        path = results / FILE.replace("00001", name)
        content = json.loads(path.read_text())
        for entry in content["scores"]["reference"]:
            del entry["signature"], entry["items"]
        path.write_text(json.dumps(content))
    board, problems = board_of(results, cache)
    assert problems == []
    unsigned = [column for column in board.others if not column.measure]
    assert len(unsigned) == 2  # they are more, but nothing says what they are of
    assert {place.trust for place in board.places[unsigned[0]].values()} == {Trust.SELF_REPORTED}


def test_the_same_twice(results, cache, tmp_path):
    """A copy is nothing to speak of; another result of the same model is."""
    again = shutil.copytree(results, tmp_path / "again")
    reads = list(read_cells([results, again], cache))
    cells = [cell for read in reads for cell in read.cells]
    assert make_board(cells, Records(), cache)[1] == []
    other = [cell for cell in cells if "again" in str(cell.file)]
    object.__setattr__(other[0], "main_score", 0.987)
    _, doubled = make_board(cells, Records(), cache)
    assert len(doubled) == 1
    assert str(other[0].file) in doubled[0]
    assert "0.987" in doubled[0]


def test_revisions_and_precisions_are_rows_of_their_own(results, cache):
    model = results / "results/synthetic__model-00001"
    shutil.copytree(model / "1", model / "2")
    for file in (model / "2").glob("[PT]*.json"):
        file.write_text(file.read_text().replace("revision:1", "revision:2"))
    board, problems = board_of(results, cache)
    assert problems == []
    assert len(board.rows) == 5
    assert len(board.overall_ranks) == 5


def test_the_ladder_of_trust(results, cache):
    entry = next(entry for entry in load_results(results).entries if entry.model.endswith("1"))
    rerun = Rerun(
        entry.model, entry.revision, entry.task, entry.split, entry.subset, str(entry.digest), "float32",
        dict(entry.scores), "a maintainer", "2026-01-31",
    )  # fmt: skip
    declined = {("synthetic/model-00002", entry.task): "trained on it"}
    board, _ = board_of(results, cache, Records({rerun.cell: rerun}, declined))
    places = {row.model[-1]: place for row, place in board.places[board.columns[0]].items()}
    assert {model: place.trust for model, place in places.items()} == {
        "0": Trust.RECOMPUTED, "1": Trust.RERUN, "2": Trust.DECLINED, "3": Trust.RECOMPUTED,
    }  # fmt: skip
    assert places["2"].rank is None
    assert len(board.overall_ranks) == 3  # it has no other column of the overall rank
    off = Rerun(*vars(rerun).values())
    object.__setattr__(off, "scores", {key: value + 1 for key, value in entry.scores.items()})
    board, _ = board_of(results, cache, Records({off.cell: off}, {}))
    assert {place.trust for place in board.places[board.columns[0]].values()} == {Trust.RECOMPUTED}


def test_names_of_strangers_are_texts(results, tmp_path):
    """Neither a script on a page nor a formula in a spreadsheet, nor a file anywhere else."""
    for name, number in (("=cmd|' /C calc'!A0", 1), ("<script>alert(1)</script>", 2), ("../../../escape", 3)):
        folder = results / f"results/synthetic__model-{number:05d}/1"
        for file in folder.glob("*.json"):
            text = file.read_text().replace(f"model:synthetic/model-{number:05d}", f"model:{quote(name)}")
            file.write_text(text.replace(f"synthetic/model-{number:05d}", name))
    site = tmp_path / "deep" / "site"
    assert build([results], site, cache=tmp_path / "cache.sqlite") == []
    names = {line["model"] for line in lines(site)}
    assert "'=cmd|' /C calc'!A0" in names
    assert "<script>alert(1)</script>" in names
    for page in site.rglob("*.html"):
        assert "<script>alert" not in page.read_text(encoding="utf-8")
    assert sorted(path.name for path in (tmp_path / "deep").iterdir()) == ["site"]
    assert len(list((site / "models").iterdir())) == 4


def test_the_data_beside_the_pages(results, tmp_path):
    site = tmp_path / "site"
    build([results], site, cache=tmp_path / "cache.sqlite")
    rows, records = lines(site), json.loads((site / "data" / "board.json").read_text())
    table = pyarrow.parquet.read_table(site / "data" / "board.parquet")
    assert len(rows) == len(records) == len(table) == 16
    assert [float(row["main_score"]) for row in rows] == [one["main_score"] for one in records]
    assert table["main_score"].to_pylist() == [one["main_score"] for one in records]
    assert {row["task"] for row in rows if row["in_overall_rank"] == "True"} == {"PolaritySensitivity"}
    assert {row["overall_best_rank"] for row in rows} <= set("1234")
    assert len(list((site / "data" / "every_eval_ever").iterdir())) == 4
    (one, *_) = sorted((site / "data" / "every_eval_ever").iterdir())
    evaluated = json.loads(one.read_text())["evaluation_results"]
    assert {result["score_details"]["score"] for result in evaluated} >= {
        record["main_score"] for record in records if record["model"].endswith("00000")
    }


def test_a_model_is_written_when_it_changes_and_its_page_when_its_rank_does(results, tmp_path):
    site = tmp_path / "site"

    def times():
        build([results], site, cache=tmp_path / "cache.sqlite")
        kinds = site / "models", site / "data" / "every_eval_ever"
        return [{file: file.stat().st_mtime_ns for file in kind.iterdir()} for kind in kinds]

    pages, records = times()
    assert times() == [pages, records]
    write_models(results, range(4, 5), TASKS)
    new_pages, new_records = times()  # the ranks are of five models now
    assert all(new_pages[page] > time for page, time in pages.items())
    assert records.items() <= new_records.items()
    assert len(new_pages) == len(new_records) == 5
    next(iter(pages)).unlink()
    assert len(times()[0]) == 5


@pytest.mark.slow
def test_the_command_for_a_private_board_of_rebuilt_data(results, run, tmp_path):
    """Hatched and named with the option, an empty board with the reasons without it."""
    rebuild_data(results, *range(4))
    command = "harness-ext", "leaderboard", "build", str(results), "--output"
    environment = {"HARNESS_EXT_CACHE": str(tmp_path / "cache")}
    run(*command, "private", "--allow-unverified", "--strict", **environment)
    page = (tmp_path / "private" / "index.html").read_text()
    assert "4 models." in page
    assert page.count('class="column unverified') == 5
    assert "made-up+unverified.abc" in (tmp_path / "private" / "columns.html").read_text()
    assert run(*command, "public", "--strict", check=False, **environment).returncode == 1
    assert "0 models." in (tmp_path / "public" / "index.html").read_text()
    assert "files other than the pinned files" in (tmp_path / "public" / "problems.html").read_text()


@pytest.mark.slow
def test_the_command(results, run, tmp_path):
    environment = {"HARNESS_EXT_CACHE": str(tmp_path / "cache")}
    done = run("harness-ext", "leaderboard", "build", str(results), "-o", "site", "--strict", **environment)
    assert "index.html" in done.stdout
    truncated(results / FILE)
    done = run("harness-ext", "leaderboard", "build", str(results), "-o", "site", **environment)
    assert FILE in done.stderr
    assert "not on the board" in done.stderr
    assert FILE in (tmp_path / "site" / "problems.html").read_text()
    done = run(
        "harness-ext", "leaderboard", "build", str(results), "-o", "site", "--strict", check=False, **environment
    )
    assert done.returncode == 1
    for wrong in ("nowhere", str(tmp_path / "site")):
        done = run("harness-ext", "leaderboard", "build", wrong, check=False, **environment)
        assert done.returncode == 1
        assert wrong in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_many_small_files_are_read_by_two_processes(tmp_path, cache):
    """The same as by one."""
    write_models(tmp_path, range(60), ("MontagueConsistency", "PolaritySensitivity"), items=False)
    board, problems = board_of(tmp_path, cache)
    assert problems == []
    assert len(board.overall_ranks) == 60
    assert board.bases(board.columns[0]) == {Basis.INTERVALS: 60}
    alone = [read_file(file) for file in sorted(tmp_path.glob("results/*/1/PolaritySensitivity.json"))]
    of_task = [column for column in board.columns if column.task == "PolaritySensitivity"]
    assert sorted(cell.main_score for read in alone for cell in read.cells) == sorted(
        board.places[column][row].cell.main_score for row in board.rows for column in of_task
    )


def test_encoders_that_know_nothing_are_never_ranked(cache):
    """On the project's own board one of them is measured, and the others are shipped."""
    board, _ = board_of(Path(__file__).parents[2] / "docs" / "example_results", cache)
    assert [row.model for row in board.overall_ranks] == ["sentence-transformers/all-MiniLM-L6-v2"]
    assert {row.model for row in board.rows} - {row.model for row in board.overall_ranks} == {
        "mteb/baseline-random-encoder"
    }
    for places in board.places.values():
        assert {row.model: place.rank is None for row, place in places.items()} == {
            "mteb/baseline-random-encoder": True,
            "sentence-transformers/all-MiniLM-L6-v2": False,
        }
    shipped = form_rows(board)
    assert shipped.keys() == {*REFERENCE_MODELS} - {"mteb/baseline-random-encoder"}
    assert all(cells.keys() <= {*board.columns} for cells in shipped.values())
