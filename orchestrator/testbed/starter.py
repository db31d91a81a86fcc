# SPDX-License-Identifier: Apache-2.0
"""The inventory that `orchestrate testbed init` writes: the event service thesis' boards, to be corrected."""

from __future__ import annotations

PER_BOARD = 8  # 2 x 4
# 9 inches: boards of 18" x 36" with 2 x 4 motes.
SPACING = "228.6 mm"


def starter(name: str, boards: int, platform: str) -> str:
    """The text of an inventory with that many boards of 2 x 4 motes, each behind its own gateway."""
    lines = [
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
        *(f"  G{board}: {{host: {_address(board)}}}" for board in range(1, boards + 1)),
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
        eui = ":".join(f"{0x0012_7400_0000_0000 + number:016x}"[at : at + 2] for at in range(0, 16, 2))
        lines.append(
            f"  M{number}: {{board: B{board + 1}, place: '{row + 1}, {column + 1}', eui64: '{eui}', "
            f"device: /dev/serial/by-id/usb-mote-{number:04d}}}"
        )
    lines += [
        "",
        "layouts:                           # `all` is always there: every mote",
        f"  seven: {{boards: B1, without: M{PER_BOARD}}}   # seven motes of a board's eight",
    ]
    if boards >= 6:
        lines.append("  mesh-4x12: {boards: [B1 B2 B3, B4 B5 B6]}")
    return "\n".join(lines) + "\n"


def _address(board: int) -> str:
    """An address of one of the three networks for documentation (RFC 5737)."""
    network, host = divmod(board - 1, 250)
    return f"{('192.0.2', '198.51.100', '203.0.113')[network]}.{host + 1}"
