"""Every reader of files of others, fuzzed by atheris with what the code that it runs through tells it.

    pip install atheris
    python benchmarks/fuzz.py                       # ten minutes each
    python benchmarks/fuzz.py trees --seconds 60

What must hold is in tests/fuzz/readers.py. A fault does not end it: each is printed once, with its traceback, and the
file that it came of is kept in `--found`. Afterwards: how many files were read, and how many faults.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import json
import logging
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path
from random import Random

os.environ.setdefault("HF_HUB_OFFLINE", "1")
sys.path.insert(0, str(Path(__file__).parents[1]))

NAMES = ("NCIMP", "NCTTI", "trees", "pairs", "vectors", "items", "results", "submissions", "lm-eval output")
WORDS = ("null", "true", "NaN", "-Infinity", "1e999", "-1", "9" * 400, "[]", "{}", '""', '"', ",", "\t", "\n", "\r",
         "\0", "\ufeff", '"\\ud800"', "False, ", "nan", "..", "/", "(2 ", ")", "<v>", "</c>", 't="s"')  # fmt: skip
"""What is put in the place of a word or a number."""

TOKEN = re.compile(rb'"[^"]*"|-?[\d.]+(?:[eE]-?\d+)?|[A-Za-z_]+')


def fuzz(name: str, seconds: float, found: Path) -> None:
    """Fuzz one reader in this process; atheris ends it."""
    import atheris

    with atheris.instrument_imports(include=["harness_ext"]):
        from tests.fuzz.readers import READERS, check, sound_files
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)
    assert set(NAMES) == set(READERS)
    files = {file: data for file, data in sound_files(name).items() if file.endswith(READERS[name].damaged)}
    folder, seeds = Path(tempfile.mkdtemp(prefix="fuzz-")), Path(tempfile.mkdtemp(prefix="seeds-"))
    for number, data in enumerate(files.values()):
        (seeds / str(number)).write_bytes(bytes([number]) + data)
    counted, faults = 0, set[str]()
    ends = time.monotonic() + seconds

    def one_input(data: bytes) -> None:
        nonlocal counted
        if time.monotonic() > ends:
            summary = {"reader": name, "seconds": seconds, "files": counted, "faults": len(faults)}
            print(f"\n{json.dumps(summary)}", flush=True)
            os._exit(0)
        counted += 1
        file = [*files][(data[0] if data else 0) % len(files)]
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                check(name, folder, file, data[1:])
        except Exception as error:
            *_, last = traceback.extract_tb(error.__traceback__)
            fault = f"{type(error).__name__} {last.filename}:{last.lineno}"
            if fault not in faults:
                faults.add(fault)
                kept = found / f"{name}-{hashlib.sha256(data).hexdigest()[:8]}-{Path(file).name}"
                kept.parent.mkdir(parents=True, exist_ok=True)
                kept.write_bytes(data[1:])
                print(f"\n{kept}: {fault}", flush=True)
                traceback.print_exc(file=sys.stdout)
                sys.stdout.flush()

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        """Half of the time a word or a number is exchanged for another, else whatever libFuzzer does to bytes."""
        random = Random(seed)
        tokens = [*TOKEN.finditer(data, 1)]
        if not tokens or random.random() < 0.5:
            return atheris.Mutate(data, most)
        token, word = random.choice(tokens), random.choice(WORDS).encode("utf-8", "surrogatepass")
        return (data[: token.start()] + word + data[token.end() :])[:most]

    largest = max(map(len, files.values()))
    options = [f"-max_len={largest + 64}", "-len_control=0", "-keep_seed=1", "-mutate_depth=2"]
    options += ["-rss_limit_mb=6000", "-timeout=60", "-report_slow_units=60"]
    atheris.Setup([sys.argv[0], *options, str(seeds)], one_input, custom_mutator=mutated)
    atheris.Fuzz()


def main() -> None:
    """Fuzz each reader in a process of its own, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", help=f"Of {', '.join(NAMES)}; all by default.")
    parser.add_argument("--seconds", type=float, default=600, help="For each.")
    parser.add_argument("--found", type=Path, default=Path("build/fuzz"), help="Where files that a reader fails on go.")
    arguments = parser.parse_args()
    if unknown := set(arguments.readers) - {*NAMES}:
        parser.error(f"{', '.join(sorted(unknown))}: there are {', '.join(NAMES)}.")
    names = arguments.readers or NAMES
    if len(names) == 1:
        fuzz(names[0], arguments.seconds, arguments.found)
    for name in names:
        more = ["--seconds", str(arguments.seconds), "--found", str(arguments.found)]
        subprocess.run([sys.executable, __file__, name, *more], check=True)


main()
