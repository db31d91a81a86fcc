# SPDX-License-Identifier: Apache-2.0
"""What is run from both sources: every application in contiki-apps/apps on every shape, with each MAC that it
offers and that both have (`on_both`).

A new application or shape needs nothing here; one that needs more than its defaults has a line. Durations are
such that 30 seeds can tell a difference of 1 % where the application's rate allows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator import resources
from orchestrator.applications import platform
from orchestrator.applications.descriptor import load as application
from orchestrator.errors import FaultyInput
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell
from orchestrator.topology.shapes import known_shapes

# Small ones, two publishers at least.
SIZES = {
    "chain": "publishers: 4, spacing: 30 m",
    "star": "publishers: 4",
    "tree": "depth: 2, fan-out: 2",
    "grid": "rows: 3, columns: 3",
    "mesh": "rows: 3, columns: 3",
    "random-geometric": "publishers: 8, width: 100 m, height: 100 m",
    "positions": "file: positions.csv",
}
POSITIONS = (
    "name,role,x,y,parent\nS,subscriber,0,0,\nR1,relay,30,0,S\nP1,publisher,60,10,R1\nP2,publisher,20,35,S\n"
)
PARAMETERS = {
    "aggregation": ("rate: high",),
    "mesh": ("publishers: P1 P2, interval: 250 ms",),
    "event-service": ("start: at-once, power: 100, anybody: true",),
    "distribution": ("network: radio",),
}
# On the chain only: what the middleware's modules offer beside an application's defaults.
ALTERNATIVES = {
    "aggregation": (
        "rate: high, aggregate: false",
        *(f"rate: high, merge: {merge}" for merge in ("sum", "min", "max", "count", "histogram")),
        "rate: high, hold: shrinking",
        "rate: high, hold: endless",
    ),
}
# One event in 8 or 10 s needs time to become many. Not more: where phases lock for a whole run, only seeds
# tell. The alarm's ten readings a second are many in less, and its threads that compute all the time are slow
# to simulate.
SECONDS = {"hello-nullnet": 1200, "pubsub-hello": 1200, "alarm": 100, "link-survey": 1200}
DEFAULT_SECONDS = 300
# Of applications that print no counters: which lines are what.
LINES = {
    "pubsub-hello": {"events_delivered": re.compile(r"publisher \d+ (is up|says)")},
    "hello-nullnet": {"packets_sent": re.compile("say "), "events_delivered": re.compile("heard ")},
    "link-survey": {"packets_sent": re.compile("say "), "events_delivered": re.compile("heard ")},
}
SCENARIO = """experiment: contract
topology: {{shape: {shape}}}
radio: {{medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 90 %}}
application: {{name: {application}}}
duration: {seconds} s
drain: 10 s
seeds: 1
"""


@dataclass(frozen=True)
class Case:
    application: str
    mac: str
    shape: str
    parameters: str
    cell: Cell

    @property
    def name(self) -> str:
        said = ", ".join(part for part in (f"MAC {self.mac}" if self.mac else "", self.parameters) if part)
        return f"{self.application} ({said})" if said else self.application


def applications() -> list[str]:
    return sorted(path.parent.name for path in (resources.contiki_apps() / "apps").glob("*/application.yaml"))


def modules() -> dict[str, set[str]]:
    """Every module of the middleware, and the applications that are built with it."""
    made = {path.parent.name: set() for path in (resources.contiki_apps() / "middleware").glob("*/*.c")}
    for name in applications():
        makefile = (resources.contiki_apps() / "apps" / name / "Makefile").read_text().replace("\\\n", " ")
        for module in " ".join(re.findall(r"^MODULES *\+?= *(.*)$", makefile, re.MULTILINE)).split():
            made[module].add(name)
    return made


def kinds(wanted: Callable[[str, str], bool]) -> Iterator[tuple[str, str]]:
    """Each application with each MAC that it may have, as far as `wanted`."""
    for name in applications():
        declared = application(name).parameters
        macs = declared["mac"].choices if "mac" in declared else ("",)
        yield from ((name, mac) for mac in macs if wanted(name, mac))


def on_both(application: str, mac: str) -> bool:
    """Whether there are two sources to compare: a MAC may exist in the embedded Contiki only."""
    return not any(platform.embedded_only({"MAC": mac}))


def cases(
    folder: Path,
    seconds: int | None = None,
    refused: list[str] | None = None,
    wanted: Callable[[str, str], bool] = lambda application, mac: True,
    more: str = "",
) -> Iterator[Case]:
    """`folder` gets the file that the shape `positions` reads. `seconds`: another duration than the case's
    own. `refused` gets what an application itself says no to (too many publishers, a shape without a role);
    without it that is raised. `wanted`: which applications with which MAC; `more`: further lines of their
    scenarios."""
    (folder / "positions.csv").write_text(POSITIONS)
    for name, mac in kinds(wanted):
        length = seconds or SECONDS.get(name, DEFAULT_SECONDS)
        for shape in known_shapes():
            for parameters in (
                *PARAMETERS.get(name, ("",)),
                *(ALTERNATIVES.get(name, ()) if (shape, mac) == ("chain", "csma") else ()),
            ):
                try:
                    case = _case(folder, name, mac, shape, parameters, length, more)
                except FaultyInput as error:
                    if refused is None:
                        raise
                    refused.append(f"{name} on {shape}: {'; '.join(fault.what for fault in error.faults)}")
                else:
                    yield case


def _case(folder: Path, name: str, mac: str, shape: str, parameters: str, seconds: int, more: str) -> Case:
    app = ", ".join(part for part in (name, f"mac: {mac}" if mac else "", parameters) if part)
    sized = ", ".join(part for part in (shape, SIZES.get(shape, "")) if part)
    text = SCENARIO.format(shape=sized, application=app, seconds=seconds) + more
    return Case(name, mac, shape, parameters, loads(text, f"{name}-{shape}.yaml", folder).cells[0])
