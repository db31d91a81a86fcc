#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the Cooja-mote tests of a Contiki-NG tree on both engines, and writes what came of each as a table.

    contiki_ng.py [--rules 5.0] [--only PART] [--rows FILE] [--table FILE.md] CONTIKI_NG COOJA

COOJA is a built Cooja folder or a program that takes Cooja's arguments, as for record.py. The tree is copied first and
stays as it is. Each firmware is built once, by the test's own commands, and both engines run that one. Exit code 1 if
any test that runs on both differs in its verdict or in its bytes. It takes half an hour; with --rows an interrupted
call goes on where it was, and the table then has a line for each test, whether or not its turn has come.
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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from queue import SimpleQueue

from golden_cases import RULES, first_difference
from record import command

from orchestrator.campaign.library import library
from orchestrator.csc.read import read
from orchestrator.engines.log import ending
from orchestrator.engines.protocol import engine
from orchestrator.errors import OrchestrateError
from orchestrator.runs.model import Outcome

LIMIT_S = 900.0  # wall clock of one run
SEED = 1  # where the test names none
# Copies a library to where Cooja expects that of the mote type.
_STAGE = "BUILD_DIR_BOARD = build/cooja\nall:\n\t@mkdir -p build/cooja && cp $(FROM) $(LIBNAME)\n"
_COMMANDS = re.compile(r"(<commands[^>]*>).*?(</commands>)", re.DOTALL)
_POINTER = re.compile(rb"0x[0-9a-f]{9,16}")  # printed addresses: another one in every process


@dataclass(frozen=True)
class Row:
    """What came of one test; verdicts `OK`, `FAILED` or another outcome, times in s of whole processes."""

    test: str
    embedded: str
    cooja: str
    same: str
    embedded_s: float | None = None
    cooja_s: float | None = None

    @property
    def good(self) -> bool:
        return self.cooja == "-" or (self.embedded == self.cooja and self.same.startswith("yes"))


def tests(tree: Path) -> list[Path]:
    """The .csc files of Cooja motes, relative to the tree."""
    found = sorted((tree / "tests").rglob("*.csc"))
    return [path.relative_to(tree) for path in found
            if "contikimote.ContikiMoteType" in path.read_text(encoding="utf-8", errors="replace")]


def name_of(test: Path) -> str:
    return str(test.relative_to("tests").with_suffix(""))


def known_rows(file: Path | None) -> dict[str, Row]:
    """What an earlier call wrote, by test."""
    lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
    return {row.test: row for row in (Row(**json.loads(line)) for line in lines)}


def build(simulation, tree: Path, kept: Path) -> dict[str, Path]:
    """Mote type -> library, copied before the next type's commands clean up."""
    firmware = {}
    for number, mote_type in enumerate(simulation.mote_types):
        built = library(mote_type, simulation, contiki=tree)
        firmware[mote_type.identifier] = Path(shutil.copy(built, kept / f"{number}.cooja"))
    return firmware


def in_cooja(call: list[str], test: Path, seed: int, firmware: list[Path], tree: Path, folder: Path) -> tuple[str, float]:
    """The verdict, and the time that the process took. Its log is in `folder`."""
    (folder / "stage.mk").write_text(_STAGE)
    libraries = iter(firmware)
    text = _COMMANDS.sub(lambda found: f"{found[1]}make -f {folder / 'stage.mk'} FROM={next(libraries)}{found[2]}",
                         (tree / test).read_text(encoding="utf-8"))
    staged = (tree / test).with_suffix(".staged.csc")
    staged.write_text(text, encoding="utf-8")
    started = time.monotonic()
    try:
        subprocess.run([*call, "--no-gui", f"--contiki={tree}", f"--logdir={folder}", f"--random-seed={seed}", str(staged)],
                       capture_output=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return "wall clock", time.monotonic() - started
    finally:
        staged.unlink()
    return ending(folder / "COOJA.testlog").verdict or "no verdict", time.monotonic() - started


def compared(ours: bytes, theirs: bytes) -> str:
    """Whether the bytes are the same, but for what can't repeat."""
    if ours == theirs:
        return "yes"
    without = [_POINTER.sub(b"0x", log).splitlines(keepends=True) for log in (ours, theirs)]
    if without[0] == without[1]:
        return "yes, but for printed addresses"
    if without[0][:-1] == without[1][:-1]:
        return "yes, but for the last line"
    return "no: " + first_difference(theirs, ours).replace("\n", ";").replace("|", "/")


def run(test: Path, tree: Path, call: list[str], rules: str) -> Row:
    """One test on both engines."""
    name = name_of(test)
    try:
        simulation = read(tree / test, tree)
    except OrchestrateError as error:
        what = str(error).split("\n")[0].split(": ", 1)[-1]
        return Row(name, "not run", "-", what)
    seed = SEED if simulation.seed is None else simulation.seed
    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch)
        try:
            firmware = build(simulation, tree, kept)
            started = time.monotonic()
            result = engine("embedded").run(simulation, seed, firmware, kept / "embedded.testlog", ruleset=rules,
                                            wall_limit_s=LIMIT_S)
        except OrchestrateError as error:
            return Row(name, "not run", "-", str(error).split("\n")[0])
        took = time.monotonic() - started
        verdict = {Outcome.OK: "OK", Outcome.FAILED: "FAILED", Outcome.SCRIPT_TIMEOUT: "FAILED"}.get(
            result.outcome, result.outcome.value)
        (kept / "cooja").mkdir()
        cooja, cooja_s = in_cooja(call, test, seed, list(firmware.values()), tree, kept / "cooja")
        log = kept / "cooja" / "COOJA.testlog"
        same = compared((kept / "embedded.testlog").read_bytes(), log.read_bytes() if log.exists() else b"")
        return Row(name, verdict, cooja, same, took, cooja_s)


