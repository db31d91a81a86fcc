# SPDX-License-Identifier: Apache-2.0
"""The plain values that describe a lab: its gateways, the motes behind them, and where these stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

SSH_PORT = 22
USUAL_ROOT = ".orchestrate-testbed"
USUAL_BAUD = 115_200  # bit/s, as Contiki's platforms with a USB serial converter set it


@dataclass(frozen=True)
class Endpoint:
    """An SSH server and how to log in there.

    `user`: None for the name of the user who runs the command. `key`: a private key's file; None for those of
    the agent and in ~/.ssh. `jump`: the server through which it is reached; None for none.
    """

    name: str
    host: str
    port: int = SSH_PORT
    user: str | None = None
    key: Path | None = None
    jump: Endpoint | None = None

    @property
    def address(self) -> str:
        """The name under which known_hosts files list it, as OpenSSH writes it."""
        return self.host if self.port == SSH_PORT else f"[{self.host}]:{self.port}"


@dataclass(frozen=True)
class Gateway:
    """A computer with motes at its USB ports.

    `root`: the only folder that we write to, relative to the user's home folder there. `python`: the daemon's
    interpreter; None if the gateway has none, and works with sshd, stty and cat. `spare`: whether it takes
    part only in place of another one.
    """

    name: str
    ssh: Endpoint
    root: str = USUAL_ROOT
    python: str | None = "python3"
    spare: bool = False


@dataclass(frozen=True)
class Mote:
    """A mote at a gateway's USB port.

    `device`: the serial device by id, never by number: numbers change at every start and every plug.
    `eui64`: 16 hexadecimal digits in lower case. `place`: its row and column on the board, from 1; None for a
    mote on no board. `x`, `y`: metres, on its board (or in the room, if it is on none). `movable`: it may
    stand elsewhere than the inventory says. `tool`: what flashes it; None: the platform's usual one;
    `options`: what that tool gets, by name. `flash`: the command of the tool "command" on the gateway,
    `power_on`, `power_off` and `reset`: commands there, as words; {device}, {eui64} and {mote} stand for the
    mote's own, and in `flash` {firmware} and {image} (of its EEPROM) for the files. Empty: it has none.
    """

    name: str
    gateway: str
    platform: str
    device: str
    eui64: str
    board: str | None = None
    place: tuple[int, int] | None = None
    x: float = 0.0
    y: float = 0.0
    movable: bool = False
    spare: bool = False
    baud: int = USUAL_BAUD
    tool: str | None = None
    options: tuple[tuple[str, str], ...] = ()
    flash: tuple[str, ...] = ()
    reset: tuple[str, ...] = ()
    power_on: tuple[str, ...] = ()
    power_off: tuple[str, ...] = ()

    def command(self, words: tuple[str, ...], device: str) -> list[str]:
        """Return one of its commands with the placeholders filled in.

        `device`: its path on the gateway, from any working directory.
        """
        known = {"device": device, "eui64": self.eui64, "mote": self.name}
        filled = []
        for word in words:
            for name, value in known.items():
                word = word.replace("{" + name + "}", value)
            filled.append(word)
        return filled


@dataclass(frozen=True)
class Board:
    """A board with places for motes in rows and columns, `spacing` metres apart, behind one gateway."""

    name: str
    gateway: str
    rows: int
    columns: int
    spacing: tuple[float, float]  # between columns (along x), between rows (along y), in m

    @property
    def size(self) -> tuple[float, float]:
        """The space that it takes in a layout, in m: a whole place for each mote."""
        return self.columns * self.spacing[0], self.rows * self.spacing[1]


@dataclass(frozen=True)
class Spot:
    """Where a mote stands in a layout, in m."""

    mote: str
    x: float
    y: float


@dataclass(frozen=True)
class LabLayout:
    """The motes that take part in an experiment and where they stand; the order numbers them from 1."""

    name: str
    spots: tuple[Spot, ...]


@dataclass(frozen=True)
class Lab:
    """A testbed. `known_hosts`: the file with the gateways' host keys.

    `failures`: a mote that failed this many times in a row leaves the pool.
    """

    name: str
    gateways: tuple[Gateway, ...]
    motes: tuple[Mote, ...]
    boards: tuple[Board, ...] = ()
    layouts: tuple[LabLayout, ...] = ()
    known_hosts: Path = Path("known_hosts")
    failures: int = 3

    def gateway(self, name: str) -> Gateway:
        """Return the gateway of that name. Raises KeyError."""
        return _named(self.gateways, name)

    def mote(self, name: str) -> Mote:
        """Return the mote of that name. Raises KeyError."""
        return _named(self.motes, name)

    def layout(self, name: str) -> LabLayout:
        """Return the layout of that name. Raises KeyError."""
        return _named(self.layouts, name)

    def behind(self, gateway: str) -> tuple[Mote, ...]:
        """Return the motes at a gateway, in the inventory's order."""
        return tuple(mote for mote in self.motes if mote.gateway == gateway)

    def endpoints(self) -> Iterator[Endpoint]:
        """Every SSH server that is needed, each once, jump hosts before the servers behind them."""
        told: dict[str, Endpoint] = {}
        for gateway in self.gateways:
            chain: list[Endpoint] = []
            step: Endpoint | None = gateway.ssh
            while step is not None:
                chain.append(step)
                step = step.jump
            for each in reversed(chain):
                told.setdefault(each.name, each)
        yield from told.values()


_Named = TypeVar("_Named", Gateway, Mote, LabLayout)


def _named(values: tuple[_Named, ...], name: str) -> _Named:
    for value in values:
        if value.name == name:
            return value
    raise KeyError(name)
