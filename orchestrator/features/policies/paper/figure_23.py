# SPDX-License-Identifier: Apache-2.0
"""Figure 23: code and data of the policy manager, the broker, diffusion, extensions and policies."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.build import elf, sizes
from orchestrator.build.machines import MACHINES, Machine
from orchestrator.console import say
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.features.policies.application import sound
from orchestrator.features.policies.c_code.table import SOURCE, code
from orchestrator.features.policies.extensions import built_in
from orchestrator.features.policies.paper.measured import CIPHER
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table
from orchestrator.resources import contiki_apps

TITLE = "Figure 23: code and data, bytes"
MEASURED = ("msp430", "cortex-m3")
# The text of 6.2.1 has these; the figure itself is lost in our copy.
PRINTED = {"manager": 1120, "manager with PushDPC": 2530}
NARROW = ("policy-manager.c", "policy-conflict.c")
WIDE = (*NARROW, "policy-enforcement.c", "policy-operations.c", "policy-timeouts.c", "policy-octets.c")
POLICIES = {
    "FATempPolicy (Figure 14)": "figure-14-rebuilt.escape",
    "SprinklerPolicy (Figure 15)": "figure-15.escape",
    "SmokePolicy (Figure 16)": "figure-16.escape",
    "ACSTempPolicy (Figure 17)": "figure-17-rebuilt.escape",
    "SettingPolicy (Figure 18)": "figure-18.escape",
    "TamperingPolicy (Figure 19)": "figure-19.escape",
    "SecureGroupPolicy (Figure 20)": "figure-20.escape",
}
_DECLARED = "int16_t policy_get_data(void);\nvoid policy_send_alert(void);\n"
_NOTE = (
    "The figure is lost in our copy; 6.2.1 has two of its numbers. Bytes are of flash and RAM together. The "
    "narrow reading of the manager is what loads and disables policies, Figure 8's procedure and the "
    "conflict manager. The wide one adds the enforcement points, the operations of actions, values as the "
    "data of events, and time-outs, which section 3 counts to it as well. The C library, arithmetic and the "
    "reading of arguments are in neither. A policy's row has its functions, its variables and its part of "
    f"the manager's tables. {CIPHER}"
)


@dataclass(frozen=True)
class Measured:
    """Bytes of flash and RAM together, by row."""

    machine: Machine
    rows: dict[str, int]


@cache
def measured() -> tuple[Measured, ...]:
    """Measure on each machine whose compiler is here; says which are missing, and why."""
    rows = []
    for name in MEASURED:
        try:
            rows.append(_on(MACHINES[name]))
        except MissingTool as missing:
            say(str(missing))
    return tuple(rows)


def _on(machine: Machine) -> Measured:
    parts = {part.name: part for part in sizes.modules(machine)}
    rows = {
        **both_readings(parts["policies"], parts["push-dpc"]),
        "broker": _part(parts["pubsub"]),
        "PushDPC": _part(parts["push-dpc"]),
        "PullDPC": _part(parts["pull-dpc"]),
        "ReliableCPC": _part(parts["cpc"]),
        "sampling buffer": _part(parts["sampling-buffer"]),
        "secure group": _part(parts["secure-group"]),
    }
    for name, file in POLICIES.items():
        rows[name] = _policy(contiki_apps() / "policies" / file, machine)
    return Measured(machine, rows)


def both_readings(policies: sizes.Part, push: sizes.Part) -> dict[str, int]:
    """Return the bytes of what PRINTED has, in both readings, of these two modules."""
    rows = {}
    for reading, files in (("", NARROW), (", wide reading", WIDE)):
        rows[f"manager{reading}"] = _files(policies, files)
        rows[f"manager with PushDPC{reading}"] = rows[f"manager{reading}"] + _part(push)
    return rows


def _files(part: sizes.Part, names: Iterable[str]) -> int:
    return sum(part.files[name].flash() + part.files[name].bss for name in names)


def _part(part: sizes.Part) -> int:
    return _files(part, part.files)


def _policy(path: Path, machine: Machine) -> int:
    """Bytes of a policy as C."""
    library = built_in()
    application, _ = sound([path], library)
    middleware = contiki_apps() / "middleware"
    folders = [
        middleware,
        contiki_apps() / "os",
        *(folder for folder in middleware.iterdir() if folder.is_dir()),
    ]
    with tempfile.TemporaryDirectory(prefix="orchestrate-sizes-") as name:
        folder = Path(name)
        for file, text in code(application, library).items():
            (folder / file).write_text(text)
        # The application's own declarations, since its header is missing.
        (folder / "policy-application.h").write_text(_DECLARED)
        command = [*machine.compiler().command, *sizes.FLAGS, "-std=gnu11", f"-I{folder}"]
        command += [
            *(f"-I{folder}" for folder in folders),
            "-c",
            str(folder / SOURCE),
            "-o",
            str(folder / "policy.o"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildFailed(f"{path.name} for {machine.title}: {done.stderr[:2000]}")
        return sum(elf.sizes(folder / "policy.o").values())


def tables(results: Found) -> list[Table]:
    """Return the table for the terminal."""
    several = measured()
    rows = []
    for name in several[0].rows if several else ():
        printed = PRINTED.get(name.replace(", wide reading", ""))
        entries = [
            Entry(name),
            Entry(f"{printed:,}" if printed else "–", number=bool(printed)),
        ]
        for row in several:
            tone = "" if printed is None else "good" if row.rows[name] <= printed else "bad"
            entries.append(Entry(f"{row.rows[name]:,}", number=True, tone=tone))
        rows.append(tuple(entries))
    columns = ("Part", "Paper, MSP430", *(row.machine.title for row in several))
    return [Table(TITLE, columns, tuple(rows), note=_NOTE)] if several else []


def checks(results: Found) -> list[Check]:
    """Return whether the paper's two sums are kept on its processor, in both readings."""
    mine = next((row.rows for row in measured() if row.machine.name == "msp430"), None)
    tested = []
    for name, printed in PRINTED.items():
        for reading, row in (("narrow", name), ("wide", f"{name}, wide reading")):
            verdict = MISSING if mine is None else HOLDS if mine[row] <= printed else FAILS
            evidence = "no clang with the target MSP430 here" if mine is None else f"{mine[row]:,} bytes"
            claim = f"the {name} takes at most {printed:,} bytes ({reading} reading)"
            tested.append(Check(f"{name}-{reading}".replace(" ", "-"), claim, "6.2.1", verdict, evidence))
    return tested


def sections(results: Found) -> list[Section]:
    """Return the figure's part of the page."""
    tested = checks_table(checks(results), "Sizes that the paper prints")
    return [Section("figure-23", "Figure 23: code and data", (*tables(results), tested), "Figure 23")]
