# SPDX-License-Identifier: Apache-2.0
"""Measures C code in cycles of a Tmote Sky's processor, by a program that an emulated one executes.

The program is built by contiki-apps/os/sky/Makefile.program, and marks what is measured by the functions of
contiki-apps/os/sky/program/measure.h.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from orchestrator.build import compiler, msp430
from orchestrator.build.tools import call, clean_environment
from orchestrator.csc import sky
from orchestrator.csc.model import EndScript, Mote, Silent, Simulation
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import BuildFailed
from orchestrator.resources import contiki_apps

HZ = 3_932_160  # of the processor, contiki-apps/os/sky/clock.h
PROCESSOR = f"an emulated Tmote Sky (MSP430F1611 at {HZ / 1e6:.2f} MHz; clang -Oz, optimised as a whole)"
_LONGEST_US = 10_000_000


def cycles(sources: Sequence[Path], options: Sequence[str], folder: Path) -> list[int]:
    """Return the cycles of each measurement, in their order; one of more than 65,535 is an error.

    `options` are the compiler's, beside those of Makefile.compiler; the program is built in `folder`. Raises
    MissingTool or BuildFailed.
    """
    clang, lld = msp430.tools()
    program = folder / "program.sky"
    command = [
        compiler.make(),
        "-f",
        str(contiki_apps() / "os" / "sky" / "Makefile.program"),
        f"CC={clang}",
        f"LD={lld}",
        f"PROGRAM={program}",
        f"SOURCES={' '.join(map(str, sources))}",
        f"EXTRA_CC_ARGS={shlex.join(options)}",
    ]
    call(command, folder, clean_environment(), "a program for a Tmote Sky")
    return _printed(program, folder)


def job(program: Path, folder: Path) -> Job:
    """Return the run of one mote with this program until it has printed `end`; its log is in `folder`."""
    kind = sky.usual_type("sky", "execution", "", "")
    simulation = Simulation(
        title="execution",
        seed=1,
        motedelay_us=0,
        medium=Silent(),
        mote_types=(kind,),
        motes=(Mote("sky", 1, 0.0, 0.0),),
        script=EndScript(_LONGEST_US, success_line="end", ends_at_verdict=True),
    )
    return Job(simulation, 1, {"sky": program}, folder / "log")


def _printed(program: Path, folder: Path) -> list[int]:
    """Run the program; return the cycles that it has printed."""
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(kernel, job(program, folder))
    lines = (folder / "log").read_text(encoding="utf-8", errors="replace").splitlines()
    texts = [line.split("\t", 2)[2] for line in lines if "\tID:1\t" in line]
    if any(text.startswith("more than") for text in texts):
        raise BuildFailed("a measurement took a Tmote Sky more than 65,535 cycles, which are not counted")
    if "end" not in texts:
        raise BuildFailed(f"the program for a Tmote Sky did not end: {'; '.join(result.evidence)}")
    return [int(text.split()[1]) for text in texts if text.startswith("cycles ")]
