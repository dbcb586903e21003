"""Whatever is in a file: its rows, or one error that names the file; never silence, never a traceback from inside.

Each file is a sound one with some bytes cut, doubled, exchanged or put in, or words and numbers exchanged for others.
What was found this way stands as examples of its own below. The readers are in `readers.py`; `benchmarks/fuzz.py` gives
them to atheris.
"""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.data.compounds import filled_probe, tagged_probe
from harness_ext.data.tables import read_table
from harness_ext.datasets_scripts.ncimp.tagged import read_scores
from harness_ext.json_files import DamagedFileError
from harness_ext.results.load import load_results, read_result
from harness_ext.store.item_files import ItemsError
from harness_ext.store.signature import Signature
from tests.fuzz.readers import READERS, SCORES, SHEET, check, sound_files, workbook

FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
TOKEN = re.compile(rb'"[^"]*"|-?[\d.]+(?:[eE]-?\d+)?|[A-Za-z_]+')
WORDS = (b"null", b"true", b"nan", b"NaN", b"1e999", b"-1", b"9" * 400, b"[]", b"{}", b'""', b'"\\ud800"', b"..")


@st.composite
def damaged(draw, sound: bytes):
    """A file with up to four edits."""
    data = bytearray(sound)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["cut", "end", "double", "exchange", "put", "word", "word"]))
        if kind == "cut":
            del data[start:end]
        elif kind == "end":
            del data[start:]
        elif kind == "double":
            data[start:start] = data[start:end]
        elif kind == "exchange":
            data[start:end] = draw(st.binary(min_size=end - start, max_size=end - start))
        elif kind == "put":
            data[start:start] = draw(st.one_of(st.binary(max_size=8), st.text(max_size=8).map(str.encode)))
        elif tokens := [*TOKEN.finditer(data)]:
            start, end = draw(st.sampled_from(tokens)).span()
            data[start:end] = draw(st.sampled_from(WORDS))
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
@settings(FUZZ)
@given(st.data())
def test_rows_or_an_error_that_names_a_file(name, tmp_path, data):
    files = [file for file in sound_files(name) if file.endswith(READERS[name].damaged)]
    file = data.draw(st.sampled_from(files))
    check(name, tmp_path, file, data.draw(damaged(sound_files(name)[file])))


@pytest.mark.parametrize("name", READERS)
def test_sound_files_have_no_fault(name, tmp_path):
    """Else nothing could be told from damage."""
    file, content = next(iter(sound_files(name).items()))
    check(name, tmp_path, file, content)
    said = [text for text in READERS[name].read(tmp_path) if "1101" not in text and "board cannot" not in text]
    assert name == "pairs" or not said  # of which each of two readers refuses what is the other's


class TestNounCompounds:
    @settings(FUZZ, max_examples=20)
    @given(damaged(SCORES))
    def test_tables_have_a_cell_for_each_column(self, tmp_path, data):
        (tmp_path / "t.csv").write_bytes(data)
        try:
            lines = read_table(tmp_path / "t.csv", delimiter="\t")
        except ValueError as error:
            assert str(tmp_path / "t.csv") in str(error)
            return
        assert len({tuple(line.cells) for line in lines}) <= 1

    @settings(FUZZ, max_examples=20)
    @given(st.text(max_size=40), st.text(alphabet="[]TrueFals, 01{}x", max_size=40))
    def test_probes_are_words_of_their_sentences(self, sentence, tag):
        for make in (tagged_probe, filled_probe):
            try:
                probe = make(sentence, tag)
            except ValueError:
                continue
            start, end = probe["span"]
            assert 0 <= start < end <= len(probe["sentence"].split())

    @pytest.mark.parametrize("tag", ["{[]: 1}", "[" * 5000, "(" * 90 + ")" * 90, "True\0"])
    def test_a_tag_that_is_no_list_of_marks_is_quoted(self, tag):
        with pytest.raises(ValueError, match="is not a list of True and False"):
            tagged_probe("a black box", tag)

    @pytest.mark.parametrize("number", [b"1e999", b"-1e999"])
    def test_a_score_of_the_workbook_that_is_no_number_is_not_taken_for_one(self, tmp_path, number):
        sheet = sound_files("NCIMP")[SHEET]
        assert sheet.count(b"1.25") == 1
        (tmp_path / "scores.xlsx").write_bytes(workbook(sheet.replace(b"1.25", number)))
        with pytest.raises(ValueError, match=r"scores\.xlsx, row 2, column 'Compositionality.*': a number"):
            read_scores(tmp_path / "scores.xlsx")


SIGNATURE = Signature(
    *("EpsilonCompositionalityMini", "compound_mini@1", "naturalistic", "default", "epsilon-1", "a/b", "1"),
    *("sentence", "", "float32", "torch", "2.26", "6.2"),
)
RESULT = json.dumps(
    {
        "task_name": "EpsilonCompositionalityMini",
        "dataset_revision": "1",
        "scores": {
            "naturalistic": [
                {"hf_subset": "default", "main_score": 0.5, "auc_nc_vs_c": 0.5, "signature": str(SIGNATURE)},
            ]
        },
    }
).encode()


class TestResults:
    @pytest.mark.parametrize("value", ['"0.5"', "null", "[]", "{}", "true", "NaN", "1" + "0" * 400])
    def test_a_main_score_that_is_there_twice_is_a_number_both_times(self, tmp_path, value):
        file = tmp_path / "EpsilonCompositionalityMini.json"
        file.write_bytes(RESULT.replace(b'"auc_nc_vs_c": 0.5', f'"auc_nc_vs_c": {value}'.encode()))
        with pytest.raises(DamagedFileError, match=r"EpsilonCompositionalityMini\.json: auc_nc_vs_c is"):
            read_result(file)

    @settings(FUZZ, max_examples=20)
    @given(st.text(max_size=200))
    def test_a_signature_is_one_or_none(self, line):
        try:
            assert isinstance(Signature.parse(line), Signature)
        except ValueError as error:
            assert repr(line) in str(error)


@pytest.mark.parametrize(("sound", "cell"), [(b", 0]", b", 1e999]"), (b'"01"', b'"\\ud800"')])
def test_a_sample_of_lm_eval_that_is_no_sample_is_named(tmp_path, sound, cell):
    """A count that is no number; a name that no file can hold."""
    _, samples = sound_files("lm-eval output")
    content = sound_files("lm-eval output")[samples]
    assert sound in content
    check("lm-eval output", tmp_path, samples, content.replace(sound, cell, 1))
    (entry,) = load_results(tmp_path).entries
    with pytest.raises(ItemsError, match=r"samples_surprisal_mini.*\.jsonl"):
        entry.items()
