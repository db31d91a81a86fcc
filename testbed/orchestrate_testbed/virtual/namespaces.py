# SPDX-License-Identifier: Apache-2.0
"""Gives each server of a virtual testbed a network of its own.

It is a namespace with one address, and a bridge joins them all with this machine. So the link between two
gateways can be cut while both stay reachable from here. The user needs the right to make namespaces
(CAP_NET_ADMIN and CAP_SYS_ADMIN).
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from orchestrate_testbed.errors import LabError

MOST = 253  # servers, beside the bridge's own address
_OWN = 254  # the bridge's last number
_PLACES = Path("/run/netns")  # where `ip netns` keeps namespaces


class NoNamespaces(LabError):
    """The user may not make network namespaces here."""


def names(folder: Path, count: int) -> list[str]:
    """Return the namespaces of a testbed's servers; no other testbed of this machine has these names."""
    return [f"{_prefix(folder)}-{number}" for number in range(1, count + 1)]


def addresses(folder: Path, count: int) -> list[str]:
    """Return the servers' addresses, of the range that no public network has (RFC 6598)."""
    return [f"{_net(folder)}.{number}" for number in range(1, count + 1)]


def make(folder: Path, count: int) -> None:
    """Make the network of so many servers. Raises NoNamespaces; what was made until then is there."""
    if count > MOST:
        raise NoNamespaces(f"{count} servers don't fit one bridge, which has {MOST} addresses")
    bridge, net, made = _prefix(folder), _net(folder), names(folder, count)
    lines = [
        f"link add {bridge} type bridge",
        f"addr add {net}.{_OWN}/24 dev {bridge}",
        f"link set {bridge} up",
        *(f"netns add {name}" for name in made),
        *(f"link add {name} master {bridge} up type veth peer name eth0 netns {name}" for name in made),
    ]
    _ip(lines)
    for name, address in zip(made, addresses(folder, count), strict=True):
        _ip([f"addr add {address}/24 dev eth0", "link set eth0 up", "link set lo up"], name)


def remove(folder: Path) -> None:
    """Remove the network of a testbed, as far as it is there. Raises NoNamespaces."""
    bridge = _prefix(folder)
    made = sorted(each.name for each in _PLACES.glob(f"{bridge}-*"))
    links = sorted(each.name for each in Path("/sys/class/net").glob(f"{bridge}*"))
    # Links first: a namespace that a dying process still has keeps its end for a while.
    _ip([*(f"link del {name}" for name in reversed(links)), *(f"netns del {name}" for name in made)])


def inside(namespace: str) -> list[str]:
    """Return the words before a command that is to run in a namespace; none for this machine's network."""
    return ["nsenter", f"--net={_PLACES / namespace}"] if namespace else []


def cut(one: str, its: str, other: str, others: str) -> None:
    """Let no packet pass between two namespaces, each with its address. Raises NoNamespaces."""
    for name, address in ((one, others), (other, its)):
        _ip([f"route replace blackhole {address}/32"], name)


def join(one: str, its: str, other: str, others: str) -> None:
    """Let packets pass again; do nothing if they do. Raises NoNamespaces."""
    for name, address in ((one, others), (other, its)):
        if _ip([f"route show type blackhole exact {address}/32"], name):
            _ip([f"route del blackhole {address}/32"], name)


def _prefix(folder: Path) -> str:
    return f"or{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}"  # an interface has at most 15 letters


def _net(folder: Path) -> str:
    digest = hashlib.sha256(os.fsencode(folder)).digest()
    return f"100.{64 + digest[0] % 64}.{digest[1]}"


def _ip(lines: Sequence[str], namespace: str = "") -> str:
    """Run commands of `ip`; return what they print. Raises NoNamespaces."""
    if not lines:
        return ""
    of = ["-n", namespace] if namespace else []
    try:
        ran = subprocess.run(
            ["ip", *of, "-batch", "-"], input="\n".join(lines) + "\n", capture_output=True, text=True
        )
        said = ran.stderr.strip().splitlines()[0] if ran.returncode and ran.stderr.strip() else ""
        failed = bool(ran.returncode)
    except OSError as error:
        said, failed, ran = f"ip: {error.strerror}", True, None
    if failed or ran is None:
        raise NoNamespaces(
            f"network namespaces can't be used here: {said}"
            "\n    leave out --namespaces: the gateways then have loopback addresses of this machine"
        )
    return ran.stdout
