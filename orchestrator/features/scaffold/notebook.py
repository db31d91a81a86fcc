# SPDX-License-Identifier: Apache-2.0
"""A Jupyter notebook on an experiment, for `orchestrate new notebook`: the report's numbers, from its tables.

templates/notebook/cells.py.template has the cells as a script, each below `# %%` or `# %% [markdown]`.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

FOLDER = "{name}-notebook"  # the experiment's name is often that of its scenario's folder
FILE = Path("results.ipynb")
NEXT = ("jupyter lab results.ipynb    # Jupyter is not part of orchestrate: pip install jupyterlab",)
_CELLS = Path(__file__).parent / "templates" / "notebook" / "cells.py.template"
_MARK = re.compile(r"^# %%( \[markdown\])?\n", re.MULTILINE)


def named(given: str) -> str:
    """Return the name of an experiment, which need not be there yet. Raises WrongUsage if it can't be one."""
    from orchestrator.runs.store import Store, default_store

    return Store(default_store()).experiment(given).name


def files(name: str) -> dict[Path, bytes]:
    """Return the notebook (nbformat 4.5) on an experiment, by its path in the new folder."""
    _, *parts = _MARK.split(_CELLS.read_text("utf-8").replace("@name@", name))
    cells = [
        _cell(place, markdown=bool(kind), text=text.strip("\n"))
        for place, (kind, text) in enumerate(zip(parts[::2], parts[1::2]))
    ]
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": python, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return {FILE: (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode()}


def _cell(place: int, markdown: bool, text: str) -> dict:
    if markdown:
        text = re.sub(r"^# ?", "", text, flags=re.MULTILINE)
    source = {"id": f"cell-{place}", "metadata": {}, "source": text.splitlines(keepends=True)}
    if markdown:
        return {"cell_type": "markdown", **source}
    return {"cell_type": "code", "execution_count": None, "outputs": [], **source}
