"""`make validity`: writes docs/validity.md from folders of results.

python -m harness_ext.documentation.validity_page FOLDER...
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from harness_ext.documentation.tables import validity_page
from harness_ext.evaluators.gain_keys import gain_key
from harness_ext.names import REFERENCE_MODELS
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results, order
from harness_ext.results.published import without_zero

_HEAD = """\
# What scores mean

This page is written by `make validity RESULTS="FOLDER..."`.

Each table has the main score of a task, the same under a control, and the gain over the encoder's own words, with 95 %
intervals. The first rows are encoders that know nothing: a word is a random vector (`random-words`), a text is its
counts of letters, of trigrams, or its length, and mteb's random encoder gives every text a vector of its own. A score
that they reach shows no meaning. Where one of them is above chance in a controlled score or a gain, **it is in bold**:
do not read that column alone. An empty cell is a score that is not defined, or was not measured.

Of the {tested} intervals of these encoders in a controlled score or a gain, {above} lie above chance. By luck
alone {expected} would.
"""

_TAIL = """\
## How well columns tell models apart

Of the encoders of this project's board, which are few. Reliability is 1 − error variance / variance between models, and
0 if that is less: the share of the differences between models that is no chance. *Finds* is the smallest score above
chance, or gain, found in 80 % of all samples. `harness-ext power TASK -n 100` tells it for other numbers of units.

