"""Models asked as mteb asks them."""

import mteb
from datasets import Dataset
from torch.utils.data import DataLoader

EPSILON = mteb.get_task("EpsilonCompositionalityMini").metadata


def encode(model, texts, **kwargs):
    """The vectors of texts, two at once, for a task."""
    rows = Dataset.from_dict({"text": texts})
    options = {
        "task_metadata": EPSILON,
        "hf_split": "test",
        "hf_subset": "default",
        "show_progress_bar": False,
    }
    loader = DataLoader(rows, batch_size=2)
    return model.encode(loader, **(options | kwargs))
