# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed break: failures of a lab's virtual twin, and their end."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrate_testbed.virtual.testbed import VirtualTestbed

DESCRIPTION = """Let something fail in the virtual twin of a lab; --mend ends it.

  mote MOTE        it is pulled out of its port; --crash: its firmware stops
  gateway GATEWAY  its power fails: every process on it is killed
  link GATEWAY     its network is cut: connections hang; --drop: they break
                   off; --to GATEWAY: only between these two (of a testbed
                   with namespaces)
  disk GATEWAY     its disk is full; without `up --disk` files stay below
                   --room bytes
  clock GATEWAY    its wall clock jumps by --jump s; --drift: ppm from now on
  power BOARD      all motes of a board reboot"""

KINDS = ("mote", "gateway", "link", "disk", "clock", "power")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed break`."""
    parser.add_argument("kind", choices=KINDS, metavar="KIND", help="what fails: " + ", ".join(KINDS))
    parser.add_argument("name", metavar="NAME", help="of the mote, gateway or board")
    parser.add_argument("--mend", action="store_true", help="end the failure")
    parser.add_argument("--crash", action="store_true", help="of a mote: its firmware stops")
    parser.add_argument("--drop", action="store_true", help="of a link: connections break off")
    parser.add_argument("--to", metavar="GATEWAY", help="of a link: the gateway at its other end")
    parser.add_argument("--room", type=int, metavar="BYTES", help="of a disk (default: 4096)")
    parser.add_argument("--jump", type=float, metavar="S", help="of a clock (default: 10, without --drift 0)")
    parser.add_argument("--drift", type=float, metavar="PPM", help="of a clock")


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed break`; return the exit code."""
    from orchestrate_testbed.virtual import testbed

    from orchestrator.console import show
    from orchestrator.features.testbed.virtual_testbed import folder_of

    _check(args)
    virtual = testbed.find(folder_of(args.lab))
    show(_ACTIONS[args.kind](virtual, args))
    return 0


_OPTIONS = {"crash": "mote", "drop": "link", "to": "link", "room": "disk", "jump": "clock", "drift": "clock"}


def _check(args: argparse.Namespace) -> None:
    from orchestrator.errors import WrongUsage

    for option, kind in _OPTIONS.items():
        given = getattr(args, option)
        if given is not None and given is not False and args.kind != kind:
            raise WrongUsage(f"--{option} is for break {kind}")
    if args.drop and args.to is not None:
        raise WrongUsage("--drop breaks off all connections of a gateway\n    leave out --drop or --to")
    if args.room is not None and args.room < 0:
        raise WrongUsage("--room needs 0 or more bytes")
    if args.mend and args.kind in ("clock", "power"):
        remedy = "let it jump back with --jump -S" if args.kind == "clock" else "the motes run again"
        raise WrongUsage(f"--mend: nothing is left to mend of a failed {args.kind}\n    {remedy}")


def _mote(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    if args.mend:
        virtual.ask(plug=args.name)
        virtual.ask(on=args.name)
        return f"{args.name} is plugged in, and runs what it was flashed with."
    if args.crash:
        virtual.ask(crash=args.name)
        return f"The firmware of {args.name} has stopped."
    virtual.ask(unplug=args.name)
    return f"{args.name} is pulled out."


def _gateway(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    from orchestrate_testbed.virtual import failures

    if args.mend:
        failures.start_gateway(virtual, args.name)
        return f"{args.name} has booted."
    failures.stop_gateway(virtual, args.name)
    return f"{args.name} is without power."


def _link(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    from orchestrate_testbed.virtual import failures

    if args.to is not None:
        change = failures.join_between if args.mend else failures.cut_between
        change(virtual, args.name, args.to)
        state = "is there again" if args.mend else "is cut; both stay reachable from here"
        return f"The link between {args.name} and {args.to} {state}."
    if args.mend:
        failures.join_link(virtual, args.name)
        return f"The network of {args.name} is there again."
    if args.drop:
        failures.drop_connections(virtual, args.name)
        return f"All connections to {args.name} broke off."
    failures.cut_link(virtual, args.name)
    return f"The network of {args.name} is cut."


def _disk(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    from orchestrate_testbed.virtual import failures

    if args.mend:
        failures.free_disk(virtual, args.name)
        return f"The disk of {args.name} has room again."
    room = failures.ROOM if args.room is None else args.room
    if failures.fill_disk(virtual, args.name, room):
        return f"The disk of {args.name} is full except for {room} bytes."
    return f"No file of {args.name} can grow beyond {room} bytes."


def _clock(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    from orchestrate_testbed.virtual import failures

    jump = args.jump if args.jump is not None else 10.0 if args.drift is None else 0.0
    failures.set_clock(virtual, args.name, jump, args.drift)
    drift = "" if args.drift is None else f", and its clocks run {args.drift:+g} ppm fast"
    return f"The wall clock of {args.name} jumped by {jump:+g} s{drift}."


def _power(virtual: VirtualTestbed, args: argparse.Namespace) -> str:
    virtual.ask(power=args.name)
    return f"The motes of board {args.name} have rebooted."


_ACTIONS: dict[str, Callable[[VirtualTestbed, argparse.Namespace], str]] = {
    "mote": _mote,
    "gateway": _gateway,
    "link": _link,
    "disk": _disk,
    "clock": _clock,
    "power": _power,
}
