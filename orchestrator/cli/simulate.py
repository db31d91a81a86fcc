# SPDX-License-Identifier: Apache-2.0
"""orchestrate simulate: a drop-in for Cooja's headless call."""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.cli.run import add_compile, add_engine, seconds
from orchestrator.words import counted

DESCRIPTION = """Run .csc files one after the other, as `cooja --no-gui` would, and write DIR/COOJA.testlog.

A file may carry settings of its own: file.csc,random-seed=2,logdir=out2. Mote types of our applications are built in
the cache; for others the file's build commands are shown and run as Cooja runs them, in a copy of the source's folder.

exit code: 0 every verdict is OK, 1 some verdict failed, 7 a run crashed, hung or was lost; others below
`orchestrate --help`."""
LOG = "COOJA.testlog"


def add_arguments(parser) -> None:
    parser.add_argument("files", nargs="+", metavar="FILE.csc[,key=value]", help="a .csc or .csc.gz")
    add_engine(parser, cooja=False)
    parser.add_argument("--seed", "--random-seed", type=seed, metavar="N", help="instead of the file's random seed")
    parser.add_argument("--logdir", type=Path, default=Path(), metavar="DIR", help="where COOJA.testlog goes (default: here)")
    parser.add_argument("--contiki", type=Path, metavar="DIR", help="the Contiki-NG folder, [CONTIKI_DIR] in the file")
    parser.add_argument("--cooja", type=Path, metavar="PATH", help="the Cooja folder, [COOJA_DIR] in the file; with "
                        "--engine cooja also a jar or a program (default: $COOJA, else tools/cooja in $CONTIKI_NG)")
    parser.add_argument("--rules", choices=("5.0", "2026.07"),
                        help="whose collision rules: Cooja of Contiki-NG 5.0 (default) or of July 2026")
    parser.add_argument("--wall-limit", type=seconds, metavar="S", help="end a run that takes longer than S seconds")
    parser.add_argument("--no-commands", action="store_true",
                        help="run no build commands and no Makefile but our own; other libraries must be there")
    parser.add_argument("--cc", metavar="COMMAND", help="the compiler (default: $CC, cc, gcc or clang)")
    add_compile(parser, "how the file's own commands compile a Contiki-NG tree's firmware: as-is (default), or fast, with flags of ours")
    parser.add_argument("--radio", action="store_true",
                        help="record what the radios do, in DIR/radio: frames as pcap, events and times in states as CSV")
    parser.add_argument("--sanitize", default="", metavar="KINDS",
                        help="firmware that checks itself: address, undefined or both with a comma (gcc, x86-64)")
    parser.add_argument("--json", action="store_true", help="print what came of each file as JSON")
    for ignored in ("--no-gui", "--autostart"):  # of Cooja's call; there is no window here
        parser.add_argument(ignored, action="store_true", help=argparse.SUPPRESS)


@dataclass(frozen=True)
class Job:
    """One file with its settings; `seed` None: the file's own."""

    file: Path
    seed: int | None
    logdir: Path


def run(args) -> int:
    from orchestrator.console import say
    from orchestrator.engines.log import SCRIPT_ERROR
    from orchestrator.engines.protocol import engine
    from orchestrator.errors import RunFailed
    from orchestrator.runs.model import VERDICTS, Outcome
    from orchestrator.scenario.model import EngineOptions

    jobs = [job(text, args.seed, args.logdir) for text in args.files]
    _check_folders(jobs, args)
    _say_what_is_overwritten(jobs, say)
    options = EngineOptions(None if args.cooja is None else str(args.cooja), args.heap,
                            contiki=None if args.contiki is None else str(args.contiki), image=args.engine_image)
    chosen = engine(args.engine or "embedded", options)
    chosen.prepare(say)
    args.rules = chosen.rules(args.rules)
    results = []

    def done(one: Job, result, used: int) -> None:
        results.append((one, result, used))
        say(f"{one.file}: {_line(result)}, {one.logdir / LOG}")
        for line in result.evidence:
            if result.outcome not in VERDICTS or line.startswith(SCRIPT_ERROR):
                say(f"    {line}")

    together = 1 if args.radio or _overwritten(jobs) else chosen.batch
    for first in range(0, len(jobs), together):
        _simulate(jobs[first : first + together], chosen, args, say, done)
    if args.json:
        print(json.dumps([described(*each) for each in results], indent=2))
    outcomes = [result.outcome for _, result, _ in results]
    if any(outcome is not Outcome.OK and outcome not in VERDICTS for outcome in outcomes):
        return RunFailed.exit_code
    return 1 if VERDICTS.intersection(outcomes) else 0


def job(text: str, default_seed: int | None, default_logdir: Path) -> Job:
    """From `file.csc[,random-seed=N][,logdir=DIR]`. Raises WrongUsage for other keys."""
    from orchestrator.errors import WrongUsage

    name, *pairs = text.split(",")
    found = Job(Path(name), default_seed, default_logdir)
    if not name.endswith((".csc", ".csc.gz")):
        raise WrongUsage(f"{name}: a simulation's name ends with .csc or .csc.gz")
    for pair in pairs:
        key, _, value = pair.partition("=")
        if key == "random-seed":
            try:
                found = replace(found, seed=seed(value))
            except argparse.ArgumentTypeError:
                raise WrongUsage(f"{text}: random-seed={value} is no whole number of 64 bits") from None
        elif key == "logdir" and value:
            found = replace(found, logdir=Path(value))
        elif key != "autostart":
            raise WrongUsage(f"{text}: {pair!r} is not known; a file takes random-seed=N and logdir=DIR")
    return found


