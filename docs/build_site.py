"""Build the site of the pages, with search, board and report, into build/site.

python docs/build_site.py [FOLDER [RESULTS]]: the board is of RESULTS, else of leaderboard/. No
network is used. README.md is the first page; everything keeps its path, so that links hold on
GitHub and here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPIED = ("*.md", "*.svg", "*.csv", "*.css", "*.ipynb", "mteb_tasks/*.py")


def copy_pages(pages: Path) -> None:
    """README.md as index.md, CONTRIBUTING.md, docs/, the cards of the datasets and the shipped
    scores.
    """
    shutil.rmtree(pages, ignore_errors=True)
    cards = ROOT.glob("datasets_scripts/**/README.md")
    shipped_scores = ROOT.glob("harness_ext/results/**/*.csv")
    wrapped = ROOT / "harness_ext/common/wraps.py"
    files = [*cards, *shipped_scores, wrapped]
    for pattern in COPIED:
        files += (ROOT / "docs").rglob(pattern)
    for file in files:
        copy = pages / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
    shutil.copy(ROOT / "CONTRIBUTING.md", pages)
    shutil.copy(ROOT / "README.md", pages / "index.md")


def run(*command: str | Path, **environment: str) -> None:
    """Run a module of this Python in the checkout, and end with its status if it fails."""
    line = [sys.executable, *command]
    done = subprocess.run(line, cwd=ROOT, env=os.environ | environment)
    if done.returncode:
        raise SystemExit(done.returncode)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    build = Path(arguments[0] if arguments else ROOT / "build").resolve()
    results = arguments[1] if len(arguments) > 1 else "leaderboard"
    pages = build / "site-pages"
    own = ("-c", "from harness_ext.cli import app; app()")
    copy_pages(pages)
    title = ("--title", "Compositionality baselines")
    # else sources that are not here are looked for, again and again
    offline = {"HF_HUB_OFFLINE": "1"}
    board = ("-o", pages / "board")
    run(*own, "leaderboard", "build", results, *board, *title, **offline)
    report = ("-o", pages / "report")
    run(*own, "report", "docs/example_results", *report, **offline)
    settings = {
        "SITE_PAGES": str(pages),
        "NO_MKDOCS_2_WARNING": "1",  # which is an advertisement
    }
    repository = tomllib.loads((ROOT / "REPOSITORY").read_text(encoding="utf-8"))
    for name, link in repository.get("urls", {}).items():
        settings[f"REPOSITORY_{name.upper()}"] = link
    run("-m", "mkdocs", "build", "--strict", "--site-dir", build / "site", **settings)
