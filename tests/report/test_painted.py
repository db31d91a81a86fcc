# SPDX-License-Identifier: Apache-2.0
"""A picture in PDF and PGF: each area, line and text is painted as the SVG has it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_recorded_figures import DRAWINGS

from orchestrator.pictures.elements import Element, Picture, Steps
from orchestrator.report import painted, style
from orchestrator.report.drawing import Drawing
from tests import recorded

# What LaTeX would not print as it is, and what its base fonts lack.
SPECIAL = (
    "\\{}$&#%_^~<>|\"-`'"
    "\u2212\u2013\u00a0\u202f\u00d7\u00f7\u00b5\u03bc\u2264\u2265\u00bf\u00c0\u017f\u0180\u03a9"
)
RECORDED = Path(__file__).with_name("recorded_painted")


def element(tag: str, inside=None, **attributes) -> Element:
    return Element(tag, {name.replace("_", "-"): value for name, value in attributes.items()}, inside)


def every_element() -> Drawing:
    """What topologies and charts are drawn with, in a picture of 200 by 100 that is four inches wide."""
    inherited = element(
        "g",
        (
            element("text", "of the group", x="5", y="20"),
            element("text", "bold", x="195", y="20", text_anchor="end", font_weight="600", fill="#667788"),
            element("line", x1="1", y1="2", x2="30", y2="40", stroke_dasharray="4 2"),
            element("g", (element("circle", cx="50", cy="50", r="7", stroke_width="3"),), fill="#009E73"),
        ),
        font_size="11",
        fill="#D55E00",
        stroke="#1d2733",
        stroke_width="0.5",
    )
    curve = Steps(
        [("M", "10", "10"), ("v", "5"), ("h", "-4"), ("L", "9", "9"), ("Q", "20", "0", "30", "10"), ("Z",)]
    )
    box = element("rect", x="60", y="20", width="40", height="30", fill="#56B4E9", fill_opacity="0.5")
    clipped = element("svg", (box, element("title", "nothing")), x="70", y="25", width="20", height="10")
    outside = [
        element("title", "not painted"),
        element("desc", "neither"),
        element("path", d=curve, fill="none", stroke="#CC79A7", stroke_opacity="0.25"),
        element("path", d=Steps([("M", "1", "1"), ("L", "2", "2")]), stroke="none"),
        element("polygon", points="100,10 120,10 110,30", fill="#F0E442"),
        element("rect", x="120", y="20", width="40", height="30", fill="url(#hatch-dots)"),
        element("rect", x="120", y="60", width="40", height="30", fill="url(#hatch-up)"),
        element("text", " ", x="10", y="10"),
        element("text", SPECIAL, x="10", y="95"),
        element("text", "centred", x="100", y="80", text_anchor="middle"),
        element("text", "turned", x="30", y="80", font_size="9", transform="rotate(-45 30 80)"),
    ]
    return Drawing(None, 4.0, 2.0, [], own=Picture(200.0, 100.0, {}, (inherited, clipped, *outside)))


def described(drawing: Drawing, width: float) -> str:
    """Everything on Matplotlib's axes, one line each."""
    from matplotlib.colors import to_hex

    picture = drawing.own or drawing._plotted(width, drawing.height)
    lines = []
    with style.canvas(width, drawing.height) as (figure, axes):
        painted.paint(picture, figure, axes)
        ends = " to ".join(f"{x:g},{y:g}" for x, y in zip(axes.get_xlim(), axes.get_ylim(), strict=True))
        lines.append(f"{ends}, axes {'drawn' if axes.axison else 'not drawn'}")
        for patch in axes.patches:
            path = patch.get_path()
            codes = "".join(map(str, path.codes)) if path.codes is not None else ""
            fill, edge = (
                to_hex(colour, keep_alpha=True) for colour in (patch.get_facecolor(), patch.get_edgecolor())
            )
            dashed = patch.get_linestyle()  # a name, or the start of the dashes and their lengths
            dashes = (
                "solid" if isinstance(dashed, str) else " ".join(f"{float(one):.4g}" for one in dashed[1])
            )
            clip = axes.transData.inverted().transform_bbox(patch.get_clip_box())
            within = " ".join(f"{x:.4g},{y:.4g}" for x, y in clip.get_points())
            places = " ".join(f"{x:.4g},{y:.4g}" for x, y in path.vertices)
            lines.append(
                f"{places} [{codes}] fill {fill} edge {edge} {patch.get_linewidth():.4g} "
                f"{dashes} hatch {patch.get_hatch()} "
                f"{patch.get_capstyle()} {patch.get_joinstyle()} within {within}"
            )
        for text in axes.texts:
            x, y = text.get_position()
            lines.append(
                f"{text.get_text()!r} at {x:.4g},{y:.4g} size {text.get_fontsize():.4g} "
                f"{to_hex(text.get_color())} {text.get_fontweight()} {text.get_ha()} {text.get_va()} "
                f"{text.get_rotation():g} {text.get_rotation_mode()}"
            )
    return "\n".join([*lines, ""])


@pytest.mark.parametrize("width", [4.0, 2.5])
def test_every_element_is_painted_as_recorded(width):
    recorded.same(described(every_element(), width), RECORDED / f"elements-{width:g}.txt")


def latex(drawing: Drawing, width: float | None = None) -> str:
    """The head of a PGF file and its texts, which are ours; the paths are as Matplotlib writes them."""
    lines = drawing.file("pgf", width).decode().splitlines()
    texts = [line for line in lines if re.match(r"\\(pgftext|definecolor\{textcolor)", line)]
    return "\n".join([*lines[:6], *texts, *lines[-3:], ""])


@pytest.mark.parametrize(
    ("name", "width"), [("elements", None), ("elements", 1.2), ("every-part", None), ("profile", 2.2)]
)
def test_texts_in_pgf_are_as_recorded(name, width):
    drawing = every_element() if name == "elements" else DRAWINGS[name]()
    recorded.same(latex(drawing, width), RECORDED / f"{name}-{width or 'own'}.pgf.txt")
