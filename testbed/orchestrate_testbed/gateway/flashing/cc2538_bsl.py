# SPDX-License-Identifier: Apache-2.0
"""The cc2538-bsl script, for the serial boot loader of TI's CC2538, CC13xx and CC26xx.

Options: `address` of a .bin in flash (a CC2538's is 0x00200000, or where its code begins), `baud`,
`invert-lines` (true for OpenMotes, whose RTS and DTR are swapped).
"""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, judged, option

BAUD = "460800"  # as Contiki-NG's Makefiles for Zolertia's and OpenMote's boards


def arguments(job: Job) -> list:
    """Return the tool's arguments: it erases, writes and verifies."""
    found = ["-p", job.device, "-b", option(job, "baud", BAUD), "-e", "-w", "-v"]
    if job.options.get("address"):
        found += ["-a", option(job, "address")]
    if job.options.get("invert-lines") is True:
        found.append("--bootloader-invert-lines")
    return [*found, job.firmware]


TOOL = Tool(
    "cc2538-bsl",
    ("cc2538-bsl", "cc2538-bsl.py"),
    ("--version",),
    (".bin", ".hex", ".ihex"),
    arguments,
    judged("Verified (match: 0x"),
)
