# SPDX-License-Identifier: Apache-2.0
"""Nordic's nrfutil, for nRF52840 dongles: a DFU package (.zip) over USB.

The dongle has to be in its boot loader (button, or the firmware's own DFU trigger). Option `nrf5sdk-tools`,
true: nrfutil 7 and later, where the command is in the plug-in of that name.
"""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, judged


def arguments(job: Job) -> list:
    """Return the tool's arguments.

    The package holds address and checksums, and the boot loader checks them.
    """
    found = ["dfu", "usb-serial", "-pkg", job.firmware, "-p", job.device]
    return ["nrf5sdk-tools", *found] if job.options.get("nrf5sdk-tools") is True else found


FAILURE = judged("Device programmed.", ("Failed to upgrade", "Failed to update", "Exception:"))
TOOL = Tool("nrfutil", ("nrfutil",), ("version",), (".zip",), arguments, FAILURE)
