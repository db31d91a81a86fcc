# SPDX-License-Identifier: Apache-2.0
r"""Figures as PGF, for \input in a LaTeX document (which needs \usepackage{pgf}): the text takes the
document's font.

Matplotlib's own PGF output asks a running LaTeX how wide each text is. Here Matplotlib's fonts are measured
instead, which are wider than LaTeX's, so nothing overlaps, and no LaTeX needs to be there; a text is then
aligned by LaTeX itself.
"""

from __future__ import annotations

import io

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
    """Any text as LaTeX that prints it; control characters and what LaTeX's base fonts don't have become
    '?'."""
    return "".join(
        _SPECIAL.get(c)
        or (c if " " <= c <= "~" or "\u00c0" <= c <= "\u017f" and c not in "\u00d7\u00f7" else "?")
        for c in text
    )


def pgf(figure) -> bytes:
    """The figure as a pgfpicture: no date, no path, no version. Call inside `style.canvas`."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure.set_dpi(300)  # what text is measured at, not what is drawn
    canvas = FigureCanvasAgg(figure)
    text = io.StringIO()
    width, height = figure.get_size_inches()
    text.write("% Written by orchestrate. In the document: \\usepackage{pgf}, then \\input this file.\n")
    text.write(
        "\\begingroup\n\\makeatletter\n\\begin{pgfpicture}\n"
        f"\\pgfpathrectangle{{\\pgfpointorigin}}{{\\pgfqpoint{{{width:f}in}}{{{height:f}in}}}}\n"
        "\\pgfusepath{use as bounding box, clip}\n"
    )
    figure.draw(_renderer(figure, text, canvas.get_renderer()))
    text.write("\\end{pgfpicture}\n\\makeatother\n\\endgroup\n")
    return text.getvalue().encode()


def _renderer(figure, target, measure):
    from matplotlib.backends.backend_pgf import RendererPgf

    class Renderer(RendererPgf):
        def get_text_width_height_descent(self, s, prop, ismath):
            return measure.get_text_width_height_descent(s, prop, False)

        def draw_text(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
            if not s.strip():
                return
            inch = 1 / self.dpi
            place = "left,base"
            if (
                mtext is not None
                and (angle == 0 or mtext.get_rotation_mode() == "anchor")
                and "\n" not in mtext.get_text()
            ):
                x, y = mtext.get_transform().transform(mtext.get_unitless_position())
                across = {"left": "left", "right": "right", "center": ""}[mtext.get_horizontalalignment()]
                down = {"top": "top", "bottom": "bottom", "baseline": "base"}.get(
                    mtext.get_verticalalignment(), ""
                )
                place = ",".join(part for part in (across, down) if part)
            elif mtext is not None and angle == 0 and mtext.get_horizontalalignment() != "left":
                # A line of several: where its middle or right end was measured, there LaTeX's goes.
                width = self.get_text_width_height_descent(s, prop, ismath)[0]
                right = mtext.get_horizontalalignment() == "right"
                x, place = (x + width, "right,base") if right else (x + width / 2, "base")
            size = prop.get_size_in_points()
            bold = (
                r"\bfseries"
                if str(prop.get_weight()) in ("bold", "semibold", "600", "700", "800", "900")
                else ""
            )
            red, green, blue = gc.get_rgb()[:3]
            options = [
                f"x={x * inch:f}in",
                f"y={y * inch:f}in",
                *([place] if place else []),
                *([f"rotate={angle:f}"] if angle else []),
            ]
            # Below 6 pt many fonts have no size of their own and LaTeX would take a larger one.
            drawn = max(size, 6.0)
            content = f"\\color{{textcolor}}\\fontsize{{{drawn:f}}}{{{1.2 * drawn:f}}}\\selectfont{bold}{{}}{escape(s)}"  # noqa: E501
            if size < drawn:
                content = f"\\scalebox{{{size / drawn:f}}}{{{content}}}"
            self.fh.write(
                "\\begin{pgfscope}\n"
                f"\\definecolor{{textcolor}}{{rgb}}{{{red:f},{green:f},{blue:f}}}%\n"
                f"\\pgfsetstrokecolor{{textcolor}}%\n\\pgfsetfillcolor{{textcolor}}%\n"
                f"\\pgftext[{','.join(options)}]{{{content}}}%\n\\end{{pgfscope}}%\n"
            )

    return Renderer(figure, target)
