# SPDX-License-Identifier: Apache-2.0
"""What a user of existing .csc files waits for: whole commands beside whole processes of a real Cooja, the
same files and tree.

COOJA (a built Cooja) and CONTIKI_NG (a tree) in the environment; without them these rows say that they were
skipped. The tree is copied; in the copy Cooja's own make has built before, and so has `orchestrate simulate`
in its cache: sources are unchanged, unless a row says otherwise. Logs must be the same bytes, or the row is
missed.

ORCHESTRATE_BENCH_TESTS=1 adds Contiki-NG's own tests, each of its folders in one call of either program: half
an hour in Cooja, which cleans and builds in most of them, as they say.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.write import write
from tools.bench.row import Row, Skipped
from tools.compare.coojas import Cooja, cooja

LOG = "COOJA.testlog"
LEAST = {10: 8, 100: 30, 400: 50, 900: 50}  # times as fast as Cooja, by motes
SECONDS = 600  # simulated
MOST_WARM = 100  # motes; of larger ones Cooja takes long, and runs once
CHANGED = "after a change of one source, 10 motes"
SCRIPT = """TIMEOUT(%d);
while (true) {
  log.log(time + "\\t" + id + "\\t" + msg + "\\n");
  YIELD();
}
"""
# What scripts of users do at a line: log another text, count, look for words, keep what came, or nothing.
SCRIPTS = {
    "logs time, id and text": SCRIPT,
    "does nothing": "TIMEOUT(%d, log.testOK());\nwhile (true) { YIELD(); }\n",
    "counts": (
        "TIMEOUT(%d, log.testOK());\nvar received = 0;\nwhile (true) {\n  if (msg.contains('Received')) { "
        "received++; }\n"
        "  log.log(time + '\\tID:' + id + '\\t' + msg + '\\n');\n  YIELD();\n}\n"
    ),
    # The time-out's code sees no `var` of the script's, which are local to a function in Cooja.
    "keeps": (
        "TIMEOUT(%d, log.log(Object.keys(last).length + '\\n'); log.testOK());\nlast = {};\nwhile (true) {\n "
        " last[id] = msg;\n  YIELD();\n}\n"
    ),
    "has a function": (
        "TIMEOUT(%d, log.testOK());\nfunction line(at, who, what) { return at / 1000 + ' ' + who + ': ' + "
        "what.trim(); }\n"
        "while (true) {\n  log.log(line(time, id, msg) + '\\n');\n  YIELD();\n}\n"
    ),
}
OURS = "a script of ours"
MOST_OF_OURS = 1.5
ORCHESTRATE = [
    sys.executable,
    "-c",
    "from orchestrator.cli.app import main; raise SystemExit(main())",
    "simulate",
]


def rows(folder: Path, seeds: str) -> Iterator[Row | Skipped]:
    path, tree = os.environ.get("COOJA"), os.environ.get("CONTIKI_NG")
    if not (path and tree):
        yield Skipped("existing .csc files beside a real Cooja", "set COOJA and CONTIKI_NG")
        return
    yield from beside(
        cooja(path),
        Path(tree),
        folder / "stock",
        (10, 100, 400, 900),
        bool(os.environ.get("ORCHESTRATE_BENCH_TESTS")),
    )


def beside(real: Cooja, tree: Path, folder: Path, sizes: tuple[int, ...], tests: bool) -> Iterator[Row]:
    """The rows, measured in `folder`."""
    folder.mkdir()
    os.environ.setdefault("RELSTR", "bench")  # the copy is no git checkout
    os.environ.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # an installed package has its bytecode, as a jar has Cooja's
    copy = Path(
        shutil.copytree(
            tree, folder / "tree", ignore=shutil.ignore_patterns(".git", "build", "tools"), symlinks=True
        )
    )
    example = copy / "examples" / "nullnet" / "nullnet-broadcast.c"
    for motes in sizes:
        file = folder / f"{motes}.csc"
        file.write_bytes(with_script(grid(motes, example), SCRIPT % (SECONDS * 1000)))
        if motes == sizes[0]:
            (folder / "cooja").mkdir()
            in_cooja(real, file)  # builds
            in_ours(real, file)
        yield from ratio(
            real,
            file,
            f"{motes} motes, {SECONDS} s, script as in the wild",
            LEAST.get(motes),
            2 if motes <= MOST_WARM else 1,
        )
    yield changed(real, folder / f"{sizes[0]}.csc", example)
    yield from scripts(folder, grid(100, example))
    if tests:
        yield from own_tests(real, copy, folder)


def grid(motes: int, source: Path, seconds: int = SECONDS) -> Simulation:
    """A square grid of motes with this firmware, 40 m apart, 50 m of range."""
    side = next(side for side in range(1, motes + 1) if side * side >= motes)
    places = tuple(Mote("t", i + 1, i % side * 40.0, i // side * 40.0) for i in range(motes))
    target = source.stem
    mote_type = MoteType(
        "t", target, str(source), f"$(MAKE) -j$(CPUS) {target}.cooja TARGET=cooja", STANDARD_INTERFACES
    )
    return Simulation(
        "grid",
        1,
        1_000_000,
        Udgm(50.0, 100.0, 1.0, 1.0),
        (mote_type,),
        places,
        EndScript(seconds * 1_000_000, None, None, True),
    )


def with_script(simulation: Simulation, text: str) -> bytes:
    from lxml import etree

    root = etree.fromstring(write(replace(simulation, script=EndScript(1_000_000))))
    root.find("plugin/plugin_config/script").text = text
    return etree.tostring(root, encoding="UTF-8", xml_declaration=True)


def timed(call: list[str], log: Path, times: int = 1) -> tuple[float, bytes]:
    """The best seconds of whole processes, and the last one's log."""
    best = float("inf")
    for _ in range(times):
        log.unlink(missing_ok=True)
        started = time.monotonic()
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        best = min(best, time.monotonic() - started)
        if not log.exists():
            sys.exit(
                f"{call}\nended with {done.returncode} and left no "
                f"log\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
            )
    return best, log.read_bytes()


