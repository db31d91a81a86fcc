# SPDX-License-Identifier: Apache-2.0
"""orchestrate topology: describe a topology, draw it, and write its .csc."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.errors import NoSuchThing, WrongUsage
from orchestrator.scenario.model import (
    ApplicationSpec,
    Cell,
    LinkedRadioSpec,
    OwnTopologySpec,
    RadioSpec,
    TopologySpec,
)
from orchestrator.topology import shapes
from orchestrator.topology.connectivity import Connectivity, connectivity
from orchestrator.topology.model import Layout
from orchestrator.topology.shapes import known_shapes
from orchestrator.vocabulary.document import Scalar
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.parameters import Parameter, check
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    from orchestrator.topology.own import OwnShape

DURATION, SEED = "15 min", "1"
_WIDTH = max(map(len, known_shapes()))
DESCRIPTION = (
    "Compute a topology: whether it is connected at the radio's range, its hops and degrees.\nDraw it, and "
    "write its .csc.\n\nshapes:\n"
    + "\n".join(
        f"  {shape.name:<{_WIDTH}} {shape.summary}\n  {'':<{_WIDTH}} "
        + ", ".join(
            f"--{parameter.name} "
            f"{parameter.show(parameter.default) if parameter.default is not None else 'FILE'}"
            for parameter in shape.parameters
        )
        for shape in known_shapes().values()
    )
    + "\n\nYour own shape is a Python file or an entry point (group orchestrate.topologies).\n"
    "It is run, so use only files that you trust:"
    "\n  orchestrate topology ./ring.py --set sides=5"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate topology`."""
    parser.add_argument(
        "shape",
        choices=_Choices(known_shapes()),
        metavar="SHAPE",
        help=", ".join(known_shapes()) + ", or one of your own",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="set a parameter of your own shape; may be repeated",
    )
    for name, parameter in _all_parameters().items():
        limits = f" ({parameter.limits()})" if parameter.limits() else ""
        parser.add_argument(f"--{name}", dest=f"p_{name}", metavar="VALUE", help=parameter.help + limits)
    parser.add_argument("--range", default="50 m", metavar="LENGTH", help="the radio's range (default: 50 m)")
    parser.add_argument(
        "--links",
        type=Path,
        metavar="FILE.csv",
        help="use the measured links in this file (from,to,ratio[,rssi,lqi,delay,channel]) "
        "instead of a range",
    )
    parser.add_argument("--out", type=Path, metavar="FILE.svg", help="draw a picture into this file")
    parser.add_argument(
        "--csc", type=Path, metavar="FILE.csc", help="write a simulation of the topology; needs --application"
    )
    parser.add_argument(
        "--application",
        metavar="NAME",
        help="the application of the motes; adds its control node to the picture and the .csc",
    )
    parser.add_argument("--duration", metavar="TIME", help=f"measured time in the .csc (default: {DURATION})")
    parser.add_argument("--seed", metavar="N", help=f"the .csc's random seed (default: {SEED})")
    parser.add_argument("--json", action="store_true", help="print the nodes and figures as JSON")
    parser.set_defaults(usage_error=parser.error)


class _Choices(tuple):
    """The built-in shapes, for completion in a shell; a user's own shapes are accepted as well."""

    __slots__ = ()

    def __contains__(self, given: object) -> bool:
        from orchestrator.topology import own

        return tuple.__contains__(self, given) or own.is_own(str(given))


