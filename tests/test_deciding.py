"""Any decision about two texts: planted functions get what they must, and one table has models,
checks and both.
"""

import json
import re
from itertools import compress

import pytest
from sentence_transformers import CrossEncoder

from harness_ext import MergeDecision, measure, safe_to_merge
from harness_ext.deciding import jaccard, plan_of
from harness_ext.encoders.batches import EncodingError
from harness_ext.encoders.checks import CheckError
from harness_ext.measures.merging.decision import paired_differences
from harness_ext.show.papers.merging import conclusion, saved
from tests.command_line import harness_ext
from tests.encoders.tiny_transformers import fast, save, small_bert, wordpiece
from tests.planted import letters, vectors_of

PLAN = plan_of()
PAIRS = list(zip(PLAN.pairs.first, PLAN.pairs.second, strict=True))
PARAPHRASES = set(compress(PAIRS, PLAN.pairs.is_same))
KINDS = ("same", "opposites", "roles", "hedges")


def truth(one, other):
    return (one, other) in PARAPHRASES


def always(one, other):
    return True


def never(one, other):
    return False


def is_near(one, other):
    return jaccard(one, other) >= 0.7


def ten_times_jaccard(one, other):
    return 10 * jaccard(one, other)


def merged(decision, *kinds):
    """The share of pairs of each kind that are merged."""
    return [decision.shares[kind].merged for kind in kinds or KINDS]


def test_planted_functions_get_what_they_must():
    assert merged(safe_to_merge(always)) == [1, 1, 1, 1]
    assert merged(safe_to_merge(never)) == [0, 0, 0, 0]
    right = safe_to_merge(truth)
    assert merged(right) == [1, 0, 0, 0]
    assert right.is_safe is True
    assert right.of == ""
    first_record = next(iter(right.records()))
    assert first_record["threshold"] is None
    assert right.shares["opposites"].interval == (0, pytest.approx(0.03, abs=0.01))
    assert conclusion("truth", right).startswith(
        "truth keeps together 100 % of paraphrases (95 % interval 98 % to 100 %)"
    )

    def truth_above_jaccard(one, other):
        return 20.0 * truth(one, other) + jaccard(one, other)

    number = safe_to_merge(truth_above_jaccard)
    assert merged(number) == [pytest.approx(0.9, abs=0.02), 0, 0, 0]
    assert 20 <= number.threshold <= 21


def test_a_number_has_a_threshold_as_a_cosine():
    """Jaccard's own numbers: those from .7 are merged, whether the function says so or the
    threshold.
    """
    by_number = safe_to_merge(jaccard, threshold=0.7)
    by_word = safe_to_merge(is_near)
    assert merged(by_number) == merged(by_word)
    assert by_number.shares == by_word.shares
    times_ten = safe_to_merge(ten_times_jaccard, threshold=7)
    assert times_ten.shares == by_number.shares
    assert times_ten.unit == 10
    assert [row["threshold"] for row in times_ten.curve() if row["deployed"]] == [7]
    ten_times_threshold = safe_to_merge(ten_times_jaccard).threshold
    assert safe_to_merge(jaccard).threshold == pytest.approx(ten_times_threshold / 10)


def test_a_check_that_answers_by_0_and_1_decides_as_by_bools():
    """Alone and after an encoder; a threshold that is given is none of its."""

    def number(one, other):
        return float(is_near(one, other))

    expected = safe_to_merge(is_near)
    for decision in (safe_to_merge(number), safe_to_merge(number, threshold=0)):
        assert decision.of == ""
        assert decision.is_given is True
        assert decision.shares == expected.shares
    encode = vectors_of(letters)
    by_number = safe_to_merge(encode, check=number)
    by_bool = safe_to_merge(encode, check=is_near)
    assert by_number.shares == by_bool.shares


def test_a_distance_is_not_called_safe():
    """Not as the decision, not as the check after it, and not as what a task measures."""

    def distance(one, other):
        return 1 - jaccard(one, other)

    def similarity(one, other):
        return -distance(one, other)

    said = r"distance looks like a distance"
    with pytest.raises(CheckError, match=said):
        safe_to_merge(distance)
    with pytest.raises(CheckError, match=said):
        safe_to_merge(jaccard, check=distance)
    with pytest.raises(CheckError, match=said):
        measure(distance, "CaptionSwapMini")
    assert merged(safe_to_merge(similarity)) == merged(safe_to_merge(jaccard))


