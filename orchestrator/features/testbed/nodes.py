# SPDX-License-Identifier: Apache-2.0
"""Starts the nodes of a system that distributes data on the gateways of a lab, through SSH.

Each node listens where its gateway's sshd does (SSH_CONNECTION), so that gateways have to reach each other by
UDP. A node ends when its connection does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from orchestrate_testbed.errors import LabError
from orchestrate_testbed.model import Gateway, Lab
from orchestrate_testbed.ssh import Network, Streams, together

from orchestrator.errors import WrongUsage
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.words import counted, did_you_mean

WORD = "distribute"  # of our program's command line on a gateway


def chosen(lab: Lab, names: Sequence[str], nodes: Sequence[str]) -> list[Gateway]:
    """Return the gateway of each node: those that are named, or the lab's in their order, without spares.

    Raises WrongUsage.
    """
    all_names = [gateway.name for gateway in lab.gateways]
    for name in names:
        if name not in all_names:
            raise WrongUsage(f"{lab.name} has no gateway {name!r}\n    {did_you_mean(name, all_names)}")
        if names.count(name) > 1:
            raise WrongUsage(f"the gateway {name} is named twice\n    each node needs one of its own")
    gateways = [lab.gateway(name) for name in names] or [
        gateway for gateway in lab.gateways if not gateway.spare
    ]
    if len(gateways) < len(nodes) or len(names) > len(nodes):
        raise WrongUsage(
            f"{counted(len(gateways), 'gateway')} for {counted(len(nodes), 'node')} of the system\n"
            "    each node needs a gateway of its own: name as many, in the nodes' order"
        )
    return gateways[: len(nodes)]


@contextmanager
def started(
    inventory: Path, gateways: Sequence[str], nodes: Sequence[str]
) -> Iterator[list[tuple[str, Streams]]]:
    """Start the program `distribute` for each node on a gateway of a lab, and end all at the end.

    Yields (node and gateway, its streams). Raises WrongUsage and the lab's errors.
    """
    from orchestrator.features.testbed.inventory import load

    lab = load(inventory)
    with at(lab, chosen(lab, gateways, nodes), nodes) as streams:
        yield streams


@contextmanager
def at(lab: Lab, gateways: Sequence[Gateway], nodes: Sequence[str]) -> Iterator[list[tuple[str, Streams]]]:
    """Start a node on each of the gateways, and end all of them at the end: (its name, its streams).

    Raises LabError with the errors of all gateways.
    """
    with Network(lab.known_hosts) as network:
        answers = together(gateways, lambda gateway: AtGateway(gateway, network).call(WORD))
        faults = [answer for answer in answers if isinstance(answer, LabError)]
        streams = [answer for answer in answers if isinstance(answer, Streams)]
        try:
            if faults:
                raise type(faults[0])("\n".join(str(fault) for fault in faults))
            yield [
                (f"{node} on {gateway.name}", stream)
                for node, gateway, stream in zip(nodes, gateways, streams, strict=True)
            ]
        finally:
            for stream in streams:
                stream.close()