def _all_parameters() -> dict:
    every = {}
    for shape in known_shapes().values():
        for parameter in shape.parameters:
            every.setdefault(parameter.name, parameter)
    return every


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate topology`; return the exit code."""
    from orchestrate_spark import own_code

    from orchestrator.cli import files

    if args.csc and not args.application:
        args.usage_error("--csc needs --application: a .csc names the firmware of its motes")
    for file in (
        args.links,
        args.p_file and Path(args.p_file),
        own_code.is_path(args.shape) and Path(args.shape),
    ):
        if file and not file.is_file():
            raise NoSuchThing(f"{file}: no such file")
    cell, seed = _cell(args)
    layout = _layout(args, cell)
    connections = connectivity(layout, cell.radio.reach)
    if args.out:
        from orchestrator.topology.draw import picture, thinned

        files.write(args.out, picture(layout, cell.radio.reach).svg().encode())
    if args.csc:
        files.write(args.csc, _csc(args, cell, seed))
    if args.json:
        print(json.dumps(_plain(layout, connections), indent=2))
    else:
        _show(layout, connections)
        if args.out and (left := thinned(layout, cell.radio.reach)):
            print(left)
        for path in filter(None, (args.out, args.csc)):
            print(f"written: {path}")
    return 0


def _cell(args: argparse.Namespace):
    """Return the cell that the options describe, and the seed.

    Raises WrongUsage with all faults of the options.
    """
    from orchestrator.scenario.settings import MOST_SEED, RADIO, RUN
    from orchestrator.topology import links, own, positions

    faults = Faults("")
    mine = None if args.shape in known_shapes() else own.load(args.shape, Path())
    declared = {
        parameter.name: parameter
        for parameter in (mine.shape if mine else known_shapes()[args.shape]).parameters
    }
    values = _values(args, declared, faults)
    range_m = check(RADIO["radio.range"], Scalar(args.range, 0), "--range", faults)
    duration = check(RUN["duration"], Scalar(args.duration or DURATION, 0), "--duration", faults)
    seed = check(Parameter("seed", "int", 1, 0, MOST_SEED), Scalar(args.seed or SEED, 0), "--seed", faults)
    for option, given in (("--duration", args.duration), ("--seed", args.seed)):
        if given is not None and not args.csc:
            faults.add(0, f"{option} applies to the .csc only", "name one with --csc")
    faults.raise_usage()
    if args.shape == "positions":
        values["nodes"] = positions.read(Path(values["file"]), values["file"])
    radio = RadioSpec(range_m=range_m, interference_m=max(2 * range_m, RADIO["radio.interference"].default))
    if args.links:
        radio = LinkedRadioSpec(file=str(args.links), links=links.read(args.links, str(args.links)))
    topology = TopologySpec(args.shape, {name: p.default for name, p in declared.items()} | values)
    if mine:
        topology = _own(mine, topology, radio)
    cell = Cell(
        name=args.shape,
        settings={},
        topology=topology,
        radio=radio,
        application=ApplicationSpec(args.application or ""),
        duration_us=duration,
        drain_us=RUN["drain"].default,
        start_delay_us=RUN["start-delay"].default,
        ruleset=RUN["engine.rules"].default,
        engine=RUN["engine.name"].default,
        trace=False,
    )
    if args.application:
        cell = replace(cell, application=_application(args.application, faults))
    return cell, seed


def _values(args: argparse.Namespace, declared: Mapping[str, Parameter], faults: Faults) -> dict[str, Any]:
    """Return the values of a shape's parameters that the options give."""
    values = {}
    written = {name: text for name in _all_parameters() if (text := getattr(args, f"p_{name}")) is not None}
    for pair in args.set:
        name, equals, text = pair.partition("=")
        if not equals:
            faults.add(0, f"--set {pair[:40]} names no value", "write --set NAME=VALUE")
        else:
            written[name] = text
    for name, text in written.items():
        if name not in declared:
            faults.add(0, f"--{name} is not a parameter of {args.shape}", did_you_mean(name, declared))
        else:
            values[name] = check(declared[name], Scalar(text, 0), f"--{name}", faults)
    for name, parameter in declared.items():
        if name not in values and parameter.default is None:
            faults.add(0, f"{args.shape} needs --{name}", parameter.help)
    return values


def _application(named: str, faults: Faults) -> ApplicationSpec:
    """Return an application with its defaults. Raises WrongUsage if it has none for a parameter."""
    from orchestrator.applications import descriptor
    from orchestrator.applications.find import is_path

    app = descriptor.load(named)
    values = app.complete({})
    for name in (name for name, value in values.items() if value is None):
        faults.add(0, f"{app.name} has no default for {name}", "write a scenario that sets it")
    faults.raise_usage()
    return ApplicationSpec(app.name, values, str(app.file.parent.absolute()) if is_path(named) else "")


def _own(mine: OwnShape, topology: TopologySpec, radio: RadioSpec) -> OwnTopologySpec:
    """Lay out a user's own shape. Raises WrongUsage."""
    from orchestrator.topology import own

    try:
        nodes = own.nodes(mine, topology.parameters, radio.reach)
    except ValueError as wrong:
        raise WrongUsage(f"{wrong}\n    set other parameters") from None
    return OwnTopologySpec(topology.shape, topology.parameters, mine.sha256, nodes)


def _layout(args: argparse.Namespace, cell: Cell):
    try:
        layout = shapes.layout(cell.topology, cell.radio.reach)
    except ValueError as wrong:
        raise WrongUsage(f"{wrong}\n    use smaller numbers") from None
    if args.application:
        from orchestrator.applications import descriptor, place

        app = descriptor.load(args.application)
        layout = place.acting(app, place.with_control(layout, app), cell.application.parameters)
    return layout


def _csc(args: argparse.Namespace, cell: Cell, seed: int) -> bytes:
    from orchestrator.applications import place
    from orchestrator.csc import deployed
    from orchestrator.csc.write import write

    placed = place.place(cell)
    source = placed.application.file.parent / f"{placed.application.name}.c"
    relative = os.path.relpath(source.resolve(), args.csc.resolve().parent)
    return write(deployed.simulation(placed.deployment(seed, source=f"[CONFIG_DIR]/{relative}")))


def _plain(layout: Layout, connectivity: Connectivity) -> dict:
    return {
        "shape": layout.shape,
        "range_m": connectivity.range_m,
        "connected": connectivity.connected,
        "broken": list(connectivity.broken),
        "nodes": [
            vars(node)
            | {"hops": connectivity.hops.get(node.mote), "degree": connectivity.degree.get(node.mote)}
            for node in layout.nodes
        ],
    }


def _show(layout: Layout, connectivity: Connectivity) -> None:
    from orchestrator.cli.numbers import count, decimal
    from orchestrator.cli.tables import Column, Table, numbers
    from orchestrator.console import show
    from orchestrator.topology.draw import summary

    names = {node.mote: node.name for node in layout.nodes}
    rows = []
    for node in layout.nodes:
        hops = connectivity.hops.get(node.mote)
        rows.append(
            (
                str(node.mote),
                node.name,
                node.role,
                decimal(node.x, 3),
                decimal(node.y, 3),
                names.get(node.parent),
                "none" if hops is not None and hops < 0 else count(hops),
                count(connectivity.degree.get(node.mote)),
                *[("next hop out of range", "red") if node.mote in connectivity.broken else ""]
                * bool(connectivity.broken),
            )
        )
    columns = (
        Column("mote", number=True, key=True),
        Column("name", key=True),
        "role",
        *numbers("x, m", "y, m"),
        "next hop",
        *numbers("hops", "degree"),
        *[Column("", prose=True)] * bool(connectivity.broken),
    )
    show(
        f"{layout.shape}, {len(layout.nodes)} nodes: {summary(layout, connectivity)}",
        "",
        Table("", columns, rows),
    )
