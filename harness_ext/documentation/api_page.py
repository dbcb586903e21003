"""The page docs/api.md: what `import harness_ext` offers, from its docstrings."""

from __future__ import annotations

import re

import harness_ext

_INTRODUCTION = """# What `import harness_ext` offers

Written by `make docs` from the docstrings. Everything else is this project's own and may change; the tasks and the
datasets are used through mteb and datasets.
"""


def api_page() -> str:
    """The page, as Markdown.

    Raises:
        ModuleNotFoundError: griffe2md, which the extra `test` has, is not installed.
    """
    import griffe
    import griffe2md

    sections = []
    for name, module in harness_ext._PUBLIC.items():
        documented = griffe.GriffeLoader(docstring_parser="google").load(module)[name]
        text = griffe2md.render_object_docs(
            documented,
            config={"docstring_style": "google", "heading_level": 2, "show_signature_annotations": True},
        )
        body = "\n".join(text.split("\n")[1:]).replace(f"`{module}.", "`")
        unlinked = re.sub(r"\[([^][]*(?:\[[^][]*\])?[^][]*)\]\(#[\w.]+\)", r"\1", body)
        code = re.sub(r"<code>(.*?)</code>", r"`\1`", unlinked)
        without_attributes = re.sub(r"### `[\w.]+`\n\n```python\n(?!\S+\().*\n```\n+(?=###|$)", "", code + "\n")
        one_blank_line = re.sub(r"\n{3,}", "\n\n", without_attributes).strip()
        sections.append(f"## `harness_ext.{name}`\n\n{one_blank_line}\n")
    return "\n".join([_INTRODUCTION, *sections])
