"""Names of models in mteb's experiments, such as those with another instruction."""

EXPERIMENT_OF_PROMPT = "prompt"
"""The setting of a model in mteb that holds the name of an instruction: its results are those of
`prompt_NAME`.
"""


def name_in_experiment(model: str, experiment: str) -> str:
    """The name of a model in an experiment of mteb, its settings: `MODEL [EXPERIMENT]`; none is an
    empty string.
    """
    return f"{model} [{experiment}]" if experiment else model


def model_and_experiment(name: str) -> tuple[str, str]:
    """Split the result of `name_in_experiment` into the model and its experiment."""
    model, _, experiment = name.partition(" [")
    return model, experiment.removesuffix("]")


def prompt_of_experiment(experiment: str) -> str | None:
    """The name of the instruction, where the experiment is that of `sweep --prompts`; None for
    another.
    """
    setting, _, name = experiment.partition("_")
    return name if setting == EXPERIMENT_OF_PROMPT else None
