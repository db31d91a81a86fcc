# SPDX-License-Identifier: Apache-2.0
"""Flashing on a gateway without Python, where the controller starts the tool over SSH.

It judges what the tool says as the daemon would. Tools that are themselves Python can't run there, and are
not found.
"""

from __future__ import annotations

import time
from typing import Any

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import RemoteFailed
from orchestrate_testbed.gateway import protocol
from orchestrate_testbed.gateway.flashing import TOOLS, versions
from orchestrate_testbed.gateway.flashing.tool import Job, by_serial
from orchestrate_testbed.ssh import Host
from orchestrate_testbed.untrusted import shown

SILENT_S = 300.0  # a tool that said nothing for so long is ended
STAND_IN = "stand-in"
FIND = 'for p in "$@"; do command -v "$p" && exit 0; done; exit 1'


def flash(host: Host, tool: str, job: Job) -> dict[str, Any]:
    """Load firmware (a path on the gateway) into a mote; `failure` is empty if that worked.

    Raises Refused, NoConnection.
    """
    of = TOOLS[tool]
    if by_serial(of, job):
        text = f"{tool} doesn't write images, and without Python nobody here sends one by the serial line"
        raise Refused(host.name, "image", text)
    try:
        command = [str(word) for word in of.arguments(job)]
    except protocol.Refusal as refusal:
        raise Refused(host.name, refusal.kind, refusal.text) from None
    if of.suffixes and not job.firmware.endswith(of.suffixes):
        text = f"{tool} takes files that end in {', '.join(of.suffixes)}"
        raise Refused(host.name, "firmware", text)
    if tool == STAND_IN:  # in the daemon it is the zipapp; a virtual gateway has it as a program as well
        command = [STAND_IN, *command[command.index(STAND_IN) + 1 :]]
    elif of.programs:
        found = host.script(FIND, *of.programs)
        if found.code != 0:
            text = f"none of {', '.join(of.programs)} is on this gateway's PATH"
            raise Refused(host.name, "tool", text)
        command = [found.out.decode("utf-8", "replace").strip(), *command]
    version = ""
    if of.version and of.programs:
        asked = host.run([command[0], *of.version])
        version = versions.read((asked.out + asked.err).decode("utf-8", "replace"), True)
    began = time.monotonic()
    try:
        ran = host.run(command, timeout_s=SILENT_S)
    except RemoteFailed as error:
        failure, said = str(error).split("\n")[0], ""
    else:
        said = (ran.out + ran.err).decode("utf-8", "replace")
        failure = of.failure(ran.code, said)
    return {
        "tool": tool,
        "version": version or versions.read(said, False),
        "failure": shown(failure),
        "output": said[-4096:],
        "seconds": time.monotonic() - began,
    }