def test_who_forgot_an_argument_learns_how_the_function_was_taken():
    def same(one):
        return one == "the same"

    def breaks(one):
        return one.casefold()

    def three(one, other, limit):
        return one == other and limit

    for function, error in ((same, EncodingError), (breaks, AttributeError)):
        for decide, check in ((function, None), (truth, function)):
            with pytest.raises(error) as failed:
                safe_to_merge(decide, check=check)
            (note,) = failed.value.__notes__
            said = "takes one argument: it is called with a list of texts, and vectors are"
            assert note.startswith(f"{function.__name__} {said}")
    said = r"three.*, which takes \(one, other, limit\)\. An encoder takes one argument"
    with pytest.raises(TypeError, match=said):
        safe_to_merge(three)


def test_one_after_the_other_merges_what_both_do():
    """Of planted numbers: the first merges 9 of 10 paraphrases and all opposites, the check what it
    is made to.
    """

    def is_long(one, other):
        return len(one) > 30

    encode = vectors_of(letters)
    alone = safe_to_merge(encode)
    checked = safe_to_merge(encode, check=truth)
    assert merged(checked) == [*merged(alone, "same"), 0, 0, 0]
    assert checked.is_safe is True
    assert checked.threshold == alone.threshold
    assert checked.of == "cos"
    assert merged(safe_to_merge(encode, check=always)) == merged(alone)
    assert merged(safe_to_merge(encode, check=never)) == [0, 0, 0, 0]
    twice = safe_to_merge(truth, check=is_long)
    share_of_long = sum(is_long(*pair) for pair in PARAPHRASES) / len(PARAPHRASES)
    assert merged(twice, "same") == [pytest.approx(share_of_long)]


def test_thirty_updates_are_a_kind_that_can_stand_alone():
    """If all are merged, the interval of 30 begins at .86, that of 12 at .70."""
    shares = safe_to_merge(always).shares
    assert shares["update"].units == 30
    assert shares["update"].low == pytest.approx(0.86, abs=0.005)
    assert shares["scope"].units == 12
    assert shares["scope"].low == pytest.approx(0.70, abs=0.005)


def test_what_a_check_saves_and_costs_is_paired():
    """A check that keeps a third of the opposites apart, and two of the paraphrases, whatever their
    cosine.
    """
    opposites = [pair for pair in PAIRS if pair not in PARAPHRASES]
    apart = {*opposites[::3], *sorted(PARAPHRASES)[:2]}

    def keeps_apart(one, other):
        return (one, other) not in apart

    decisions = {
        "m": safe_to_merge(always),
        "m then c": safe_to_merge(always, check=keeps_apart),
    }
    differences = paired_differences(decisions, [("m then c", "m")])
    by_pairs = {record["pairs"]: record for record in differences}
    of_opposites = by_pairs["opposites"]
    assert of_opposites["value"] == pytest.approx(-66 / 198)
    assert by_pairs["same"]["value"] == pytest.approx(-2 / 198)
    assert of_opposites["low"] < -66 / 198 < of_opposites["high"] < -0.25
    said = saved(differences, "m", "c")
    assert said.startswith("After m, c saves .333 [.2")
    assert "false merges per opposite and costs .010 [" in said


def test_own_pairs_and_errors(tmp_path):

    def says_no_not(one, other):
        return "not" not in other

    def breaks(one, other):
        return unknown  # noqa: F821

    rows = []
    for number in range(12):
        call = f"Call the cook {number}."
        ring = f"Ring the cook {number}."
        rows.append({"first": call, "second": ring, "kind": "same"})
        negated = f"Do not call the cook {number}."
        rows.append({"first": call, "second": negated, "kind": "negation"})
    decision = safe_to_merge(says_no_not, rows)
    assert isinstance(decision, MergeDecision)
    assert merged(decision, "same", "opposites", "negation") == [1, 0, 0]
    said = r"breaks of 'Call the cook 0\.' and 'Ring the cook 0\.': NameError"
    with pytest.raises(CheckError, match=said):
        safe_to_merge(breaks, rows)


