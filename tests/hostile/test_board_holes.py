"""Ways to harm a board that were found to work: each is refused, named, or has no effect."""

from __future__ import annotations

import json
import re
import shutil

import mteb
import pytest

from harness_ext.leaderboard.build import board_models, control_rows, page_tables, table_of
from harness_ext.leaderboard.category_plot import category_plot
from harness_ext.leaderboard.checks.trust import Trust
from harness_ext.leaderboard.checks.verify import verify
from harness_ext.measures.polarity.sensitivity import POLARITY
from harness_ext.results import reference_scores
from harness_ext.results.load import load_results
from harness_ext.results.reference_scores import ReferenceScore
from harness_ext.show.report import write_report
from harness_ext.show.static_site import ReportError, cut
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks.overall import LISTS, ListedColumn
from tests.command_line import harness_ext
from tests.leaderboard.small_board import (
    board_of,
    change,
    edit,
    lie,
    list_of,
    write_listed,
    write_models,
)
from tests.planted import COMMIT, entries_of
from tests.results.measured import QUICK, rename

pytestmark = pytest.mark.slow  # each builds and verifies boards

TASK = QUICK[0]
RIVAL, MINE = "planted/one", "planted/other"
WITH_NOTHING_TO_SCORE = {"tasks": ["CaptionSwap"]}
"""No result is of it: the names and places of files alone are looked at."""


@pytest.fixture
def board(measured_folder, tmp_path):
    """The results of two models in one task."""
    return shutil.copytree(
        measured_folder, tmp_path / "board", ignore=shutil.ignore_patterns("Noun*")
    )


@pytest.fixture
def pull_request(board, tmp_path):
    """The board as a pull request leaves it."""
    return shutil.copytree(board, tmp_path / "pull_request")


def of_model(folder, model=RIVAL):
    return folder / "results" / model.replace("/", "__") / COMMIT


def write_experiment(model, name):
    """Copy the results of a model to an experiment, as with another setting."""
    there = model / "experiments" / name
    shutil.copytree(model, there, ignore=shutil.ignore_patterns("experiments"))
    edit(there / "model_meta.json", lambda meta: meta.update(experiment_kwargs={"batch": name}))
    return there


def refused(folder, **kwargs):
    return [finding for finding in verify(folder, **kwargs).findings if finding.refused]


def test_a_rival_s_result_is_not_replaced_unseen(board, pull_request):
    """The rival's files are those of a worse model, with items that give the scores."""
    for file in of_model(pull_request, MINE).glob(f"{TASK}*"):
        shutil.copy(file, of_model(pull_request))
    file = of_model(pull_request) / f"{TASK}.json"
    file.write_text(file.read_text().replace(MINE, RIVAL))
    assert file in [
        one.file
        for one in refused(pull_request, against=board, **WITH_NOTHING_TO_SCORE)
        if "replaces a file" in one.message
    ]
    allowed = verify(pull_request, against=board, allow_changes=True)
    assert any("replaces a file" in one.message for one in allowed.findings)
    assert not allowed.is_refused


def test_scores_without_items_rank_below_all_recomputed_ones(tmp_path, monkeypatch):
    list_of(
        monkeypatch,
        ListedColumn("PolaritySensitivity", "default", POLARITY.definition, ("reference",)),
    )
    write_models(tmp_path, range(3), ["PolaritySensitivity"])
    lie(tmp_path, "results/synthetic__model-00002/1/PolaritySensitivity.json")
    board, problems = board_of(tmp_path)
    assert problems == []
    liar = "synthetic/model-00002"
    for column in board.columns:
        (place,) = [
            place for row, place in board.ranked_scores[column].items() if row.model == liar
        ]
        assert (place.trust, place.rank) == (Trust.SELF_REPORTED, (3, 3))
    *_, (row, last) = board.overall["english"].ranked_scores.items()
    assert (row.model, last.rank) == (liar, (3, 3))


def test_a_baseline_left_out_is_a_note(board):
    file = of_model(board, MINE) / f"{TASK}.json"

    def without_baselines(content):
        (entry,) = content["scores"]["naturalistic"]
        for key in [key for key in entry if key.startswith(("additive_", "gain_"))]:
            del entry[key]

    edit(file, without_baselines)
    (note,) = [one for one in verify(board).findings if one.key == "additive_items"]
    assert (note.file, note.refused) == (file, False)


