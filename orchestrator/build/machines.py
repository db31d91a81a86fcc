# SPDX-License-Identifier: Apache-2.0
"""The microcontrollers for which `orchestrate sizes` measures, and their compilers in Debian."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass

from orchestrator.build import compiler
from orchestrator.errors import MissingTool

# In contiki-apps/os: C headers for a compiler that has no C library. What only measures needs declarations.
_HEADERS = ("sky/libc", "platform/stdio")


@dataclass(frozen=True)
class Machine:
    """A microcontroller; `prefix`: of its toolchain's programs; `flags`: of its compiler.

    `constants_in_ram`: its const data is copied to RAM (AVR's separate buses).

    `limited`: whether the middleware's limits are for it. `bare`: it has neither a C library nor a linker
    here, so that modules are measured, and no application. `only`: the modules that it can have; (): all.
    """

    name: str
    title: str
    prefix: str
    flags: tuple[str, ...]
    packages: str
    constants_in_ram: bool = False
    limited: bool = False
    bare: bool = False
    only: tuple[str, ...] = ()
    clock_bits: int = 64  # as on Cooja's motes
    program: str = "gcc"

    @property
    def command(self) -> tuple[str, ...]:
        """Its compiler and flags, as a page shows them."""
        return (self.program if self.bare else f"{self.prefix}{self.program}", *self.flags)

    def compiler(self) -> compiler.Compiler:
        """Its compiler, the flags included. Raises MissingTool, also where the compiler has no C library."""
        what, remedy = f"sizes on {self.title}", f"apt-get install {self.packages}"
        if not self.bare:
            return compiler.cross(shlex.join(self.command), what, remedy)
        from orchestrator.resources import contiki_apps  # help doesn't need it

        if shutil.which(f"{self.prefix}nm") is None:
            raise MissingTool(f"no {self.prefix}nm, so no {what}\n    {remedy}")
        try:
            headers = (word for name in _HEADERS for word in ("-isystem", str(contiki_apps() / "os" / name)))
            return compiler.cross(shlex.join((*self.command, *headers)), what, remedy)
        except MissingTool as missing:
            if shutil.which(self.program) is None:
                raise
            raise MissingTool(
                f"this {self.program} is built without the target {self.title}, so no {what}\n    {remedy}"
            ) from missing


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
        Machine(  # that of the Tmote Sky; Debian has no gcc for it, and Contiki's clock there has 32 bits
            "msp430",
            "MSP430",
            "llvm-",
            ("--target=msp430-none-elf", "-ffreestanding", "-DCLOCK_CONF_TIME_T=uint32_t"),
            "clang llvm",
            bare=True,
            clock_bits=32,
            only=(
                *(
                    "aggregation",
                    "cpc",
                    "diffusion",
                    "policies",
                    "policy-bytecode",
                    "policy-update",
                    "pubsub",
                ),
                *("pull-dpc", "push-dpc", "sampling-buffer", "secure-group"),
            ),
            program="clang",
        ),
    )
}