def in_cooja(real: Cooja, file: Path, times: int = 1) -> tuple[float, bytes]:
    return timed(
        [*real.start, "--no-gui", f"--logdir={file.parent / 'cooja'}", str(file)],
        file.parent / "cooja" / LOG,
        times,
    )


def in_ours(real: Cooja, file: Path, times: int = 1) -> tuple[float, bytes]:
    return timed(
        [*ORCHESTRATE, f"--rules={real.rules}", f"--logdir={file.parent / 'ours'}", str(file)],
        file.parent / "ours" / LOG,
        times,
    )


def ratio(real: Cooja, file: Path, what: str, least: int | None, times: int) -> Iterator[Row]:
    theirs, their_log = in_cooja(real, file, times)
    ours, our_log = in_ours(real, file, 5)
    same = without_end(their_log) == without_end(our_log)
    yield Row(
        what + ("" if same else ": OTHER LOG"),
        theirs / ours if same else 0.0,
        "x Cooja",
        least,
        at_least=True,
    )
    yield Row(f"  Cooja {theirs:.2f} s, the command", 1000 * ours, "ms")


def without_end(log: bytes) -> list[bytes]:
    """Without the time of the end, which a script's own verdict leaves to chance in Cooja."""
    return [line for line in log.splitlines() if not line.startswith(b"Test ended at simulation time: ")]


def changed(real: Cooja, file: Path, source: Path) -> Row:
    """Each program after a change of its own; the best of three."""
    seconds = {in_cooja: [], in_ours: []}
    for number in range(3):
        for program, took in seconds.items():
            source.write_text(source.read_text() + f"/* change {number} before {program.__name__} */\n")
            took.append(program(real, file)[0])
    return Row(CHANGED, min(seconds[in_cooja]) / min(seconds[in_ours]), "x Cooja", 3, at_least=True)


def scripts(folder: Path, simulation: Simulation) -> Iterator[Row]:
    """Commands with scripts beside the command with a script of ours, in turn."""
    files = {OURS: folder / "ours.csc"}
    files[OURS].write_bytes(
        write(replace(simulation, script=EndScript(SECONDS * 1_000_000, None, None, True)))
    )
    for number, (name, script) in enumerate(SCRIPTS.items()):
        files[name] = folder / f"script-{number}.csc"
        files[name].write_bytes(with_script(simulation, script % (SECONDS * 1000)))
    best = dict.fromkeys(files, float("inf"))
    for _ in range(5):
        for name, file in files.items():
            took, _ = timed([*ORCHESTRATE, f"--logdir={folder / 'ours'}", str(file)], folder / "ours" / LOG)
            best[name] = min(best[name], took)
    for name in SCRIPTS:
        yield Row(f"100 motes, a script that {name}", best[name] / best[OURS], "x ours", MOST_OF_OURS)


def own_tests(real: Cooja, tree: Path, folder: Path) -> Iterator[Row]:
    """The tests with Cooja motes, a folder in one call of either program, as its Makefile has it, one program
    after the other.
    """
    count, theirs, ours = 0, 0.0, 0.0
    for tests in sorted({file.parent for file in (tree / "tests").rglob("*.csc")}):
        files = [
            str(file)
            for file in sorted(tests.glob("*.csc"))
            if "contikimote.ContikiMoteType" in file.read_text(encoding="utf-8", errors="replace")
        ]
        if not files:
            continue
        options = [
            f"--contiki={tree}",
            f"--logdir={folder / 'tests' / tests.name}",
            "--random-seed=1",
            *files,
        ]
        (folder / "tests" / tests.name).mkdir(parents=True)
        subprocess.run([*ORCHESTRATE, *options], capture_output=True, check=False)  # builds
        seconds = []
        for call in ([*real.start, "--no-gui"], [*ORCHESTRATE, f"--rules={real.rules}"]):
            started = time.monotonic()
            subprocess.run([*call, *options], capture_output=True, check=False)
            seconds.append(time.monotonic() - started)
        count, theirs, ours = count + len(files), theirs + seconds[0], ours + seconds[1]
        yield Row(
            f"  {tests.name}, {len(files)} tests: Cooja {seconds[0]:.0f} s, the command", seconds[1], "s"
        )
    yield Row(
        f"Contiki-NG's own tests ({count}), folder by folder", theirs / ours, "x Cooja", 15, at_least=True
    )
