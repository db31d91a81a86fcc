# SPDX-License-Identifier: Apache-2.0
"""Figure 26: the policy manager's overhead per event, in counted instructions.

It also has the cost of policies on other events.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from orchestrator.build import counted
from orchestrator.build.sizes import FLAGS
from orchestrator.console import say
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.features.policies.paper import figure_26_sky
from orchestrator.features.policies.paper.figure_26_program import (
    AIR_MS,
    FRAME,
    HERE,
    PRINTED,
    READINGS,
    TOPICS,
    Cost,
    cost_of,
    costs,
    program_parts,
)
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table

OF_32 = (1, 2, 4, 8, 16, 32)
MANY = 128  # policies, of which one is on the event
_NOTE = (
    "Instructions of a Cortex-M3 (QEMU) from the component's call until the link has the frame; timers come "
    "at once. Without the manager the component itself does what the policy says. The paper's times are "
    f"those of a whole operation, and the radio is a part of it: a frame of {FRAME} bytes alone is "
    f"{AIR_MS:.1f} ms on air. The last column adds that to both, for a processor "
    "that executes 4 million instructions a second; a Tmote Sky's clock has 4 MHz."
)


@cache
def measured() -> dict[str, Cost]:
    """Measure both policies; empty, and says why, where compiler or emulator are missing."""
    try:
        return {name: Cost(*(_of(name, managed) for managed in (False, True))) for name in PRINTED}
    except MissingTool as missing:
        say(str(missing))
        return {}


def _of(name: str, managed: bool) -> int:
    return cost_of(_counted, name, managed)


def instructions(
    policies: Sequence[Path], topic: str, readings: Sequence[int], managed: bool, pulled: bool
) -> list[int]:
    """Return how many instructions of a Cortex-M3 each reading takes. Raises MissingTool or BuildFailed."""
    return costs(_counted, policies, topic, readings, managed, pulled)


@cache
def on_one_event() -> dict[tuple[int, int], int]:
    """Return the instructions of an event, by how many policies are for it and how many there are."""
    cases = [(1, 1), *((many, 32) for many in OF_32), (1, MANY)]
    try:
        return {case: _of_many(*case) for case in cases}
    except MissingTool:
        return {}


def _of_many(on_it: int, in_all: int) -> int:
    # Those on the event are the last, which is the worst place for who looks at one after the other.
    topics = ["Heat" if number >= in_all - on_it else f"Other{number}" for number in range(in_all)]
    text = "".join(
        f"P{number}\n  on C-B notify {topic}(t)\n    0-0: t < 50 -> discard;\n    0-0: t >= 50 -> accept;\n"
        for number, topic in enumerate(topics)
    )
    with tempfile.TemporaryDirectory(prefix="orchestrate-executed-") as folder:
        path = Path(folder) / "many.escape"
        path.write_text(text)
        return instructions([path], "Heat", READINGS, managed=True, pulled=False)[1]


def _counted(folder: Path, defines: dict[str, object], managed: bool) -> list[int]:
    files, options = program_parts(folder, defines, managed)
    _compile([*files, HERE / "qemu.c"], options, folder / "program.elf")
    marks = counted.entries(folder / "program.elf", ("began", "ended"))
    return [end - begin for (_, begin), (_, end) in zip(marks[::2], marks[1::2], strict=True)]


def _compile(files: Sequence[Path], options: Sequence[str], program: Path) -> None:
    linked = ["-Wl,--gc-sections", "-nostartfiles", "--specs=nosys.specs", f"-T{HERE / 'board.ld'}"]
    command = [*counted.MACHINE.compiler().command, *FLAGS, "-std=gnu11", *options, *map(str, files)]
    done = subprocess.run(
        [*command, *linked, "-o", str(program)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise BuildFailed(f"{program.name} for {counted.MACHINE.title}: {done.stderr[:2000]}")


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    return [
        *([_overhead()] if measured() else []),
        *figure_26_sky.table(),
        *([_many()] if on_one_event() else []),
    ]


def _overhead() -> Table:
    rows = []
    for name, cost in measured().items():
        without, managed, overhead = PRINTED[name]
        rows.append(
            (
                Entry(name),
                Entry(f"{without:g} ms, {managed:g} ms: +{overhead:g} %"),
                Entry(f"{cost.without:,}", number=True),
                Entry(f"{cost.managed:,}", number=True),
                Entry(
                    f"+{cost.overhead:.0f} %",
                    number=True,
                    tone="good" if cost.overhead <= overhead else "bad",
                ),
                Entry(f"+{cost.whole:.1f} %", number=True, tone="good" if cost.whole <= overhead else "bad"),
            )
        )
    columns = (
        "Policy",
        "Paper",
        "Without",
        "With the manager",
        "Instructions",
        "With the frame's time on air",
    )
    return Table("Figure 26: execution of one event", columns, tuple(rows), note=_NOTE)


def _many() -> Table:
    rows = tuple(
        (Entry(f"{on_it} of {in_all}"), Entry(f"{count:,}", number=True))
        for (on_it, in_all), count in on_one_event().items()
    )
    note = "Every policy on the event has two rules, of which the second is taken."
    return Table(
        "Instructions of one event", ("Policies on the event, of all", "Instructions"), rows, note=note
    )


def checks(results: Found) -> list[Check]:
    """Return whether overheads are at most the paper's, and whether only policies on the event cost."""
    tested = []
    for name, (_, _, printed) in PRINTED.items():
        cost = measured().get(name)
        for reading in ("overhead", "whole"):
            mine = getattr(cost, reading) if cost else None
            verdict = MISSING if mine is None else HOLDS if mine <= printed else FAILS
            of = "instructions" if reading == "overhead" else "the time until the frame has left"
            claim = f"{name}: at most {printed:g} % more of {of}"
            evidence = "no emulator here" if mine is None else f"{mine:.1f} %"
            tested.append(Check(f"{TOPICS[name]}-{reading}", claim, "6.2.3", verdict, evidence))
        executed = figure_26_sky.measured().get(name)
        mine = figure_26_sky.overhead_with_frame(executed) if executed else None
        verdict = MISSING if mine is None else HOLDS if mine <= printed else FAILS
        claim = f"{name}: at most {printed:g} % more of the same time, executed on a Tmote Sky"
        evidence = "no clang for the MSP430 here" if mine is None else f"{mine:.1f} %"
        tested.append(Check(f"{TOPICS[name]}-executed", claim, "6.2.3", verdict, evidence))
    return [*tested, _grows()]


def _grows() -> Check:
    """Test whether policies on other events cost no more than the steps of binary searches.

    Four times as many of them cost less than twice as much.
    """
    cost = on_one_event()
    claim = "time grows with the policies on the event only"
    if not cost:
        return Check("grows", claim, "6.2.3", MISSING, "no emulator here")
    alone, others, all_on_it = cost[1, 1], cost[1, 32], cost[32, 32]
    each = (all_on_it - others) / 31
    evidence = f"31 policies on the event add {each:.0f} instructions each, "
    evidence += f"31 on other events {others - alone} in all, {MANY - 1} {cost[1, MANY] - alone}"
    few, many = others - alone, cost[1, MANY] - alone
    holds = few < 31 * each / 2 and many < 2 * few
    return Check("grows", claim, "6.2.3", HOLDS if holds else FAILS, evidence)


def sections(results: Found) -> list[Section]:
    """Return the figure's part of the page."""
    tested = checks_table(checks(results), "Execution")
    return [Section("figure-26", "Figure 26: execution time", (*tables(results), tested), "Figure 26")]
