# SPDX-License-Identifier: Apache-2.0
"""The microcontrollers whose code and RAM `orchestrate sizes` tells, and their compilers, as Debian packages them."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass

from orchestrator.build import compiler
from orchestrator.errors import MissingTool


@dataclass(frozen=True)
class Machine:
    """`prefix`: of its toolchain's programs. `constants_in_ram`: its const data is copied to RAM (AVR's separate buses).

    `limited`: whether the middleware's limits are for it.
    """

    name: str
    title: str
    prefix: str
    flags: tuple[str, ...]
    packages: str
    constants_in_ram: bool = False
    limited: bool = False

    def compiler(self) -> compiler.Compiler:
        """Its compiler, the flags included. Raises MissingTool, also where the compiler has no C library."""
        program = f"{self.prefix}gcc"
        remedy = f"\n    apt-get install {self.packages}"
        if shutil.which(program) is None:
            raise MissingTool(f"no {program}, so no sizes on {self.title}{remedy}")
        found = compiler.find(" ".join((program, *self.flags)))
        tried = subprocess.run(
            [*found.command, "-E", "-x", "c", "-", "-o", "-"], input="#include <string.h>\n", text=True, capture_output=True,
            check=False,
        )
        if tried.returncode != 0:
            raise MissingTool(f"{program} has no C library, so no sizes on {self.title}{remedy}")
        return found


MACHINES = {machine.name: machine for machine in (
    Machine("cortex-m3", "ARM Cortex-M3", "arm-none-eabi-", ("-mcpu=cortex-m3", "-mthumb"),
            "gcc-arm-none-eabi libnewlib-arm-none-eabi", limited=True),
    Machine("avr", "AVR ATmega1284P", "avr-", ("-mmcu=atmega1284p",), "gcc-avr avr-libc", constants_in_ram=True),
)}
