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
        examined = examine(lab, network, args.record, args.replace)
    rows = [
        (
            server.server.name,
            server.server.address,
            ("recorded now", "green")
            if server.recorded
            else (server.trust.value, _STYLES[server.trust.name]),
            *((server.shown.type, server.shown.fingerprint) if server.shown else (None, None)),
        )
        for server in examined
    ]
    show(Table("Host keys", ["server", "address", "", "type", "fingerprint"], rows))
    for examined_server in examined:
        if examined_server.trust is Trust.CHANGED:
            show(f"{examined_server.server.name} had {examined_server.before}")
    show(f"The recorded keys are in {lab.known_hosts}.")
    if text := _untrusted(
        [server for server in examined if server.trust is not Trust.KNOWN and not server.recorded]
    ):
        raise RunFailed("\n".join(text))
    return 0


def _untrusted(left: Sequence[Examined]) -> list[str]:
    """Return what is to be said of the servers whose keys are not trusted."""
    from orchestrator.features.testbed.trust import Trust

    new = [server.server.name for server in left if server.trust is Trust.NEW]
    reasons = [server.why for server in left if server.why]
    if new:
        reasons.append(
            f"{', '.join(new)}: not trusted yet\n    compare the fingerprints, then run this with --record"
        )
    return reasons + [
        f"{server.server.name}: the key differs from the recorded one; somebody may be in between\n"
        f"    if it was set up anew, compare the fingerprint, then: --replace {server.server.name}"
        for server in left
        if server.trust is Trust.CHANGED
    ]


_STYLES = {"KNOWN": "green", "NEW": "yellow", "CHANGED": "bold red", "SILENT": "red"}
