# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed route: the event service between the gateways of a lab."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_testbed.gateway.event_service.topology import Tree
    from orchestrate_testbed.model import Lab, Mote

DESCRIPTION = """Route the events of the event service between the gateways of a lab, until Ctrl-C.
Motes run what they were flashed with; `orchestrate run` starts all this by itself.

TREE is the controller's topology file: the number of gateways, then a line
PARENT CHILD for each connection. BASE are the base stations (motes), in the order
in which their gateways connect to the controller: the first one's is gateway 1."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed route`."""
    from orchestrate_testbed.gateway.event_service.controller import PORT
    from orchestrate_testbed.gateway.event_service.readings import READINGS

    parser.add_argument("tree", type=Path, metavar="TREE", help="the topology file")
    parser.add_argument("bases", nargs="+", metavar="BASE", help="a base station, by its name in LAB")
    parser.add_argument(
        "--port", type=int, default=PORT, help=f"where the controller listens (default: {PORT})"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=0,
        metavar="S",
        help="make the tree without a gateway that was lost for so long (default: 0, never)",
    )
    for name, choices in READINGS.items():
        parser.add_argument(
            f"--{name}",
            choices=list(choices),
            default=next(iter(choices)),
            metavar="READING",
            help=f"{', '.join(choices)}; docs/event-service.md explains (default: the first)",
        )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed route`; return the exit code."""
    import time

    from orchestrate_testbed.client import Daemon
    from orchestrate_testbed.gateway.event_service.readings import READINGS
    from orchestrate_testbed.ssh import Network

    from orchestrator.console import show
    from orchestrator.features.testbed.gateways import AtGateway
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.routing import Routing, Station

    lab = load(args.lab)
    tree = _tree(args.tree)
    motes = [_base(lab, name) for name in args.bases]
    readings = {name: getattr(args, name) for name in READINGS}
    run_name = f"route-{time.time_ns() // 1000}"
    opened: list[Daemon] = []
    with Network(lab.known_hosts) as network:
        places = {mote.gateway: AtGateway(lab.gateway(mote.gateway), network) for mote in motes}
        stations = [Station(mote.name, places[mote.gateway]) for mote in motes]
        patience_us = round(args.patience * 1e6)
        with Routing(run_name, tree, readings, stations, args.port, patience_us) as routing:
            try:
                for mote, station in zip(motes, stations, strict=True):
                    station.at.deliver([])
                    station.at.daemon.open(run_name, mote.name, station.at.device(mote), mote.baud)
                    opened.append(station.at.daemon)
                routing.begin()
                for number, mote in enumerate(motes, 1):
                    show(f"{mote.gateway} is gateway {number}; its base station is {mote.name}")
                show(routing.waiting() or "The tree stands; Ctrl-C ends the routing.")
                while not (failed := routing.failures()):
                    time.sleep(1)
                show("\n".join(failed))
                return 7
            except KeyboardInterrupt:
                return 0
            finally:
                for daemon in opened:
                    daemon.close(run_name)
                    daemon.remove(run_name)
                for place in places.values():
                    place.end()


def _tree(path: Path) -> Tree:
    from orchestrate_testbed.gateway.event_service.topology import FaultyTopology, parse

    from orchestrator.errors import Fault, FaultyInput, NoSuchThing

    try:
        return parse(path.read_text("utf-8", "replace"))
    except FaultyTopology as error:
        remedy = "a topology file is the number of gateways, then lines PARENT CHILD"
        raise FaultyInput([Fault(str(path), line, what, remedy) for line, what in error.faults]) from None
    except OSError as error:
        raise NoSuchThing(f"{path}: {error.strerror}") from None


def _base(lab: Lab, name: str) -> Mote:
    from orchestrator.errors import NoSuchThing
    from orchestrator.words import did_you_mean

    try:
        return lab.mote(name)
    except KeyError:
        names = [mote.name for mote in lab.motes]
        raise NoSuchThing(f"{lab.name} has no mote {name!r}; {did_you_mean(name, names)}") from None
