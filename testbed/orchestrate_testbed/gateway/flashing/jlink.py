# SPDX-License-Identifier: Apache-2.0
"""SEGGER's J-Link Commander, for boards with a J-Link (nRF DKs, SimpleLink with an external probe).

Options: `device`, the chip as SEGGER calls it (nRF52840_xxAA); `serial`, the probe's number, without which a
gateway with two probes would flash any; `interface` (SWD) and `speed` (kHz).
"""

from __future__ import annotations

import os

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, judged, option
from orchestrate_testbed.gateway.protocol import Refusal


def arguments(job: Job) -> list:
    """Return the tool's arguments. The program reads its commands from a file beside the firmware."""
    if '"' in job.firmware:
        raise Refusal("firmware", "J-Link Commander takes no path with quotation marks.")
    script = job.firmware + ".jlink"
    with open(os.open(script, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600), "w") as file:
        file.write(f'r\nh\nloadfile "{job.firmware}"\nr\ng\nexit\n')
    found = ["-NoGui", "1", "-ExitOnError", "1", "-USB", option(job, "serial")]
    found += ["-device", option(job, "device"), "-if", option(job, "interface", "SWD")]
    return [*found, "-speed", option(job, "speed", "4000"), "-autoconnect", "1", "-CommandFile", script]


def failure(code: int, output: str) -> str:
    """Return why it failed.

    The exit code is 0 even where no probe was found, and every script ends as "completed".
    """
    downloaded = output.partition("Downloading file")[2]
    return judged("O.K.", ("Cannot connect", "Could not connect", "FAILED", "Error"))(
        code, output if not downloaded else downloaded
    )


TOOL = Tool("jlink", ("JLinkExe",), (), (".hex", ".elf", ".srec"), arguments, failure)
