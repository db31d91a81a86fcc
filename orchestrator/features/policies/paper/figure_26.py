# SPDX-License-Identifier: Apache-2.0
"""Figure 26: the policy manager's overhead per event, in counted instructions.

It also has the cost of policies on other events.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.build import counted
from orchestrator.build.sizes import FLAGS
from orchestrator.console import say
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.features.policies.application import sound, subject
from orchestrator.features.policies.c_code.table import code
from orchestrator.features.policies.extensions import built_in
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table
from orchestrator.resources import contiki_apps

HERE = Path(__file__).with_name("execution")
MODULES = ("pubsub", "cpc", "push-dpc", "pull-dpc", "sampling-buffer")
PUSHED, PULLED = "FATempPolicy (Figure 14)", "ACSTempPolicy (Figure 17)"
# Figure 26: ms without and with the policy manager, and the overhead it prints.
PRINTED = {PUSHED: (2.5, 2.7, 8.0), PULLED: (2.6, 2.9, 11.5)}
_FILES = {PUSHED: "figure-14-rebuilt.escape", PULLED: "figure-17-rebuilt.escape"}
_TOPICS = {PUSHED: "TempForFireAlarm", PULLED: "ACSTemp"}
READINGS = (10, 60, 70)  # the second is measured: a reading that is sent, after the first call of everything
OF_32 = (1, 2, 4, 8, 16, 32)
MANY = 128  # policies, of which one is on the event
_AIR_US_A_BYTE = 32  # IEEE 802.15.4 at 250 kbit/s
_FRAME = 48  # bytes on air of a reading: 6 of the PHY, 17 of the MAC (with a source of 8), 25 of ours
_NOTE = (
    "Instructions of a Cortex-M3 (QEMU) from the component's call until the link has the frame; timers come "
    "at once. Without the manager the component itself does what the policy says. The paper's times are "
    f"those of a whole operation, and the radio is a part of it: a frame of {_FRAME} bytes alone is "
    f"{_FRAME * _AIR_US_A_BYTE / 1000:.1f} ms on air. The last column adds that to both, for a processor "
    "that executes 4 million instructions a second; a Tmote Sky's clock has 4 MHz."
)
_RATE = 4.0  # instructions a microsecond


@dataclass(frozen=True)
class Cost:
    """Instructions of one reading that is sent."""

    without: int
    managed: int

    @property
    def overhead(self) -> float:
        """In percent of the instructions."""
        return 100 * (self.managed / self.without - 1)

    @property
    def whole(self) -> float:
        """In percent of the time until the frame has left."""
        air = _FRAME * _AIR_US_A_BYTE
        return 100 * ((self.managed / _RATE + air) / (self.without / _RATE + air) - 1)


@cache
def measured() -> dict[str, Cost]:
    """Measure both policies; empty, and says why, where compiler or emulator are missing."""
    try:
        return {name: Cost(*(_of(name, managed) for managed in (False, True))) for name in PRINTED}
    except MissingTool as missing:
        say(str(missing))
        return {}


def _of(name: str, managed: bool) -> int:
    path = contiki_apps() / "policies" / _FILES[name]
    return instructions([path], _TOPICS[name], READINGS, managed, name == PULLED)[1]


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


def instructions(
    policies: Sequence[Path], topic: str, readings: Sequence[int], managed: bool, pulled: bool
) -> list[int]:
    """How many instructions each reading takes, from the component's call until the link has its frame.

    Raises MissingTool or BuildFailed.
    """
    library = built_in()
    application, _ = sound(policies, library)
    with tempfile.TemporaryDirectory(prefix="orchestrate-executed-") as name:
        folder = Path(name)
        for file, text in code(application, library).items():
            (folder / file).write_text(text)
        values = ", ".join(map(str, readings))
        defines = {
            "MANAGED": int(managed),
            "PULLED": int(pulled),
            "SUBJECT": f"0x{subject(topic):016x}ULL",
            "READINGS": f"{{ {values} }}",
            "PUBSUB_CONF_ENFORCEMENT": int(managed),
        }
        program = _program(folder, defines, managed)
        marks = counted.entries(program, ("began", "ended"))
    return [end - begin for (_, begin), (_, end) in zip(marks[::2], marks[1::2], strict=True)]


def _program(folder: Path, defines: dict[str, object], managed: bool) -> Path:
    middleware, system = contiki_apps() / "middleware", contiki_apps() / "os"
    modules = [*MODULES, *(["policies"] if managed else [])]
    files = [path for module in modules for path in sorted((middleware / module).glob("*.c"))]
    files = [path for path in files if path.name != "pubsub-link.c"]
    files += [HERE / "mote.c", HERE / "temperature.c", system / "net" / "linkaddr.c"]
    files += [system / "lib" / "list.c", system / "lib" / "memb.c"]
    if managed:
        files.append(folder / "policies-generated.c")
    options = [f"-I{path}" for path in (folder, *_folders())]
    options += [f"-D{key}={value}" for key, value in defines.items()]
    _compile(files, options, folder / "program.elf")
    return folder / "program.elf"


def _folders() -> list[Path]:
    middleware = contiki_apps() / "middleware"
    modules = (middleware / module for module in (*MODULES, "diffusion", "policies"))
    return [HERE, contiki_apps() / "os", middleware, *modules]


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
    return [*([_overhead()] if measured() else []), *([_many()] if on_one_event() else [])]


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
            tested.append(Check(f"{_TOPICS[name]}-{reading}", claim, "6.2.3", verdict, evidence))
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
