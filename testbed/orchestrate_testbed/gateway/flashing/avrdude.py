# SPDX-License-Identifier: Apache-2.0
"""The avrdude program, for AVR motes (ATmega128RFA1): flash, then the EEPROM image, both verified.

Options: `part` (m128rfa1), `programmer` (stk500v2, arduino, wiring, jtag2 ...), `baud`, and `port` where the
programmer isn't at the mote's serial port (usb).
"""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, judged, option


def arguments(job: Job) -> list:
    """Return the tool's arguments. The image comes last, because erasing the chip erases its EEPROM, too."""
    found = ["-p", option(job, "part"), "-c", option(job, "programmer")]
    found += ["-P", option(job, "port", job.device)]
    if job.options.get("baud"):
        found += ["-b", option(job, "baud")]
    found += ["-U", f"flash:w:{job.firmware}:i"]
    return [*found, "-U", f"eeprom:w:{job.image}:r"] if job.image else found


TOOL = Tool(
    "avrdude",
    ("avrdude",),
    ("-?",),
    (".hex", ".ihex"),
    arguments,
    judged("bytes of flash verified", ("verification error",)),
    writes_image=lambda job: True,
)
