# SPDX-License-Identifier: Apache-2.0
"""Compares the host keys of a lab's servers with the recorded ones, and records them on request."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.host_keys import ShownKey, recorded_keys
from orchestrate_testbed.model import Endpoint, Lab
from orchestrate_testbed.ssh import Network, together

from orchestrator import durable


class Trust(Enum):
    """The result of comparing a host key with the recorded one."""

    KNOWN = "recorded"
    NEW = "new"
    CHANGED = "changed"
    SILENT = "no answer"


@dataclass(frozen=True)
class Examined:
    """A server's host key. `before`: the recorded fingerprint. `recorded`: it was recorded now."""

    server: Endpoint
    trust: Trust
    shown: ShownKey | None = None
    before: str | None = None
    recorded: bool = False
    why: str = ""


def examine(
    lab: Lab, network: Network, record: bool = False, replace: Collection[str] = ()
) -> list[Examined]:
    """Examine the host key of each server, jump hosts first, because the others are reached through them.

    `record`: record new keys. `replace`: names of servers whose changed key is recorded instead of the old
    one.
    """
    results: dict[str, Examined] = {}
    by_jumps: dict[int, list[Endpoint]] = {}
    for server in lab.endpoints():
        by_jumps.setdefault(_jumps(server), []).append(server)
    for _, servers in sorted(by_jumps.items()):
        answers = together(servers, lambda server: _examined(server, network))
        for server, result in zip(servers, answers, strict=True):
            assert isinstance(result, Examined)
            if (result.trust is Trust.NEW and record) or (
                result.trust is Trust.CHANGED and server.name in replace
            ):
                assert result.shown is not None
                _record(lab, server, result.shown)
                result = Examined(server, result.trust, result.shown, result.before, True)
            results[server.name] = result
    return [results[server.name] for server in lab.endpoints()]


def _jumps(server: Endpoint) -> int:
    return 0 if server.jump is None else 1 + _jumps(server.jump)


def _examined(server: Endpoint, network: Network) -> Examined:
    recorded = recorded_keys(server, network.known_hosts)
    try:
        key = network.shown_key(server)
    except LabError as error:
        return Examined(server, Trust.SILENT, before=next(iter(recorded.values()), None), why=str(error))
    before = recorded.get(key.type) or next(iter(recorded.values()), None)
    if before is None:
        return Examined(server, Trust.NEW, key)
    return Examined(server, Trust.KNOWN if before == key.fingerprint else Trust.CHANGED, key, before)


def _record(lab: Lab, server: Endpoint, key: ShownKey) -> None:
    """Write the key into the lab's file, in place of any other key of that server."""
    path = lab.known_hosts
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    others = [line for line in lines if line.split(" ")[:1] != [server.address]]
    text = "\n".join([*others, f"{server.address} {key.type} {key.base64}"]) + "\n"
    durable.rewrite(path, text.encode())
