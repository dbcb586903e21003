"""Results whose scores, intervals and gains are not defined: every command says so in a sentence, and none crashes."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from harness_ext.show.merging import MergeVerdict
from harness_ext.tasks import ENCODER_TASKS
from tests.command_line import harness_ext
from tests.results.planted_items import planted_items, write_entry

TASKS = ("EpsilonCompositionalityMini", "MergeOppositesMini", "NounCompoundAffinityMini", "CaptionSwapMini")


@pytest.fixture(scope="module")
def undefined(tmp_path_factory):
    """Two models on three units: no score, interval or gain that needs ten is defined."""
    folder = tmp_path_factory.mktemp("undefined")
    for task in TASKS:
        for seed, model in enumerate(("planted/one", "planted/other")):
            split = ENCODER_TASKS[task].splits[0]
            entry = write_entry(folder, task, planted_items(task, seed, n=3), model, (split, "default"))
            assert task == "CaptionSwapMini" or entry.interval() is None
    return folder


COMMANDS = [
    *(("show", *more) for more in ((), ("--details",), ("--signature",), ("--format", "csv"))),
    *(("compare", *more) for more in ((), ("--ranks",), ("--pairs",), ("--score", "gain"), ("--by", "class"))),
    pytest.param(("report", "-o"), marks=pytest.mark.slow),
    ("leaderboard", "build", "-o"),
    ("submit", "-m", "planted/one", "-o"),
    ("publish", "-m", "planted/one", "--org", "acme", "--to"),
    ("verify",),
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_undefined_scores(command, undefined, tmp_path):
    name, *rest = command
    group = [rest.pop(0)] if name == "leaderboard" else []
    target = [tmp_path / "out"] if rest and rest[-1] in {"-o", "--to"} else []
    done = harness_ext(name, *group, undefined, *rest, *target)
    assert "Traceback" not in done.output, done.output
    assert done.exit_code in {0, 1, 2}
    assert done.exit_code != 1 or name in {"verify", "submit"}, done.output


def test_a_share_without_an_interval_is_a_verdict_without_one():
    items = planted_items("MergeOppositesMini", n=30)
    texts = replace(items.pairs, first=items.pairs.row, second=items.pairs.row)
    verdict = MergeVerdict("planted/one", items, replace(items, pairs=texts), 0.2)
    without = {kind: share._replace(low=math.nan, high=math.nan) for kind, share in verdict.shares.items()}
    vars(verdict)["shares"] = without
    assert "(no interval)" in verdict.verdict()
    assert verdict.kinds().rows and verdict.worst().rows


@pytest.mark.parametrize(("same", "status"), [(3, 2), (12, 1)])
def test_safe_to_merge_of_few_paraphrases_is_no_verdict(same, status, tmp_path):
    file, lines = tmp_path / "pairs.csv", ["first,second,kind"]
    lines += [f"Call the cook {n}.,Ring the cook {n}.,same" for n in range(same)]
    lines += [f"Call the cook {n}.,Do not call the cook {n}.,negation" for n in range(12)]
    file.write_text("\n".join(lines))
    done = harness_ext("safe-to-merge", "-m", "compositionality/letters", "--pairs", file, "--at-most", "0")
    assert done.exit_code == status, done.output
    assert ("3 same" in done.output) == (same == 3)
    assert harness_ext("check", file, "merge_opposites").exit_code == (same == 3)
