"""`harness-ext show` as a person sees it: in a terminal, in a pipe, as a file for another
program.
"""

import csv
import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from contextlib import suppress
from dataclasses import replace

import pytest

from harness_ext.results.published import TELLING_KEYS, ResultKey, references
from harness_ext.show.figures import layer_curves
from harness_ext.show.listing import csv_text
from harness_ext.show.papers.epsilon import PAPER
from harness_ext.show.published_tables import published_values
from harness_ext.show.result_tables import (
    closer_look,
    layer_tables,
    over_instructions,
    result_records,
)
from harness_ext.store.signature import Signature
from tests.command_line import harness_ext
from tests.results.planted_items import entry_at

TASK = "EpsilonCompositionality"
MODEL = "sentence-transformers/all-MiniLM-L6-v2"
LONG = "an-organisation/a-model-with-a-name-that-nobody-would-want-to-type-twice-v2.5"


@pytest.fixture
def show(tmp_path):
    """What `harness-ext show` prints of the results of a test, where a pipe would take it."""

    def show(*arguments, columns="200"):
        done = harness_ext("show", tmp_path, *arguments, columns=columns)
        assert done.exit_code == 0, done.output
        return done.stdout

    return show


@pytest.mark.slow
def test_a_table_too_wide_for_the_terminal_comes_in_parts_and_folds_no_name(
    write_result, tmp_path, columns=80
):
    scores = {"interval": (0.5, 0.8), "rank_share_C": 0.354, "rank_share_NC": 0.493}
    long_name = "google-bert/bert-base-uncased (pooling=mean_last4)"
    for model, main in {MODEL: 0.7, long_name: 0.6}.items():
        for split in ("naturalistic", "neutral"):
            write_result(TASK, model, main, split=split, **scores)
    ours, theirs = pty.openpty()
    size = struct.pack("HHHH", 50, columns, 0, 0)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, size)
    environment = os.environ | {"TERM": "xterm"}
    environment.pop("COLUMNS", None)
    line = [sys.executable, "-m", "harness_ext", "show", "."]
    terminal = {"stdin": theirs, "stdout": theirs}
    process = subprocess.Popen(line, cwd=tmp_path, env=environment, **terminal)
    os.close(theirs)
    printed = b""
    with suppress(OSError):  # how Linux says that the other end is closed
        while part := os.read(ours, 1 << 16):
            printed += part
    os.close(ours)
    assert process.wait() == 0
    screen = re.sub(r"\x1b\[[0-9;]*m", "", printed.decode()).replace("\r\n", "\n")
    texts = (")", PAPER.caution)  # titles and notes stand in one line each
    tables = [line for line in screen.splitlines() if not line.endswith(texts)]
    assert max(map(len, tables)) <= columns
    for model in (MODEL, long_name, "WhereIsAI/UAE-Large-V1"):
        assert model in screen
    assert ".700 [.500, .800]" in screen
    assert ".354" in screen


def test_what_a_paper_argues_for_has_a_column_where_a_result_has_it(write_result, show):
    key = "span_affinity_syn_words_syn_spearman"
    write_result("NounCompoundAffinity", "a/words", 0.6, interval=(0.5, 0.7), **{key: -0.25})
    (row,) = re.findall(r"(?m)^ NounCompoundAffinity .*$", show())
    assert row.split()[-2:] == [key, "-.250"]
    write_result("NounCompoundAffinity", "b/texts", 0.7, interval=(0.6, 0.8))
    text = show()
    assert re.search(rf"NounCompoundAffinity +en naturalistic .+ {key} *$", text, re.MULTILINE)
    argued = text[text.index("scores that the papers argue for") :]
    assert re.search(r"^ a/words +-\.250 *$", argued, re.MULTILINE)
    assert re.search(r"^ b/texts *$", argued, re.MULTILINE)
    assert (
        f"sentence_forced_choice_nc is no measure of the paper. The paper argues for {key}." in text
    )


