# SPDX-License-Identifier: Apache-2.0
"""Whether the radio reaches every next hop of a layout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from orchestrator.scenario.model import LinkedRadioSpec, RadioSpec
from orchestrator.topology import links as measured
from orchestrator.topology.connectivity import distance, neighbours, network, next_hops
from orchestrator.topology.model import Layout
from orchestrator.vocabulary.units import LENGTH, show
from orchestrator.words import first_of


@dataclass(frozen=True)
class Problem:
    """A fault of a cell as a whole, and its section of the scenario ("topology", "application").

    `setting`: the setting of that section that caused it, "" if there is not one alone.
    """

    section: str
    what: str
    remedy: str
    setting: str = ""


def unreached(layout: Layout, radio: RadioSpec | LinkedRadioSpec, hops: bool = True) -> list[Problem]:
    """Next hops that are missing or that the radio does not reach; `hops`: whether anybody needs them.

    UDGM hears at most at the range, and only nearer than the larger of range and interference range.
    """
    if isinstance(radio, LinkedRadioSpec):
        return _measured_links(layout, radio, hops)
    if not hops:
        return []
    by_mote = {node.mote: node for node in layout.nodes}
    reach, candidates = radio.range_m, max(radio.range_m, radio.interference_m)
    lost, far = [], []
    for node in network(layout):
        if node.role == "subscriber":
            continue
        if not node.parent:
            lost.append(node.name)
            continue
        for hop in next_hops(node):
            away = distance(node, by_mote[hop])
            if away > reach or away >= candidates:
                far.append((away, node.name, by_mote[hop].name))
    problems = []
    if lost:
        what = (
            f"at a range of {show(reach, LENGTH)} {first_of(lost, 5)} {'has' if len(lost) == 1 else 'have'} "
            "no way to the subscriber"
        )
        problems.append(Problem("topology", what, "put the nodes nearer together, or raise radio.range"))
    if far:
        away, name, hop = max(far, key=lambda link: link[0])
        more = f" ({len(far)} links are too long)" if len(far) > 1 else ""
        # A link of exactly the range can be too long by a rounding error, for Cooja as for us; the message
        # has as many digits as needed.
        exact = f"{away:.3f}" if away - reach > 5e-4 else repr(away)
        edge = "" if away > reach else ", the interference range is not larger"
        what = f"{name} is {exact} m from its next hop {hop}, the range is {show(reach, LENGTH)}{edge}{more}"
        remedy = f"put the nodes nearer together, or set radio.range above {math.ceil(away)} m"
        problems.append(Problem("topology", what, remedy))
    return problems


def _measured_links(layout: Layout, radio: LinkedRadioSpec, hops: bool) -> list[Problem]:
    """Return the same over measured links: a next hop needs one there and one back."""
    names = {node.mote: node.name for node in layout.nodes}
    strangers = measured.unknown(radio.links, layout)
    if strangers:
        return [
            Problem(
                "radio",
                f"{radio.file} names {first_of(strangers, 5)}, which the topology does not have",
                f"its nodes: {first_of(list(names.values()), 5)}",
            )
        ]
    if not hops:
        return []
    problems = []
    lost = [node.name for node in network(layout) if node.role != "subscriber" and not node.parent]
    if lost:
        what = (
            f"over the links of {radio.file} {first_of(lost, 5)} {'has' if len(lost) == 1 else 'have'} no "
            "way to the subscriber"
        )
        problems.append(Problem("radio", what, "add links both ways, with a ratio above 0"))
    linked = {
        mote: {other.mote for other in others}
        for mote, others in neighbours(network(layout), radio.links).items()
    }
    broken = [
        (node.name, names[hop])
        for node in network(layout)
        for hop in next_hops(node)
        if hop not in linked[node.mote]
    ]
    if broken:
        name, hop = broken[0]
        more = f" ({len(broken)} next hops lack links)" if len(broken) > 1 else ""
        what = f"{name} and its next hop {hop} have no link both ways in {radio.file}{more}"
        problems.append(Problem("radio", what, f"add {name},{hop} and {hop},{name}"))
    return problems
