# SPDX-License-Identifier: Apache-2.0
"""orchestrate testbed trust: the host keys of gateways and jump hosts."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orchestrator.features.testbed.trust import Examined

DESCRIPTION = """Show the host key of each gateway and jump host beside the recorded one.

Compare a new fingerprint with what this prints on the server itself:
  ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub
No other command talks to a server whose key isn't recorded, or is another
one than the recorded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate testbed trust`."""
    parser.add_argument("--record", action="store_true", help="record the keys of servers that have none yet")
    parser.add_argument(
        "--replace",
        action="append",
        default=[],
        metavar="NAME",
        help="record the changed key of this server in place of the old one (may be repeated)",
    )


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate testbed trust`; return 7 if a server is silent, or its key isn't the recorded one."""
    from orchestrate_testbed.ssh import Network

    from orchestrator.cli.tables import Table
    from orchestrator.console import show
    from orchestrator.errors import RunFailed, WrongUsage
    from orchestrator.features.testbed.inventory import load
    from orchestrator.features.testbed.trust import Trust, examine
    from orchestrator.words import did_you_mean

    lab = load(args.lab)
    servers = [server.name for server in lab.endpoints()]
    for name in args.replace:
        if name not in servers:
            raise WrongUsage(f"--replace: no server {name!r}; {did_you_mean(name, servers)}")
    with Network(lab.known_hosts) as network:
        found = examine(lab, network, args.record, args.replace)
    rows = [
        (
            one.server.name,
            one.server.address,
            ("recorded now", "green") if one.recorded else (one.trust.value, _STYLES[one.trust.name]),
            *((one.shown.type, one.shown.fingerprint) if one.shown else (None, None)),
        )
        for one in found
    ]
    show(Table("Host keys", ["server", "address", "", "type", "fingerprint"], rows))
    for one in found:
        if one.trust is Trust.CHANGED:
            show(f"{one.server.name} had {one.before}")
    show(f"The recorded keys are in {lab.known_hosts}.")
    if said := _untrusted([one for one in found if one.trust is not Trust.KNOWN and not one.recorded]):
        raise RunFailed("\n".join(said))
    return 0


def _untrusted(left: Sequence[Examined]) -> list[str]:
    """Return what is to be said of the servers whose keys are not trusted."""
    from orchestrator.features.testbed.trust import Trust

    new = [one.server.name for one in left if one.trust is Trust.NEW]
    said = [one.why for one in left if one.why]
    if new:
        said.append(
            f"{', '.join(new)}: not trusted yet\n    compare the fingerprints, then run this with --record"
        )
    return said + [
        f"{one.server.name}: the key is another one than the recorded; somebody may be in between\n"
        f"    if it was set up anew, compare the fingerprint, then: --replace {one.server.name}"
        for one in left
        if one.trust is Trust.CHANGED
    ]


_STYLES = {"KNOWN": "green", "NEW": "yellow", "CHANGED": "bold red", "SILENT": "red"}
