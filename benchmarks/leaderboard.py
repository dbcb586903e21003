"""How long a board takes to build, by how many models it has.

    python benchmarks/leaderboard.py                        # 1 000 models, 20 tasks, 2 subsets, with items
    python benchmarks/leaderboard.py --models 10000 --scores-only

The results are made up (tests/leaderboard/synthetic.py) and kept in the folder, so that they are written once. The
command itself builds the board, in a process of its own, its start included. Where other programs run beside it, the
processor time says more than the clock.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.leaderboard.synthetic import write_models  # not above: it is not installed


def build(folder: Path) -> None:
    """Build the board with the command, and print how long it took."""
    program = Path(sys.executable).with_name("harness-ext")
    command = [str(program), "leaderboard", "build", str(folder / "results"), "-o", str(folder / "site"), "--strict"]
    started, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, env={**os.environ, "HARNESS_EXT_CACHE": str(folder / "cache")})
    seconds = time.perf_counter() - started
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    busy, memory = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, now.ru_maxrss / 2**20
    first_page = sum(
        file.stat().st_size for file in (folder / "site" / "index.html", *(folder / "site" / "assets").iterdir())
    )
    print(
        f"{seconds:.1f} s ({busy:.1f} s of processor time), {memory:.2f} GiB at most, "
        f"first page {first_page / 1e6:.2f} MB",
        flush=True,
    )


def main() -> None:
    """Write the results if need be, and build the board."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=1000)
    parser.add_argument("--scores-only", action="store_true")
    parser.add_argument("--folder", type=Path, default=Path("build/leaderboard"))
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    results, items, n = folder / "results", not arguments.scores_only, arguments.models
    written = len(list(results.glob("results/*/1/model_meta.json")))
    started = time.perf_counter()
    write_models(results, range(min(written, n), n), items=items)
    print(f"{n} models written in {time.perf_counter() - started:.0f} s", flush=True)
    for old in results.glob("results/*/1/model_meta.json"):
        if int(old.parts[-3].rpartition("-")[2]) >= n:
            shutil.rmtree(old.parents[1])
    shutil.rmtree(folder / "site", ignore_errors=True)
    build(folder)


if __name__ == "__main__":
    main()
