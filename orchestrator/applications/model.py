# SPDX-License-Identifier: Apache-2.0
"""An application as its application.yaml describes it, after checking: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.vocabulary.parameters import Parameter

PARTS = ("subscriber", "publisher", "dies")
CONFIGURED, FOUND, NONE = ROUTES = ("configured", "found", "none")


@dataclass(frozen=True)
class EepromField:
    """One field of the image: `type` is u8, u16, u32, i16 or i32, `array` a count (u8) and that many items.

    Its value is `value`, or what `source` names, through `map` (a word's number) or in `unit` (of a
    quantity). `most` is the largest number (of an array: of items) that the firmware has room for, None for
    the type's own. `line` is where application.yaml has it.
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
class Course:
    """When a run's measured time begins, and how much else is simulated; times are in us.

    The measured time begins at the time that the parameter `begins_parameter` says, counted from a mote's
    boot. If that parameter is 0 or missing, it begins at `begins` + `growth` times the square of the number
    of publishers. If `within` is not 0 and the radio loses frames by chance, the begin is not known
    beforehand: it is as soon as the motes are ready, and at the latest at `within` or, if that is longer, at
    `within_growth` times the square of the number of publishers. `outside`: simulated time besides begin,
    duration and drain.
    """

    begins_parameter: str | None = None
    begins: int = 0
    growth: int = 0
    within: int = 0
    within_growth: int = 0
    outside: int = 0


@dataclass(frozen=True)
class Application:
    """An application, as its application.yaml describes it.

    `build`: parameter -> written value -> make variables; these parameters make another firmware, all others
    are data. `parts`: what a mote does ("subscriber", "publisher", "dies") -> the parameter of type motes
    that lists the motes that do it; without it the topology decides. `routes`: CONFIGURED next hops, FOUND by
    the motes, or NONE. `gateways`: the name of what runs on gateways beside the motes (feature.gateways), ""
    for nothing; its settings are among the parameters. `keys`: values of the keys of application.yaml that
    features declare. `made`: files that features generate for its builds, by their path in its folder.
    `starter`: topology, matrix and parameters of the scenario that `orchestrate init` writes, for an
    application that a chain of publishers would not show well.
    """

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
    course: Course
    parts: Mapping[str, str] = field(default_factory=dict)
    routes: str = CONFIGURED
    gateways: str = ""
    keys: Mapping[str, str] = field(default_factory=dict)
    starter: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def identifier(self) -> str:
        """The mote type's identifier, a C name."""
        return self.name.replace("-", "_")

    def complete(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Every parameter's inner value: what is given, else its default."""
        return {name: parameters.get(name, declared.default) for name, declared in self.parameters.items()}

    def variant(self, parameters: Mapping[str, Any]) -> dict[str, str]:
        """Return the make variables that these parameters (inner values) ask for, in alphabetical order."""
        values = self.complete(parameters)
        variables: dict[str, str] = {}
        for name, choices in self.build.items():
            variables |= choices[self.parameters[name].show(values[name])]
        return dict(sorted(variables.items()))
