"""Literal and idiomatic uses of German, Italian and Turkish expressions.

Ehren et al. 2020 (German verbal idioms); Eryiğit, Şentaş, Monti 2022: *Gamified Crowdsourcing for
Idiom Corpora Construction*, Natural Language Engineering (Italian, Turkish).
"""

from harness_ext.measures.idioms.token_idiomaticity import TOKEN_IDIOMATICITY
from harness_ext.tasks.task import VERBAL_IDIOMS, Task, on_data

TASKS = (
    Task(
        name="TokenIdiomaticity",
        measure=TOKEN_IDIOMATICITY,
        category=VERBAL_IDIOMS,
        description=(
            "Are two uses of an expression nearer if both are literal or both are idiomatic? "
            "German verbal idioms in newspapers, and uses of Italian and Turkish idioms that "
            "players wrote."
        ),
        **on_data("idiom_uses", "3022ece96352-1c47e49a3b90"),
        splits=("test",),
    ),
)
