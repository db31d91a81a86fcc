# SPDX-License-Identifier: Apache-2.0
"""The Cooja-mote tests of a Contiki-NG tree on both engines.

The tree is copied first and stays as it is. Each firmware is built once, by the test's own commands, and both
engines run that one. All of them take half an hour; with a file for the rows an interrupted call goes on
where it was.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue

from orchestrator.csc.read import read
from orchestrator.engines.log import ending
from orchestrator.engines.protocol import engine
from orchestrator.errors import OrchestrateError, Unsupported, WrongUsage
from orchestrator.execution.library import BuildOptions, library
from orchestrator.runs.model import Outcome
from tools.compare.coojas import LOG_FILE, Cooja
from tools.compare.firmware import UNMODIFIED
from tools.compare.table import BUT_ADDRESSES, DIFFERENT, EQUAL, EQUAL_TO_VERDICT, NONE, NOT_RUN, Row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from golden_cases import first_difference

from orchestrator.engines.model import Job
from orchestrator.engines.protocol import run_one

PART = "Contiki-NG's own tests"
LIMIT_S = 900.0  # wall clock of one run
SEED = 1  # where the test names none
# Copies a library to where Cooja expects that of the mote type.
_STAGE = "BUILD_DIR_BOARD = build/cooja\nall:\n\t@mkdir -p build/cooja && cp $(FROM) $(LIBNAME)\n"
_COMMANDS = re.compile(r"(<commands[^>]*>).*?(</commands>)", re.DOTALL)
_POINTER = re.compile(rb"0x[0-9a-f]{9,16}")  # printed addresses: another one in every process


def csc_files(tree: Path) -> list[Path]:
    """The .csc files of Cooja motes, relative to the tree."""
    found = sorted((tree / "tests").rglob("*.csc"))
    return [
        path.relative_to(tree)
        for path in found
        if "contikimote.ContikiMoteType" in path.read_text(encoding="utf-8", errors="replace")
    ]


def name_of(test: Path) -> str:
    return str(test.relative_to("tests").with_suffix(""))


def known_rows(file: Path | None, rules: str) -> dict[str, Row]:
    """What an earlier call wrote, by test."""
    lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
    return {row.case: row for row in (Row(**json.loads(line)) for line in lines) if row.rules == rules}


def build(simulation, tree: Path, kept: Path) -> dict[str, Path]:
    """Mote type -> library, copied before the next type's commands clean up."""
    firmware = {}
    for number, mote_type in enumerate(simulation.mote_types):
        built = library(mote_type, simulation.config_dir, BuildOptions(contiki=tree))
        firmware[mote_type.identifier] = Path(shutil.copy(built, kept / f"{number}.cooja"))
    return firmware


def in_cooja(
    cooja: Cooja, test: Path, seed: int, firmware: list[Path], tree: Path, folder: Path
) -> tuple[str, float]:
    """The verdict, and the time that the process took. Its log is in `folder`."""
    (folder / "stage.mk").write_text(_STAGE)
    libraries = iter(firmware)
    text = _COMMANDS.sub(
        lambda found: f"{found[1]}make -f {folder / 'stage.mk'} FROM={next(libraries)}{found[2]}",
        (tree / test).read_text(encoding="utf-8"),
    )
    staged = (tree / test).with_suffix(".staged.csc")
    staged.write_text(text, encoding="utf-8")
    started = time.monotonic()
    try:
        subprocess.run(
            [
                *cooja.start,
                "--no-gui",
                f"--contiki={tree}",
                f"--logdir={folder}",
                f"--random-seed={seed}",
                str(staged),
            ],
            capture_output=True,
            timeout=LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "wall clock", time.monotonic() - started
    finally:
        staged.unlink()
    return ending(folder / LOG_FILE).verdict or "no verdict", time.monotonic() - started


def compared(ours: bytes, theirs: bytes) -> tuple[str, str]:
    """Whether the bytes are the same, but for what can't repeat; where they first differ."""
    if ours == theirs:
        return EQUAL, ""
    without = [_POINTER.sub(b"0x", log).splitlines(keepends=True) for log in (ours, theirs)]
    if without[0] == without[1]:
        return BUT_ADDRESSES, ""
    if without[0][:-1] == without[1][:-1]:
        return EQUAL_TO_VERDICT, ""
    return DIFFERENT, first_difference(theirs, ours)


def run(test: Path, tree: Path, cooja: Cooja) -> Row:
    """One test on both engines."""

    def row(*cells, note: str = "") -> Row:
        return Row(name_of(test), UNMODIFIED, cooja.rules, *cells, note=note)

    with tempfile.TemporaryDirectory() as scratch:
        kept = Path(scratch)
        try:
            simulation = read(tree / test, tree)
            if any(one.commands for one in simulation.serial_sockets):
                raise Unsupported("a SerialSocketServer with <commands>: no two logs of it are the same")
            seed = SEED if simulation.seed is None else simulation.seed
            firmware = build(simulation, tree, kept)
            started = time.monotonic()
            result = run_one(
                engine("embedded"),
                Job(
                    simulation,
                    seed,
                    firmware,
                    kept / "embedded.testlog",
                    ruleset=cooja.rules,
                    wall_limit_s=LIMIT_S,
                ),
            )
        except OrchestrateError as error:
            what = str(error).split("\n")[0]
            return row(
                NONE,
                NOT_RUN if isinstance(error, Unsupported) else "error",
                NONE,
                note=what.split(": ", 1)[-1],
            )
        took = time.monotonic() - started
        verdict = {Outcome.OK: "OK", Outcome.FAILED: "FAILED", Outcome.NO_VERDICT: "FAILED"}.get(
            result.outcome, result.outcome.value
        )
        (kept / "cooja").mkdir()
        theirs, cooja_s = in_cooja(cooja, test, seed, list(firmware.values()), tree, kept / "cooja")
        log = kept / "cooja" / LOG_FILE
        same, where = compared(
            (kept / "embedded.testlog").read_bytes(), log.read_bytes() if log.exists() else b""
        )
        return row(theirs, verdict, same, cooja_s, took, note=where)


def rows(
    cooja: Cooja, contiki_ng: Path, chosen: str, jobs: int = 1, kept: Path | None = None
) -> Iterator[Row]:
    """Of all tests with `chosen` in their name, `jobs` at a time. `kept`: a file that has rows and gets the
    new ones.
    """
    engine("embedded").prepare()
    os.environ.setdefault("RELSTR", "tests")  # else a build asks git for the version
    wanted = [test for test in csc_files(contiki_ng.resolve()) if chosen in str(test)]
    if not wanted:
        raise WrongUsage(f"{contiki_ng} has no test with {chosen!r} in its name")
    known = known_rows(kept, cooja.rules)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for number in range(jobs):  # builds write into the tree
            trees.put(
                Path(
                    shutil.copytree(
                        contiki_ng,
                        Path(scratch, f"tree{number}"),
                        symlinks=True,
                        ignore=shutil.ignore_patterns(".git"),
                    )
                ).resolve()
            )

        def one(test: Path) -> Row:
            if (row := known.get(name_of(test))) is not None:
                return row
            tree = trees.get()
            try:
                row = run(test, tree, cooja)
            finally:
                trees.put(tree)
            if kept:
                with kept.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(row)) + "\n")
            return row

        yield from pool.map(one, wanted)
