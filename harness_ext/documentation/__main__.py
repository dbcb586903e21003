"""`make docs`: writes every page that is made from the code."""

from __future__ import annotations

from pathlib import Path

from harness_ext.documentation.pages import pages

for path, text in pages(Path.cwd()).items():
    path.write_text(text, encoding="utf-8")
    print(path.relative_to(Path.cwd()))
