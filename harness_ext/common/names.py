"""Names of tasks, of their data and of control encoders."""

OWN = "own/"  # how names of tasks begin that are on a user's own data
CONTROLS = "compositionality/"  # how names of this project's control encoders begin

REFERENCE_MODELS = (
    f"{CONTROLS}random-words",
    f"{CONTROLS}letters",
    f"{CONTROLS}trigrams",
    f"{CONTROLS}length",
    f"{CONTROLS}bigrams",
    f"{CONTROLS}untrained",
    "mteb/baseline-random-encoder",
)
"""The control encoders, which have no meaning: they are never ranked."""


def control_label(model: str) -> str:
    """What tables call a control encoder: its name without its organization, or what it is where
    that says nothing.

    Examples:
        >>> control_label("compositionality/bigrams"), control_label("mteb/baseline-random-encoder")
        ('bigrams', 'random vectors')
    """
    name = model.partition("/")[2]
    return "random vectors" if name == "baseline-random-encoder" else name


def file_name(task: str) -> str:
    """The name of a task in names of files, which have no `/`."""
    return task.replace("/", "-")


def data_name(subset: str, split: str) -> str:
    """The name of the data of a result in tables: the split, after the subset where there are
    several.
    """
    return split if subset == "default" else f"{subset} {split}"
