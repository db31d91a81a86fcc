# SPDX-License-Identifier: Apache-2.0
"""Firmware of either source, run by both engines: our applications compiled with the embedded Contiki and
with a Contiki-NG tree, and unmodified examples of that tree. Nothing of the tree, and nothing built from it,
is kept.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator import resources
from orchestrator.applications import descriptor, platform
from orchestrator.build import commands, host
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import Engine, engine, run_one
from orchestrator.errors import BuildFailed
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tools.compare.coojas import LOG_FILE, Cooja
from tools.compare.table import DIFFERENT, EQUAL, NONE, Row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from golden_cases import first_difference

from tests.placed import simulation

PART = "Firmware of either source"
EMBEDDED_CONTIKI, CONTIKI_NG, UNMODIFIED = "embedded Contiki", "ours on Contiki-NG", "Contiki-NG, unmodified"
_VERDICTS = {Outcome.OK: "OK", Outcome.FAILED: "FAILED", Outcome.NO_VERDICT: "TIMEOUT"}
_NOT_NEEDED = shutil.ignore_patterns(".git", "tests", "doc", "build")

SCENARIOS = {
    "pubsub-hello": "topology: {shape: chain, publishers: 4, spacing: 40 m}\n"
    "radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 95 %, rx: 90 %}\n"
    "application: {name: pubsub-hello, interval: 2 s}\nduration: 40 s\n",
    "aggregation": "topology: {shape: chain, publishers: 10, spacing: 4 m}\n"
    "radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 95 %}\n"
    "application: {name: aggregation, rate: high, aggregate: true}\nduration: 60 s\n",
    "mesh": "topology: {shape: mesh, rows: 4, columns: 4}\nradio: {medium: udgm-constant-loss, range: 50 m, "
    "interference: 100 m, tx: 100 %, rx: 90 %}\napplication: {name: mesh}\nduration: 60 s\n",
    # Threads, and a blackboard in both motes: the alarm crosses the network.
    "alarm": "topology: {shape: chain, publishers: 1, spacing: 30 m}\n"
    "radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 90 %}\n"
    "application: {name: alarm, deadline: 30 ms}\nduration: 30 s\n",
    "blackboard-paper": "topology: {shape: chain, publishers: 1}\n"
    "radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 100 %}\n"
    "application: {name: blackboard-paper, extra-work: 20 ms}\nduration: 30 s\n",
    # The radio contends and acknowledges; ticks of 1/128 s, of another phase at each mote.
    "aggregation by radio-csma": "topology: {shape: chain, publishers: 6, spacing: 20 m}\n"
    "radio: {medium: udgm, range: 50 m, interference: 100 m, tx: 100 %, rx: 80 %}\n"
    "application: {name: aggregation, rate: high, aggregate: false, mac: radio-csma, clock: 128, "
    "clock-phase: drawn}\nduration: 30 s\n",
    "mesh by radio-csma": "topology: {shape: mesh, rows: 4, columns: 4}\nradio: {medium: udgm-constant-loss, "
    "range: 50 m, "
    "interference: 100 m, tx: 100 %, rx: 80 %}\napplication: {name: mesh, mac: radio-csma, clock: 128}\n"
    "duration: 60 s\n",
}


@dataclass(frozen=True)
class Example:
    """Motes of a grid of `side` by `side` run these programs in turn, or, with one `root`, the first mote
    alone runs the first program and the others take turns with the rest."""

    folder: str
    programs: tuple[str, ...]
    side: int
    seconds: int
    medium: Udgm
    root: bool = False


LOSSLESS, LOSSY = Udgm(50.0, 100.0, 1.0, 1.0), Udgm(50.0, 100.0, 0.98, 0.85)
EXAMPLES = (
    Example("examples/hello-world", ("hello-world",), 2, 60, LOSSLESS),
    Example("examples/nullnet", ("nullnet-broadcast",), 4, 120, LOSSY),
    Example("examples/nullnet", ("nullnet-broadcast", "nullnet-unicast"), 3, 120, LOSSY),
    Example("examples/rpl-udp", ("udp-server", "udp-client"), 4, 300, LOSSY, True),
    Example("examples/6tisch/simple-node", ("node",), 5, 120, LOSSY),
    Example("examples/dev/leds", ("leds-example",), 2, 60, LOSSLESS),
    Example("examples/dev/button-hal", ("button-hal-example",), 2, 30, LOSSLESS),
    Example("examples/libs/timers", ("all-timers",), 2, 60, LOSSLESS),
    Example("examples/libs/energest", ("example-energest",), 2, 60, LOSSLESS),
    Example("examples/libs/trickle-library", ("trickle-library",), 4, 120, LOSSY),
    Example("examples/multicast", ("root", "intermediate", "sink"), 3, 120, LOSSLESS, True),
    # Not storage/eeprom-test: it copies from a null pointer and ends in both simulators alike, with a crash.
)


@dataclass(frozen=True)
class Case:
    name: str
    source: str
    simulation: Simulation
    libraries: dict[str, Path]


def ours(tree: Path | None, folder: Path) -> Iterator[Case]:
    copy = folder / "contiki-apps"
    for name, text in SCENARIOS.items():
        cell = loads(f"experiment: compare\n{text}drain: 5 s\nseeds: 1\ntrace: true\n", f"{name}.yaml").cells[
            0
        ]
        app = descriptor.load(cell.application.name)
        variant = app.variant(cell.application.parameters)
        made = simulation(cell, 1)
        identifier = made.mote_types[0].identifier
        yield Case(name, EMBEDDED_CONTIKI, made, {identifier: host.firmware(app, variant).path})
        if tree is None or any(platform.embedded_only(variant)):
            continue
        if not copy.exists():
            shutil.copytree(resources.contiki_apps(), copy, ignore=shutil.ignore_patterns("build"))
        call = [
            "make",
            "-s",
            "-C",
            copy / "apps" / name,
            "TARGET=cooja",
            f"{name}.cooja",
            f"CONTIKI={tree.resolve()}",
        ]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise BuildFailed(f"{name} with {tree}: {done.stderr[-2000:]}")
        yield Case(
            name, CONTIKI_NG, made, {identifier: copy / "apps" / name / "build" / "cooja" / f"{name}.cooja"}
        )


def examples(tree: Path, folder: Path) -> Iterator[Case]:
    copy = folder / "tree"
    shutil.copytree(tree, copy, ignore=_NOT_NEEDED, symlinks=True)
    for example in EXAMPLES:
        types, libraries = [], {}
        for program in example.programs:
            source = copy / example.folder / f"{program}.c"
            build = f"$(MAKE) -j$(CPUS) {program}.cooja TARGET=cooja"
            libraries[program] = commands.build(source, program, build, [], commands.Compilation("gcc"))
            types.append(MoteType(program, program, str(source), build, STANDARD_INTERFACES))
        motes = tuple(_mote(example, number) for number in range(example.side**2))
        if example.root:  # types one after the other, as Cooja itself writes them
            motes = tuple(sorted(motes, key=lambda mote: example.programs.index(mote.type_identifier)))
        made = Simulation(
            example.folder,
            1,
            1_000_000,
            example.medium,
            tuple(types),
            motes,
            EndScript(example.seconds * 1_000_000),
        )
        yield Case(
            f"{example.folder.removeprefix('examples/')}: {', '.join(example.programs)}",
            UNMODIFIED,
            made,
            libraries,
        )


def _mote(example: Example, number: int) -> Mote:
    if example.root:
        program = example.programs[0 if number == 0 else 1 + number % (len(example.programs) - 1)]
    else:
        program = example.programs[number % len(example.programs)]
    return Mote(program, number + 1, 30.0 * (number % example.side), 30.0 * (number // example.side))


def _run(on: Engine, case: Case, log: Path, rules: str) -> tuple[str, bytes, float]:
    """Verdict, log and seconds."""
    started = time.monotonic()
    result = run_one(on, Job(case.simulation, case.simulation.seed, case.libraries, log, ruleset=rules))
    took = time.monotonic() - started
    for line in result.evidence:
        print(f"{case.name} on {on.name}: {line}")
    return _VERDICTS.get(result.outcome, str(result.outcome)), log.read_bytes() if log.exists() else b"", took


def rows(coojas: list[Cooja], tree: Path | None, scratch: Path, chosen: str) -> Iterator[Row]:
    """By case; a library is built once for all."""
    embedded = engine("embedded")
    embedded.prepare()
    logs = {name: scratch / name / LOG_FILE for name in ("firmware-embedded", "firmware-cooja")}
    for log in logs.values():
        log.parent.mkdir()
    made = (
        ours(tree, scratch)
        if tree is None
        else (case for part in (ours, examples) for case in part(tree, scratch))
    )
    for case in (case for case in made if chosen in f"{case.name} {case.source}"):
        for cooja in coojas:
            cooja_verdict, theirs, cooja_s = _run(cooja.engine, case, logs["firmware-cooja"], cooja.rules)
            verdict, log, took = _run(embedded, case, logs["firmware-embedded"], cooja.rules)
            same = NONE if not theirs else EQUAL if log == theirs else DIFFERENT
            if same == DIFFERENT:
                print(f"{case.name}: {first_difference(theirs, log)}")
            yield Row(case.name, case.source, cooja.rules, cooja_verdict, verdict, same, cooja_s, took)