@pytest.mark.parametrize("columns", [80, 100])
def test_a_table_is_as_wide_as_columns_says_in_a_pipe_too(columns, write_result, show):
    """Names and figures are whole."""
    name = "sentence-transformers/paraphrase-multilingual"
    write_result(TASK, name, 0.7, interval=(0.6, 0.8), rank_share_C=0.3)
    write_result(TASK, "b/other", 0.6, interval=(0.5, 0.7), rank_share_C=0.4)
    found = show(columns=str(columns))
    assert max(map(len, found.splitlines())) <= columns
    assert re.search(rf"^ {name} +\.700 \[\.600, \.800\]", found, re.MULTILINE)
    assert "\x1b" not in found


def test_the_summary_of_several_models_has_the_best_first(write_result, show):
    write_result(TASK, "a/worse", 0.6)
    write_result(TASK, "b/best", 0.8)
    write_result("EpsilonCompositionalityMini", "c/elsewhere", 0.9)
    text = " ".join(show().split())
    assert "model 1 2" in text
    assert text.index("b/best .800") < text.index("a/worse .600") < text.index("c/elsewhere .900")
    assert f"1 {TASK} en naturalistic auc_nc_vs_c ↑ .500" in text


def signature_of(model, revision, prompt):
    """The signature of a result of a model under an instruction."""
    return Signature(
        TASK,
        "d@1",
        "naturalistic",
        "en",
        "m-1",
        model,
        revision,
        "sentence",
        prompt,
    )


def test_the_spread_over_instructions_stands_beside_the_intervals(write_result, show):
    """The plain result has the instruction of `none`, and counts once; a model with one instruction
    has no row.
    """

    def write(model, prompt, main, gain):
        signature = signature_of(model, "abc", prompt)
        interval = (main - 0.1, main + 0.1)
        scores = {"signature": str(signature), "gain_auc_nc_vs_c": gain}
        write_result(TASK, model, main, interval=interval, **scores)

    write("a/b", "", 0.6, 0.3)
    assert "over instructions" not in show()
    write("a/b [prompt_none]", "", 0.6, 0.3)
    write("c/d [prompt_none]", "", 0.9, 0.1)
    assert "over instructions" not in show()
    write("a/b [prompt_ask]", "Ask: ", 0.7, 0.1)
    write("a/b [prompt_say]", "Say\n", 0.5, 0.2)
    _, _, table = show().partition("over instructions")
    text = " ".join(table.split())
    row = "en naturalistic 3 .500 [.400, .600] (say) .700 [.600, .800] (ask) .100 (ask) .300 (none)"
    assert row in text
    assert r"none: '' ask: 'Ask: ' say: 'Say\n'" in text
    assert f"c/d {TASK}" not in text
    write("e/f", "", 0.6, 0.3)
    write("e/f [prompt_ask]", "Ask: ", 0.5, 0.3)
    text = " ".join(show("-m", "e/f", "-m", "e/f [prompt_ask]").split())
    assert "2 .500 [.400, .600] (ask) .600 [.500, .700] (default)" in text


def test_names_that_terminals_and_markup_take_for_something_else(write_result, show):
    score_of_model = {
        "a/[/x]": 0.7,
        "b/[bold]c": 0.6,
        "c/\x1b[31mred": 0.5,
        "d/two\nlines": 0.4,
    }
    for model, main in score_of_model.items():
        write_result(TASK, model, main)
    shown = show()
    text = " ".join(shown.split())
    for line in ("a/[/x] .700", "b/[bold]c .600", "c/�[31mred .500", "d/two�lines .400"):
        assert line in text
    assert "\x1b" not in shown


def test_a_damaged_file_is_named_and_the_others_are_shown(write_result, tmp_path):
    write_result(TASK, "a/sound", 0.7)
    write_result(TASK, "b/cut", 0.6).write_text("{")
    done = harness_ext("show", tmp_path)
    assert done.exit_code == 2
    assert "a/sound" in done.stdout
    assert "b/cut" not in done.stdout
    said = rf"Error: .*b__cut/abc/{TASK}\.json cannot be read: .* It is left out\.\n"
    assert re.fullmatch(said, done.stderr)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_no_cell_of_a_csv_is_a_formula(start):
    """The last four are the same letters as wide as Chinese ones."""
    assert csv_text([{"model": f"{start}cmd()"}], ["model"]) == f"model\n'{start}cmd()\n"


