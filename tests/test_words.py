"""Words of texts with blanks and without, beside the examples of `words_of`; the name of what
splits them.
"""

import pytest

from harness_ext.data.words import segmenter, words_of


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("한국어는 띄어쓰기", ["한국어는", "띄어쓰기"]),
        (" \n", []),
        ("吾輩は猫である。", ["吾輩", "は", "猫", "で", "ある", "。"]),
        ("I love 東京タワー!", ["I", "love", "東京タワー", "!"]),
        ("ผมรักภาษาไทย", ["ผม", "รัก", "ภาษา", "ไทย"]),
        ("ຂ້ອຍຮັກພາສາລາວ", ["ຂ້ອຍ", "ຮັກ", "ພາສາ", "ລາວ"]),
        ("ខ្ញុំស្រលាញ់ភាសា", ["ខ្ញុំ", "ស្រលាញ់", "ភាសា"]),
        ("ကျွန်တော်မြန်မာစာကို", ["ကျွန်တော်", "မြန်မာ", "စာ", "ကို"]),
        ("𠀋𠀌", ["𠀋", "𠀌"]),
    ],
)
def test_words(text, words):
    assert words_of(text) == words
    assert "".join(words) == "".join(text.split())


def test_the_segmenter_is_named_only_where_it_is_used():
    assert segmenter(["a black box", "한국어는 띄어쓰기"]) == ""
    assert segmenter(["a black box", "吾輩は猫である。"]).startswith("words of ICU ")
