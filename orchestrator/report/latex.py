# SPDX-License-Identifier: Apache-2.0
"""Writes texts and tables as LaTeX that pdflatex, XeLaTeX and LuaLaTeX read (booktabs, longtable)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence

MOST_ROWS = 20  # of a table that stays on one page; with more it is a longtable
HEAD = 16  # characters in a line of a column's head
_CODE = re.compile(r"`([^`]+)`")
_SIGNS = {
    "\\": r"\textbackslash{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{sign: f"{{{sign}}}" for sign in "[]*"},  # behind a line's end they would be its argument
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "–": "--",
    "—": "---",
    "−": "$-$",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "µ": r"\textmu{}",
    "μ": r"\textmu{}",
    "°": r"\textdegree{}",
    "…": r"\dots{}",
    "\u00a0": "~",
    "\u202f": r"\,",
}


def tex(text: str) -> str:
    """Return plain text as LaTeX, `code` in typewriter type.

    Letters that the font encoding T1 lacks are written by their code point.
    """
    parts = _CODE.split(text)
    return "".join(
        rf"\texttt{{{_escaped(part)}}}" if place % 2 else _escaped(part) for place, part in enumerate(parts)
    )


def _escaped(text: str) -> str:
    return "".join(_SIGNS.get(sign) or _plain(sign) for sign in text)


def _plain(sign: str) -> str:
    if sign.isspace():
        return " "
    if not sign.isprintable():
        return ""
    known = sign.isascii() or "\u00c0" <= sign <= "\u017f"
    return sign if known else f"[U+{ord(sign):04X}]"


def table(
    heads: Sequence[str],
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]],
    caption: str,
    label: str,
) -> str:
    """Return a booktabs table: a row has its name, and for each head a number and what stands below it.

    Texts are plain; `caption` is LaTeX.
    """
    columns = f"@{{}}l{'r' * (len(heads) - 1)}@{{}}"
    head = " & ".join(_head(text, place) for place, text in enumerate(heads)) + r" \\"
    lines = []
    for name, entries in rows:
        lines.append(" & ".join([tex(name), *(tex(number) for number, _ in entries)]) + r" \\*")
        below = " & ".join(["", *(rf"\scriptsize {tex(text)}" if text else "" for _, text in entries)])
        lines.append(below + r" \\")
    named = rf"\caption{{{caption}}}\label{{{label}}}"
    body = "\n".join(lines)
    if len(rows) > MOST_ROWS:
        return (
            f"{{\\small\n\\begin{{longtable}}{{{columns}}}\n{named}\\\\\n\\toprule\n{head}\n\\midrule\n"
            f"\\endfirsthead\n\\toprule\n{head}\n\\midrule\n\\endhead\n\\bottomrule\n\\endlastfoot\n{body}\n"
            "\\end{longtable}}\n"
        )
    return (
        f"\\begin{{table}}[tbp]\n\\centering\n\\small\n{named}\n\\begin{{tabular}}{{{columns}}}\n\\toprule\n"
        f"{head}\n\\midrule\n{body}\n\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n"
    )


def _head(text: str, place: int) -> str:
    lines = r"\\".join(tex(line) for line in textwrap.wrap(text, HEAD)) or "~"
    return rf"\begin{{tabular}}[b]{{@{{}}{'r' if place else 'l'}@{{}}}}{lines}\end{{tabular}}"
