# SPDX-License-Identifier: Apache-2.0
"""Writes the files of figures into a folder of their own beside the page or the document that shows them."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

from orchestrator.durable import replacing
from orchestrator.report.model import Figure


def write(folder: Path, figures: Iterable[tuple[Figure, Iterable[str]]], width: float | None) -> None:
    """Write figures, each in its formats (drawing.FORMATS), into FOLDER/figures, which replaces the old one.

    `width`: of the figures, in inches (None: each figure's own).
    """
    target = folder / "figures"
    with replacing(target, synced=False) as fresh:
        fresh.mkdir()
        for figure, formats in figures:
            for form in formats:
                content = figure.svg if form == "svg" and width is None else figure.drawing.file(form, width)
                (fresh / f"{figure.name}.{form}").write_bytes(content)
        if target.exists():
            shutil.rmtree(target)
