# SPDX-License-Identifier: Apache-2.0
r"""Writes figures as PGF, for \input in a LaTeX document with \usepackage{pgf}, in the document's font.

Matplotlib's own PGF output asks a running LaTeX how wide each text is. We measure Matplotlib's fonts instead:
they are wider than LaTeX's, so nothing overlaps, and LaTeX need not be installed. LaTeX then aligns the
texts.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.backend_bases import RendererBase
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
    '"': "{''}",
    "\u2212": r"\ensuremath{-}",
    "\u2013": r"\textendash{}",
    "\u00a0": "~",
    "\u202f": r"\,",
    "\u00d7": r"\ensuremath{\times}",
    "\u00f7": r"\ensuremath{\div}",
    "\u00b5": r"\ensuremath{\mu}",
    "\u03bc": r"\ensuremath{\mu}",
    "\u2264": r"\ensuremath{\leq}",
    "\u2265": r"\ensuremath{\geq}",
    "-": "-{}",
    "`": "`{}",
    "'": "'{}",
}


def escape(text: str) -> str:
    """Return LaTeX that prints a text; characters that LaTeX's base fonts lack become '?'."""
    return "".join(
        _SPECIAL.get(c) or (c if " " <= c <= "~" or "\u00c0" <= c <= "\u017f" else "?") for c in text
    )


def pgf(figure: Figure) -> bytes:
    """Return the figure as a pgfpicture without date, path and version. Call inside `style.canvas`."""
    text = io.StringIO()
    width, height = figure.get_size_inches()
    text.write("% Written by orchestrate. In the document: \\usepackage{pgf}, then \\input this file.\n")
    text.write(
        "\\begingroup\n\\makeatletter\n\\begin{pgfpicture}\n"
        f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}\n"
        "\\pgfusepath{use as bounding box, clip}\n"
    )
    figure.draw(_renderer(figure, text))
    text.write("\\end{pgfpicture}\n\\makeatother\n\\endgroup\n")
    return text.getvalue().encode()


def _renderer(figure: Figure, target: io.StringIO) -> RendererBase:
    from matplotlib.backends.backend_pgf import RendererPgf

    class Renderer(RendererPgf):
        # The arguments are Matplotlib's.
        def get_text_width_height_descent(self, s: str, prop: Any, ismath: Any) -> tuple[float, float, float]:
            return 1.0, 1.0, 0.0  # no place depends on it, and Matplotlib's own would ask LaTeX

        def draw_text(
            self,
            gc: Any,
            x: float,
            y: float,
            s: str,
            prop: Any,
            angle: float,
            ismath: Any = False,
            mtext: Any = None,
        ) -> None:
            if not s.strip():
                return
            # painted.py gives the left end, the middle or the right end of a text's base line.
            x, y = mtext.get_transform().transform(mtext.get_unitless_position())
            across = {"left": "left,", "center": "", "right": "right,"}[mtext.get_horizontalalignment()]
            options = [f"x={x / self.dpi:f}in", f"y={y / self.dpi:f}in", f"{across}base"]
            options += [f"rotate={angle:f}"] if angle else []
            red, green, blue = gc.get_rgb()[:3]
            self.fh.write(
                "\\begin{pgfscope}\n"
                f"\\definecolor{{textcolor}}{{rgb}}{{{red:f},{green:f},{blue:f}}}%\n"
                f"\\pgfsetstrokecolor{{textcolor}}%\n\\pgfsetfillcolor{{textcolor}}%\n"
                f"\\pgftext[{','.join(options)}]{{{_set(s, prop)}}}%\n\\end{{pgfscope}}%\n"
            )

    return Renderer(figure, target)


def _set(text: str, font: FontProperties) -> str:
    """Return LaTeX that sets a text in the size and weight of a font."""
    size = font.get_size_in_points()
    drawn = max(size, 6.0)  # many fonts have no smaller size, and LaTeX would take a larger one
    weight = r"\bfseries" if font.get_weight() == "bold" else ""
    content = f"\\color{{textcolor}}\\fontsize{{{drawn:f}}}{{{1.2 * drawn:f}}}\\selectfont"
    content += f"{weight}{{}}{escape(text)}"
    return f"\\scalebox{{{size / drawn:f}}}{{{content}}}" if size < drawn else content
