# SPDX-License-Identifier: Apache-2.0
"""A mote type of a .csc as plain values.

It stands apart from the model, because a simulation whose description is remembered needs nothing else of it.
"""

from __future__ import annotations

from typing import NamedTuple


class MspType(NamedTuple):
    """One firmware of emulated motes with an MSP430; texts as written in the file.

    `target`: of make: sky, or what only real Cooja runs. `compiler`: that builds for it. `firmware`: a file
    that is there, or "". `interfaces`: simple class names, in the file's order. `must_build`: an
    experiment has changed how it is built, so no firmware that is there already is it.
    """

    identifier: str
    source: str
    commands: str
    firmware: str
    target: str
    compiler: str
    description: str = ""
    interfaces: tuple[str, ...] = ()
    must_build: bool = False


class MoteType(NamedTuple):
    """One firmware. `source` and `commands` are as written in the file (path tokens kept).

    `interfaces` are the simple class names ("IPAddress", "ContikiRadio", ...) in the file's order, which is
    the order Cooja polls them after a tick.
    """

    identifier: str
    description: str
    source: str
    commands: str
    interfaces: tuple[str, ...]


def file_of(mote_type: MoteType | MspType) -> str:
    """Return the source as written, or the firmware of a type that has no source."""
    return mote_type.source or getattr(mote_type, "firmware", "")
