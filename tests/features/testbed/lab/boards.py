# SPDX-License-Identifier: Apache-2.0
"""Motes of tests: pseudo-terminals behind a gateway's server, flashed by the tool `command`."""

from __future__ import annotations

import os
import select
import sys
import tty
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Gateway, Lab, Mote
from orchestrate_testbed.ssh import Network

from orchestrator.features.testbed.gateways import AtGateway
from tests.features.testbed import daemons

# Notes what it got in the file `flashed`, one line a call; fails if firmware begins with "bad", or for a mote
# that the file `broken` names, and once for the one that `shy` names.
FLASH = """#!/bin/sh
name=${2##*/}
if grep -q "^bad" "$1" || grep -qx "$name" "$HOME/broken" 2>/dev/null; then
  echo "$name: no answer from the bootloader"; exit 1
fi
if grep -qx "$name" "$HOME/shy" 2>/dev/null; then rm "$HOME/shy"; exit 1; fi
echo "$name $(cat "$1") $(cat "$3" 2>/dev/null)" >> "$HOME/flashed"
"""


class Boards:
    """A lab of servers with motes; `end` closes the pseudo-terminals."""

    def __init__(self, servers, names: dict[str, list[str]], spares: tuple[str, ...] = (), failures: int = 3):
        self.servers = {name: servers.make(name) for name in names}
        self.ptys: dict[str, int] = {}
        motes = []
        for name, there in names.items():
            home = self.servers[name].home
            (home / "flash").write_text(FLASH)
            (home / "flash").chmod(0o755)
            (home / "dev").mkdir()
            for mote in there:
                ours, theirs = os.openpty()
                tty.setraw(theirs)
                self.ptys[mote] = ours
                (home / "dev" / mote).symlink_to(os.ttyname(theirs))
                os.close(theirs)  # a port has one reader: the daemon
                flash = (str(home / "flash"), "{firmware}", "{device}", "{image}")
                eui64 = f"{len(motes) + 1:016x}"
                motes.append(
                    Mote(
                        mote, name, "sky", f"dev/{mote}", eui64, spare=mote in spares,
                        tool="command", flash=flash,
                    )
                )  # fmt: skip
        gateways = tuple(
            Gateway(name, one.endpoint(servers.key), python=sys.executable)
            for name, one in self.servers.items()
        )
        self.lab = Lab("tiny", gateways, tuple(motes), known_hosts=servers.known_hosts, failures=failures)
        self.network = Network(servers.known_hosts)
        self.at = {gateway.name: AtGateway(gateway, self.network) for gateway in gateways}

    def flashed(self, gateway: str = "G1") -> list[str]:
        path = self.servers[gateway].home / "flashed"
        return path.read_text().splitlines() if path.exists() else []

    def say(self, mote: str, text: bytes) -> None:
        os.write(self.ptys[mote], text)

    def heard(self, mote: str) -> bool:
        """Whether a program has its port open."""
        poll = select.poll()
        poll.register(self.ptys[mote], 0)
        return not poll.poll(0)  # else the other end has hung up

    def end(self) -> None:
        """End the daemons that were started, and close everything.

        A daemon that is left would try again and again to open its motes, by names that lead to the next
        test's terminals, as these get the same numbers.
        """
        for name, at in self.at.items():
            root = self.servers[name].home / at.root / "daemon"
            if root.exists():
                try:
                    at.again().stop()
                except LabError:
                    pass  # the test took the gateway away
                at.disconnect()
                if (daemon := daemons.Gateway(root, Path())).runs:
                    daemon.kill()
            for link in (self.servers[name].home / "dev").iterdir():
                link.unlink()
        self.network.close()
        for each in self.ptys.values():
            os.close(each)
