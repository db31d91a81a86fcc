# SPDX-License-Identifier: Apache-2.0
"""The results of simulated files as lines, plain values and a table, and the exit code that they give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.cli import guard
from orchestrator.engines.log import OUTSIDE, SCRIPT_ERROR
from orchestrator.errors import Interrupted, RunFailed
from orchestrator.execution.simulations import LOG, Ended, Task
from orchestrator.runs.model import VERDICTS, WARNING, Outcome, RunResult
from orchestrator.words import counted

NOT_RUN = "not run"
# Why a file did not run, by exit code.
_KEPT_FROM_RUNNING = {
    2: "wrong usage",
    3: "faulty file",
    4: "not supported",
    5: "missing tool",
    6: "build error",
    7: "lost",
    8: "storage failed",
    9: "file missing",
    guard.BUG: "bug of ours",
}


_NOUNS = frozenset({"faulty file", "missing tool", "build error"})


@dataclass(eq=False)
class Row:
    """One simulation: `what` came of it, the lines that prove that, and its exit code.

    Without a `result` it did not run.
    """

    task: Task
    what: str
    code: int
    seed: int | None = None
    result: RunResult | None = None
    evidence: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether the simulated program is to blame."""
        return self.result is not None and self.result.outcome in VERDICTS

    def line(self) -> str:
        if self.result is None:
            return self.what
        events = (
            f"{counted(self.result.events, 'event')}, " if self.result.events else ""
        )  # a real Cooja does not count them
        return (
            f"{self.what}, {self.result.sim_us / 1e6:g} s simulated in {self.result.wall_s:.3f} s, {events}"
            f"{self.result.peak_memory / 2**20:.0f} MiB, {self.task.logdir / LOG}{self._pace()}"
        )

    def _pace(self) -> str:
        """Say how well the run kept to real time; "" if it was not paced."""
        if self.result is None or (pace := self.result.pace) is None:
            return ""
        speed = "real time" if pace.speed == 1 else f"{pace.speed:g} times real time"
        moved = f"; {pace.moved_us / 1e6:.1f} s behind were given up" if pace.moved_us else ""
        return (
            f", at {speed}: late by {pace.late_p50_us / 1000:.3g} ms (median), "
            f"{pace.late_p99_us / 1000:.3g} ms (99th percentile), {pace.latest_us / 1000:.3g} ms (most)"
            f"{moved}"
        )

    def told(self) -> tuple[str, ...]:
        """Return the lines of evidence that a reader needs: a verdict's own are in the log."""
        if not self.failed or (self.evidence and self.evidence[0].startswith(OUTSIDE)):
            return self.evidence
        return tuple(line for line in self.evidence if line.startswith((SCRIPT_ERROR, WARNING)))


def row(ended: Ended) -> Row:
    """Make the row of a simulation that has ended."""
    if ended.error is not None or ended.result is None:
        text, code = guard.told(ended.error) if ended.error is not None else ("", RunFailed.exit_code)
        return Row(
            ended.task,
            _KEPT_FROM_RUNNING.get(code, NOT_RUN),
            code,
            ended.task.seed,
            evidence=tuple(text.split("\n")),
        )
    outcome = ended.result.outcome
    code = 0 if outcome is Outcome.OK else 1 if outcome in VERDICTS else RunFailed.exit_code
    return Row(ended.task, outcome.value, code, ended.seed, ended.result, ended.result.evidence)


def not_run(task: Task) -> Row:
    """Return the row of a task that was not run because of an interruption."""
    return Row(task, NOT_RUN, Interrupted.exit_code, task.seed)


def worst(rows: Sequence[Row]) -> int:
    """Return the worst exit code of the simulations."""
    return guard.worst(row.code for row in rows)


def described(row: Row) -> dict:
    """As plain values."""
    result: dict = {
        "file": str(row.task.file),
        "seed": row.seed,
        "outcome": row.what,
        "evidence": list(row.evidence),
    }
    if row.result is None:
        return result | {"exit_code": row.code}
    return result | {
        "log": str(row.task.logdir / LOG),
        "sim_us": row.result.sim_us,
        "wall_s": round(row.result.wall_s, 6),
        "events": row.result.events,
        "peak_memory": row.result.peak_memory,
        **({} if row.result.pace is None else {"pace": vars(row.result.pace)}),
    }


def table(rows: Sequence[Row], seconds: float) -> list:
    """Return the summary of several simulations: a line each, then why some are not ok."""
    from orchestrator.cli.tables import Table, numbers

    several = len({row.seed for row in rows}) > 1  # else the summary has it, and long names fit 80 columns
    seeds = numbers("seed") if several else []
    columns = ["simulation", *seeds, "outcome", *numbers("simulated s", "took s")]
    cells: list = []
    above = ""
    for row in rows:
        folder, slash, name = row.task.name.rpartition("/")
        if folder != above:
            cells.append((f"{folder}{slash}" or "./", *[""] * (len(columns) - 1)))
            above = folder
        cells.append(
            (
                name,
                *((None if row.seed is None else str(row.seed),) if several else ()),
                row.what if row.code == 0 else (row.what, "bold"),
                None if row.result is None else f"{row.result.sim_us / 1e6:,.1f}",
                None if row.result is None else f"{row.result.wall_s:,.2f}",
            )
        )
    parts: list = [Table("", columns, cells)]
    for row in rows:
        if evidence := row.told():
            parts += [f"{row.task.name}: {row.what}", *(f"    {line}" for line in evidence), ""]
    return [*parts, summary(rows, seconds)]


def _counted(number: int, kind: str) -> str:
    """Count an outcome, in the plural where its last word is a noun."""
    return counted(number, kind) if kind in _NOUNS else f"{number:,} {kind}"


def summary(rows: Sequence[Row], seconds: float) -> str:
    """Say in one line how the simulations ended."""
    from orchestrator.console import duration

    kinds = list(dict.fromkeys(row.what for row in sorted(rows, key=lambda row: row.code)))
    counts = ", ".join(_counted(sum(row.what == kind for row in rows), kind) for kind in kinds)
    simulated = sum(row.result.sim_us for row in rows if row.result is not None)
    seeds = {row.seed for row in rows}
    seed = f" with seed {seeds.pop()}" if len(seeds) == 1 and None not in seeds else ""
    return (
        f"{counted(len(rows), 'simulation')}{seed}: {counts}; {simulated / 60e6:,.1f} simulated minutes in "
        f"{duration(seconds)}"
    )
