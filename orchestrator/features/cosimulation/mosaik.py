# SPDX-License-Identifier: Apache-2.0
"""A simulation of motes as a simulator of mosaik (API 3): in mosaik's process, or in one of its own.

{"python": "orchestrator.features.cosimulation.mosaik:MoteSimulator"}
{"cmd": "%(python)s -m orchestrator.features.cosimulation.mosaik %(addr)s"}
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import mosaik_api_v3

from orchestrator import live
from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.features.cosimulation.attributes import EVENTS, READ, WRITTEN, Attributes
from orchestrator.words import did_you_mean

LINES = "lines"
MODEL = "Mote"
_US = 1_000_000  # in a second


class MoteSimulator(mosaik_api_v3.Simulator):
    """Motes as entities `mote-ID` with attributes (attributes.Attributes) and `lines`, which they printed.

    With a `step_size` it is time-based: at each step it reports the attributes and the lines since the last
    step, then sets its inputs. Without it is hybrid: inputs and the motes' own lines are events; between two
    events it goes on as far as mosaik lets it, and lines come at the end of the unit of mosaik's time in
    which they were printed.
    """

    def __init__(self) -> None:
        """Make a simulator; init() opens the simulation."""
        super().__init__({"type": "hybrid"})
        self._motes: dict[str, int] = {}  # by entity
        self._models: dict[str, Attributes] = {}
        self._of_entity: dict[str, Attributes] = {}
        self._lines: dict[int, list[str]] = {}  # that nobody has got yet
        self._asked: dict[str, set[str]] = {}  # attributes that mosaik asks for after each step, by entity
        self._ok = True  # no step has raised
        self._first = True  # step: until it is over, nobody knows what mosaik asks for
        self._values: dict[str, dict[str, Any]] = {}  # of the latest step
        self._lines_at = 0  # when the latest lines were printed, in units of mosaik
        self._simulation: live.Live | None = None

    def init(
        self,
        sid: str,
        time_resolution: float = 1.0,
        *,
        file: str,
        models: Mapping[str, Mapping[str, str]] | None = None,
        step_size: int | None = None,
        **opening: Any,
    ) -> dict[str, Any]:
        """Open the simulation; return the meta data.

        `file`: a .csc, a scenario or a stored run; `opening`: further arguments of live.open (cell, seed,
        contiki_ng, log, ...). `models`: for each kind of mote its quantities (Attributes); by default one
        named Mote without any. `step_size`: in units of mosaik's time. Raises what live.open raises, and
        WrongUsage.
        """
        if step_size is not None and step_size < 1:
            raise WrongUsage(f"a step_size is at least 1, not {step_size}")
        self._unit_us = time_resolution * _US
        if self._unit_us < 1 or self._unit_us != round(self._unit_us):
            raise WrongUsage(f"a time_resolution of {time_resolution!r} s is no whole number of microseconds")
        self._step_size = step_size
        self._simulation = live.open(file, **opening)
        self._models = {
            name: Attributes(self._simulation, quantities)
            for name, quantities in (models or {MODEL: {}}).items()
        }
        self.meta["type"] = "hybrid" if step_size is None else "time-based"
        self.meta["models"] = {name: self._meta(attributes) for name, attributes in self._models.items()}
        self._free = sorted(self._simulation.motes)
        self._end = 0
        return self.meta

    def _meta(self, attributes: Attributes) -> dict[str, Any]:
        written = [*attributes.quantities, *WRITTEN]
        model: dict[str, Any] = {
            "public": True,
            "params": ["mote"],
            "attrs": list(dict.fromkeys([LINES, *attributes.quantities, *READ, *EVENTS])),
        }
        if self._step_size is None:
            model |= {"trigger": written, "non-persistent": [LINES]}
        return model

    def create(self, num: int, model: str, mote: int | None = None) -> list[dict[str, Any]]:
        """Return entities for the next motes by their ids, or for that with this id. Raises NoSuchThing."""
        if mote is not None and num != 1:
            raise WrongUsage(f"mote {mote} is one entity, not {num}")
        if mote is not None and mote not in self._free:
            taken = mote in self._motes.values()
            raise NoSuchThing(f"mote {mote} is an entity already" if taken else f"there is no mote {mote}")
        chosen = self._free[:num] if mote is None else [mote]
        if len(chosen) < num:
            raise NoSuchThing(f"{num} more motes were asked for, and {len(chosen)} are left")
        for one in chosen:
            self._models[model].read(one, self._models[model].quantities)  # or it raises here, not in a step
            self._free.remove(one)
            self._motes[f"mote-{one}"] = one
            self._of_entity[f"mote-{one}"] = self._models[model]
            self._simulation.listen(one, "lines")
            self._lines[one] = []
            self._asked[f"mote-{one}"] = {LINES, *READ, *self._models[model].quantities}
        return [{"eid": f"mote-{one}", "type": model} for one in chosen]

    def setup_done(self) -> None:
        """Hear only motes that are entities."""
        for mote in self._free:
            self._simulation.listen(mote, "nothing")

    def step(self, time: int, inputs: dict[str, dict[str, dict[str, Any]]], max_advance: int) -> int | None:
        """See mosaik_api_v3.Simulator.step."""
        self._ok, self._end = False, max_advance
        next_time = self._step(time, inputs, max_advance)
        self._ok = True
        return next_time

    def _step(self, time: int, inputs: dict[str, dict[str, dict[str, Any]]], max_advance: int) -> int:
        self._take(self._simulation.step(self._us(time)))
        self._lines_at = time
        self._values = self._read()
        self._write({entity: _single(entity, values) for entity, values in inputs.items()})
        if self._step_size is not None:
            return time + self._step_size
        if inputs:  # what was set, others see at once
            self._values = self._read()
        if self._first or any(self._lines.values()):
            return time + 1
        return self._go_on(time, max_advance)

    def _go_on(self, time: int, max_advance: int) -> int:
        """Go on to the end of the unit in which a mote prints; return when to go on from there."""
        limit_us = self._us(max_advance)
        while self._simulation.now_us < limit_us:
            if outputs := self._simulation.advance(limit_us):
                self._take(outputs)
                self._lines_at = max(time, int(self._simulation.now_us // self._unit_us)) + 1
                self._take(self._simulation.step(self._us(self._lines_at)))
                return self._lines_at
        return max(time, max_advance) + 1

    def get_data(self, outputs: dict[str, list[str]]) -> dict[str, Any]:
        """See mosaik_api_v3.Simulator.get_data."""
        data: dict[str, Any] = {}
        for entity, names in outputs.items():
            data[entity] = {name: self._values[entity][name] for name in names if name != LINES}
            if LINES in names:
                lines, self._lines[self._motes[entity]] = self._lines[self._motes[entity]], []
                if lines or self._step_size is not None:
                    data[entity][LINES] = lines
        if self._first:
            self._narrow(outputs)
        if self._step_size is None:
            data["time"] = self._lines_at
        return data

    def _narrow(self, outputs: dict[str, list[str]]) -> None:
        """From now on read only what mosaik asks for."""
        self._first = False
        self._asked = {entity: set(names) for entity, names in outputs.items()}
        for entity, mote in self._motes.items():
            if LINES not in self._asked.get(entity, ()):
                del self._lines[mote]
                if mote in self._simulation.motes:
                    self._simulation.listen(mote, "nothing")

    def finalize(self) -> None:
        """Let the motes go on to the end of mosaik's time, and end the simulation."""
        if self._simulation is None:
            return
        try:
            if self._ok:
                self._simulation.step(max(self._us(self._end), self._simulation.now_us))
            self._simulation.end(self._ok)
        except live.SimulationEnded:
            pass  # step() has raised it
        self._simulation.close()

    def _us(self, time: int) -> int:
        return round(time * self._unit_us)

    def _take(self, outputs: list[live.Output]) -> None:
        for output in outputs:
            if output.mote in self._lines:
                self._lines[output.mote].append(output.text.decode("utf-8", "replace"))

    def _read(self) -> dict[str, dict[str, Any]]:
        return {
            entity: self._of_entity[entity].read(self._motes[entity], sorted(names - {LINES}))
            for entity, names in self._asked.items()
        }

    def _write(self, written: dict[str, dict[str, Any]]) -> None:
        for entity in sorted(written):
            if entity not in self._motes:
                raise NoSuchThing(f"no entity {entity!r}; {did_you_mean(entity, self._motes)}")
            self._of_entity[entity].write(self._motes[entity], written[entity])


def _single(entity: str, values: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the value of each attribute; several may write to a serial port. Raises WrongUsage."""
    chosen = {}
    for name, by_source in values.items():
        given = [by_source[source] for source in sorted(by_source)]
        if name == "serial":
            chosen[name] = [text for one in given for text in (one if isinstance(one, list) else [one])]
        elif len(given) > 1:
            raise WrongUsage(
                f"{name} of {entity} is set by {' and '.join(sorted(by_source))}\n"
                "    connect one of them, or what makes one value of theirs"
            )
        else:
            chosen[name] = given[0]
    return chosen


def main() -> int:
    """Serve mosaik at the address in the command line."""
    return mosaik_api_v3.start_simulation(MoteSimulator(), "Contiki motes for mosaik") or 0


if __name__ == "__main__":
    sys.exit(main())
