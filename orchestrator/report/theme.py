# SPDX-License-Identifier: Apache-2.0
"""Pictures for light and dark pages: colours of an SVG become variables that the reader's preference sets.

Files for papers keep plain colours, which every program reads.
"""

from __future__ import annotations

import re

from orchestrator.report import style

# Light -> dark; other colours stay. Those of the palette are lighter on the dark ground, #1b2229.
DARK = {
    "#ffffff": "#1b2229",
    style.INK: "#e4e9ee",
    style.FAINT: "#4a5663",
    style.GRID: "#303a44",
    style.SOFT: "#a4afba",
    "#000000": "#e4e9ee",
    style.BLUE: "#4a90d9",
    style.ORANGE: "#f0b429",
    style.GREEN: "#2fb98f",
    style.PURPLE: "#d98fbd",
    style.VERMILLION: "#f0743a",
    style.SKY: "#a5daf7",
    "#7a3b62": "#e3a9cd",
    "#9aa5b1": "#77838f",
    # Of topology/draw.py, marks.py and csc/picture.py, which write them in lower case.
    "#333333": "#dfe5ea",
    "#5c6370": "#a4afba",
    "#c9ced6": "#4a5663",
    "#b00020": "#ff8a80",
    "#fbf3ea": "#2a2420",
    "#3a3a3a": "#525c66",
    "#d55e00": "#d9661f",
    "#0072b2": "#2f7fc1",
    "#00795a": "#1c8f6c",
    "#8f4f78": "#a9648f",
    "#a9b1bd": "#5a6672",
}
_COLOUR = re.compile(r'(<text [^>]*?)?\b(fill|stroke)="(#[0-9A-Fa-f]{6})"')


def themed(svg: bytes) -> bytes:
    """Return a picture that follows the reader's preference; on paper it is light.

    White letters stay white, because they stand on a node's own colour.
    """
    used: dict[str, str] = {}

    def variable(match: re.Match) -> str:
        text, what, colour = match.groups()
        if colour not in DARK or text and what == "fill" and colour == "#ffffff":
            return match[0]
        return f'{text or ""}{what}="var(--{used.setdefault(colour, f"c{len(used)}")})"'

    body = _COLOUR.sub(variable, svg.decode())
    light, dark = (
        "".join(f"--{name}:{colours(colour)};" for colour, name in used.items())
        for colours in (str, DARK.__getitem__)
    )
    css = f"<style>svg{{{light}}}@media screen and (prefers-color-scheme:dark){{svg{{{dark}}}}}</style>"
    return re.sub(r"(<svg [^>]*>)", lambda head: head[0] + css, body, count=1).encode()
