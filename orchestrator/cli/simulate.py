# SPDX-License-Identifier: Apache-2.0
"""orchestrate simulate: a drop-in for Cooja's headless call."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.cli.options import (
    add_compile,
    add_contiki,
    add_engine,
    add_sanitize,
    add_wall_limit,
    positive,
    seed,
    speed,
    whole_seconds,
)
from orchestrator.cli.run import PLAIN_ONLY
from orchestrator.errors import Interrupted, NoSuchThing, WrongUsage
from orchestrator.vocabulary.simulators import RULES, SIMULATORS, engines

if TYPE_CHECKING:
    from orchestrator.engines.model import Outside
    from orchestrator.engines.protocol import Simulator
    from orchestrator.execution.progress import Progress
    from orchestrator.execution.simulations import Ended, Task, Way

DESCRIPTION = """Run .csc files as `cooja --no-gui` would, several at a time, and write
DIR/COOJA.testlog.

A folder stands for all .csc files in it and below it. A file or folder may
have settings: file.csc,random-seed=2,logdir=out2. The files of a folder, and
those that would write the same log, get separate folders:
DIR/NAME/COOJA.testlog. After several files there is a table. A file that
cannot run has its line there, and does not stop the others.

Mote types of our applications are built in the cache. For other mote types,
the build commands in the file are shown and then run as in Cooja, but in a
copy of the source's folder.

A file with a SerialSocketServer or SerialSocketClient opens its sockets at
motes' serial lines, as in Cooja, and runs its <commands>, which are shown.
What comes in is recorded in DIR/serial-input.jsonl.

exit code: 0 every verdict is OK; 1 some verdict is a failure; 7 a run crashed,
hung or was lost; for others see `orchestrate --help`. With several files the
worst counts; from good to bad: 0, 1, 4, 3, 9, 6, 7, 2, 5, 8, 70."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the operands and options of `orchestrate simulate`."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE.csc[,key=value]",
        help="a .csc or .csc.gz file, or a folder with such files",
    )
    add_engine(parser, cooja=False, engines=SIMULATORS)
    parser.add_argument(
        "--seed", "--random-seed", type=seed, metavar="N", help="use this random seed instead of the file's"
    )
    parser.add_argument(
        "--logdir",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder for COOJA.testlog (default: the current one)",
    )
    add_contiki(parser)
    parser.add_argument(
        "--cooja",
        type=Path,
        metavar="PATH",
        help="the Cooja folder, which the file calls [COOJA_DIR]; with --engine cooja also a "
        "jar or a program (default: $COOJA, then tools/cooja in $CONTIKI_NG)",
    )
    parser.add_argument(
        "--rules",
        choices=RULES,
        help="follow the rules of Cooja in Contiki-NG 5.0 (default) or of July 2026",
    )
    add_wall_limit(parser)
    parser.add_argument(
        "--seconds",
        type=whole_seconds,
        metavar="N",
        help="end a file without a script after N seconds of simulated time, as `csc fix --seconds N` would; "
        "other files end by their scripts",
    )
    parser.add_argument(
        "--no-commands",
        action="store_true",
        help="run no build commands and no Makefile except our own, where other libraries must exist "
        "already, and no commands of a SerialSocketServer",
    )
    parser.add_argument(
        "--speed",
        type=speed,
        metavar="FACTOR",
        help="pace the simulation: 1 or realtime for real time, any factor of it, file for what the .csc "
        "and its script say, max for none (default: file if it opens serial sockets, otherwise max)",
    )
    parser.add_argument(
        "--no-sockets",
        action="store_true",
        help="open no sockets of a SerialSocketServer or SerialSocketClient, and run no commands of theirs",
    )
    parser.add_argument(
        "--serial-address",
        metavar="ADDRESS",
        default="",
        help="the address at which a SerialSocketServer listens, such as 0.0.0.0 for all, as in Cooja "
        "(default: only programs of this machine reach it)",
    )
    parser.add_argument(
        "--replay-input",
        type=Path,
        metavar="FILE",
        help="instead of opening sockets, take the input from a session's DIR/serial-input.jsonl; the log "
        "is the same, byte for byte",
    )
    parser.add_argument("--cc", metavar="COMMAND", help="the compiler (default: $CC, cc, gcc or clang)")
    add_compile(
        parser,
        "how the file's own commands compile a Contiki-NG tree's firmware: as-is (default), or fast, with "
        "flags of ours",
    )
    parser.add_argument(
        "--radio",
        action="store_true",
        help="record the radios in DIR/radio: frames as pcap, events and times in each state as CSV",
    )
    add_sanitize(parser)
    parser.add_argument(
        "--jobs",
        "-j",
        type=positive,
        metavar="N",
        help="number of simulations at a time (default: one per core)",
    )
    parser.add_argument(
        "--junit",
        type=Path,
        metavar="FILE",
        help="write the results as JUnit XML, for continuous integration",
    )
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    for ignored in ("--no-gui", "--autostart"):  # of Cooja's call; there is no window here
        parser.add_argument(ignored, action="store_true", help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Run `orchestrate simulate`; return the exit code."""
    from orchestrator.build import sanitizers
    from orchestrator.console import say
    from orchestrator.engines.protocol import engine
    from orchestrator.execution.library import BuildOptions
    from orchestrator.execution.simulations import Way

    wanted = _wanted(args)
    if args.engine not in (None, *SIMULATORS) and args.engine in engines():
        raise WrongUsage(
            f"the engine {args.engine} is for scenarios, not .csc: orchestrate run --engine {args.engine}"
        )
    outside = _outside(args, len(wanted))
    chosen = engine(args.engine or "embedded", _options(args))
    chosen.prepare(say)
    way = Way(
        chosen.rules(args.rules),
        BuildOptions(
            args.contiki,
            args.cooja,
            args.cc,
            sanitizers.flags(args.sanitize, args.cc),
            args.compile == "fast",
            not args.no_commands,
        ),
        args.wall_limit,
        args.radio,
        args.seconds,
        outside,
    )
    return _one(wanted[0], chosen, way, args) if len(wanted) == 1 else _several(wanted, chosen, way, args)


def _outside(args: argparse.Namespace, files: int) -> Outside | None:
    """Return how simulations meet the world outside of them; None for another engine."""
    from orchestrator.engines.model import Outside

    replay = args.replay_input
    if args.engine not in (None, "embedded"):
        given = {
            "--speed": args.speed is not None,
            "--no-sockets": args.no_sockets,
            "--serial-address": args.serial_address,
            "--replay-input": replay,
        }
        if wrong := [option for option, there in given.items() if there]:
            raise WrongUsage(
                f"{wrong[0]} is for the embedded engine; Cooja does what the .csc says, also about speed"
            )
        return None
    if replay is not None and files > 1:
        raise WrongUsage(f"--replay-input {replay} is the record of one simulation, and {files} are named")
    if replay is not None and not replay.is_file():
        raise NoSuchThing(f"--replay-input {replay}: no such file")
    return Outside(args.speed, not args.no_sockets, args.serial_address, not args.no_commands, replay)


def _options(args: argparse.Namespace):
    """Return the engine's options; None, which needs no import, if there are none."""
    path, contiki = (None if folder is None else str(folder) for folder in (args.cooja, args.contiki))
    embedded = args.engine in (None, "embedded")
    if args.plain and not embedded:
        raise WrongUsage(PLAIN_ONLY)
    if not args.plain and (embedded or not (path or contiki or args.heap or args.engine_image)):
        return None
    from orchestrator.scenario.model import EngineOptions

    return EngineOptions(path, args.heap, contiki=contiki, image=args.engine_image, plain=args.plain)


def _wanted(args: argparse.Namespace) -> list:
    """Return the simulations to run. Raises WrongUsage or NoSuchThing before any of them runs."""
    from orchestrator.cli.simulate_tasks import operand, tasks

    operands = [operand(text, args.seed, args.logdir) for text in args.files]
    for option, folder in (("--contiki", args.contiki), ("--cooja", args.cooja)):
        if folder is not None and not (folder.exists() if option == "--cooja" else folder.is_dir()):
            raise NoSuchThing(f"{option} {folder}: no such folder")
    for each in operands:
        if not each.path.exists():
            raise NoSuchThing(f"{each.path}: no such file")
    if args.junit is not None and not args.junit.absolute().parent.is_dir():
        raise NoSuchThing(f"the folder {args.junit.parent} does not exist; make it, or choose another")
    return tasks(operands)


def _one(task: Task, chosen: Simulator, way: Way, args: argparse.Namespace) -> int:
    """Run a single simulation; if it can't run, that is the command's own error."""
    from orchestrator.cli.simulate_results import described, row
    from orchestrator.console import say
    from orchestrator.execution.simulations import Ended, simulate

    try:
        ended = simulate(task, chosen, way, say)
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; {task.file} has not ended, and the same command begins it anew"
        ) from None
    except Exception as error:
        _write_junit(args.junit, [row(Ended(task, error=error))], 0.0)
        raise
    done = row(ended)
    say(f"{task.file}: {done.line()}")
    for line in done.told():
        say(f"    {line}")
    _write_junit(args.junit, [done], ended.result.wall_s)
    if args.json:
        print(json.dumps([described(done)], indent=2))
    return done.code


