# SPDX-License-Identifier: Apache-2.0
"""The description of a flashing tool, which its module gives."""

from __future__ import annotations

import subprocess
from typing import Callable, NamedTuple

from orchestrate_testbed.gateway.protocol import Refusal


class Job(NamedTuple):
    """Firmware for one mote."""

    firmware: str  # path on the gateway
    device: str  # the mote's serial port
    image: str  # path of its EEPROM image; empty: none
    options: dict  # of the inventory, for this tool


class Tool(NamedTuple):
    """Says how a tool is called, and how its output is judged."""

    name: str
    programs: tuple  # names on the PATH; the first that is there is used
    version: tuple  # arguments with which it tells its version; empty: it doesn't
    suffixes: tuple  # of the firmware files that it takes; empty: any
    arguments: Callable[[Job], list]
    failure: Callable[[int, str], str]  # by exit code and output: what went wrong, empty if nothing did
    # Whether it also writes the EEPROM image of this job; what it can't write goes by the serial line.
    writes_image: Callable[[Job], bool] = lambda job: False
    untested: bool = True  # on hardware, until somebody reports


def by_serial(tool: Tool, job: Job) -> bool:
    """Return whether the mote has an image that the tool can't write."""
    return bool(job.image) and not tool.writes_image(job)


def option(job: Job, key: str, default: str | None = None) -> str:
    """Return a string of the tool's options."""
    value = job.options.get(key, default)
    if not isinstance(value, str) or not value.isprintable():
        raise Refusal("options", f"The flashing tool needs the option '{key}', a string.")
    return value


def started(command: list) -> subprocess.Popen:
    """Start a program, whose errors come with its output. Raises OSError."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def last_line(output: str) -> str:
    """Return the last line of a tool's output, which usually has the reason."""
    lines = [each.strip() for each in output.splitlines() if each.strip()]
    return lines[-1] if lines else "it said nothing"


def by_code(code: int, output: str) -> str:
    """Return the failure of a tool whose exit code tells all."""
    return "" if code == 0 else f"exit code {code}: {last_line(output)}"


def judged(needed: str, wrong: tuple = ()) -> Callable[[int, str], str]:
    """Return the failure of a tool that must print something at its end, and may print what went wrong."""

    def failure(code: int, output: str) -> str:
        for each in output.splitlines():
            if any(part in each for part in wrong):
                return each.strip()
        if code:
            return by_code(code, output)
        return "" if needed in output else f"it didn't say '{needed}', but: {last_line(output)}"

    return failure
