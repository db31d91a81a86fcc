# SPDX-License-Identifier: Apache-2.0
"""The tool of the virtual testbed: it asks the mote host to load firmware into a mote (mote_host.py).

Options: `id`, the number that the mote has from then on; `eeprom`, `no` for a mote that has none, as on most
platforms: its image goes by the serial line.
"""

from __future__ import annotations

import os
import sys

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, by_code

_PROGRAM = os.path.abspath(sys.argv[0])  # the daemon works in another folder


def arguments(job: Job) -> list:
    """Return the tool's arguments.

    The tool is the same zipapp, run as a process of its own like any other tool; -I -S, as it needs no
    packages, and to look for them takes most of the time of so small a program.
    """
    command = [sys.executable, "-I", "-S", _PROGRAM, "stand-in"]
    command += ["--mote", job.device, "--library", job.firmware]
    number = job.options.get("id")
    if isinstance(number, int) and not isinstance(number, bool):
        command += ["--id", str(number)]
    return command + (["--image", job.image] if job.image and writes_image(job) else [])


def writes_image(job: Job) -> bool:
    """Return whether the mote has an EEPROM."""
    return job.options.get("eeprom") != "no"


TOOL = Tool("stand-in", (), (), (), arguments, by_code, writes_image)