def _several(wanted: list, chosen: Simulator, way: Way, args: argparse.Namespace) -> int:
    from orchestrator.cli.simulate_results import described, not_run, row, table, worst
    from orchestrator.console import errors, say, show, stages
    from orchestrator.execution.execute import cores
    from orchestrator.execution.simulations import Simulations

    started = time.monotonic()
    rows: list = []  # as they end
    simulations = Simulations(wanted, chosen, way, say)
    with stages("simulate") as display:

        def done(ended: Ended) -> None:
            rows.append(row(ended))
            say(f"{ended.task.name}: {rows[-1].line()}")

        def progress() -> None:
            if errors().is_terminal:  # else each has its line
                display.runs(_progress(rows, len(wanted), time.monotonic() - started))

        try:
            simulations.run(args.jobs or cores(), done, progress)
            progress()
            interrupted = None
        except KeyboardInterrupt:
            interrupted = Interrupted(
                f"interrupted; {len(rows)} of {len(wanted)} simulations have ended, their logs are kept"
            )
    took = time.monotonic() - started
    by_task = {row.task: row for row in rows}
    rows = [by_task.get(task) or not_run(task) for task in wanted]
    _write_junit(args.junit, rows, took)
    if args.json:
        print(json.dumps([described(row) for row in rows], indent=2))
    else:
        show(*table(rows, took))
    if interrupted is not None:
        raise interrupted
    return worst(rows)


def _progress(rows: list, total: int, spent_s: float) -> Progress:
    from orchestrator.execution.progress import Progress

    simulated_us = sum(row.result.sim_us for row in rows if row.result is not None)
    return Progress(total, 0, len(rows), sum(row.code != 0 for row in rows), simulated_us, spent_s)


def _write_junit(path: Path | None, rows: list, took: float) -> None:
    if path is not None:
        from orchestrator.cli import files, junit

        files.write(path, junit.document(rows, took))
