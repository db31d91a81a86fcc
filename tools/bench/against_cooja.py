# SPDX-License-Identifier: Apache-2.0
"""The embedded engine and a real Cooja side by side: the same .csc, firmware sources and seed, in turn, each
log compared.

    python -m tools.bench.against_cooja --cooja COOJA [--contiki TREE] [--sizes 10,100,...] [--only KIND,...]

COOJA (or $COOJA) as for tools/golden/record.py, TREE (or $CONTIKI_NG) a Contiki-NG tree; what isn't named is
skipped. Both see libraries that are built already; "compiled our way" is as `orchestrate simulate --compile
fast` does it. "whole" is the time of a process from its start to its end: for Cooja with the JVM's start and
make, which only links; for the engine's kernel with loading and boot, the best of a few. "runtime" is the
figure that Cooja itself prints, of the simulation alone, again against the kernel's whole time. "command" is
what a user waits for: `orchestrate simulate` on the .csc of the case's first firmware, built already,
Python's start included. --only stock: existing .csc files as their users call both, whole commands
(stock.py).
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.build import commands, host, kernel, sources
from orchestrator.csc.model import Simulation
from orchestrator.csc.write import write
from orchestrator.engines.embedded.description import describe
from orchestrator.features.aggregation import paper as aggregation
from orchestrator.scenario.load import loads
from tools.bench import stock
from tools.compare.coojas import Cooja

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from tests.placed import simulation
from tools.golden.record import command

SIZES = (10, 100, 400, 900, 2500, 10_000)
MOST_IN_COOJA = 2500  # larger ones show the engine's curve only
LONG, SHORT = 600, 60  # simulated s, of up to 100 motes and of more
TSCH_S = 300
LEAST_S = 1.0  # of the engine's runs together: the best of three of a few ms each tells little
LIMITS = {
    "unmodified": (75, 50),
    "compiled our way": (125, 85),
    "TSCH and RPL": (90, 80),
    "embedded Contiki": (200, 100),
    "TSCH unmodified": (0, 0),
}  # nothing is asked of it
NOT_NEEDED = shutil.ignore_patterns(".git", "tests", "doc", "build")


@dataclass(frozen=True)
class Case:
    """A simulation whose source Cooja builds itself, and what the engine runs: kind -> library."""

    name: str
    simulation: Simulation
    libraries: dict[str, Path]


def seconds_of(motes: int) -> int:
    return LONG if motes <= 100 else SHORT


def ours(folder: Path, sizes: tuple[int, ...]) -> Iterator[Case]:
    sources.collect(sources.application_folder("hello-nullnet")).copy(folder / "hello")
    source = folder / "hello" / "apps" / "hello-nullnet" / "hello-nullnet.c"
    library = host.firmware("hello-nullnet").path
    for motes in sizes:
        yield Case(
            f"hello-nullnet, {motes} motes",
            stock.grid(motes, source, seconds_of(motes)),
            {"embedded Contiki": library},
        )


def papers(folder: Path) -> Iterator[Case]:
    app = descriptor.load("aggregation")
    sources.collect(sources.application_folder(app)).copy(folder / "aggregation")
    source = folder / "aggregation" / "apps" / "aggregation" / "aggregation.c"
    name, text = aggregation.scenarios()[0]
    for cell in loads(text, name).cells:
        if cell.name in ("H10", "H10A"):
            library = host.firmware(app, app.variant(cell.application.parameters)).path
            yield Case(
                f"the aggregation paper's {cell.name}",
                simulation(cell, 1, source=str(source)),
                {"embedded Contiki": library},
            )


def example(
    folder: Path, tree: Path, path: str, target: str, unmodified: str, our_way: str
) -> tuple[Path, dict[str, Path]]:
    """The example's source in a copy of the tree, which Cooja builds, and its libraries of both kinds."""
    copy = folder / "tree"
    if not copy.exists():
        shutil.copytree(tree, copy, ignore=NOT_NEEDED, symlinks=True)
    source = copy / path / f"{target}.c"
    libraries = {
        kind: commands.build(
            source,
            target,
            f"$(MAKE) -j$(CPUS) {target}.cooja TARGET=cooja",
            [],
            cc="gcc",
            fast=kind == our_way,
        )
        for kind in (unmodified, our_way)
    }
    place = commands.library(
        source, "t"
    )  # the type of every grid: where `simulate --no-commands` looks for it
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(libraries[unmodified], place)
    return source, libraries