<!-- reliability -->
<!-- end -->
"""

_READING = {
    "epsilon": "Letters and length of words tell rank shares apart once they are adjusted: the adjustment "
    "does not remove all of form. No encoder that knows nothing gains over its own words. Read the gain.",
    "affinity": "Random words win, because many gold synonyms change fewer words than the synonyms word by word, or "
    "share a word with the compound. The control takes both away in English. Portuguese has few such idioms. Read "
    "the controlled score in English, and the gain beside it.",
    "scaled_similarity": "Whatever counts words wins, for the same reason. Read the controlled score in English, and "
    "the gain beside it.",
    "type_token": "Trigrams and length win, because longer compounds are more compositional to people. An encoder "
    "that adds up words, such as random words or letters, has 0 by definition, and so have own words but for compounds "
    "with a hyphen: the gain is nearly the score. Read the score given length.",
    "montague": "Nothing wins. Intersectivity of phrases holds for almost every encoder and tells nothing. Read the "
    "score without saturated terms, and the gain.",
    "polarity": "Words of sentiment are enough for much of the score, and so is length alone. The mean of "
    "words has no length, so length gains over it too. Chance lies between 0 and .25: one "
    "label for all gets 0. mteb's random encoder is a single draw: on the small data 20 other draws of random vectors "
    "get .258 on average, with a standard deviation of .030. Read the gain, beside that of length.",
    "role_swap": "The same words in other roles: encoders that only count words cannot rank the adversarial pairs, and "
    "most are below 0, because the pairs with the most words in common mean the least alike. Read the gain.",
    "transitive_similarity": "Words in common are most of the score. Read the gain.",
    "caption_swap": "The hard negative has the words of the caption, so that encoders that count words are far below "
    "chance, which is a third. Read the score and the gain together.",
    "idiom_paraphrase": "The literal reading has more words in common with the sentence in some sets, the paraphrase "
    "in others: no encoder that knows nothing wins all. Read the gain.",
    "merge_opposites": "Opposites have more words in common with a sentence than its paraphrase has, so that random "
    "words and length are below chance, which is .10. Read the score.",
    "negation_importance": "Form alone is enough: length gets .62 to .69; random words .67 to .71, but .50 in Chinese, "
    "where they see no words. Negations that matter stand in shorter sentences, and the control by numbers of tokens "
    "does not remove that. Read the gain, and the score beside that of random words.",
    "expression_paraphrase": "In English encoders that know nothing are far below chance, at .26 to .29. In Portuguese "
    "they are at .52 to .65, random words above chance. Compare models within a language only, and read the gain.",
    "type_additivity": "Nothing wins: length and trigrams are at −.04 to .15, each interval with 0 in it. Random words "
    "in Estonian and letters in Chinese have no score: to them a compound is the sum of its words.",
    "head_or_modifier": "Nothing wins: encoders that know nothing are at .51 to .56, each interval with .5 in it. Read "
    "the score.",
    "particle_swap": "Length and letters get .5 by definition: the changed sentences have the same letters. Random "
    "words get .60 [.41, .77] and trigrams .65 [.50, .78], because only 30 pairs have both changes. Read `swap_auc` "
    "beside it, which has all pairs: there they get .52 and .54.",
    "literalness": "Length gets .12 and trigrams .10, with intervals above 0; random words and letters show nothing. "
    "Read the gain.",
    "token_idiomaticity": "The words around an expression tell its readings apart a little: random words get .52 in "
    "German, .54 in Italian and .59 in Turkish, trigrams .54, .56 and .59, length .50 to .53. Read the gain.",
    "idiom_retrieval": "Words and pieces of words find far more than chance, .007: random words .12, trigrams .14, "
    "letters .02. Read the gain.",
    "tree_reconstruction": "Exploratory: intervals are wide beside the differences of encoders. Do not rank by it.",
}

_UNTRIED = "Read the score beside those of encoders that know nothing, and the gain."
"""Of a measure whose form has not been studied."""


def _cell(entry: Entry, key: str, chance: float | None, *, mark: bool) -> str:
    if not key or key not in entry.scores:
        return ""
    interval = entry.interval(key)
    value = _number(entry.scores[key])
    if interval is None:
        return value
    low, high = interval
    text = f"{value} [{_number(low)}, {_number(high)}]"
    return f"**{text}**" if mark and chance is not None and low > chance + 1e-9 else text


def _number(value: float) -> str:
    return without_zero(f"{value + 0.0:.3f}").replace("-.000", ".000").replace("-", "−")


def _table(entries: Sequence[Entry]) -> Iterator[str]:
    measure = entries[0].measure
    keys = (measure.main, measure.controlled, gain_key(measure.main) if measure.own_words else "")
    declared = measure.declarations()
    header = [f"`{key}`" if key else "" for key in keys]
    yield f"| encoder | {' | '.join(header)} |"
    yield "| --- | --- | --- | --- |"
    for entry in sorted(entries, key=_knows_nothing_first):
        known = entry.knows_nothing
        cells = [
            _cell(entry, key, declared[key][0].chance if key else None, mark=known and key != measure.main)
            for key in keys
        ]
        yield f"| {entry.model} | {' | '.join(cells)} |"


def _knows_nothing_first(entry: Entry) -> tuple[int, float]:
    if entry.knows_nothing:
        return REFERENCE_MODELS.index(entry.model), 0
    return len(REFERENCE_MODELS), -entry.main_score


def _data(entry: Entry) -> str:
    """Subset and split; whether files were the pinned ones is not said, because earlier results say it of all."""
    return f"{'' if entry.subset == 'default' else f'{entry.subset} '}{entry.split}"


def _tested(entries: Sequence[Entry]) -> Iterator[tuple[Entry, str, bool]]:
    """Intervals of controlled scores and gains of encoders that know nothing, and whether each is above chance."""
    for entry in entries:
        measure = entry.measure
        for key in (measure.controlled, gain_key(measure.main)):
            score, _ = measure.declarations().get(key, (None, {}))
            interval = entry.interval(key)
            if entry.knows_nothing and score and interval:
                yield entry, key, interval[0] > (score.chance or 0) + 1e-9


def page(entries: Sequence[Entry]) -> str:
    """The page of these results.

    Args:
        entries: Of encoders; of several of one model and place the last is taken.
    """
    kept = {(entry.task, entry.subset, entry.split, entry.model): entry for entry in entries}
    above = [is_above for *_, is_above in _tested([*kept.values()])]
    lines = [_HEAD.format(tested=len(above), above=sum(above), expected=round(0.025 * len(above)))]
    for task, group in groupby(sorted(kept.values(), key=order), key=lambda entry: entry.task):
        of_this = list(group)
        measure = of_this[0].measure
        lines += [f"## {task}\n", f"{_READING.get(measure.name, _UNTRIED)}\n"]
        marked = [
            f"- **{entry.model.partition('/')[2]} is above chance in `{key}` ({_data(entry)}).**"
            for entry, key, is_above in _tested(of_this)
            if is_above
        ]
        if marked:
            lines.append("\n".join(marked) + "\n")
        for place, of_place in groupby(of_this, key=_data):
            lines += [f"### {task}: {place}\n", *_table(list(of_place)), ""]
    return validity_page("\n".join(lines).rstrip() + f"\n\n{_TAIL}")


if __name__ == "__main__":
    measured = [
        entry for folder in sys.argv[1:] for entry in load_results(folder).entries if entry.about.harness == "mteb"
    ]
    Path("docs/validity.md").write_text(page(measured), encoding="utf-8")
