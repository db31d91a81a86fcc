# SPDX-License-Identifier: Apache-2.0
"""The microcontrollers whose code and RAM `orchestrate sizes` tells, and their compilers, as Debian packages
them.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.build import compiler


@dataclass(frozen=True)
class Machine:
    """`prefix`: of its toolchain's programs. `constants_in_ram`: its const data is copied to RAM (AVR's
    separate buses).

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
        command = " ".join((f"{self.prefix}gcc", *self.flags))
        return compiler.cross(command, f"sizes on {self.title}", f"apt-get install {self.packages}")


MACHINES = {
    machine.name: machine
    for machine in (
        Machine(
            "cortex-m3",
            "ARM Cortex-M3",
            "arm-none-eabi-",
            ("-mcpu=cortex-m3", "-mthumb"),
            "gcc-arm-none-eabi libnewlib-arm-none-eabi",
            limited=True,
        ),
        Machine(
            "avr",
            "AVR ATmega1284P",
            "avr-",
            ("-mmcu=atmega1284p",),
            "gcc-avr avr-libc",
            constants_in_ram=True,
        ),
    )
}
