"""Logs of caches: whatever the names of their columns; what is no hit is counted, what cannot be
read is named.
"""

import csv
import json
import math

import pytest

from harness_ext.own_data.hit_log import Hit, read_hits
from harness_ext.own_data.table import OwnDataError
from harness_ext.show.papers.merging import write_sample
from tests.command_line import harness_ext


def written(folder, *rows, name="hits.jsonl"):
    file = folder / name
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return file


MISS = {"prompt": "How do I open an account?", "cache_key": "k1", "hit": False, "ts": "2026-10-11"}


def test_a_key_that_has_a_name_alone_is_the_prompt_that_was_stored(tmp_path):
    """As cache-doctor reads logs: a flag says that a hit was wrong, and its absence says nothing."""
    hit = {"prompt": "How do I close an account?", "cache_key": "k1", "hit": True}
    file = written(
        tmp_path,
        MISS,
        {**hit, "similarity": 0.93, "flag_wrong": True},
        {**hit, "similarity": 0.94, "flag_wrong": False},
        {**hit, "cache_key": "stored before the log begins"},
        {**MISS, "cache_key": "k2"},
    )
    log = read_hits(str(file))
    assert log.hits == [
        Hit("How do I close an account?", "How do I open an account?", 0.93, False),
        Hit("How do I close an account?", "How do I open an account?", 0.94, None),
    ]
    assert log.left_out == {"no hits": 2, "without the prompt of the key": 1}


@pytest.mark.parametrize(
    ("row", "cosine", "is_right"),
    [
        ({"prompt": "b", "key": "a", "cosine": 0.9, "verdict": "wrong"}, 0.9, False),
        (
            {"query": "b", "matched_query": "a", "similarity_score": 0.8, "was_correct": True},
            0.8,
            True,
        ),
        ({"Question": "b", "cached_question": "a"}, math.nan, None),
        ({"query": "b", "key": "a", "candidate_answer": "c", "was_correct": None}, math.nan, None),
    ],
)
def test_columns_have_several_names(tmp_path, row, cosine, is_right):
    (hit,) = read_hits(str(written(tmp_path, row))).hits
    assert (hit.prompt, hit.key, hit.is_right) == ("b", "a", is_right)
    assert hit.cosine == pytest.approx(cosine, nan_ok=True)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [{"query": "b", "candidate_answer": "c", "was_correct": True}],
            "An answer is no prompt: log the prompt that it was stored for",
        ),
        ([{"key": "a"}], "a column with the prompt that came"),
        ([{**MISS}], "no hit with both prompts in it: 1 no hits"),
        ([{"prompt": "b", "key": "a", "stale": True}], "no hit with both prompts in it: 1 stale"),
        ([{"prompt": "b", "key": "a", "hit": "perhaps"}], "line 1, column 'hit': true or false"),
        ([{"prompt": "b", "key": "a", "cosine": "near"}], "line 1"),
    ],
)
def test_what_is_no_log_of_hits_is_refused(tmp_path, rows, message):
    file = written(tmp_path, *rows)
    with pytest.raises(OwnDataError, match=message) as refusal:
        read_hits(str(file))
    assert str(file) in str(refusal.value)


def test_a_sample_has_the_key_first_and_then_the_prompt(tmp_path):
    sample = tmp_path / "sample.csv"
    hit = Hit("Close my account.", "Open my account.", 0.9, is_right=False)
    write_sample([hit], [""], sample)
    with sample.open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["first"] == "Open my account."
    assert row["second"] == "Close my account."


def test_pairs_of_one_key_have_one_source(tmp_path):
    sample = tmp_path / "sample.csv"
    hits = [
        Hit("Open it.", "How?", 0.9, is_right=None),
        Hit("Close it.", "How?", 0.9, is_right=None),
        Hit("Pay it.", "When?", 0.9, is_right=None),
    ]
    write_sample(hits, ["", "", ""], sample)
    with sample.open(encoding="utf-8", newline="") as file:
        sources = {(row["first"], row["source"]) for row in csv.DictReader(file)}
    assert sources == {("How?", "key 0"), ("When?", "key 1")}


def test_a_log_of_thirty_hits_becomes_pairs(tmp_path):
    """The command sorts, samples, and reads the sample again once it is labeled."""
    rows = []
    for number in range(10):
        key = f"May parcel {number} go back?"
        rows.append({"prompt": f"Can parcel {number} be returned?", "key": key, "cosine": 0.8})
        rows.append({"prompt": f"May parcel {number} not go back?", "key": key, "cosine": 0.95})
        rows.append({"prompt": f"May parcel {number}0 go back?", "key": key, "verdict": "wrong"})
    rows.append(rows[0])  # of a pair that comes again, one is drawn
    log = written(tmp_path, *rows)
    sample = tmp_path / "sample.csv"
    done = harness_ext("safe-to-merge", "--log", log, "--sample", sample)
    assert done.exit_code == 0, done.output
    assert (
        "Of 31 hits, 20 look like opposites, 11 like no opposite, and 0 like the same"
        in done.stdout
    )
    assert "Wrong by their verdicts: 10 of 10." in done.stdout
    assert "with 20 hits to label" in done.stdout
    with sample.open(encoding="utf-8", newline="") as file:
        labeled = list(csv.DictReader(file))
    assert len(labeled) == 30
    assert {row["kind"] for row in labeled} == {"", "number"}
    unfinished = harness_ext("safe-to-merge", "--check", "checks:none", "--pairs", sample)
    assert unfinished.exit_code == 2
    assert "column 'kind': it is empty" in unfinished.stderr
    for row in labeled:
        row["kind"] = row["kind"] or row["looks_like"] or "same"
    with sample.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [*labeled[0]])
        table.writeheader()
        table.writerows(labeled)
    jaccard = "harness_ext.deciding:jaccard"
    decided = harness_ext(
        "safe-to-merge", "--check", jaccard, "--pairs", sample, "--format", "json"
    )
    # ten sources show no check to be safe
    assert decided.exit_code == 2, decided.output
    (tables,) = [json.loads(decided.stdout)]
    shown = json.dumps(tables)
    assert '"negation"' in shown
    assert '"number"' in shown


def test_a_log_as_data(tmp_path):
    log = written(tmp_path, {"prompt": "May 3 go?", "key": "May 2 go?", "cosine": 0.9})
    done = harness_ext("safe-to-merge", "--log", log, "--format", "csv")
    header, line = done.stdout.splitlines()
    assert header.startswith("table,looks_like,hits,pairs,judged,wrong,lowest_cosine")
    assert ",number,1,1,0,0,0.9,0.9,May 3 go?,May 2 go?" in line
    assert "Of 1 hits, 1 look like opposites" in done.stderr


def test_a_log_asks_no_model(tmp_path):
    log = written(tmp_path, {"prompt": "b", "key": "a"})
    for arguments, message in (
        (["--log", log, "-m", "a/model"], "--log stands alone"),
        (["--log", log, "--pairs", log], "--log stands alone"),
        (["--sample", tmp_path / "s.csv", "-m", "a/model"], "name the log by --log FILE"),
        (["--log", tmp_path / "none.jsonl"], "none.jsonl"),
    ):
        failed = harness_ext("safe-to-merge", *arguments)
        assert failed.exit_code == 2, failed.output
        assert message in failed.stderr