def seed(text: str) -> int:
    """An argparse type: a Java long, decimal or 0x... as Cooja's option takes it."""
    negative = text.startswith("-")
    digits = text[1:] if text[:1] in ("-", "+") else text
    base = 16 if digits.lower().startswith(("0x", "#")) else 10
    try:
        value = int(digits.removeprefix("#"), base) * (-1 if negative else 1)
    except ValueError:
        value = 2**63
    if not digits[:1].isalnum() and digits[:1] != "#" or "_" in text or not -(2**63) <= value < 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 64 bits")
    return value


def described(one: Job, result, used: int) -> dict:
    """What came of a file, as plain values."""
    return {
        "file": str(one.file), "seed": used, "outcome": result.outcome.value, "evidence": list(result.evidence),
        "log": str(one.logdir / LOG), "sim_us": result.sim_us, "wall_s": round(result.wall_s, 6),
        "events": result.events, "peak_memory": result.peak_memory,
    }


def _line(result) -> str:
    events = f"{counted(result.events, 'event')}, " if result.events else ""  # a real Cooja does not count them
    return (f"{result.outcome.value}, {result.sim_us / 1e6:g} s simulated in {result.wall_s:.3f} s, {events}"
            f"{result.peak_memory / 2**20:.0f} MiB")


def _check_folders(jobs: list[Job], args) -> None:
    from orchestrator.errors import NoSuchThing

    for option, folder in (("--contiki", args.contiki), ("--cooja", args.cooja)):
        if folder is not None and not (folder.exists() if option == "--cooja" else folder.is_dir()):
            raise NoSuchThing(f"{option} {folder}: no such folder")
    for one in jobs:
        if not one.file.exists():
            raise NoSuchThing(f"{one.file}: no such file")


def _overwritten(jobs: list[Job]) -> list[tuple[Path, int]]:
    """Logs that several files write, and how many."""
    logs = [one.logdir.resolve() / LOG for one in jobs]
    return [(log, logs.count(log)) for log in sorted(set(logs)) if logs.count(log) > 1]


def _say_what_is_overwritten(jobs: list[Job], say) -> None:
    """Cooja writes the next file's log over the last one's without a word."""
    for log, count in _overwritten(jobs):
        say(f"{count} files write {log}: the last one's stays; give each its own, as in FILE.csc,logdir=DIR")


def _simulate(jobs: list[Job], chosen, args, say, done) -> None:
    """`done(job, result, seed)` for each: one by itself, several together where the engine takes them so."""
    from contextlib import ExitStack
    from tempfile import TemporaryDirectory

    from orchestrator.durable import alone
    from orchestrator.errors import StorageFailed

    with ExitStack() as held:
        runs = []
        for one in jobs:
            runs.append(_run(one, args, say, Path(held.enter_context(TemporaryDirectory()))))
            one.logdir.mkdir(parents=True, exist_ok=True)
            try:
                held.enter_context(alone(one.logdir))
            except BlockingIOError:
                raise StorageFailed(f"{one.logdir}: another simulation is writing its {LOG}\n"
                                    "    give each a folder of its own with --logdir, or wait for the other to end") from None
        if len(runs) > 1:
            chosen.run_all(runs, lambda number, result: done(jobs[number], result, runs[number].seed))
            return
        run = runs[0]
        done(jobs[0], chosen.run(
            run.simulation, run.seed, run.firmware, run.log, ruleset=run.ruleset, wall_limit_s=run.wall_limit_s,
            **_record(jobs[0], chosen) if args.radio else {},
        ), run.seed)


def _run(one: Job, args, say, kept: Path):
    """The engine's job: the file read, its firmware built and kept in a folder of its own, its seed chosen."""
    import secrets
    import shutil

    from orchestrator.build import sanitizers
    from orchestrator.campaign.library import library
    from orchestrator.csc.read import read
    from orchestrator.engines import protocol

    simulation = read(one.file, args.contiki, args.cooja)
    used = one.seed if one.seed is not None else simulation.seed
    if used is None:  # "generated"
        used = secrets.randbits(64) - 2**63
    firmware = {}
    for number, mote_type in enumerate(simulation.mote_types):
        built = library(mote_type, simulation, contiki=args.contiki, cooja=args.cooja, cc=args.cc,
                        cflags=sanitizers.flags(args.sanitize, args.cc), fast=args.compile == "fast", run_commands=not args.no_commands, say=say)
        # The next type's commands may clean up this one's: Cooja loads each before it builds the next.
        firmware[mote_type.identifier] = Path(shutil.copy(built, kept / f"{number}-{built.name}"))
    return protocol.Job(simulation, used, firmware, one.logdir / LOG, args.rules, args.wall_limit)


def _record(one: Job, chosen) -> dict:
    """The engine's argument for a record of the radios; the folder is there then, with nothing of an earlier record."""
    from orchestrator.campaign import again

    again.observing(chosen)
    folder = one.logdir / again.RADIO
    folder.mkdir(exist_ok=True)
    for name in (again.FRAMES, again.EVENTS, again.STATES, again.CUT_STATES):
        (folder / name).unlink(missing_ok=True)
    return {"radio": folder}