def test_pages_are_not_written_over_a_stranger_s(board, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    for name in ("notes.txt", "index.html"):
        (site / name).write_text("<h1>My thesis</h1>")
        with pytest.raises(ReportError, match=rf"site is not empty.*{name}.*--force"):
            write_report(load_results(board), site)
    assert [path.read_text() for path in site.iterdir()] == ["<h1>My thesis</h1>"] * 2
    write_report(load_results(board), site, force=True)
    assert "thesis" not in (site / "index.html").read_text()
    write_report(load_results(board), site)  # ours by now


def test_a_pull_request_with_misleading_names_is_refused(pull_request, board):
    shutil.rmtree(of_model(board, MINE).parent)
    there = pull_request / "results" / "planted__.." / "HEAD"
    there.parent.mkdir()
    of_model(pull_request, MINE).rename(there)
    edit(there / "model_meta.json", lambda meta: meta.update(name="planted/..", revision="HEAD"))
    experiment = of_model(pull_request) / "experiments" / "<b>bold"
    shutil.copytree(of_model(pull_request), experiment)
    found = {
        (finding.key, finding.file.parent): finding.message
        for finding in refused(pull_request, against=board, **WITH_NOTHING_TO_SCORE)
    }
    assert {("name", there), ("experiment", experiment.parent)} <= found.keys()
    assert "The revision is moving" in found["revision", there]


def named(folder, model, name, revision=COMMIT):
    """Make a model's results those of another name and revision, as a forger does."""
    there = (
        folder / "results" / name.replace("/", "__").replace(" ", "_") / revision.replace("/", "__")
    )
    there.parent.mkdir(exist_ok=True)
    of_model(folder, model).rename(there)
    of_model(folder, model).parent.rmdir()
    for file in there.glob("*.json"):
        file.write_text(file.read_text().replace(model, name).replace(COMMIT, revision))
    return there


CONTROLS = [
    "compositionality/trigrams",
    "cornpositionality/trigrams",
    "Compositionality/Ietters",
    "mteb/base1ine-random-encoder (additive)",
]


@pytest.mark.parametrize("name", CONTROLS)
def test_nobody_submits_control_encoders(board, name):
    """Neither by their names nor by names that people take for them; a board's maintainers may
    measure them.
    """
    named(board, MINE, name)
    places = WITH_NOTHING_TO_SCORE
    (finding,) = [one for one in refused(board, **places) if one.key == "name"]
    assert (finding.found, finding.message[:16]) == (name, "Control encoders")
    assert not [one for one in refused(board, is_board=True, **places) if one.key == "name"]


def test_a_board_shows_shipped_scores_of_control_encoders_whatever_the_results_say(
    tmp_path, monkeypatch
):
    """Letters, as if they were always right: without items, so that no check can tell."""
    entries_of(mteb.get_model("compositionality/letters"), "NounCompoundAffinityMini", tmp_path)
    (honest,) = load_results(tmp_path).entries
    main, signed = honest.measure.main, honest.signature
    measured = (*honest.measured_on, signed.dataset, signed.measure)
    shipped = ReferenceScore(*measured, honest.model, 0.5, 0.4, 0.6)
    monkeypatch.setattr(reference_scores, "_shipped", lambda: {measured: [shipped]})
    changed = {
        "main_score": 1.0,
        main: 1.0,
        "items": None,
        "additive_items": None,
        f"{main}_ci_high": 1.0,
    }
    change(tmp_path, honest.file, **changed)
    board, problems = board_of(tmp_path)
    assert not problems
    ((row, place),) = board.ranked_scores[board.columns[0]].items()
    assert (row.model, place.rank, place.trust) == (
        "compositionality/letters",
        None,
        Trust.SELF_REPORTED,
    )
    assert [*control_rows(board)["compositionality/letters"].values()] == [0.5]
    shown = [
        table_of(
            name,
            columns,
            board,
            board_models(board),
            control_rows(board),
            dict.fromkeys([honest.task], ""),
        )
        for name, columns in page_tables(board)
    ]
    assert not any(table["rows"] for table in shown)


@pytest.mark.parametrize(
    "revision", ["refs/heads/main", "main", "dev", "v1", "1", COMMIT[:12], "c0de" * 16, COMMIT]
)
def test_a_revision_is_a_commit_or_a_hash(board, revision):
    named(board, MINE, "a/model", revision)
    found = refused(board, **WITH_NOTHING_TO_SCORE)
    said = [one.message[:22] for one in found if one.key == "revision"]
    assert said == ([] if len(revision) in {40, 64} else ["The revision is moving"])


def test_a_revision_that_a_registry_pins_is_named(board):
    """mteb has this model at the revision 1: it may be submitted, and a note says what the revision
    is not.
    """
    there = named(board, MINE, "google/gemini-embedding-001", "1")
    (note,) = [one for one in verify(board).findings if one.key == "revision"]
    assert (note.file.parent, note.refused, note.found) == (there, False, "1")
    assert "named" in note.message


@pytest.mark.parametrize(
    "name",
    [
        "pIanted/0ne",
        "Planted/One",
        "plantecl/one",
        "planted__one",
        "planted  one",
        "planted/two",
    ],
)
def test_names_that_look_alike_are_named(board, pull_request, name):
    """A capital i for an l, a zero for an o, cl for a d, other cases, or the same folder; against
    the board, and by themselves.
    """
    named(pull_request, MINE, name, "ab" * 20)
    expected = [] if name == "planted/two" else [(name, RIVAL)]
    for against in (board, None):
        findings = verify(pull_request, against, **WITH_NOTHING_TO_SCORE).findings
        notes = [one for one in findings if "looks like" in one.message]
        assert [(one.found, one.expected) for one in notes if one.found != RIVAL] == expected
        assert not any(one.refused for one in notes)


def test_an_experiment_may_have_the_items_of_its_model(board):
    write_experiment(of_model(board), "batches")
    assert not refused(board)


WINDOWS = ["aux", "CON.model", "nul", "lpt1.v2", "a:b", "planted/a:b"]
"""Names whose folders Windows cannot make."""


@pytest.mark.parametrize("name", WINDOWS)
def test_names_that_windows_cannot_check_out(board, name):
    there = named(board, MINE, name)
    places = {there, there.parent, there / "model_meta.json"}
    found = refused(board, **WITH_NOTHING_TO_SCORE)
    assert [one for one in found if one.key == "name" and one.file in places]


@pytest.mark.parametrize("experiment", ["aux", "com7.batches", "a:b", "nul "])
def test_experiments_that_windows_cannot_check_out(board, experiment):
    there = of_model(board) / "experiments" / experiment
    shutil.copytree(of_model(board), there)
    assert [one for one in refused(board, **WITH_NOTHING_TO_SCORE) if one.file == there]


def test_places_that_are_too_long_for_windows(board):
    there = named(board, MINE, f"a/{'long-' * 38}name")
    assert {
        one.file.parent
        for one in refused(board, **WITH_NOTHING_TO_SCORE)
        if "too long" in one.message or "so long" in one.message
    } == {there}


@pytest.mark.parametrize(
    "name", ["planted/one.", "planted-/one", "planted/o-n_e", "plan.ted/o n e", "plantedone"]
)
def test_names_that_differ_in_what_stands_between_words(board, name):
    """Of another folder, but one name to a reader. A dot at the end is refused."""
    named(board, MINE, name, "ab" * 20)
    found = {
        one.found
        for one in verify(board, **WITH_NOTHING_TO_SCORE).findings
        if "looks like" in one.message or "cannot be" in one.message
    }
    assert name in found


@pytest.mark.parametrize(
    "name", ["compositionality-/letters", "com.positionality/x", "mteb/baseline_random_encoder"]
)
def test_nobody_submits_control_encoders_by_other_letters_between_words(board, name):
    named(board, MINE, name)
    found = refused(board, **WITH_NOTHING_TO_SCORE)
    assert "Control encoders" in next(one.message for one in found if one.key == "name")


def test_makers_whose_names_begin_like_that_of_the_control_encoders(board):
    named(board, MINE, "compositionality-lab/tiny")
    assert not refused(board)


@pytest.mark.parametrize("what", ["experiments", "revisions"])
def test_a_submission_does_not_flood_the_board(board, what):
    """Each revision and each experiment is a row."""
    for number in range(8 - (what == "revisions")):
        if what == "experiments":
            there = write_experiment(of_model(board), f"batch_{number}")
            continue
        there = of_model(board).with_name(f"{number:040x}")
        shutil.copytree(of_model(board), there)
        for file in there.glob("*.json"):
            file.write_text(file.read_text().replace(COMMIT, there.name))
    assert not refused(board)
    shutil.copytree(there, there.with_name("f" * 40), ignore=shutil.ignore_patterns(f"{TASK}*"))
    places = WITH_NOTHING_TO_SCORE
    assert what in [one.key for one in refused(board, **places)]
    assert what not in [one.key for one in refused(board, is_board=True, **places)]


@pytest.mark.parametrize("dtype", ["float32 ", "Float32", "bfloat17", "mine", "<b>"])
def test_a_dtype_is_one_that_signatures_name(board, dtype):
    file = of_model(board) / f"{TASK}.json"
    file.write_text(re.sub(r"\|dtype:[^|]*", f"|dtype:{dtype}", file.read_text()))
    (finding,) = refused(board)
    assert finding.key == "signature.dtype"


def test_a_revision_has_one_dtype(measured_folder, tmp_path):
    """Else each file would be of another model."""
    board = shutil.copytree(measured_folder, tmp_path / "board")
    assert not refused(board)
    for file, dtype in zip(
        sorted(of_model(board).glob("[A-Z]*.json")), ("float16", "int8"), strict=False
    ):
        file.write_text(re.sub(r"\|dtype:[^|]*", f"|dtype:{dtype}", file.read_text()))
    found = [one for one in refused(board) if one.key == "signature.dtype"]
    assert found
    assert {one.file.parent for one in found} == {of_model(board)}


NUMBERS = {
    "n_parameters": [10**299, 1e299, 2 * 10**15, int("9" * 4200), -1],
    "embed_dim": [int("9" * 4200), 10**7, -5],
}


@pytest.mark.parametrize("key", NUMBERS)
def test_figures_of_a_model_that_no_model_has(board, tmp_path, key):
    """They are unknown on the pages, and a note names them."""
    for value in NUMBERS[key]:
        edit(
            of_model(board) / "model_meta.json", lambda meta, value=value: meta.update({key: value})
        )
        findings = verify(board, **WITH_NOTHING_TO_SCORE).findings
        (note,) = [one for one in findings if one.key == key]
        assert not note.refused
        models = board_models(board_of(board)[0])
        (costs,) = (model.costs for row, model in models.items() if row.model == RIVAL)
        assert (costs.parameters if key == "n_parameters" else costs.dimensions) is None


@pytest.mark.parametrize("end", [1e299, 1e9, -5])
def test_times_that_no_run_takes_are_unknown(board, end):
    def phases(content):
        (split,) = content["scores"]
        phase = {"name": "Encoding", "start": 0.0, "end": end, "split": split, "subset": "default"}
        content["evaluation_phases"] = [phase]

    edit(of_model(board) / f"{TASK}.json", phases)
    models = board_models(board_of(board)[0])
    (costs,) = (model.costs for row, model in models.items() if row.model == RIVAL)
    assert costs.seconds is None


@pytest.mark.parametrize("with_items", [True, False])
def test_more_pairs_with_the_same_vector_than_there_are(board, with_items):
    file = of_model(board) / f"{TASK}.json"

    def forge(content):
        (entry,) = content["scores"]["naturalistic"]
        if not with_items:
            for key in [key for key in entry if key.endswith("items") or key.startswith("items")]:
                del entry[key]
        entry["n_same_vector"] = 10**9

    edit(file, forge)
    if not with_items:
        file.with_name(f"{TASK}.items.parquet").unlink()
    assert "n_same_vector" in [one.key for one in refused(board)]


def test_a_board_without_an_overall_place_has_no_ranking(board):
    names = [name for name, _ in page_tables(board_of(board)[0])]
    assert names
    assert "The ranking" not in names


@pytest.mark.parametrize("part", ["dtype:<script>", "backend:[x](javascript:1)"])
def test_signatures_that_cannot_be(board, part):
    key, _, value = part.partition(":")
    file = of_model(board) / f"{TASK}.json"
    file.write_text(re.sub(rf"\|{key}:[^|]*", f"|{part}", file.read_text()))
    (finding,) = refused(board)
    assert (finding.key, finding.found) == (f"signature.{key}", value)


def test_a_comparison_in_markdown_shows_names_as_they_are(board):
    rename(board, MINE, "a/<img src=x> [b](javascript:1) *c* `d` | e")
    done = harness_ext("compare", board, "--format", "markdown")
    assert done.exit_code == 0, done.output
    assert r"a/&lt;img src=x> [b]\(javascript:1) \*c\* \`d\` \| e" in done.output
    assert "<img" not in done.output
    assert "](j" not in done.output


@pytest.mark.parametrize(
    "line", [b"<script>", b"\x1b[2J", b"MZ\x90\x00\xff", b"[1]", b'{"a": ', b"[" * 100_000]
)
def test_settings_of_runs_that_mteb_did_not_write(board, line):
    """mteb would print such lines to the terminal where results are joined, or end."""
    file = of_model(board) / "run_settings.jsonl"
    file.write_bytes(b'{"tasks": []}\n\n')
    assert not [one for one in verify(board).findings if one.file == file]
    file.write_bytes(b'{"tasks": []}\n' + line + b"\n")
    (finding,) = [one for one in refused(board) if one.file == file]
    assert (finding.key, finding.expected) == ("line 2", "a JSON object")
    assert str(finding).isprintable()


ADVERTISEMENT = "Take <b>my</b> model. " * 5_000
STRAYS = {
    "a text among scores": ("record", {"note": ADVERTISEMENT}),
    "a short text among scores": ("record", {"note": "best"}),
    "a list among scores": ("record", {"note": [1] * 10}),
    "keys that nothing declares": ("record", {f"score_{number}": 0.5 for number in range(101)}),
    "a text beside scores": ("result", {"note": ADVERTISEMENT}),
    "a long version": ("result", {"mteb_version": ADVERTISEMENT}),
    "long languages": ("record", {"languages": [ADVERTISEMENT]}),
    "a long key": ("record", {ADVERTISEMENT: 0.5}),
    "many texts beside scores": ("result", {f"note_{n}": ADVERTISEMENT[:9_000] for n in range(9)}),
    "long keys of scores": ("record", {f"{ADVERTISEMENT[:9_000]}{n}": 0.5 for n in range(9)}),
    "a text in metadata": ("meta", {"note": 3 * ADVERTISEMENT}),
}


@pytest.mark.parametrize("kind", STRAYS)
def test_what_has_no_place_in_a_result(kind, board):
    """It would stand in the board's repository for ever."""
    place, content = STRAYS[kind]
    file = of_model(board) / f"{TASK}.json"
    if place == "record":
        change(board, file, **content)
    else:
        file = of_model(board) / "model_meta.json" if place == "meta" else file
        edit(file, lambda written: written.update(content))
    found = verify(board)
    assert file in [finding.file for finding in found.findings if finding.refused]
    assert file.with_name(f"{TASK}.json") not in [
        cell.entry.file for cell in found.cells if cell.trust is Trust.RECOMPUTED
    ]


def test_keys_of_earlier_versions_may_stay(board):
    file = of_model(board) / f"{TASK}.json"
    change(board, file, **{f"score_{number}": 0.5 for number in range(90)})
    assert not refused(board)


def test_a_long_line_among_settings_of_runs(board):
    file = of_model(board) / "run_settings.jsonl"
    file.write_text(json.dumps({"note": ADVERTISEMENT}))
    (finding,) = [one for one in refused(board) if one.file == file]
    assert (finding.key, finding.expected) == ("line 1", "at most 20000")


def notes(folder, board, key="name"):
    findings = verify(folder, board, **WITH_NOTHING_TO_SCORE).findings
    return [one for one in findings if one.key == key and not one.refused]


def test_results_in_the_name_of_a_model_on_the_board_are_noted(board, pull_request):
    """A rival may add a bad score to its row, or a bad revision."""
    named(pull_request, MINE, RIVAL, "ab" * 20)
    (note,) = notes(pull_request, board)
    assert (note.found, note.message) == (
        RIVAL,
        "The board has results of this model already. Who made these?",
    )


def test_results_of_a_new_model_have_no_such_note(board, pull_request):
    named(pull_request, MINE, "mine/best")
    assert notes(pull_request, board) == []


@pytest.mark.parametrize("n_models", [8, 9])
def test_a_submission_of_many_models_is_noted(board, pull_request, n_models):
    there = named(pull_request, MINE, "mine/best-1")
    for number in range(2, 1 + n_models):
        copy = pull_request / "results" / f"mine__best-{number}" / COMMIT
        shutil.copytree(there, copy)
        for file in copy.glob("*.json"):
            file.write_text(file.read_text().replace("mine/best-1", f"mine/best-{number}"))
    found = [one.found for one in notes(pull_request, board, key="models")]
    assert found == ["9 models"] * (n_models - 8)


@pytest.mark.parametrize("name", ["mine/best (verified)", "rerun/best", "mine/best [Recomputed]"])
def test_names_that_read_like_marks_of_trust_are_noted(board, name):
    model, _, experiment = name.partition(" [")
    there = named(board, MINE, model)
    if experiment:
        shutil.copytree(there, there / "experiments" / experiment.removesuffix("]"))
    messages = [one.message for one in notes(board, None)]
    assert messages == ["It reads like a mark of trust, which boards give by themselves."]


def test_a_model_without_a_name_is_refused(board):
    named(board, MINE, "no_model_name/available")
    (finding,) = [one for one in refused(board, **WITH_NOTHING_TO_SCORE) if one.key == "name"]
    assert finding.message.startswith("Nothing says which model this is")


def test_scores_without_items_are_in_no_picture_and_over_no_noise(tmp_path, monkeypatch):
    """The first page has the best 25 models in its picture, and of three its first table."""
    listed = [one for one in LISTS["english"] if one.task == "RoleSwapSimilarity"]
    list_of(monkeypatch, *listed)
    write_listed(tmp_path, range(3), listed)
    main = ENCODER_TASKS["RoleSwapSimilarity"].measure.main
    best = {f"noise_text_{main}": 0.0, "items": None}
    for key in (f"gain_{main}", f"over_noise_{main}"):
        best |= {key: 0.9, f"{key}_ci_low": 0.8, f"{key}_ci_high": 1.0}
    for number in range(3):
        file = tmp_path / f"results/synthetic__model-{number:05d}/1/RoleSwapSimilarity.json"
        change(tmp_path, file, **best)
    board, problems = board_of(tmp_path)
    assert problems == []
    assert category_plot(board, ()) is None
    assert [name for name, _ in page_tables(board)] == ["The ranking", "Roles of words"]


def test_the_page_of_a_model_keeps_its_address(board):
    """Whatever comes later, and is before it in the alphabet."""

    def page():
        models = board_models(board_of(board)[0])
        return next(model.page for row, model in models.items() if row.model == RIVAL)

    before = page()
    there = named(board, MINE, "Planted.One")
    edit(there / f"{TASK}.json", lambda content: content.update(date=2e9))
    assert page() == before


@pytest.mark.parametrize("letter", ["\x00", "\x07", "\x9b", "\u202e", "\u2066"])
def test_no_letter_turns_the_text_of_a_page_around(letter):
    """In Persian and Hebrew, others that nobody sees belong to words."""
    assert cut(f"a{letter}b\n\u200c\u200f") == "a\ufffdb\n\u200c\u200f"


def test_a_model_without_results_is_refused(board, pull_request):
    """Its metadata could be an advertisement of 256 KB."""
    there = pull_request / "results" / "mine__best" / COMMIT
    there.mkdir(parents=True)
    shutil.copy(of_model(board) / "model_meta.json", there)
    edit(there / "model_meta.json", lambda meta: meta.update(name="mine/best"))
    found = refused(pull_request, against=board, **WITH_NOTHING_TO_SCORE)
    assert (there / "model_meta.json", "no result") in [(one.file, one.found) for one in found]


def test_a_flood_in_several_submissions_is_noted(board, tmp_path):
    def experiments(folder, numbers):
        for number in numbers:
            there = of_model(folder) / "experiments" / f"batch_{number}"
            shutil.copytree(of_model(board, MINE), there)
            for file in there.glob("*.json"):
                file.write_text(file.read_text().replace(MINE, RIVAL))

    experiments(board, range(5))
    submission = shutil.copytree(board, tmp_path / "submission")
    experiments(submission, range(5, 8))
    assert notes(submission, board, key="experiments") == []
    experiments(submission, [8])
    (note,) = notes(submission, board, key="experiments")
    assert note.found == "9 experiments"


def test_printed_commands_take_names_with_brackets(board, tmp_path):
    named(board, MINE, "mine/best (layer=6)")
    done = harness_ext("submit", board, "-m", "mine/best (layer=6)", "-o", tmp_path / "submission")
    assert "git switch -c 'mine__best_(layer=6)' &&" in done.output