def contiki_ng(folder: Path, tree: Path, sizes: tuple[int, ...]) -> Iterator[Case]:
    source, libraries = example(
        folder, tree, "examples/nullnet", "nullnet-broadcast", "unmodified", "compiled our way"
    )
    for motes in sizes:
        yield Case(
            f"nullnet-broadcast, {motes} motes", stock.grid(motes, source, seconds_of(motes)), libraries
        )


def tsch(folder: Path, tree: Path) -> Iterator[Case]:
    source, libraries = example(
        folder, tree, "examples/6tisch/simple-node", "node", "TSCH unmodified", "TSCH and RPL"
    )
    yield Case("6tisch/simple-node, 5 x 5", stock.grid(25, source, TSCH_S), libraries)


def run_cooja(call: list[str], simulation: Simulation, folder: Path) -> tuple[float, float, bytes]:
    """Whole and own seconds, and the log."""
    file = folder / "against.csc"
    file.write_bytes(write(simulation))
    started = time.monotonic()
    done = subprocess.run(
        [*call, "--no-gui", f"--logdir={folder}", file], capture_output=True, text=True, check=False
    )
    whole = time.monotonic() - started
    said = re.search(r"Runtime: (\d+) ms", done.stdout)
    if done.returncode != 0 or said is None:
        sys.exit(f"Cooja ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return whole, int(said[1]) / 1000, (folder / "COOJA.testlog").read_bytes()


def run_engine(case: Case, library: Path, folder: Path, times: int, rules: str) -> tuple[float, dict, bytes]:
    """The best whole seconds, the report of that run, and the log."""
    text = describe(
        case.simulation,
        case.simulation.seed,
        {t.identifier: library for t in case.simulation.mote_types},
        rules,
    )
    log, best, report = folder / "engine.testlog", float("inf"), {}
    executable = kernel.executable()  # looks at its sources, which is no part of a run
    first, runs = time.monotonic(), 0
    while runs < times or time.monotonic() - first < LEAST_S:
        started = time.monotonic()
        done = subprocess.run([executable, "--log", log], input=text, capture_output=True, check=True)
        runs += 1
        if (took := time.monotonic() - started) < best:
            best, report = took, json.loads(done.stdout)
    return best, report, log.read_bytes()


def run_command(case: Case, folder: Path, times: int) -> tuple[float, bytes]:
    """The best seconds of `orchestrate simulate`, and the log."""
    file = folder / "command.csc"
    file.write_bytes(write(case.simulation))
    call = [
        sys.executable,
        "-c",
        "from orchestrator.cli.app import main; raise SystemExit(main())",
        "simulate",
        "--no-commands",
        f"--logdir={folder / 'command'}",
        file,
    ]
    best = float("inf")
    for _ in range(times):
        started = time.monotonic()
        subprocess.run(call, capture_output=True, check=True)
        best = min(best, time.monotonic() - started)
    return best, (folder / "command" / "COOJA.testlog").read_bytes()


def measure(case: Case, call: list[str], folder: Path, times: int, rules: str) -> bool:
    """Prints the case's lines; true if every limit is kept and every log the same."""
    kept = True
    in_cooja = call and len(case.simulation.motes) <= MOST_IN_COOJA
    whole, runtime, theirs = run_cooja(call, case.simulation, folder) if in_cooja else (0.0, 0.0, b"")
    for kind, library in case.libraries.items():
        took, report, log = run_engine(case, library, folder, times, rules)
        per_event = 1e3 * report["run_us"] / report["events"]
        skipped = 100 * report["skipped"] / max(1, report["ticks"])
        engine = f"{1e3 * took:9.1f} ms {per_event:6.0f} ns {skipped:4.0f} %"
        if not in_cooja:
            print(f"{case.name:<34} {kind:<17} {'-':>8} {'-':>8} {engine}", flush=True)
            continue
        limits = LIMITS[kind]
        ratios = whole / took, runtime / took
        missed = "" if all(ratio >= limit for ratio, limit in zip(ratios, limits)) else "  MISSED"
        kept &= not missed and log == theirs
        print(
            f"{case.name:<34} {kind:<17} {whole:6.2f} s {runtime:6.2f} s {engine} {ratios[0]:6.0f} "
            f"({limits[0]:3}) "
            f"{ratios[1]:6.0f} ({limits[1]:3}) {'same' if log == theirs else 'DIFFERENT'}{missed}",
            flush=True,
        )
    took, by_command = run_command(case, folder, times)
    against = f", Cooja takes {whole / took:.1f} times as long" if in_cooja else ""
    same = "" if not in_cooja or by_command == theirs else ", log DIFFERENT"
    kept &= not same
    print(
        f"{case.name:<34} {'the command':<17} {'':>8} {'':>8} {1e3 * took:9.1f} ms{against}{same}", flush=True
    )
    return kept


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tools.bench.against_cooja",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--cooja", type=Path, default=os.environ.get("COOJA"), help="a built Cooja, or a program"
    )
    parser.add_argument(
        "--contiki", type=Path, default=os.environ.get("CONTIKI_NG"), help="a Contiki-NG tree"
    )
    parser.add_argument("--rules", default=os.environ.get("COOJA_RULES", "5.0"), help="that Cooja's rule set")
    parser.add_argument("--java", help="the JVM for a Cooja folder (default: one that it runs on)")
    parser.add_argument(
        "--sizes",
        type=lambda text: tuple(map(int, text.split(","))),
        default=SIZES,
        help="motes of the grids",
    )
    parser.add_argument("--only", default="ours,papers,contiki-ng,tsch", help="which of these, or stock")
    parser.add_argument(
        "--tests", action="store_true", help="with stock: Contiki-NG's own tests as well, half an hour"
    )
    parser.add_argument(
        "--times", type=int, default=5, help="runs of the engine at least, of which the best counts"
    )
    options = parser.parse_args()
    if options.cooja is None:
        print("skipped: name a real Cooja with --cooja or COOJA; the engine's curve alone follows")
    call = command(Path(options.cooja), options.rules, options.java) if options.cooja else []
    print(
        f"{'case':<34} {'firmware':<17} {'whole':>8} {'runtime':>8} {'engine':>12} {'event':>9} {'skip':>6} "
        f"{'whole (at least)':>14} {'runtime':>8}  log"
    )
    kept = True
    with tempfile.TemporaryDirectory(prefix="orchestrate-against-") as scratch:
        folder = Path(scratch)
        chosen = options.only.split(",")
        parts = {"ours": lambda: ours(folder, options.sizes), "papers": lambda: papers(folder)}
        if options.contiki is not None:
            tree = Path(options.contiki)
            parts |= {
                "contiki-ng": lambda: contiki_ng(folder, tree, options.sizes),
                "tsch": lambda: tsch(folder, tree),
            }
        elif {"contiki-ng", "tsch", "stock"} & set(chosen):
            print("Contiki-NG's firmware skipped: name a tree with --contiki or CONTIKI_NG")
        for part in chosen:
            for case in parts.get(part, lambda: ())():
                kept &= measure(case, call, folder, options.times, options.rules)
        if "stock" in chosen and call and options.contiki is not None:
            for row in stock.beside(
                Cooja(str(options.cooja), options.rules),
                Path(options.contiki),
                folder / "stock",
                options.sizes,
                options.tests,
            ):
                kept &= row.kept
                print(row, flush=True)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
