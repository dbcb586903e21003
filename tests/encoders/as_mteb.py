"""Models asked as mteb asks them."""

import mteb
from datasets import Dataset
from torch.utils.data import DataLoader

EPSILON = mteb.get_task("EpsilonCompositionalityMini").metadata


def encode(model, texts, **kwargs):
    """The vectors of texts, two at once, for a task."""
    place = {"task_metadata": EPSILON, "hf_split": "test", "hf_subset": "default"}
    loader = DataLoader(Dataset.from_dict({"text": texts}), batch_size=2)
    return model.encode(loader, **{**place, "show_progress_bar": False, **kwargs})
