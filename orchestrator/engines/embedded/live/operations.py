# SPDX-License-Identifier: Apache-2.0
"""What a Python program does to the motes and the medium of a driven simulation, and asks about them."""

from __future__ import annotations

import math
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

from orchestrator.csc.model import DirectedGraph, Edge, Medium, OwnSignal, Udgm
from orchestrator.engines.embedded.description import edge_line, signal_line
from orchestrator.engines.embedded.live import variables
from orchestrator.engines.embedded.live.driver import AT_ONCE, Driver, time_us
from orchestrator.engines.embedded.live.values import LiveMote, MoteState
from orchestrator.engines.embedded.live.variables import Variable
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.words import counted, did_you_mean

MOST_WRITTEN = 32 * 1024  # bytes in a command; the kernel takes lines of up to 72 KB


class Operations(Driver):
    """The part of Live that acts on motes that are there."""

    _medium: Medium  # as it is now; edges may name motes that are not there
    _described: dict[int, LiveMote]  # all motes that ever were there, by number
    _emulated: dict[Path, tuple[str, ...]]  # the interfaces of emulated motes, by firmware

    def write(self, mote: int, data: bytes | str) -> None:
        """Pass bytes to the mote's serial port, now; a text is sent in UTF-8, without an end of its line.

        At most 32 KB. As in Cooja, all of them are dropped if more than 16 KB wait for the mote by then.
        """
        index, data = self._of(mote), data.encode() if isinstance(data, str) else data
        if len(data) > MOST_WRITTEN:
            raise ValueError(f"{len(data)} bytes at once; {MOST_WRITTEN} is the most")
        if data:
            self._say(f"write {index} {data.hex()}")

    def press(self, mote: int) -> None:
        """Press the mote's button; it stays down until release(). Raises Unsupported without a button."""
        self._device(mote, "press", "simButtonIsDown")

    def release(self, mote: int) -> None:
        """Release the mote's button."""
        self._device(mote, "release", "simButtonIsDown")

    def click(self, mote: int) -> None:
        """Press and release the mote's button, with as long between as in Cooja (1 ms, or 250 ms in 2026)."""
        self._device(mote, "click", "simButtonIsDown")

    def signal_pir(self, mote: int) -> None:
        """Have the mote's passive infrared sensor notice somebody."""
        self._device(mote, "signal-pir", "simPirIsActive")

    def vibrate(self, mote: int) -> None:
        """Shake the mote's vibration sensor."""
        self._device(mote, "vibrate", "simVibIsActive")

    def leds(self, mote: int) -> frozenset[str]:
        """Return the colours of the mote's LEDs that are on: red, green, and blue or (of Cooja motes) yellow.

        Raises NoSuchThing if the firmware has no driver of LEDs.
        """
        index, library = self._of(mote), self._described[mote].library
        if library in self._emulated:
            ((_, _, bits),) = self._ask(f"leds {index}")
            return _lit(int(bits), ("red", "green", "blue"))
        return _lit(self.read_variable(mote, "simLedsValue", "B"), ("green", "red", "yellow"))

    def _device(self, mote: int, command: str, variable: str) -> None:
        index = self._of(mote)
        interfaces = self._emulated.get(self._described[mote].library)
        if interfaces is not None:
            if variable != "simButtonIsDown" or "SkyButton" not in interfaces:
                raise Unsupported(
                    f"mote {mote} can't {command}: of a Tmote Sky, only the button of SkyButton can be used\n"
                    "    add this interface to its mote type"
                )
        elif variable not in variables.of(self._described[mote].library):
            raise Unsupported(
                f"mote {mote} can't {command}: its firmware has no {variable}\n"
                "    include the driver of the button or sensor in the firmware"
            )
        self._say(f"{command} {index}")

    def link(
        self,
        source: int,
        destination: int,
        ratio: float = 1.0,
        signal_dbm: float = -10.0,
        lqi: int = 105,
        delay_us: int = 0,
        channel: int = -1,
    ) -> None:
        """Set the link from one mote to another, or make it, for frames that begin from now on.

        The values are those of csc.model.Edge. Raises Unsupported if the medium is no directed graph.
        """
        graph = self._graph()
        if not 0 <= finite(ratio, "of frames") <= 1:
            raise ValueError(f"a ratio of {ratio}; it is from 0 to 1")
        signal_dbm = finite(signal_dbm, "dBm")
        edge = Edge(source, destination, float(ratio), signal_dbm, lqi, time_us(delay_us), channel)
        line = edge_line(edge, self._of(source), self._of(destination))
        self._say(b"link" + line.removeprefix(b"edge"))
        edges = [edge if _joins(known, source, destination) else known for known in graph.edges]
        self._medium = replace(graph, edges=tuple(edges if edge in edges else [*edges, edge]))

    def unlink(self, source: int, destination: int) -> None:
        """Take the link from one mote to another away, for frames that begin from now on.

        Raises Unsupported if the medium is no directed graph, NoSuchThing if there is no such link.
        """
        graph = self._graph()
        others = tuple(edge for edge in graph.edges if not _joins(edge, source, destination))
        if len(others) == len(graph.edges):
            raise NoSuchThing(f"no link leads from mote {source} to mote {destination}")
        self._say(f"unlink {self._of(source)} {self._of(destination)}")
        self._medium = replace(graph, edges=others)

    def _graph(self) -> DirectedGraph:
        if not isinstance(self._medium, DirectedGraph):
            raise Unsupported(
                "this medium has no links of their own\n"
                "    move motes, change its ranges and losses (set_medium), or choose the directed graph"
            )
        return self._medium

    def set_medium(self, **changes: float) -> None:
        """Change ranges (m) and ratios of a unit disk graph, for frames that begin from now on.

        The names are those of csc.model.Udgm: transmitting_range, interference_range, success_ratio_tx,
        success_ratio_rx. Raises Unsupported for other media, ValueError for what no medium can have.
        """
        if not isinstance(self._medium, Udgm):
            raise Unsupported(
                "only a unit disk graph's ranges and losses can be changed\n"
                "    change links of a directed graph with link(); choose the medium in the file"
            )
        names = ("transmitting_range", "interference_range", "success_ratio_tx", "success_ratio_rx")
        for name, value in changes.items():
            if name not in names:
                raise ValueError(f"a unit disk graph has no {name}; {did_you_mean(name, names)}")
            if finite(value, name) < 0 or ("ratio" in name and value > 1):
                raise ValueError(f"{name} can't be {value}")
        medium = replace(self._medium, **{name: float(value) for name, value in changes.items()})
        self._say("medium " + " ".join(repr(getattr(medium, name)) for name in names))
        self._medium = medium

    def set_signal(self, mote: int, dbm: float, sending: bool = False) -> None:
        """Set the strength that the mote's radio hears when nobody sends, or while it sends itself."""
        signal = OwnSignal(mote, finite(dbm, "dBm"), sending)
        self._say(signal_line(signal, self._of(mote)))
        if hasattr(self._medium, "own_signals"):
            known = self._medium.own_signals
            others = [each for each in known if (each.mote, each.sending) != (mote, sending)]
            self._medium = replace(self._medium, own_signals=(*others, signal))

    def variables(self, mote: int) -> dict[str, int]:
        """Return the size in bytes of each variable of the mote's firmware, by its C name.

        Static variables of the same name in several files have the file before it, as in "app.c:count".
        """
        self._of(mote)
        return {name: one.size for name, one in variables.of(self._described[mote].library).items()}

    def read_variable(self, mote: int, name: str, format: str | None = None) -> Any:  # noqa: ANN401
        """Return the value of a variable of the mote's, by its C name.

        `format`: of the module struct, little-endian and without padding, such as "H" for a uint16_t or "4i"
        for an int[4]; one number is returned as it is, several as a tuple. None: the variable's bytes.
        Variables of interfaces (simSignalStrength, say) are as the mote's code knows them.

        Raises NoSuchThing if there is no such variable, WrongUsage if it has another size.
        """
        index, found = self._of(mote), self._variable(mote, name, format)
        ((_, _, text),) = self._ask(f"peek {index} {found.offset} {found.size}")
        data = bytes.fromhex(text.decode())
        if format is None:
            return data
        values = struct.unpack(f"<{format}", data)
        return values[0] if len(values) == 1 else values

    def write_variable(self, mote: int, name: str, value: Any, format: str | None = None) -> None:  # noqa: ANN401
        """Set a variable of the mote's, now; its code isn't woken by that.

        `value`: the bytes, or with a `format` (see read_variable) the number or the sequence of numbers.
        Raises NoSuchThing, and WrongUsage for another size and for numbers that don't fit.
        """
        index, found = self._of(mote), self._variable(mote, name, format)
        if found.constant:
            raise WrongUsage(f"{name} of mote {mote} is a constant, and can't be written")
        if format is not None:
            try:
                value = struct.pack(f"<{format}", *(value if isinstance(value, list | tuple) else [value]))
            except struct.error as error:
                raise WrongUsage(f"{value!r} is no {format!r} for {name} of mote {mote}: {error}") from None
        if len(value) != found.size:
            raise WrongUsage(_size(mote, found, f"the value {counted(len(value), 'byte')}"))
        for at in range(0, len(value), AT_ONCE):
            part = bytes(value[at : at + AT_ONCE])
            self._say(f"poke {index} {found.offset + at} {part.hex()}")

    def _variable(self, mote: int, name: str, format: str | None) -> Variable:
        found = variables.find(self._described[mote].library, name)
        if format is not None:
            try:
                size = struct.calcsize(f"<{format}")
            except struct.error as error:
                raise WrongUsage(f"{format!r} is no format of the module struct: {error}") from None
            if size != found.size:
                raise WrongUsage(_size(mote, found, f"the format {format!r} {counted(size, 'byte')}"))
        return found

    def snapshot(self) -> list[MoteState]:
        """Return where all motes are now and what their radios do, in the order in which they were added."""
        states = []
        for _, index, words in self._ask("motes"):
            id_, x, y, z, radio, *numbers = words.decode().split()
            place = (float(x), float(y), float(z))
            number = self._made[int(index)]
            of_radio = (None,) if radio == "none" else (radio, *map(int, numbers))
            states.append(MoteState(number, int(id_), *place, *of_radio))
        return states


def finite(value: float, what: str) -> float:
    """Return a number for the kernel, which takes no infinity and no NaN. Raises ValueError."""
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} {what} is no value for a simulation")
    return value


def _lit(bits: int, colours: tuple[str, ...]) -> frozenset[str]:
    """Return the colours of the bits that are 1, the lowest first."""
    return frozenset(colour for place, colour in enumerate(colours) if bits >> place & 1)


def _joins(edge: Edge, source: int, destination: int) -> bool:
    return (edge.source, edge.destination) == (source, destination)


def _size(mote: int, found: Variable, given: str) -> str:
    return f"{found.name} of mote {mote} has {counted(found.size, 'byte')}, and {given}"
