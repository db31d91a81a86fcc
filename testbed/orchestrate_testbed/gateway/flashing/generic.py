# SPDX-License-Identifier: Apache-2.0
"""Any command: the option `command`, a list in which {firmware}, {device} and {image} are replaced."""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing.tool import Job, Tool, by_code
from orchestrate_testbed.gateway.protocol import Refusal


def arguments(job: Job) -> list:
    """Return the whole command, the program included: no shell sees it."""
    command = job.options.get("command")
    if not isinstance(command, list) or not command or not all(isinstance(each, str) for each in command):
        raise Refusal("options", "The tool 'command' needs the option 'command', a list of strings.")
    values = {"{firmware}": job.firmware, "{device}": job.device, "{image}": job.image}
    return [_filled(each, values) for each in command]


def writes_image(job: Job) -> bool:
    """Return whether the command takes the image."""
    return any("{image}" in str(each) for each in job.options.get("command", ()))


def _filled(text: str, values: dict) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


TOOL = Tool("command", (), (), (), arguments, by_code, writes_image)
