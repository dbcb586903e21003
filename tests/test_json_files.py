"""What is wrong with a JSON file of another program is said with file, key, found and expected."""

import os

import pytest

from harness_ext.common.json_files import DamagedFileError, JsonModel, Number, read_json, read_model


class Inner(JsonModel):
    name: str


class Outer(JsonModel):
    inner: list[Inner]
    score: Number


SOUND = '{"inner": [{"name": "a", "more": 1}], "score": 0.5}'

DAMAGES = {
    SOUND.replace("0.5", "true"): "score is True, a number expected.",
    SOUND.replace("0.5", "NaN"): "score is nan, a number expected.",
    SOUND.replace("0.5", "1" * 400): "a number expected",
    SOUND.replace('"a"', "3"): "name is 3, a text expected.",
    SOUND.replace('"name": "a", ', ""): "name is missing.",
    SOUND.replace('{"name": "a", "more": 1}', "7"): "inner is 7, an object expected.",
    '{"inner": {}, "score": 1}': "inner is {}, a list expected.",
    "[]": "it is [], an object expected.",
    '{"score": 1, "score": 1}': "a key is there twice",
    "{": "cannot be read",
    "[" * 100_000: "cannot be read",
    # a Python that reads so many lists in each other finds one, another cannot read it
    "[" * 700 + '"\\ud800"' + "]" * 700: "",
    "version https://git-lfs.github.com/spec/v1\n": (
        "cannot be read: It is a pointer of git-lfs. To get the file"
    ),
}


@pytest.mark.parametrize("text", DAMAGES, ids=[text[:60] for text in DAMAGES])
def test_damage_is_named(tmp_path, text):
    file = tmp_path / "one.json"
    file.write_text(text)
    with pytest.raises(DamagedFileError) as error:
        read_model(file, Outer)
    assert str(error.value).startswith(str(file))
    assert DAMAGES[text] in str(error.value)
    assert "\n" not in str(error.value)


def test_a_sound_file_keeps_whole_numbers_whole(tmp_path):
    file = tmp_path / "one.json"
    file.write_text(SOUND.replace("0.5", "12"))
    found = read_model(file, Outer)
    assert found.inner == [Inner(name="a")]
    assert found.score == 12
    assert isinstance(found.score, int)


def test_half_a_letter_becomes_a_whole_one(tmp_path):
    file = tmp_path / "one.json"
    file.write_text('{"a": ["\\ud800", "\\ud83d\\ude00"]}')
    assert read_json(file) == {"a": ["�", "😀"]}


def test_a_pipe_a_missing_file_and_another_encoding_are_named(tmp_path):
    (tmp_path / "other.json").write_text(SOUND, encoding="utf-16")
    with pytest.raises(DamagedFileError, match=r"other\.json cannot be read: 'utf-8' codec"):
        read_json(tmp_path / "other.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(DamagedFileError, match=r"pipe\.json cannot be read: it is no plain file"):
        read_json(tmp_path / "pipe.json")
    with pytest.raises(DamagedFileError, match=r"none\.json cannot be read: .*No such file"):
        read_json(tmp_path / "none.json")
