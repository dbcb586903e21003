"""Any decision about two texts: planted functions get what they must, and one table has models,
checks and both.
"""

import json

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
PARAPHRASES = {
    pair
    for pair, same in zip(
        zip(PLAN.pairs.first, PLAN.pairs.second, strict=True), PLAN.pairs.is_same, strict=True
    )
    if same
}


def truth(one, other):
    return (one, other) in PARAPHRASES


def merged(decision, *of):
    return [
        decision.shares[pairs].merged for pairs in of or ("same", "opposites", "roles", "hedges")
    ]


def test_planted_functions_get_what_they_must():
    assert merged(safe_to_merge(lambda one, other: True)) == [1, 1, 1, 1]
    assert merged(safe_to_merge(lambda one, other: False)) == [0, 0, 0, 0]
    right = safe_to_merge(truth)
    assert merged(right) == [1, 0, 0, 0]
    assert (right.is_safe, right.of, next(iter(right.records()))["threshold"]) == (True, "", None)
    assert right.shares["opposites"].interval == (0, pytest.approx(0.03, abs=0.01))
    assert conclusion("truth", right).startswith(
        "truth keeps 100 % of paraphrases (95 % interval 97 % to 100 %) together"
    )
    number = safe_to_merge(lambda one, other: 20.0 * truth(one, other) + jaccard(one, other))
    assert merged(number) == [pytest.approx(0.9, abs=0.02), 0, 0, 0]
    assert 20 <= number.threshold <= 21


def test_a_number_has_a_threshold_as_a_cosine():
    """Jaccard's own numbers: those from .7 are merged, whether the function says so or the
    threshold.
    """
    by_number = safe_to_merge(jaccard, threshold=0.7)
    by_word = safe_to_merge(lambda one, other: jaccard(one, other) >= 0.7)
    assert merged(by_number) == merged(by_word)
    assert by_number.shares == by_word.shares
    times_ten = safe_to_merge(lambda one, other: 10 * jaccard(one, other), threshold=7)
    assert times_ten.shares == by_number.shares
    assert times_ten.unit == 10
    assert [row["threshold"] for row in times_ten.curve() if row["deployed"]] == [7]
    assert safe_to_merge(jaccard).threshold == pytest.approx(
        safe_to_merge(lambda one, other: 10 * jaccard(one, other)).threshold / 10
    )


def test_a_check_that_answers_by_0_and_1_decides_as_by_bools():
    """Alone and after an encoder; a threshold that is given is none of its."""

    def yes(one, other):
        return jaccard(one, other) >= 0.7

    def number(one, other):
        return float(yes(one, other))

    expected = safe_to_merge(yes)
    for found in (safe_to_merge(number), safe_to_merge(number, threshold=0)):
        assert (found.of, found.is_given, found.shares) == ("", True, expected.shares)
    encode = vectors_of(letters)
    assert safe_to_merge(encode, check=number).shares == safe_to_merge(encode, check=yes).shares


def test_a_distance_is_not_called_safe():
    """Not as the decision, not as the check after it, and not as what a task measures."""

    def distance(one, other):
        return 1 - jaccard(one, other)

    for function in (
        lambda: safe_to_merge(distance),
        lambda: safe_to_merge(jaccard, check=distance),
        lambda: measure(distance, "CaptionSwapMini"),
    ):
        with pytest.raises(CheckError, match=r"distance looks like a distance"):
            function()
    turned = safe_to_merge(lambda one, other: -distance(one, other))
    assert merged(turned) == merged(safe_to_merge(jaccard))


def test_who_forgot_an_argument_learns_how_the_function_was_taken():
    def same(one):
        return one == "the same"

    def breaks(one):
        return one.casefold()

    def three(one, other, limit):
        return one == other and limit

    for function, error in ((same, EncodingError), (breaks, AttributeError)):
        for decisions in ((function, None), (truth, function)):
            with pytest.raises(error) as failed:
                safe_to_merge(decisions[0], check=decisions[1])
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
    encode = vectors_of(letters)
    alone, checked = safe_to_merge(encode), safe_to_merge(encode, check=truth)
    assert merged(checked) == [merged(alone, "same")[0], 0, 0, 0]
    assert (checked.is_safe, checked.threshold, checked.of) == (True, alone.threshold, "cos")
    nothing = safe_to_merge(encode, check=lambda one, other: True)
    assert merged(nothing) == merged(alone)
    assert merged(safe_to_merge(encode, check=lambda one, other: False)) == [0, 0, 0, 0]
    twice = safe_to_merge(truth, check=lambda one, other: len(one) > 30)
    assert merged(twice, "same")[0] == pytest.approx(
        sum(len(one) > 30 for one, _ in PARAPHRASES) / len(PARAPHRASES)
    )


