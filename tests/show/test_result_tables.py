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
from harness_ext.show.papers.epsilon import PAPER
from harness_ext.show.result_tables import layer_tables
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
    shares = {"rank_share_C": 0.354, "rank_share_NC": 0.493}
    for model, main in ((MODEL, 0.7), ("google-bert/bert-base-uncased (pooling=mean_last4)", 0.6)):
        for split in ("naturalistic", "neutral"):
            write_result(TASK, model, main, interval=(0.5, 0.8), split=split, **shares)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {
        "TERM": "xterm"
    }
    line = [sys.executable, "-m", "harness_ext", "show", "."]
    process = subprocess.Popen(line, cwd=tmp_path, env=environment, stdout=theirs, stdin=theirs)
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
    for model in (
        MODEL,
        "google-bert/bert-base-uncased (pooling=mean_last4)",
        "WhereIsAI/UAE-Large-V1",
    ):
        assert model in screen
    assert ".700 [.500, .800]" in screen
    assert ".354" in screen


def test_what_a_paper_argues_for_has_a_column_where_a_result_has_it(write_result, show):
    key = "span_affinity_syn_words_syn_spearman"
    write_result("NounCompoundAffinity", "a/words", 0.6, interval=(0.5, 0.7), **{key: -0.25})
    (row,) = (line for line in show().splitlines() if line.startswith(" NounCompoundAffinity "))
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


def test_the_spread_over_instructions_stands_beside_the_intervals(write_result, show):
    """The plain result has the instruction of `none`, and counts once; a model with one instruction
    has no row.
    """

    def write(model, prompt, main, gain):
        signature = Signature(
            TASK, "d@1", "naturalistic", "en", "m-1", model, "abc", "sentence", prompt, *[""] * 4
        )
        gain_of = {"gain_auc_nc_vs_c": gain}
        write_result(
            TASK,
            model,
            main,
            interval=(main - 0.1, main + 0.1),
            signature=str(signature),
            **gain_of,
        )

    write("a/b", "", 0.6, 0.3)
    assert "over instructions" not in show()
    write("a/b [prompt_none]", "", 0.6, 0.3)
    write("c/d [prompt_none]", "", 0.9, 0.1)
    assert "over instructions" not in show()
    write("a/b [prompt_ask]", "Ask: ", 0.7, 0.1)
    write("a/b [prompt_say]", "Say\n", 0.5, 0.2)
    text = " ".join(show().partition("over instructions")[2].split())
    assert (
        "en naturalistic 3 .500 [.400, .600] (say) .700 [.600, .800] (ask) .100 (ask) .300 (none)"
        in text
    )
    assert r"none: '' ask: 'Ask: ' say: 'Say\n'" in text
    assert f"c/d {TASK}" not in text
    write("e/f", "", 0.6, 0.3)
    write("e/f [prompt_ask]", "Ask: ", 0.5, 0.3)
    text = " ".join(show("-m", "e/f", "-m", "e/f [prompt_ask]").split())
    assert "2 .500 [.400, .600] (ask) .600 [.500, .700] (default)" in text


def test_names_that_terminals_and_markup_take_for_something_else(write_result, show):
    for model, main in (
        ("a/[/x]", 0.7),
        ("b/[bold]c", 0.6),
        ("c/\x1b[31mred", 0.5),
        ("d/two\nlines", 0.4),
    ):
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
    assert re.fullmatch(
        rf"Error: .*b__cut/abc/{TASK}\.json cannot be read: .* It is left out\.\n", done.stderr
    )


def test_csv_markdown_and_json(write_result, show):
    for model, main in (("=cmd()", 0.7), ("b/|pipe", 0.6)):
        write_result(TASK, model, main, interval=(0.5, 0.8), rank_share_C=0.3)
    records = json.loads(show("--format", "json"))
    numbers = [
        (row["model"], row["value"], row["low"], row["high"], row["gain"]) for row in records
    ]
    assert numbers == [("=cmd()", 0.7, 0.5, 0.8, None), ("b/|pipe", 0.6, 0.5, 0.8, None)]
    rows = list(csv.DictReader(show("--format", "csv").splitlines()))
    shown = [(row["model"], row["value"], row["gain"]) for row in rows]
    assert shown == [("'=cmd()", "0.7", ""), ("b/|pipe", "0.6", "")]  # no formula in a spreadsheet
    markdown = show("--format", "markdown")
    assert "| b/\\|pipe | .600 [.500, .800] |" in markdown
    details = json.loads(show("--details", "--format", "json"))
    assert [row["value"] for row in details if row["score"] == "rank_share_C"] == [0.3, 0.3]


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
    write_result(task, "my/encoder", 0.123, **{TELLING_KEYS[task][0]: 0.123})
    _, table = show().split(f"{task}: measured, and published by others")
    assert re.search(r"my/encoder +en naturalistic +\.123", table)
    assert re.search(row, table)
    for place, cells in references(task, {ResultKey("my/encoder", "en", "naturalistic")}).items():
        assert f" {place.model} " in table
        assert all(cell.table in table for cell in cells.values())


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
    ends = 10 * (value - 0.5) - 1, 10 * (value - 0.5) + 1
    return replace(
        entry_at("EpsilonCompositionality", "naturalistic", ends, ends),
        model=model,
        revision=revision,
    )


ENTRIES = [
    entry_of("a/b", 0.9),
    entry_of("a/b (layer=10)", 0.75),
    entry_of("a/b (layer=2)", 0.55),
    entry_of("a/b (pooling=cls, layer=2)", 0.4),
    entry_of("c/d (layer=0)", 0.5),
]


def test_a_table_per_model_and_revision_in_the_order_of_the_layers():
    tables = list(layer_tables([*ENTRIES, entry_of("c/d (layer=0)", 0.6, revision="2")]))
    assert [table.title.rpartition(": ")[2] for table in tables] == [
        "a/b",
        "a/b (pooling=cls)",
        "c/d @1",
        "c/d @2",
    ]
    assert tables[0].rows == (
        (
            "2",
            ".550 [.450, .650]",
            ".500",
            ".050 [-.050, .150]",
            "inconclusive",
            "inconclusive",
            "–",
        ),
        ("10", ".750 [.650, .850]", ".500", ".250 [.150, .350]", "above", "above", "–"),
    )


def test_curves():
    figure = layer_curves(ENTRIES)
    spec = figure.chart.to_dict()
    (block,) = spec["vconcat"]
    score, gain = block["hconcat"]
    data = [spec["datasets"][panel["data"]["name"]] for panel in (score, gain)]
    ours = [row for row in data[0] if row["model"] == "a/b"]
    assert [
        (row["layer"], row["value"], row["low"], row["high"], row["additive"]) for row in ours
    ] == [
        (2, 0.55, 0.45, 0.65, 0.5),
        (10, 0.75, 0.65, 0.85, 0.5),
    ]
    assert {row["model"] for row in data[1]} == {"a/b", "a/b (pooling=cls)", "c/d"}
    assert [row["value"] for row in data[1] if row["model"] == "a/b"] == [0.05, 0.25]
    assert "rule" in {layer["mark"]["type"] for layer in score["layer"]}  # chance
    assert layer_curves([ENTRIES[0], entry_of("a/b (pooling=cls)", 0.9)]) is None
