# SPDX-License-Identifier: Apache-2.0
"""A mote's attributes for other programs: variables of its firmware in physical units, place and radio."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    from orchestrator.live import Live, MoteState

PLACE = ("x", "y", "z")  # m
RADIO = ("radio", "channel", "power", "signal_dbm")  # as in live.MoteState
READ = (*PLACE, *RADIO, "on")
_STATE = {*PLACE, *RADIO}
EVENTS = ("serial", "click")  # written only
WRITTEN = (*PLACE, "on", *EVENTS)

_SPEC = re.compile(r"(?P<name>[^*]+?):(?P<format>[A-Za-z?]|\d+s)(?:\*(?P<unit>[^*]+))?")
_FLOATS = "efd"


@dataclass(frozen=True)
class Quantity:
    """A variable of a firmware as a physical quantity.

    `name` in C; `format` of the module struct; `unit`: what 1 of the variable means.
    """

    name: str
    format: str
    unit: float = 1.0

    @classmethod
    def parse(cls, text: str) -> Quantity:
        """Return the quantity that is written NAME:FORMAT or NAME:FORMAT*UNIT. Raises WrongUsage.

        "centidegrees:h*0.01" is an int16_t whose 1 means 0.01.
        """
        match = _SPEC.fullmatch(text.strip())
        try:
            unit = float(match["unit"] or 1) if match else 0.0
            struct.calcsize(f"<{match['format']}" if match else "")
        except (ValueError, struct.error):
            unit = 0.0
        if match is None or not unit or not math.isfinite(unit):
            raise WrongUsage(
                f"{text!r} names no variable: write NAME:FORMAT or NAME:FORMAT*UNIT\n"
                "    FORMAT is a letter of Python's module struct: h for int16_t, i for int, f for float; "
                "UNIT is what 1 of the variable means, such as 0.01"
            )
        return cls(match["name"].strip(), match["format"], unit)

    def value_of(self, raw: Any) -> Any:
        """Convert a variable's content to the quantity's value."""
        if isinstance(raw, bytes):
            return raw.rstrip(b"\0").decode("utf-8", "replace")
        return raw if self.unit == 1 else raw * self.unit

    def raw_of(self, value: Any) -> Any:
        """Convert a value to the variable's content, rounded if that is a whole number. Raises WrongUsage."""
        if self.format.endswith("s"):
            return str(value).encode()
        try:
            raw = float(value) / self.unit
        except (TypeError, ValueError):
            raise WrongUsage(f"{value!r} is no number for {self.name}") from None
        try:
            if self.format not in _FLOATS:
                raw = bool(raw) if self.format == "?" else round(raw)
            struct.pack(f"<{self.format}", raw)
        except (ValueError, OverflowError, struct.error):
            raise WrongUsage(f"{value!r} does not fit into {self.name} ({self.format!r})") from None
        return raw


class Attributes:
    """The attributes of a simulation's motes.

    Of every mote: x, y, z (m); radio, channel, power, signal_dbm (read only, see live.MoteState); on (whether
    it has power); serial (written: a text for its serial port) and click (written: its button). Beside these,
    the declared quantities.
    """

    def __init__(self, simulation: Live, quantities: Mapping[str, str] = {}) -> None:  # noqa: B006 - read only
        """Declare quantities: NAME:FORMAT*UNIT by attribute, see Quantity.parse. Raises WrongUsage."""
        self._simulation = simulation
        self.quantities = {name: Quantity.parse(text) for name, text in quantities.items()}
        if taken := sorted(self.quantities.keys() & {*READ, *WRITTEN, "lines"}):
            raise WrongUsage(f"{taken[0]} is an attribute of every mote; give the quantity another name")

    def read(self, mote: int, names: Collection[str]) -> dict[str, Any]:
        """Return the values of these attributes now; None for those of a mote without power, or a radio.

        Raises NoSuchThing and WrongUsage.
        """
        here = mote in self._simulation.motes
        state = self._state(mote) if here and not _STATE.isdisjoint(names) else None
        values = {}
        for name in names:
            if name in self.quantities:
                values[name] = self._quantity(mote, self.quantities[name]) if here else None
            elif name in READ:
                values[name] = here if name == "on" else getattr(state, name, None)
            else:
                raise NoSuchThing(f"no attribute {name!r}; {did_you_mean(name, [*self.quantities, *READ])}")
        return values

    def _state(self, mote: int) -> MoteState:
        return next(state for state in self._simulation.snapshot() if state.mote == mote)

    def _quantity(self, mote: int, quantity: Quantity) -> Any:
        return quantity.value_of(self._simulation.read_variable(mote, quantity.name, quantity.format))

    def write(self, mote: int, values: Mapping[str, Any]) -> None:
        """Set these attributes now; `serial` is written and the button is clicked after all others.

        What is for a mote without power is lost. Raises NoSuchThing and WrongUsage.
        """
        for name in values:
            if name not in self.quantities and name not in WRITTEN:
                known = [*self.quantities, *WRITTEN]
                raise NoSuchThing(f"no attribute {name!r} can be written; {did_you_mean(name, known)}")
        if "on" in values:
            self._switch(mote, bool(values["on"]))
        if mote not in self._simulation.motes:
            return
        for name, value in values.items():
            if quantity := self.quantities.get(name):
                self._set(mote, quantity, value)
        if any(name in values for name in PLACE):
            state = self._state(mote)
            self._simulation.move(mote, *(values.get(name, getattr(state, name)) for name in PLACE))
        for text in _texts(values.get("serial")):
            self._simulation.write(mote, text if text.endswith("\n") else f"{text}\n")
        if values.get("click"):
            self._simulation.click(mote)

    def _set(self, mote: int, quantity: Quantity, value: Any) -> None:
        raw = quantity.raw_of(value)
        if isinstance(raw, bytes):
            raw = raw[: struct.calcsize(quantity.format) - 1]  # with its end, as C has it
        self._simulation.write_variable(mote, quantity.name, raw, quantity.format)

    def _switch(self, mote: int, on: bool) -> None:
        here = mote in self._simulation.motes
        if on and not here:
            self._simulation.switch_on(mote)
        elif here and not on:
            self._simulation.switch_off(mote)


def _texts(value: Any) -> list[str]:
    """Return lines for a serial port: of one text, of a list of texts, or none."""
    if value is None:
        return []
    return [str(text) for text in value] if isinstance(value, list | tuple) else [str(value)]
