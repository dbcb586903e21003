"""Results whose scores, intervals and gains are not defined: every command says so in a sentence,
and none crashes.
"""

from __future__ import annotations

import pytest

from harness_ext.tasks import ENCODER_TASKS
from tests.command_line import harness_ext
from tests.results.planted_items import planted_items, write_entry

TASKS = (
    "EpsilonCompositionalityMini",
    "MergeOppositesMini",
    "NounCompoundAffinityMini",
    "CaptionSwapMini",
)


@pytest.fixture(scope="module")
def undefined(tmp_path_factory):
    """Two models on three units: no score, interval or gain that needs ten is defined."""
    folder = tmp_path_factory.mktemp("undefined")
    for task in TASKS:
        for seed, model in enumerate(("planted/one", "planted/other")):
            split = ENCODER_TASKS[task].splits[0]
            entry = write_entry(
                folder, task, planted_items(task, seed, n=3), model, (split, "default")
            )
            assert task == "CaptionSwapMini" or entry.interval() is None
    return folder


COMMANDS = [
    *("show RESULTS", "show RESULTS --details", "show RESULTS --format csv"),
    *("compare RESULTS", "compare RESULTS --pairs", "compare RESULTS --by class"),
    pytest.param("report RESULTS -o OUT", marks=pytest.mark.slow),
    "leaderboard build RESULTS -o OUT",
    "submit RESULTS -m planted/one -o OUT",
    "publish RESULTS -m planted/one --org acme --to OUT",
    "verify RESULTS",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_undefined_scores(command, undefined, tmp_path):
    places = {"RESULTS": undefined, "OUT": tmp_path / "out"}
    done = harness_ext(*(places.get(word, word) for word in command.split()))
    assert "Traceback" not in done.output, done.output
    assert done.exit_code in {0, 1, 2}
    assert done.exit_code != 1 or command.startswith(("verify", "submit")), done.output


def test_safe_to_merge_of_few_paraphrases_is_no_verdict(tmp_path):
    file, lines = tmp_path / "pairs.csv", ["first,second,kind"]
    lines += [f"Call the cook {n}.,Ring the cook {n}.,same" for n in range(3)]
    lines += [f"Call the cook {n}.,Do not call the cook {n}.,negation" for n in range(12)]
    file.write_text("\n".join(lines))
    done = harness_ext(
        "safe-to-merge", "-m", "compositionality/letters", "--pairs", file, "--at-most", "0"
    )
    assert done.exit_code == 2
    assert "No threshold of 3 pairs of the kind `same`" in done.output
    assert "at least 9 such pairs are needed" in done.output
    assert harness_ext("check", file, "merge_opposites").exit_code == 1
