# SPDX-License-Identifier: Apache-2.0
"""Writes the inventory that `orchestrate testbed init` gives users to correct.

It has the event service thesis' boards, or motes that stand as those of a scenario.
"""

from __future__ import annotations

from orchestrator.topology.model import Layout, Node

PER_BOARD = 8  # 2 x 4
# 9 inches: boards of 18" x 36" with 2 x 4 motes.
SPACING = "228.6 mm"


def starter(name: str, boards: int, platform: str) -> str:
    """Return an inventory with so many boards of 2 x 4 motes, each behind its own gateway."""
    lines = [
        *_head(name, boards, platform),
        "",
        "boards:                            # 2 x 4 motes on 18 x 36 inches: 9 inches between motes",
        *(
            f"  B{board}: {{gateway: G{board}, size: 2 x 4, spacing: {SPACING}}}"
            for board in range(1, boards + 1)
        ),
        "",
        "motes:                             # devices by id: `ls /dev/serial/by-id` on the gateway",
    ]
    for number in range(1, PER_BOARD * boards + 1):
        board, place = divmod(number - 1, PER_BOARD)
        row, column = divmod(place, PER_BOARD // 2)
        lines.append(
            f"  M{number}: {{board: B{board + 1}, place: '{row + 1}, {column + 1}', {_identity(number)}}}"
        )
    lines += [
        "",
        "layouts:                           # `all` is always there: every mote",
        f"  seven: {{boards: B1, without: M{PER_BOARD}}}   # seven motes of a board's eight",
    ]
    if boards >= 6:
        lines.append("  mesh-4x12: {boards: [B1 B2 B3, B4 B5 B6]}")
    return "\n".join(lines) + "\n"


def like(name: str, layout: Layout, platform: str) -> str:
    """Return an inventory whose motes stand as those of a layout.

    Each tree of motes has a gateway, with the motes below the tree's root. Mote k of the layout `all` plays
    the scenario's mote k.
    """
    nodes = {node.mote: node for node in layout.nodes}
    roots = [node.mote for node in layout.nodes if not node.parent and node.role != "control"]
    lines = [
        *_head(name, len(roots), platform),
        "",
        "motes:                             # as in the scenario",
    ]
    for node in sorted(layout.nodes, key=lambda node: node.mote):
        root = _root(node, nodes)
        gateway = roots.index(root) + 1 if root in roots else len(roots)
        place = f"gateway: G{gateway}, x: {node.x:g} m, y: {node.y:g} m"
        lines.append(f"  M{node.mote}: {{{place}, {_identity(node.mote)}}}   # {node.name}")
    return "\n".join(lines) + "\n"


def _root(node: Node, nodes: dict[int, Node]) -> int:
    """Return the base station of a node's tree."""
    while node.parent in nodes:
        node = nodes[node.parent]
    return node.mote


def _head(name: str, gateways: int, platform: str) -> list[str]:
    """Return the part before the boards or motes."""
    return [
        f"# The inventory of the testbed {name}. `orchestrate testbed check` compares it with what is there.",
        f"lab: {name}",
        f"known-hosts: {name}.known_hosts   # written by `orchestrate testbed trust --record`",
        "failures: 3                        # a mote that failed so many times in a row leaves the pool",
        "",
        "defaults:",
        "  gateway: {user: lab}             # also: key: ~/.ssh/lab, port: 22, jump: NAME of a jump host",
        f"  mote: {{platform: {platform}}}",
        "",
        "# jump-hosts:",
        "#   gate: {host: gate.example.org, user: lab}",
        "",
        "gateways:                          # addresses of documentation (RFC 5737): write yours",
        *(f"  G{number}: {{host: {_address(number)}}}" for number in range(1, gateways + 1)),
    ]


def _identity(number: int) -> str:
    eui = ":".join(f"{0x0012_7400_0000_0000 + number:016x}"[at : at + 2] for at in range(0, 16, 2))
    return f"eui64: '{eui}', device: /dev/serial/by-id/usb-mote-{number:04d}"


def _address(board: int) -> str:
    """Return an address of one of the three networks for documentation (RFC 5737)."""
    network, host = divmod(board - 1, 250)
    return f"{('192.0.2', '198.51.100', '203.0.113')[network]}.{host + 1}"