def test_csv_markdown_and_json(write_result, show):
    for model, main in (("=cmd()", 0.7), ("b/|pipe", 0.6)):
        write_result(TASK, model, main, interval=(0.5, 0.8), rank_share_C=0.3)
    records = json.loads(show("--format", "json"))
    first, second = records
    assert first["model"] == "=cmd()"
    assert first["value"] == 0.7
    assert second["model"] == "b/|pipe"
    assert second["value"] == 0.6
    for record in records:
        assert record["low"] == 0.5
        assert record["high"] == 0.8
        assert record["gain"] is None
    lines = show("--format", "csv").splitlines()
    first, second = csv.DictReader(lines)
    assert first["model"] == "'=cmd()"  # no formula in a spreadsheet
    assert first["value"] == "0.7"
    assert first["gain"] == ""
    assert second["model"] == "b/|pipe"
    assert second["value"] == "0.6"
    assert second["gain"] == ""
    markdown = show("--format", "markdown")
    assert "| b/\\|pipe | .600 [.500, .800] |" in markdown
    details = json.loads(show("--details", "--format", "json"))
    shares = [row["value"] for row in details if row["score"] == "rank_share_C"]
    assert shares == [0.3, 0.3]


def test_details_set_published_beside_measured(write_result, show):
    for model, share in ((MODEL, 0.354), ("my/encoder", 0.2)):
        write_result(
            TASK,
            model,
            share + 0.3,
            interval=(0.4, 0.7),
            rank_share_C=share,
            phrase_distance_mean=0.5,
            n_pairs_C=12,
        )
    text = " ".join(show("--details").split())
    assert "auc_nc_vs_c .654 .400 to .700" in text
    assert "rank_share_· .354 (.346)" in text
    assert "phrase_distance_mean .500 (.604)" in text
    assert "(.346)" not in show("--details", "--model", "my/encoder")


@pytest.mark.parametrize(
    ("task", "row"),
    [
        ("NounCompoundAffinity", r"Llama-2-13b\S* .*\(NCIMP T2, NCIMP T5\) +\.15 +\.17"),
        (
            "TreeReconstruction",
            r"USE DAN +dev \(PSS T2\) +\.485\*(?s:.*)\* derived: -spearman_tre_wns",
        ),
    ],
)
def test_the_published_models_stand_below_the_measured_ones(write_result, show, task, row):
    """For every task that has published cells, also where none are of the same split."""
    key, *_ = TELLING_KEYS[task]
    write_result(task, "my/encoder", 0.123, **{key: 0.123})
    _, table = show().split(f"{task}: measured, and published by others")
    assert re.search(r"my/encoder +en naturalistic +\.123", table)
    assert re.search(row, table)
    mine = ResultKey("my/encoder", "en", "naturalistic")
    for place, cells in references(task, {mine}).items():
        assert f" {place.model} " in table
        for cell in cells.values():
            assert cell.table in table


def test_details_say_where_a_model_has_no_span_level(
    write_result, show, task="NounCompoundAffinity"
):
    for model, level in (("some/api", 0), ("my/encoder", 1)):
        write_result(task, model, 0.5, span_level=level)
    note = "Sentence level only: the model gives no vectors of words in a sentence."
    assert note in show("--details", "--model", "some/api")
    assert note not in show("--details", "--model", "my/encoder")


def entry_of(model, value, revision="1"):
    """Its interval is .1 to either side, and so is that of its gain over a baseline of .5, as
    chance does.
    """
    difference = 10 * (value - 0.5)
    ends = (difference - 1, difference + 1)
    entry = entry_at("EpsilonCompositionality", "naturalistic", ends, ends)
    return replace(entry, model=model, revision=revision)


ENTRIES = [
    entry_of("a/b", 0.9),
    entry_of("a/b (layer=10)", 0.75),
    entry_of("a/b (layer=2)", 0.55),
    entry_of("a/b (pooling=cls, layer=2)", 0.4),
    entry_of("c/d (layer=0)", 0.5),
]


