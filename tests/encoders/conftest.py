"""A small ELMo, for the tests that need simple-elmo."""

import json

import numpy as np
import pytest

OPTIONS = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 8,
        "cell_clip": 3,
        "proj_clip": 3,
        "dim": 16,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 4], [2, 8]],
        "n_highway": 1,
        "embedding": {"dim": 4},
        "n_characters": 262,
        "max_characters_per_token": 20,
    },
}


def _save_elmo(folder, options_name="options.json", weights_name="model.hdf5"):
    import h5py

    random = np.random.default_rng(0)
    shapes = {"char_embed": (261, 4), "CNN_proj/W_proj": (12, 8), "CNN_proj/b_proj": (8,)}
    for number, (width, filters) in enumerate(OPTIONS["char_cnn"]["filters"]):
        shapes |= {f"CNN/W_cnn_{number}": (1, width, 4, filters), f"CNN/b_cnn_{number}": (filters,)}
    for gate in ("carry", "transform"):
        shapes |= {f"CNN_high_0/W_{gate}": (12, 12), f"CNN_high_0/b_{gate}": (12,)}
    for direction in (0, 1):
        for layer in (0, 1):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
            shapes |= {f"{cell}/W_0": (16, 64), f"{cell}/B": (64,), f"{cell}/W_P_0": (16, 8)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / options_name).write_text(json.dumps(OPTIONS))
    with h5py.File(folder / weights_name, "w") as file:
        for name, shape in shapes.items():
            file[name] = random.normal(0, 0.5, shape).astype(np.float32)
    return folder


@pytest.fixture(scope="session")
def save_elmo():
    """Saves random weights as ELMo's authors save theirs, and returns the folder."""
    return _save_elmo