@pytest.mark.slow
def test_one_table_of_a_model_checks_and_both(tmp_path):
    words = wordpiece()
    folder = tmp_path / "cross"
    save(folder, small_bert(words), fast(words, model_max_length=64))
    CrossEncoder(str(folder), num_labels=1).save(str(tmp_path / "ce"))
    model = "compositionality/letters"
    jaccards = "harness_ext.deciding:jaccard"
    cross = f"cross-encoder:{tmp_path}/ce"
    command = ("safe-to-merge", "-m", model, "--check", jaccards, "--check", cross)
    done = harness_ext(*command, columns="250")
    assert done.exit_code == 1, done.output
    assert f"After {model}, {jaccards} saves " in done.stdout
    assert f"After {model}, {cross} saves " in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    headers = [row for row in rows if row[:1] == ["letters"]]
    assert " ".join(headers[0]) == "letters jaccard ce letters then jaccard letters then ce"
    records = json.loads(harness_ext(*command, "--format", "json").stdout)
    merged_opposites = {}
    couples = set()
    for record in records:
        if "model" in record and record.get("pairs") == "opposites":
            merged_opposites[record["model"]] = record["merged"]
        if "first" in record:
            couples.add((record["first"], record["second"]))
    after_model = [f"{model} then {jaccards}", f"{model} then {cross}"]
    assert [*merged_opposites] == [model, jaccards, cross, *after_model]
    for check in (jaccards, cross):
        alone = min(merged_opposites[model], merged_opposites[check])
        assert merged_opposites[f"{model} then {check}"] <= alone
    assert couples == {(name, model) for name in merged_opposites if name != model}


REFUSED = {
    "": "Name a model by -m, or a function of two texts by --check.",
    "--check guards:breaks": "IndexError: string index out of range",
    "--check guards:no": "--check guards:no cannot be loaded",
    "--check guards:never --curve curve.csv": "yes or no has no threshold, and no curve",
    "--check guards:never --check guards:never": "--check guards:never: one is there twice.",
    "--check guards:long --threshold nan": "--threshold nan: a finite number expected.",
    "--check guards:long --threshold inf": "--threshold inf: a finite number expected.",
    "--check guards:never --at-most 0": "With --at-most 0, no number of them is enough.",
}
"""Options -> what is said of them."""


@pytest.mark.slow
def test_the_check_alone_decides_the_status(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "guards.py").write_text(
        "def never(a, b):\n    return False\n\n\n"
        "def breaks(a, b):\n    return a[1000]\n\n\n"
        "def long(a, b):\n    return len(a)\n"
    )
    done = harness_ext("safe-to-merge", "--check", "guards:never")
    assert done.exit_code == 0, done.output
    text = " ".join(done.stdout.split())
    assert text.startswith(
        "guards:never keeps together 0 % of paraphrases (95 % interval 0 % to 2 %), and merges 0 % "
        "of"
    )
    assert "The 10 worst" not in text
    after_a_model = "-m compositionality/letters --check guards:never"
    assert harness_ext("safe-to-merge", *after_a_model.split()).exit_code == 0
    for options, said in REFUSED.items():
        refused = harness_ext("safe-to-merge", *options.split())
        assert refused.exit_code == 2, refused.output
        assert said in " ".join(refused.stderr.split()), refused.output
    with_curve = "--check guards:long --threshold 30 --curve curve.csv"
    done = harness_ext("safe-to-merge", *with_curve.split())
    assert "guards:long at score ≥ 30.000 keeps " in done.stdout
    curve = (tmp_path / "curve.csv").read_text()
    assert curve.startswith("model,threshold,hit_rate,false_merges,deployed\nguards:long,")


def test_costs_stand_below_the_quality():
    done = harness_ext(
        "safe-to-merge", "-m", "compositionality/letters", "--check", "harness_ext.deciding:jaccard"
    )
    for label in ("seconds per 1000 texts", "seconds per 1000 pairs"):
        assert re.search(rf"^ *{label}   ", done.stdout, re.MULTILINE)
    assert "Seconds were measured on this machine." in done.stdout
    decision = safe_to_merge(vectors_of(letters))
    assert decision.costs["seconds_per_1000_texts"] > 0
    assert safe_to_merge(jaccard).costs.keys() == {"seconds_per_1000_pairs"}
