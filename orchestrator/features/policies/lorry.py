# SPDX-License-Identifier: Apache-2.0
"""The lorry of the case study of Russello, Mostarda and Dulay (2011), section 5 and Figure 13.

The paper is "A policy-based publish/subscribe middleware for sense-and-react applications".

The figure is lost in our copy; the positions are ours. Sprinklers stand at both ends, temperature sensors
and smoke detectors in turn in two rows under the roof, packages on the floor between them, the driver's
computer and the alarm unit in front.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from orchestrator.topology.model import Layout, Node
from orchestrator.topology.shape import Shape, millimetres
from orchestrator.vocabulary.parameters import Parameter

WIDTH = 2.4  # metres, as that of a trailer of 13.6 m
_CAB = 2.0  # metres from the load to the driver
_KINDS = (("T", "temperature"), ("K", "smoke"))


def layout(parameters: Mapping[str, Any], range_m: float) -> Layout:
    """Place the motes of the lorry.

    W: sprinklers, T: temperature sensors, K: smoke detectors, G: packages, A: climate unit, D: driver, U:
    alarm unit, X: attacker.
    """
    length, sensors, packages = parameters["length"], parameters["sensors"], parameters["packages"]
    motes = count(1)

    def node(name: str, role: str, x: float, y: float) -> Node:
        return Node(next(motes), name, role, millimetres(x), millimetres(y))

    nodes = [node(f"W{n + 1}", "sprinkler", n * length, WIDTH / 2) for n in range(parameters["sprinklers"])]
    columns = (sensors + 1) // 2
    for n in range(sensors):
        letter, role = _KINDS[n % 2]
        x = (n // 2 + 0.5) * length / columns
        nodes.append(node(f"{letter}{n // 2 + 1}", role, x, WIDTH * (n % 2)))
    for n in range(packages):
        nodes.append(node(f"G{n + 1}", "package", (n + 0.5) * length / packages, WIDTH / 3))
    if parameters["cab"]:
        nodes.append(node("A", "climate", 0.0, 0.0))
        nodes.append(node("D", "driver", -_CAB, WIDTH / 3))
        nodes.append(node("U", "alarm-unit", -_CAB, 2 * WIDTH / 3))
    if parameters["attacker"]:
        nodes.append(node("X", "attacker", length / 2, WIDTH + 1.0))
    return Layout("lorry", tuple(nodes))


SHAPE = Shape(
    "lorry",
    "a lorry with sprinklers, temperature sensors and smoke detectors, packages and a cab (the policies "
    "paper's Figure 13)",
    (
        Parameter("sensors", "int", 8, 1, 118, help="temperature sensors and smoke detectors, in turn"),
        Parameter("sprinklers", "int", 2, 1, 2, help="one at each end"),
        Parameter("packages", "int", 0, 0, 40, help="packages with a sensor inside"),
        Parameter("cab", "bool", False, help="climate unit, driver's computer and alarm unit are there"),
        Parameter("attacker", "bool", False, help="someone else's mote stands beside the lorry"),
        Parameter("length", "length", 13.6, 1.0, 1000.0, help="of the load"),
    ),
    layout,
)
