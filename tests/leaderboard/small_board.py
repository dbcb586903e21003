"""Results of synthetic models, as `load_results` finds them, a board of them, and ways to spoil
them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from urllib.parse import quote

from harness_ext.leaderboard.board import make_board
from harness_ext.leaderboard.cells import read_cells
from harness_ext.store.item_files import DIGEST
from harness_ext.store.signature import Signature
from harness_ext.tasks import ENCODER_TASKS
from harness_ext.tasks import TASKS as TASKS_BY_NAME
from harness_ext.tasks.overall import LISTS
from tests.items_check import write_items
from tests.results.planted_items import planted_items

TASKS = ("PolaritySensitivity", "TreeReconstruction")
FILE = "results/synthetic__model-00001/1/PolaritySensitivity.json"
"""The result that is spoiled where nothing else is said."""
SETS = 12
"""So many sets of items are made up at random for each task."""


def write_models(folder, models, tasks=TASKS, places=()):
    """Write the results of models, by their numbers, in these splits and subsets, or in two subsets
    of each task.
    """
    for number in models:
        name = f"synthetic/model-{number:05d}"
        home = folder / "results" / name.replace("/", "__") / "1"
        home.mkdir(parents=True, exist_ok=True)
        meta = {"name": name, "revision": "1", "n_parameters": 10 ** (6 + number % 5)}
        (home / "model_meta.json").write_text(json.dumps(meta))
        for task in tasks:
            write_result(home / f"{task}.json", name, number, places)


def write_listed(folder, models, listed):
    """Write the results of models, by their numbers, in the columns of a list."""
    for task in dict.fromkeys(one.task for one in listed):
        places = [(one.splits[-1], one.subset) for one in listed if one.task == task]
        write_models(folder, models, [task], places)


def signature_of(model, task, dataset, place, definition):
    """The signature of a model without prompts, in split and subset."""
    return Signature(
        task,
        dataset,
        *place,
        definition,
        model,
        "1",
        "sentence",
        "",
        "float32",
        "torch",
        "2.26",
        "5.0",
    )


def write_result(file, model, number, places):
    about = ENCODER_TASKS[file.stem]
    measure, scores_of_split = about.measure, {}
    for place, (split, subset) in enumerate(
        places or [(about.splits[0], one) for one in [*about.subsets, "other"][:2]]
    ):
        items, scores = made_up(file.stem, (number + 5 * place) % SETS)
        signed = signature_of(
            model, file.stem, "synthetic@made-up", (split, subset), measure.definition
        )
        about_it = {"hf_subset": subset, "languages": ["eng-Latn"], "signature": str(signed)}
        about_it |= {"main_score": scores[measure.main], DIGEST: write_items(file, items)}
        scores_of_split.setdefault(split, []).append(scores | about_it)
    content = {"task_name": file.stem, "dataset_revision": "made-up", "mteb_version": "2.26.24"}
    file.write_text(json.dumps(content | {"scores": scores_of_split}))


@cache
def made_up(task, seed):
    """Items that have a main score, and their scores."""
    measure = ENCODER_TASKS[task].measure
    made = (planted_items(task, another) for another in range(seed, 100 * SETS, SETS))
    return next(
        (items, scores) for items in made if measure.main in (scores := measure.flat_scores(items))
    )


def board_of(*folders):
    """The board, and what is left out."""
    read = read_cells(folders, {})
    board, doubled = make_board(read.cells)
    return board, read.problems + doubled


def list_of(monkeypatch, *columns):
    """Make the list `english` have these columns, on the data of `write_models`."""
    for one in columns:
        made_up = replace(
            TASKS_BY_NAME[one.task], dataset={"path": "synthetic", "revision": "made-up"}
        )
        monkeypatch.setitem(TASKS_BY_NAME, one.task, made_up)
    monkeypatch.setitem(LISTS, "english", columns)


def edit(file, change):
    """Change the content of a JSON file."""
    content = json.loads(file.read_text())
    change(content)
    file.write_text(json.dumps(content))


def change(folder, file=FILE, place=0, **changed):
    """Other values in one entry of a result file."""
    edit(
        folder / file, lambda content: next(iter(content["scores"].values()))[place].update(changed)
    )


def rename(folder, number, name):
    """Give a synthetic model the name of a stranger."""
    model = f"synthetic/model-{number:05d}"
    for file in folder.glob(f"results/{model.replace('/', '__')}/1/*.json"):
        text = file.read_text().replace(f"model:{model}", f"model:{quote(name)}")
        file.write_text(text.replace(model, name))


def lie(folder, file):
    """Scores without items, the greatest that there can be, in every entry."""
    main = ENCODER_TASKS[(folder / file).stem].measure.main
    for place in range(2):
        best = {"main_score": 1.0, main: 1.0, f"{main}_ci_low": 0.0, f"{main}_ci_high": 1.0}
        change(folder, file, place, **best, **{DIGEST: None})


def truncated(path):
    path.write_bytes(path.read_bytes()[:-100])
