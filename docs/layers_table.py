"""Write docs/layers.csv and layers.svg from a folder of `harness-ext layers`: python docs/layers_table.py RESULTS.

No model is run.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from harness_ext.framework.gain_keys import gain_key, words_key
from harness_ext.results.load import load_results
from harness_ext.show.figures import layer_curves, save_figures
from harness_ext.show.listing import Listing, render
from harness_ext.show.model_labels import shortened
from harness_ext.show.numbers import number
from harness_ext.show.result_tables import profiles

FOLDER = Path(__file__).parent
HEADER = (
    *("task", "data", "model", "layer"),
    *("score", "score from", "score to", "own words", "gain", "gain from", "gain to"),
)

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    entries = load_results(parser.parse_args().results).entries
    rows = []
    for (model, _, task, data), layers in profiles(entries).items():
        for layer, entry in layers.items():
            main, gain = entry.measure.main, gain_key(entry.measure.main)
            figures = entry.main_score, *entry.interval(main), entry.scores[words_key(main)]
            figures += entry.scores[gain], *entry.interval(gain)
            rows.append((task, data, shortened(model), str(layer), *map(number, figures)))
    (FOLDER / "layers.csv").write_text(render([Listing(HEADER, tuple(rows))], "csv"), encoding="utf-8")
    save_figures([layer_curves(entries)], FOLDER, "svg")
    (FOLDER / "layers.txt").unlink()