def test_what_a_check_saves_and_costs_is_paired():
    """A check that keeps a third of the opposites apart, and two of the paraphrases, whatever their
    cosine.
    """
    opposites = [
        pair
        for pair in zip(PLAN.pairs.first, PLAN.pairs.second, strict=True)
        if pair not in PARAPHRASES
    ]
    apart = {*opposites[::3], *sorted(PARAPHRASES)[:2]}
    decisions = {
        "m": safe_to_merge(lambda one, other: True),
        "m then c": safe_to_merge(
            lambda one, other: True, check=lambda one, other: (one, other) not in apart
        ),
    }
    found = paired_differences(decisions, [("m then c", "m")])
    of = {record["pairs"]: record for record in found}
    assert of["opposites"]["value"] == pytest.approx(-60 / 180)
    assert of["same"]["value"] == pytest.approx(-2 / 180)
    assert of["opposites"]["low"] < -60 / 180 < of["opposites"]["high"] < -0.25
    said = saved(found, "m", "c")
    assert (
        said.startswith("After m, c saves .333 [.2")
        and "false merges per opposite and costs .011 [" in said
    )


def test_own_pairs_and_errors(tmp_path):
    rows = [
        {"first": f"Call the cook {n}.", "second": f"{word} the cook {n}.", "kind": kind}
        for n in range(12)
        for word, kind in (("Ring", "same"), ("Do not call", "negation"))
    ]
    found = safe_to_merge(lambda one, other: "not" not in other, rows)
    assert isinstance(found, MergeDecision)
    assert merged(found, "same", "opposites", "negation") == [1, 0, 0]
    with pytest.raises(
        CheckError, match=r"<lambda> of 'Call the cook 0\.' and 'Ring the cook 0\.': NameError"
    ):
        safe_to_merge(lambda one, other: unknown, rows)  # noqa: F821


def test_one_table_of_a_model_checks_and_both(tmp_path):
    words = wordpiece()
    folder = tmp_path / "cross"
    save(folder, small_bert(words), fast(words, model_max_length=64))
    CrossEncoder(str(folder), num_labels=1).save(str(tmp_path / "ce"))
    model, jaccards, cross = (
        "compositionality/letters",
        "harness_ext.deciding:jaccard",
        f"cross-encoder:{tmp_path}/ce",
    )
    command = ("safe-to-merge", "-m", model, "--check", jaccards, "--check", cross)
    done = harness_ext(*command, columns="250")
    assert done.exit_code == 1, done.output
    assert f"After {model}, {jaccards} saves " in done.stdout
    assert f"After {model}, {cross} saves " in done.stdout
    header = next(line for line in done.stdout.splitlines() if line.split()[:1] == ["letters"])
    assert header.split() == [
        "letters",
        "jaccard",
        "ce",
        "letters",
        "then",
        "jaccard",
        "letters",
        "then",
        "ce",
    ]
    records = json.loads(harness_ext(*command, "--format", "json").stdout)
    named = {
        record["model"]: record["merged"]
        for record in records
        if "model" in record and record.get("pairs") == "opposites"
    }
    assert [*named] == [model, jaccards, cross, f"{model} then {jaccards}", f"{model} then {cross}"]
    assert all(
        named[f"{model} then {check}"] <= min(named[model], named[check])
        for check in (jaccards, cross)
    )
    couples = {(record["first"], record["second"]) for record in records if "first" in record}
    assert couples == {(name, model) for name in named if name != model}


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
        "guards:never keeps 0 % of paraphrases (95 % interval 0 % to 3 %) together and merges 0 % "
        "of"
    )
    assert "The 10 worst" not in text
    assert (
        harness_ext(
            "safe-to-merge", "-m", "compositionality/letters", "--check", "guards:never"
        ).exit_code
        == 0
    )
    for options, said in [
        ((), "Name a model by -m, or a function of two texts by --check."),
        (("--check", "guards:breaks"), "IndexError: string index out of range"),
        (("--check", "guards:no"), "--check guards:no cannot be loaded"),
        (
            ("--check", "guards:never", "--curve", "curve.csv"),
            "yes or no has no threshold, and no curve",
        ),
        (
            ("--check", "guards:never", "--check", "guards:never"),
            "--check guards:never: one is there twice.",
        ),
        (
            ("--check", "guards:long", "--threshold", "nan"),
            "--threshold nan: a finite number expected.",
        ),
        (
            ("--check", "guards:long", "--threshold", "inf"),
            "--threshold inf: a finite number expected.",
        ),
        (
            ("--check", "guards:never", "--at-most", "0"),
            "With --at-most 0, no number of them is enough.",
        ),
    ]:
        refused = harness_ext("safe-to-merge", *options)
        assert (refused.exit_code, said in " ".join(refused.stderr.split())) == (2, True), (
            refused.output
        )
    done = harness_ext(
        "safe-to-merge", "--check", "guards:long", "--threshold", "30", "--curve", "curve.csv"
    )
    assert "guards:long at score ≥ 30.000 keeps " in done.stdout
    assert (
        (tmp_path / "curve.csv")
        .read_text()
        .startswith("model,threshold,hit_rate,false_merges,deployed\nguards:long,")
    )


def test_costs_stand_below_the_quality():
    done = harness_ext(
        "safe-to-merge", "-m", "compositionality/letters", "--check", "harness_ext.deciding:jaccard"
    )
    rows = [line.split("   ")[0].strip() for line in done.stdout.splitlines()]
    assert {"seconds per 1000 texts", "seconds per 1000 pairs"} <= {*rows}
    assert "Seconds were measured on this machine." in done.stdout
    decision = safe_to_merge(vectors_of(letters))
    assert decision.costs["seconds_per_1000_texts"] > 0
    assert safe_to_merge(jaccard).costs.keys() == {"seconds_per_1000_pairs"}
