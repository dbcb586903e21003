"""Whatever is in a file: its rows, or one error that names the file; never silence, never a traceback from inside.

Each file is a sound one with some bytes cut, doubled, exchanged or put in. What was found this way stands as examples
of its own below.
"""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness_ext.data.compound_tables import read_human_scores, read_table
from harness_ext.data.compounds import filled_probe, tagged_probe
from harness_ext.datasets_scripts.polarity_pairs.polarity_pairs import reference_pairs, sentence_rows, system_pairs
from harness_ext.datasets_scripts.sentiment_trees.sentiment_trees import SentimentTrees, read_trees
from harness_ext.encoders.static import load_vectors
from harness_ext.results.entry import ResultError
from harness_ext.results.load import read_result
from harness_ext.results.signature import Signature

FUZZ = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def damaged(draw, sound: bytes):
    """A file with up to four edits."""
    data = bytearray(sound)
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.integers(0, 12)))
        kind = draw(st.sampled_from(["cut", "end", "double", "exchange", "put"]))
        if kind == "cut":
            del data[start:end]
        elif kind == "end":
            del data[start:]
        elif kind == "double":
            data[start:start] = data[start:end]
        elif kind == "exchange":
            data[start:end] = draw(st.binary(min_size=end - start, max_size=end - start))
        else:
            data[start:start] = draw(st.one_of(st.binary(max_size=8), st.text(max_size=8).map(str.encode)))
    return bytes(data)


def rows_or_error(read, path, data, error=ValueError):
    """What `read(path)` gives; nothing if it raises an error that names the file."""
    path.write_bytes(data)
    try:
        return read(path)
    except error as problem:
        assert str(path.parent) in str(problem)  # of two files that belong together it may be either
        return None


SCORES = (
    "compound\tCompScale\tCompType\tMeanS1\tMeanS2\tMeanS3\n"
    '"car park"\tPC\t4.2\t2.8\t2.55\t2.9\nblack box\tNC\t1.3\t\t1.0\t0\ncafé\tC\t5\t5\t5\t5\n'
).encode()


class TestNounCompounds:
    @FUZZ
    @given(damaged(SCORES))
    def test_human_scores(self, tmp_path, data):
        for scores in (rows_or_error(read_human_scores, tmp_path / "data.tsv", data) or {}).values():
            assert scores.expert_class in {"NC", "PC", "C"}
            numbers = [number for number in (scores.type_score, *scores.token_scores) if number is not None]
            assert np.isfinite(numbers).all()

    @FUZZ
    @given(damaged(SCORES))
    def test_tables_have_a_cell_for_each_column(self, tmp_path, data):
        header, lines = rows_or_error(lambda path: read_table(path, "\t"), tmp_path / "t.csv", data) or ([], [])
        assert all(len(cells) == len(set(header)) for _, cells in lines)

    @FUZZ
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

    @pytest.mark.parametrize("cell", ["nan", "inf", "-Infinity", "1e999"])
    def test_a_score_that_is_no_number_is_not_taken_for_one(self, tmp_path, cell):
        (tmp_path / "data.tsv").write_bytes(SCORES.replace(b"4.2", cell.encode()))
        with pytest.raises(ValueError, match=r"data\.tsv, line 2, column 'CompType'"):
            read_human_scores(tmp_path / "data.tsv")

    def test_a_column_that_stands_twice_is_an_error(self, tmp_path):
        (tmp_path / "data.tsv").write_bytes(SCORES.replace(b"MeanS2", b"MeanS1"))
        with pytest.raises(ValueError, match=r"data\.tsv: column 'MeanS1' stands twice"):
            read_human_scores(tmp_path / "data.tsv")


TREES = "(3 (2 Effective) (2 (2 but) (1 (2 too-tepid) (2 biopic))))\n\n(4 (2 caf\u00e9) (3 -LRB-))\n"


@pytest.fixture(scope="module")
def builder(tmp_path_factory):
    return SentimentTrees(config_name="sst", cache_dir=str(tmp_path_factory.mktemp("cache")))


class TestTrees:
    @FUZZ
    @given(damaged(TREES.encode()))
    def test_each_node_has_a_label_and_its_children_before_it(self, data):
        text = data.decode("utf-8", errors="replace")
        try:
            rows = list(read_trees(text, "dev.txt", "dev"))
        except ValueError as error:
            assert str(error).startswith("dev.txt, line ")
            return
        for row in rows:
            assert row["left"].count(-1) == len(row["words"]) == (len(row["node_labels"]) + 1) // 2
            assert all(left < place and right < place for place, (left, right) in
                       enumerate(zip(row["left"], row["right"], strict=True)))  # fmt: skip

    def test_a_tree_of_any_depth_is_read(self):
        depth = 20_000
        ((row),) = read_trees("(2 (2 a) " * depth + "(2 b)" + ")" * depth, "dev.txt", "dev")
        assert len(row["words"]) == depth + 1

    @settings(FUZZ, max_examples=100)
    @given(st.data())
    def test_the_published_zip(self, tmp_path, builder, data):
        whole = io.BytesIO()
        with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("trees/dev.txt", TREES)
        file = tmp_path / "trees.zip"
        file.write_bytes(data.draw(damaged(whole.getvalue())))
        with pytest.raises((ValueError, RuntimeError), match=r"trees\.zip, trees/dev\.txt"):  # 1101 there must be
            list(builder.rows({"zip": file}, "dev"))


@FUZZ
@given(damaged(b"the food was great .\t1\nnever again !\t0\n"), st.sampled_from([reference_pairs, system_pairs]))
def test_pairs(tmp_path, data, read):
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    other.write_bytes(b"the food was bad .\t0\nagain !\t1\n")
    rows_or_error(lambda path: list(read(path, other)), one, data)
    rows_or_error(lambda path: list(sentence_rows((path, other), "train")), one, data)


VECTORS = b"3 2\nblack 0.5 -1\nbox 1e-3 2\n. . 1 0\n"


@FUZZ
@given(damaged(VECTORS))
def test_word_vectors(tmp_path, data):
    vectors = rows_or_error(load_vectors, tmp_path / "vectors.txt", data)
    if vectors is not None:
        assert len(vectors.index_to_key) == len(vectors.vectors)
        assert vectors.vectors.shape[1] >= 1


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
    @FUZZ
    @given(damaged(RESULT))
    def test_scores_are_numbers_within_their_range(self, tmp_path, data):
        file = tmp_path / "EpsilonCompositionalityMini.json"
        for entry in rows_or_error(read_result, file, data, ResultError) or []:
            assert 0 <= entry.main_score <= 1
            assert all(np.isfinite(value) for value in entry.scores.values())

    @pytest.mark.parametrize("value", ['"0.5"', "null", "[]", "{}", "true", "NaN", "1" + "0" * 400])
    def test_a_main_score_that_is_there_twice_is_a_number_both_times(self, tmp_path, value):
        file = tmp_path / "EpsilonCompositionalityMini.json"
        file.write_bytes(RESULT.replace(b'"auc_nc_vs_c": 0.5', f'"auc_nc_vs_c": {value}'.encode()))
        with pytest.raises(ResultError, match=r"EpsilonCompositionalityMini\.json: auc_nc_vs_c is"):
            read_result(file)

    @FUZZ
    @given(st.text(max_size=200))
    def test_a_signature_is_one_or_none(self, line):
        try:
            assert isinstance(Signature.parse(line), Signature)
        except ValueError as error:
            assert repr(line) in str(error)
