# SPDX-License-Identifier: Apache-2.0
"""What an application says of itself (application.yaml), after checking: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.scenario.parameters import Parameter


@dataclass(frozen=True)
class EepromField:
    """One field of the image: `type` is u8, u16, u32, i16 or i32, `array` a count (u8) and that many items.

    Its value is `value`, or what `source` names, through `map` (a word's number) or in `unit` (of a quantity). `most` is
    the largest number (of an array: of items) that the firmware has room for, None for the type's own.
    `line` is where application.yaml has it.
    """

    name: str
    type: str
    array: bool = False
    value: int | None = None
    source: str = ""
    map: Mapping[str, int] = field(default_factory=dict)
    unit: str = ""
    line: int = 0
    most: int | None = None


@dataclass(frozen=True)
class Application:
    """`build`: parameter -> written value -> make variables; those parameters make another firmware, all others
    are data. `time_outside_us`: simulated time before and after duration + drain, both sides together; if longer, what
    `time_outside_growth_us` times the number of publishers squared is."""

    name: str
    file: Path
    summary: str
    roles: tuple[str, ...]
    control_node: bool
    parameters: Mapping[str, Parameter]
    eeprom: tuple[EepromField, ...]
    build: Mapping[str, Mapping[str, Mapping[str, str]]]
    success_line: str | None
    fail_line: str | None
    time_outside_us: int
    time_outside_growth_us: int = 0

    @property
    def identifier(self) -> str:
        """The mote type's identifier, a C name."""
        return self.name.replace("-", "_")

    def time_outside(self, publishers: int) -> int:
        """us of simulated time before and after duration + drain, with that many publishers."""
        return max(self.time_outside_us, self.time_outside_growth_us * publishers**2)

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter's inner value: what is given, else its default."""
        return {name: parameters.get(name, declared.default) for name, declared in self.parameters.items()}

    def variant(self, parameters: Mapping[str, Any]) -> dict[str, str]:
        """The make variables that these parameters (inner values) ask for, by name in alphabetical order."""
        values = self.complete(parameters)
        variables: dict[str, str] = {}
        for name, choices in self.build.items():
            variables |= choices[self.parameters[name].show(values[name])]
        return dict(sorted(variables.items()))
