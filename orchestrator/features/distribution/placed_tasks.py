# SPDX-License-Identifier: Apache-2.0
"""The tasks that motes run, from the system that a parameter of their application names.

The k-th node of the system is the k-th mote of the layout.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from orchestrate_testbed.gateway.distribution.table import KINDS, NodeTable

from orchestrator.applications.extension import of_setting
from orchestrator.applications.model import Application
from orchestrator.errors import Fault, FaultyInput
from orchestrator.features.distribution.load import load, loads
from orchestrator.features.distribution.model import System
from orchestrator.features.distribution.readings import Reading
from orchestrator.features.distribution.run_time import CannotRun, node_tables
from orchestrator.features.distribution.scaled import scaled
from orchestrator.features.distribution.written import written
from orchestrator.topology.model import Layout, Node
from orchestrator.vocabulary import units
from orchestrator.vocabulary.units import short
from orchestrator.words import did_you_mean

MOST_TASKS = "most-tasks"  # a parameter
MOST_NAMES = 255  # bytes of all names of a node's tasks: an array of the EEPROM image
LONGEST_US = 30 * 60 * 1_000_000  # differences of times have 31 bits
MOST_NAME = 64  # of one: a field of the log
NONE, ALL = "none", "all"  # of the parameter gateways
ARRAYS, SCALARS = ("tasks", "links", "names", "nodes"), ("node", "least")


def read(path: Path, _: str) -> tuple[str, ...]:
    """Return the text that a run keeps of a system's file. Raises NoSuchThing, FaultyInput."""
    return (written(load(path)),)


def tables(app: Application, values: Mapping[str, Any]) -> tuple[NodeTable, ...]:
    """Return the tables of all nodes. Raises FaultyInput for a system that can't run."""
    system = system_of(app, values)
    try:
        return _tables(
            values[app.keys["tasks"]], app.keys["tasks"], values["scale"], values["release"], values["bound"]
        )
    except CannotRun as error:
        remedy = "`orchestrate distribution deadlines` says why"
        raise FaultyInput(
            [of_setting(app, app.keys["tasks"], f"the system {system.name}: {error}", remedy)]
        ) from None


def system_of(app: Application, values: Mapping[str, Any]) -> System:
    """Return the system whose text the parameter has, as slow as `scale` says."""
    return _system(values[app.keys["tasks"]], app.keys["tasks"], values["scale"])


# A cell's deployment, networks and images ask for them several times, and a large system takes a second.
@lru_cache(maxsize=8)
def _system(text: str, name: str, scale: int) -> System:
    return scaled(loads(text, Path(name)), scale)


@lru_cache(maxsize=8)
def _tables(text: str, name: str, scale: int, release: str, bound: str) -> tuple[NodeTable, ...]:
    return tuple(node_tables(_system(text, name, scale), Reading(release, bound)))


def network_motes(placed: Layout) -> list[Node]:
    """Return the motes that can be nodes, in their order."""
    return [node for node in placed.nodes if node.role != "control"]


def gateway_nodes(app: Application, values: Mapping[str, Any], node_tables: Sequence[NodeTable]) -> set[str]:
    """Return the nodes that are gateways.

    Raises FaultyInput for names that no node has, and for gateways on the motes' radio.
    """
    names = [table.name for table in node_tables]
    written = values["gateways"].split()
    if written == [NONE]:
        return set()
    if written == [ALL]:
        written = names
    faults = [
        of_setting(app, "gateways", f"the system has no node {short(name)}", did_you_mean(name, names))
        for name in written
        if name not in names
    ]
    if values["network"] == "radio":
        remedy = "use network: modelled, or leave gateways out"
        faults.append(of_setting(app, "gateways", "they have no radio", remedy))
    if faults:
        raise FaultyInput(faults)
    return set(written)


class Images:
    """The task tables in the EEPROM images of an application with tasks."""

    def __init__(self, app: Application, placed: Layout, values: Mapping[str, Any], duration_us: int):
        """Raise FaultyInput if the system doesn't fit the motes."""
        node_tables, motes = tables(app, values), network_motes(placed)
        faults = []
        if len(node_tables) > len(motes):
            what = f"the system has {len(node_tables)} nodes, the topology {len(motes)} motes"
            faults.append(
                of_setting(app, app.keys["tasks"], what, "add motes to the topology, one for each node")
            )
        for table in node_tables:
            faults += [*_too_long(app, table), *_too_many(app, table, values.get(MOST_TASKS))]
        if duration_us > LONGEST_US:
            faults.append(
                Fault(
                    str(app.file),
                    0,
                    f"a run of {units.show(duration_us, units.TIME)} is too long for clocks of 32 bits",
                    f"make the duration {units.show(LONGEST_US, units.TIME)} at most",
                )
            )
        if faults:
            raise FaultyInput(faults)
        there = gateway_nodes(app, values, node_tables)
        system = system_of(app, values)
        ids = [node.mote for node in motes[: len(node_tables)]]
        least = min(system.networks.values(), default=0) if values["network"] == "modelled" else 0
        self.common = {"nodes": ids, "least": least}
        self._of = {
            mote: _facts(place, table)
            for place, (mote, table) in enumerate(zip(ids, node_tables), 1)
            if table.name not in there
        }

    def of(self, mote: int) -> dict[str, Any]:
        """Return the facts of one mote; it has no part without a node, or if that is a gateway."""
        return self._of.get(mote, {"node": 0, "tasks": [], "links": [], "names": []})


def _facts(place: int, table: NodeTable) -> dict[str, Any]:
    words: list[int] = []
    for task in table.tasks:
        kind = KINDS.index(task.kind) + 1
        words += [task.period, task.release, task.deadline, task.execution, task.validity]
        words.append(task.number | kind << 8 | task.priority << 16 | task.source << 24)
    return {
        "node": place,
        "tasks": words,
        "links": [link.origin | link.to << 8 | link.priority << 16 | link.node << 24 for link in table.links],
        "names": list(b"".join(task.name.encode("ascii") + b"\0" for task in table.tasks)),
    }


def _too_many(app: Application, table: NodeTable, most: str | None) -> list[Fault]:
    if most is None or len(table.tasks) <= int(most):
        return []
    what = f"{table.name} has {len(table.tasks)} tasks, the firmware has room for {most}"
    remedy = "choose more, or move steps, targets and loads to another node"
    return [of_setting(app, MOST_TASKS, what, remedy)]


def _too_long(app: Application, table: NodeTable) -> list[Fault]:
    names = [task.name for task in table.tasks]
    faults = [
        of_setting(
            app,
            app.keys["tasks"],
            f"the task {name} has a name of {len(name)} characters, {MOST_NAME} fit the log",
            "shorten the names of its step and target",
        )
        for name in names
        if len(name) > MOST_NAME
    ]
    size = sum(len(name) + 1 for name in names)
    if size > MOST_NAMES:
        faults.append(
            of_setting(
                app,
                app.keys["tasks"],
                f"the names of {table.name}'s tasks take {size} bytes, {MOST_NAMES} fit",
                "shorten the names of steps, targets and loads, or move some to another node",
            )
        )
    return faults
