# SPDX-License-Identifier: Apache-2.0
"""The tos-bsl script of TinyOS, which Contiki has as msp430-bsl-linux, for TelosB and Tmote Sky motes."""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, judged


def arguments(job: Job) -> list:
    """Return the tool's arguments.

    It erases everything, because the boot loader's password is then the default one, writes, and resets.
    """
    return ["--telosb", "-c", job.device, "-r", "-e", "-I", "-p", job.firmware]


TOOL = Tool(
    "tos-bsl",
    ("tos-bsl", "msp430-bsl-linux"),
    (),
    (".ihex", ".hex", ".ihex.out"),
    arguments,
    judged("bytes programmed."),
)
