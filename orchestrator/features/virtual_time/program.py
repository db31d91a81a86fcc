# SPDX-License-Identifier: Apache-2.0
"""Runs a Python program in the time of a simulation, in a process of its own.

`python -m orchestrator.features.virtual_time.program SETTINGS ARGUMENTS...`, where SETTINGS is a Settings as
JSON: that process has a fixed hash seed, so that sets of the program have the same order every time.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from orchestrator import live
from orchestrator.cli.guard import guarded
from orchestrator.console import say
from orchestrator.errors import RunFailed, WrongUsage
from orchestrator.execution.simulations import log_in
from orchestrator.features.virtual_time import faults
from orchestrator.features.virtual_time.session import BAUD, Session


@dataclass(frozen=True)
class Settings:
    """What `orchestrate live` was asked for; see its help. Paths are texts; times are in s."""

    file: str
    program: str
    logdir: str = "."
    border_routers: dict[str, str] = field(default_factory=dict)  # address by mote, as JSON has it
    names: dict[str, str] = field(default_factory=dict)
    baud: int = BAUD
    cell: str | None = None
    store: str | None = None
    seed: int | None = None
    rules: str | None = None
    contiki: str | None = None
    fast: bool = False
    until_s: float | None = None
    patience_s: float = 600.0
    limit_s: float = 60.0

    def text(self) -> str:
        """Return what main() takes."""
        return json.dumps(asdict(self))


def run(settings: Settings, arguments: Sequence[str]) -> int:
    """Run the program; return its exit code. Raises what ended it otherwise."""
    with log_in(Path(settings.logdir)) as log:
        return _run(settings, Path(settings.program), log, arguments)


def _run(settings: Settings, program: Path, log: Path, arguments: Sequence[str]) -> int:
    with live.open(
        settings.file,
        cell=settings.cell,
        store=settings.store,
        seed=settings.seed,
        rules=settings.rules,
        contiki_ng=settings.contiki,
        fast=settings.fast,
        log=log,
        listen="nothing",
        say=say,
    ) as simulation:
        session = Session(
            simulation,
            border_router={int(mote): address for mote, address in settings.border_routers.items()},
            names=settings.names,
            baud=settings.baud,
            seed=simulation.seed,
            until_s=settings.until_s,
            patience_s=settings.patience_s,
            limit_s=settings.limit_s,
            hard=True,
        )
        began_s, code = time.monotonic(), 1
        try:
            with session:
                code = _call(program, arguments)
        except faults.TimeIsUp:
            code = 0
        except ValueError as error:  # of the session's beginning; those of the program are ProgramFailed
            raise WrongUsage(str(error)) from None
        except live.SimulationEnded as end:
            at = faults.seconds(simulation.now_us)
            raise RunFailed(f"the simulation ended by itself at {at}: {end}") from None
        finally:
            simulation.end(code == 0)
            _report(session, simulation, program, time.monotonic() - began_s, log)
        return code


def _call(program: Path, arguments: Sequence[str]) -> int:
    """Run the program's file as Python does; return its exit code. Raises ProgramFailed."""
    before = sys.argv, sys.path[:]
    sys.argv = [str(program), *arguments]
    sys.path.insert(0, str(program.resolve().parent))
    try:
        runpy.run_path(str(program), run_name="__main__")
    except SystemExit as end:
        return _code(end)
    except (RunFailed, live.SimulationEnded):
        raise
    except faults.NotInVirtualTime as error:
        _show(error, program)
        raise
    except Exception as error:
        _show(error, program)
        raise faults.ProgramFailed(f"the program raised: {faults.raised_at(error)}") from error
    finally:
        sys.argv, sys.path[:] = before
    return 0


def _code(end: SystemExit) -> int:
    """Return an exit code as Python makes it of sys.exit()'s argument."""
    if end.code is None or isinstance(end.code, int):
        return (end.code or 0) & 0xFF
    print(end.code, file=sys.stderr)
    return 1


def _show(error: Exception, program: Path) -> None:
    """Print the program's own traceback, without the frames that called it."""
    trace = error.__traceback__
    while trace is not None and Path(trace.tb_frame.f_code.co_filename) != program:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace or error.__traceback__)


def _report(session: Session, simulation: live.Live, program: Path, took_s: float, log: Path) -> None:
    now_s = simulation.now_us / 1e6
    speed = f", {now_s / took_s:.0f} times real time" if now_s and took_s else ""
    say(f"{program}: {now_s:.6f} s simulated in {took_s:.2f} s{speed}")
    counters = session.host.counters
    if session.host.links:
        lost = sum(link.lost for link in session.host.links)
        unreadable = sum(link.unreadable for link in session.host.links)
        say(
            f"IPv6 packets: {counters.sent} sent, {lost} of these lost before a busy line; "
            f"{counters.received} received, {counters.wrong} of these wrong, {counters.others} for others; "
            f"{unreadable} unreadable frames"
        )
    say(f"log: {log}")


def main() -> int:
    """Run what the command line says; return the exit code."""
    text, *arguments = sys.argv[1:]
    return guarded(lambda: run(Settings(**json.loads(text)), arguments))


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status) if status else sys.exit(0)
