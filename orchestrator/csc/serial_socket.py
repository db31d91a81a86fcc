# SPDX-License-Identifier: Apache-2.0
"""A SerialSocketServer or SerialSocketClient of a .csc as plain values."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SerialSocket:
    """A mote's serial line at a TCP socket.

    `line` of the plugin in the file; `mote` its place among all, from 0. `host` that a client connects to; ""
    for a server, which listens. `commands`: a server's, as written: what a shell runs beside the simulation,
    which ends with them.
    """

    line: int = field(compare=False)
    mote: int
    port: int
    host: str = ""
    commands: tuple[str, ...] = ()
