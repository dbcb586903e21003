"""Computes boards again from their items, by today's definitions; prints what changed.

    python -m benchmarks.board_again [FOLDER...]

By default `leaderboard` and `docs/example_results`. Nothing is encoded. A second run changes
nothing.
"""

import argparse
from pathlib import Path
from time import perf_counter

from harness_ext.leaderboard.recomputation import compute_again

FOLDERS = (Path("leaderboard"), Path("docs/example_results"))


def main() -> None:
    """Compute the named folders again."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("folders", nargs="*", type=Path, default=FOLDERS)
    for folder in parser.parse_args().folders:
        started = perf_counter()
        changes = compute_again(folder)
        for change in changes:
            print(change)
        print(f"{folder}: {len(changes)} lines, {perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
