# SPDX-License-Identifier: Apache-2.0
"""A picture in PDF and PGF: each area, line and text is painted as the SVG has it."""

from __future__ import annotations

import re
from pathlib import Path

from test_recorded_figures import DRAWINGS

from orchestrator.report.drawing import Drawing
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_painted")


def latex(drawing: Drawing, width: float | None = None) -> str:
    """The head of a PGF file and its texts, which are ours; the paths are as Matplotlib writes them."""
    lines = drawing.file("pgf", width).decode().splitlines()
    texts = [line for line in lines if re.match(r"\\(pgftext|definecolor\{textcolor)", line)]
    return "\n".join([*lines[:6], *texts, *lines[-3:], ""])


def test_texts_in_pgf_are_as_recorded():
    recorded.same(latex(DRAWINGS["profile"](), 2.2), RECORDED / "profile-2.2.pgf.txt")