def table(rows: list[Row], rules: str, jobs: int = 1) -> str:
    """Markdown."""
    both = [row for row in rows if row.cooja != "-"]
    alike = sum(row.good for row in both)
    ours, theirs = (sum(value or 0 for value in values) for values in zip(*((row.embedded_s, row.cooja_s) for row in both)))
    lines = [
        "# Contiki-NG's own tests on both engines", "",
        f"The {len(rows)} tests of Contiki-NG 5.0 with Cooja motes, in real Cooja (rule set {rules}) and in the embedded engine,"
        " with the same firmware, built by Contiki-NG's own make.",
        f"{alike} of the {len(both)} that ran on both end alike and write the same bytes. Times are of whole processes, {jobs}"
        f" at a time: {theirs:.0f} s in Cooja, {ours:.1f} s here.", "",
        "*But for the last line*: a test's own verdict stops real Cooja some time later, which its last line, `Test ended at"
        " simulation time`, tells; it differs from run to run.", "",
        "07-simulation-base/21 reads a stack that nothing has written: its lines have no true answer.", "",
        "Made by `make contiki-ng-tests CONTIKI_NG=... COOJA=...`.", "",
        "| test | embedded | Cooja | same bytes | embedded, s | Cooja, s |", "|---|---|---|---|---|---|",
    ]
    for row in rows:
        times = ["" if value is None else f"{value:.2f}" for value in (row.embedded_s, row.cooja_s)]
        lines.append(f"| {row.test} | {row.embedded} | {row.cooja} | {row.same} | {times[0]} | {times[1]} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", default="5.0", choices=RULES, help="the rule set this Cooja follows")
    parser.add_argument("--java", default="java", help="the JVM for a Cooja folder")
    parser.add_argument("--only", action="append", metavar="PART", help="tests with this in their name (may be repeated)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many tests at a time (default: 1)")
    parser.add_argument("--rows", type=Path, help="take what came of tests from this file, and add to it")
    parser.add_argument("--table", type=Path, help="write the table there")
    parser.add_argument("contiki_ng", type=Path)
    parser.add_argument("cooja", type=Path)
    options = parser.parse_args()
    call = command(options.cooja, options.rules, options.java)
    engine("embedded").prepare()
    os.environ.setdefault("RELSTR", "tests")  # else a build asks git for the version
    chosen = [test for test in tests(options.contiki_ng.resolve())
              if not options.only or any(part in str(test) for part in options.only)]
    if not chosen:
        sys.exit("no test of that name")
    known = known_rows(options.rows)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(options.jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(options.jobs):  # builds write into the tree
            trees.put(Path(shutil.copytree(options.contiki_ng, Path(scratch, f"tree{number}"), symlinks=True,
                                           ignore=shutil.ignore_patterns(".git"))).resolve())

        def one(test: Path) -> Row:
            tree = trees.get()
            row = run(test, tree, call, options.rules)
            trees.put(tree)
            line = json.dumps(asdict(row))
            print(line, flush=True)
            if options.rows:
                with options.rows.open("a", encoding="utf-8") as file:
                    file.write(line + "\n")
            return row

        rows = list(pool.map(one, [test for test in chosen if name_of(test) not in known]))
    known |= {row.test: row for row in rows}
    if options.table:
        every = [known.get(name, Row(name, "not yet", "-", "")) for name in map(name_of, tests(options.contiki_ng.resolve()))]
        options.table.write_text(table(every, options.rules, options.jobs), encoding="utf-8")
    return 0 if all(row.good for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