def test_a_table_per_model_and_revision_in_the_order_of_the_layers():
    of_another_revision = entry_of("c/d (layer=0)", 0.6, revision="2")
    tables = list(layer_tables([*ENTRIES, of_another_revision]))
    models = [table.title.split(": ")[-1] for table in tables]
    assert models == ["a/b", "a/b (pooling=cls)", "c/d @1", "c/d @2"]
    second, tenth = tables[0].rows
    assert second[:4] == ("2", ".550 [.450, .650]", ".500", ".050 [-.050, .150]")
    assert second[4:] == ("inconclusive", "inconclusive", "–")
    assert tenth[:4] == ("10", ".750 [.650, .850]", ".500", ".250 [.150, .350]")
    assert tenth[4:] == ("above", "above", "–")


def test_curves():
    figure = layer_curves(ENTRIES)
    spec = figure.chart.to_dict()
    (block,) = spec["vconcat"]
    score, gain = block["hconcat"]

    def rows_of(panel):
        name = panel["data"]["name"]
        return spec["datasets"][name]

    second, tenth = [row for row in rows_of(score) if row["model"] == "a/b"]
    at_second = {
        "layer": 2,
        "value": 0.55,
        "low": 0.45,
        "high": 0.65,
        "additive": 0.5,
    }
    at_tenth = {
        "layer": 10,
        "value": 0.75,
        "low": 0.65,
        "high": 0.85,
        "additive": 0.5,
    }
    assert second.items() >= at_second.items()
    assert tenth.items() >= at_tenth.items()
    models = {row["model"] for row in rows_of(gain)}
    assert models == {"a/b", "a/b (pooling=cls)", "c/d"}
    gains = [row["value"] for row in rows_of(gain) if row["model"] == "a/b"]
    assert gains == [0.05, 0.25]
    marks = {layer["mark"]["type"] for layer in score["layer"]}
    assert "rule" in marks  # chance
    of_another_pooling = entry_of("a/b (pooling=cls)", 0.9)
    assert layer_curves([ENTRIES[0], of_another_pooling]) is None


def dashed_line(panel):
    """The value that a panel marks."""
    (line,) = [layer for layer in panel["layer"] if layer["mark"]["type"] == "rule"]
    return line["encoding"]["y"]["datum"]


def test_the_dashed_line_of_scores_is_chance_and_that_of_gains_is_0():
    (block,) = layer_curves(ENTRIES).chart.to_dict()["vconcat"]
    score, gain = block["hconcat"]
    assert dashed_line(score) == 0.5
    assert dashed_line(gain) == 0


def test_records_have_the_ends_of_the_gain():
    (record,) = result_records([entry_of("a/b", 0.9)])
    assert record["gain"] == pytest.approx(0.4)
    assert record["gain_low"] == pytest.approx(0.3)
    assert record["gain_high"] == pytest.approx(0.5)


def instructed(model, revision, prompt):
    signature = signature_of(model, revision, prompt)
    return replace(entry_of(model, 0.9, revision), signature=signature)


def test_instructions_of_two_revisions_are_of_two_models():
    plain = instructed("a/b", "1", "")
    asked = instructed("a/b [prompt_ask]", "2", "Ask: ")
    assert not [*over_instructions([plain, asked])]
    of_the_same = instructed("a/b [prompt_ask]", "1", "Ask: ")
    assert [*over_instructions([plain, of_the_same])]


def test_published_scores_are_of_the_same_split():
    """Word2Vec in Table 2 of the paper, in natural and in neutral sentences."""
    key = "sentence_sim_syn_spearman"
    for split, value in (("naturalistic", 0.30), ("neutral", 0.60)):
        entry = entry_at("NounCompoundAffinity", split, (1, 2))
        assert published_values(entry, key)["Word2Vec"] == value


def test_a_closer_look_has_the_best_model_first():
    worse = entry_at("MergeOppositesMini", "test", (1, 2))
    better = entry_at("MergeOppositesMini", "test", (3, 4))
    table = closer_look([worse, better], {worse: "a/worse", better: "b/better"})
    assert [model for model, *_ in table.rows] == ["b/better", "a/worse"]
