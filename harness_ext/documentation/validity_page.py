"""`make validity`: writes docs/validity.md and .csv from folders of results.

python -m harness_ext.documentation.validity_page FOLDER...
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness_ext.framework.gain_keys import gain_key
from harness_ext.names import REFERENCE_MODELS
from harness_ext.results.entry import Entry
from harness_ext.results.load import load_results, order
from harness_ext.results.published import without_zero
from harness_ext.show.listing import Listing, render

_HEAD = """\
# What scores mean

**An encoder that knows nothing can get a good score.** Of {tested} intervals of such encoders in a controlled score or
a gain, {above} lie above chance, and by luck alone {expected} would. So read a score beside theirs: `harness-ext show`
prints them, and its verdict says where a model is below the best of them, or cannot be told from it.

![Main scores of encoders that know nothing, and of real encoders, a row per task; chance is a line](validity.svg)

Encoders that know nothing: a word is a random vector (`random-words`), a text is its counts of letters, of trigrams,
or its length, and mteb's random encoder gives every text a vector of its own. They are models of mteb, such as
`mteb run -m compositionality/random-words -t EpsilonCompositionalityMini`. The *controlled* score is the main score
where one effect of form is taken away; the *gain* is over the encoder's own words ([words.md](words.md)).

Below is what to read of each task, and where a controlled score or a gain of an encoder that knows nothing is above
chance: there, do not read that score alone. [validity.csv](validity.csv) has all figures with their 95 % intervals, of
real encoders too. `make validity RESULTS="FOLDER..."` writes this page and the file.

## How well columns tell models apart

[reliability.csv](reliability.csv) has it, of the encoders of this project's board, which are few. Reliability is 1 −
error variance / variance between models, and 0 if that is less: the share of the differences between models that is no
chance; *split half* is the same from two halves of the units. *Finds* is the smallest score above chance, or gain,
found in 80 % of all samples; `harness-ext power TASK -n 100` tells it for other numbers of units. Where the *share of
the words* in the variance of gains is above .5, a column ranks words more than models.
"""

_READING = {
    "epsilon": "Letters and length of words tell rank shares apart once they are adjusted: the adjustment "
    "does not remove all of form. No encoder that knows nothing is shown to gain over its own words. Read the gain.",
    "affinity": "Random words win, because many gold synonyms change fewer words than the synonyms word by word, or "
    "share a word with the compound. The control takes both away in English. Portuguese has few such idioms. Read "
    "the controlled score in English, and the gain beside it.",
    "scaled_similarity": "Whatever counts words wins, for the same reason. Read the controlled score in English, and "
    "the gain beside it.",
    "type_token": "Trigrams and length win, because longer compounds are more compositional to people. An encoder "
    "that adds up words, such as random words or letters, has 0 by definition, and so have own words but for compounds "
    "with a hyphen: the gain is nearly the score. Read the score given length.",
    "montague": "No score is shown to win; noise gains .107 [.003, .210] over bags at .412. Intersectivity of "
    "phrases holds for almost every encoder and tells nothing. Read the score without saturated terms, and the gain.",
    "polarity": "Words of sentiment are enough for much of the score, and so is length alone. Chance "
    "lies between 0 and .25: one label for all gets 0. mteb's random encoder is a single draw: on the small data 20 "
    "other draws of random vectors get .258 on average, with a standard deviation of .030. Read the gain.",
    "role_swap": "The same words in other roles: most encoders that only count words are below 0, but random words get "
    ".134 [.064, .202]: a score above 0 alone shows no roles. Read the gain, beside that of trigrams, .081.",
    "transitive_similarity": "Words in common are most of the score. Read the gain.",
    "caption_swap": "The hard negative has the words of the caption, so that encoders that count words are far below "
    "chance, which is a third. Its captions are of COCO, the training domain of many encoders. Read the score and the "
    "gain together.",
    "idiom_paraphrase": "The literal reading has more words in common with the sentence in some sets, the paraphrase "
    "in others: no encoder that knows nothing wins all. Read the gain.",
    "merge_opposites": "Opposites have more words in common with a sentence than its paraphrase has, so that random "
    "words and length are below chance, which is .10. Captions are of COCO, the training domain of many encoders. Read "
    "the score.",
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


def _number(value: float) -> str:
    return without_zero(f"{value + 0.0:.3f}").replace("-.000", ".000").replace("-", "−")


def table(entries: Sequence[Entry]) -> Listing:
    """docs/validity.csv: main score, controlled score and gain of each encoder, those that know nothing first."""
    rows = []
    for entry in sorted(_last_of_each(entries), key=lambda entry: (order(entry)[:-2], _knows_nothing_first(entry))):
        measure = entry.measure
        for key in filter(None, (measure.main, measure.controlled, gain_key(measure.main))):
            if key in entry.scores:
                ends = [_number(end) for end in entry.interval(key) or ()] or ["", ""]
                figures = (_number(entry.scores[key]), *ends)
                rows.append(
                    (entry.task, _data(entry), entry.model, key, *(figure.replace("−", "-") for figure in figures))
                )
    return Listing(("task", "data", "encoder", "score", "value", "interval from", "to"), tuple(rows))


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


def _last_of_each(entries: Sequence[Entry]) -> list[Entry]:
    """Of several entries of one model and place the last."""
    return [*{(entry.task, entry.subset, entry.split, entry.model): entry for entry in entries}.values()]


def page(entries: Sequence[Entry]) -> str:
    """The page of these results.

    Args:
        entries: Of encoders; of several of one model and place the last is taken.
    """
    kept = _last_of_each(entries)
    above = [is_above for *_, is_above in _tested(kept)]
    lines = [_HEAD.format(tested=len(above), above=sum(above), expected=round(0.025 * len(above)))]
    by_measure: dict[str, list[Entry]] = {}
    for entry in sorted(kept, key=order):
        by_measure.setdefault(entry.measure.name, []).append(entry)
    for name, of_this in by_measure.items():
        tasks = ", ".join(dict.fromkeys(entry.task for entry in of_this))
        lines += [f"## {tasks}\n", f"{_READING.get(name, _UNTRIED)}\n"]
        winners: dict[str, list[str]] = {}
        for entry, key, is_above in _tested(of_this):
            if is_above:
                where = f"**{entry.model.partition('/')[2]}** ({entry.task}, {_data(entry)})"
                winners.setdefault(key, []).append(where)
        lines += [f"- Above chance in `{key}`: {', '.join(who)}." for key, who in winners.items()]
        lines.append("")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


if __name__ == "__main__":
    measured = [
        entry for folder in sys.argv[1:] for entry in load_results(folder).entries if entry.about.harness == "mteb"
    ]
    Path("docs/validity.md").write_text(page(measured), encoding="utf-8")
    Path("docs/validity.csv").write_text(render([table(measured)], "csv"), encoding="utf-8")
