"""Build the site of these pages, with search, the board and a report, into build/site: python docs/site.py.

No network is used. README.md is the first page; everything keeps its path, so that links hold on GitHub and here.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "build" / "site-pages"
COPIED = ("*.md", "*.svg", "*.csv", "*.css", "*.ipynb")


def copy_pages() -> None:
    """README.md as index.md, CONTRIBUTING.md, docs/ and the cards of the datasets."""
    shutil.rmtree(PAGES, ignore_errors=True)
    for folder, patterns in (("docs", COPIED), ("datasets_scripts", ("README.md",))):
        for file in (file for pattern in patterns for file in (ROOT / folder).rglob(pattern)):
            if "example_results" not in file.parts:
                copy = PAGES / file.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, copy)
    shutil.copy(ROOT / "CONTRIBUTING.md", PAGES)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (PAGES / "index.md").write_text(readme, encoding="utf-8")
    shutil.copy(ROOT / "LICENSE", PAGES)


def run(*command: str) -> None:
    """Run a module of this Python in the checkout, and end with its status if it fails."""
    if status := subprocess.run([sys.executable, *command], cwd=ROOT).returncode:
        raise SystemExit(status)


if __name__ == "__main__":
    copy_pages()
    own = ("-c", "from harness_ext.cli import app; app()")
    run(
        *own, "leaderboard", "build", "leaderboard", "-o", str(PAGES / "board"), "--title", "Compositionality baselines"
    )
    run(*own, "report", "docs/example_results", "-o", str(PAGES / "report"))
    run("-m", "mkdocs", "build", "--strict")
