# SPDX-License-Identifier: Apache-2.0
"""Figure 26 executed: cycles of a Tmote Sky's processor, which an emulated one counts."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from orchestrator.build import msp430
from orchestrator.build.tools import call, clean_environment
from orchestrator.console import say
from orchestrator.csc import sky
from orchestrator.csc.model import EndScript, Mote, Silent, Simulation
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.features.policies.paper import figure_26_program
from orchestrator.report.model import Entry, Table
from orchestrator.resources import contiki_apps

HZ = 3_932_160  # of the processor, contiki-apps/os/sky/clock.h
_FLAGS = ("--target=msp430", "-mmcu=msp430f1611", "-mhwmult=none", "-std=gnu11", "-ffreestanding")
_MORE = ("-fno-builtin", "-Oz", "-gdwarf-2", "-ffunction-sections", "-fdata-sections", "-w")
_SKY = ("start.S", "floats.c", "arithmetic.c", "arithmetic-64.S", "memory.c", "uart.c")
_LIB = ("format.c", "stdio.c")
_LONGEST_US = 10_000_000
_NOTE = (
    "Executed: cycles of the processor of an emulated Tmote Sky (MSP430F1611 at "
    f"{HZ / 1e6:.2f} MHz, compiled by clang with -Oz), from the component's call until the link has "
    "the frame. The time on air is that of the frame alone. The paper names no compiler, and its times are "
    "of a whole operation."
)


@cache
def measured() -> dict[str, figure_26_program.Cost]:
    """Return the cycles of both policies; empty, and says why, where clang or lld are missing."""
    try:
        return {
            name: figure_26_program.Cost(*(_of(name, managed) for managed in (False, True)))
            for name in figure_26_program.PRINTED
        }
    except MissingTool as missing:
        say(str(missing))
        return {}


def _of(name: str, managed: bool) -> int:
    return figure_26_program.cost_of(_cycles, name, managed)


def _cycles(folder: Path, defines: dict[str, object], managed: bool) -> list[int]:
    """Compile and run the program. Raises MissingTool or BuildFailed."""
    files, options = figure_26_program.program_parts(folder, defines, managed)
    system = contiki_apps() / "os"
    files += [figure_26_program.HERE / "sky.c", *(system / "sky" / name for name in _SKY)]
    files += [system / "lib" / name for name in _LIB]
    clang, lld = msp430.tools()
    options += [
        f"-I{system / 'sky' / 'libc'}",
        f"-I{system / 'platform' / 'stdio'}",
        "-DCONTIKI_TARGET_SKY=1",
    ]
    objects = []
    for number, file in enumerate(files):
        objects.append(str(folder / f"{number}.o"))
        command = [clang, *_FLAGS, *_MORE, *options, "-c", str(file), "-o", objects[-1]]
        call(command, folder, clean_environment(), f"{file.name} for a Tmote Sky")
    program = folder / "program.sky"
    linker = [lld, "--gc-sections", f"-T{system / 'sky' / 'sky.ld'}", *objects, "-o", str(program)]
    call(linker, folder, clean_environment(), "a program for a Tmote Sky")
    return _printed(program, folder)


def _printed(program: Path, folder: Path) -> list[int]:
    """Run a mote until it has said `end`; return the cycles that it has printed."""
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
    kernel = engine("embedded")
    kernel.prepare()
    result = run_one(kernel, Job(simulation, 1, {"sky": program}, folder / "log"))
    lines = (folder / "log").read_text(encoding="utf-8", errors="replace").splitlines()
    texts = [line.split("\t", 2)[2] for line in lines if "\tID:1\t" in line]
    if "end" not in texts:
        raise BuildFailed(f"the program for a Tmote Sky did not end: {'; '.join(result.evidence)}")
    return [int(text.split()[1]) for text in texts if text.startswith("cycles ")]


def overhead_with_frame(cost: figure_26_program.Cost) -> float:
    """Return how much more time passes until the frame has left, in percent."""
    air = figure_26_program.AIR_MS * HZ / 1000
    return 100 * ((cost.managed + air) / (cost.without + air) - 1)


def table() -> list[Table]:
    """Return the table for the terminal and the page, if the tools are here."""
    rows = []
    for name, cost in measured().items():
        without, managed, overhead = figure_26_program.PRINTED[name]
        air_ms = figure_26_program.AIR_MS
        mine, with_manager = (1000 * cycles / HZ for cycles in (cost.without, cost.managed))
        whole = overhead_with_frame(cost)
        rows.append(
            (
                Entry(name),
                Entry(f"{without:g} ms, {managed:g} ms: +{overhead:g} %"),
                Entry(f"{mine:.2f} ms", number=True),
                Entry(f"{with_manager:.2f} ms", number=True),
                Entry(f"+{100 * (with_manager / mine - 1):.0f} %", number=True),
                Entry(f"{mine + air_ms:.1f} ms, {with_manager + air_ms:.1f} ms: +{whole:.1f} %", number=True),
            )
        )
    if not rows:
        return []
    columns = ("Policy", "Paper", "Without", "With the manager", "More", "With the frame's time on air")
    return [Table("Figure 26 executed on a Tmote Sky", columns, tuple(rows), note=_NOTE)]
