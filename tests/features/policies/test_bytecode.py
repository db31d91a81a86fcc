# SPDX-License-Identifier: Apache-2.0
"""Policies in bytecode do what the reference does; the verifier takes nothing that harms a mote.

`python -m tests.features.policies.test_bytecode FIRST LAST` does it for more policies, and damages more
programs.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from both_ways import CLOCK, DRAWN, MIDDLEWARE, SANITIZE, STRICT, application, events, interpreted, shown
from random_policies import INTEGERS, LIBRARY, Maker, every_operator

from orchestrator.errors import FaultyInput
from orchestrator.features.policies.bytecode.compiler import Limits, compiled
from orchestrator.features.policies.bytecode.firmware import Firmware
from orchestrator.features.policies.c_code import bytecode_place
from orchestrator.features.policies.extensions import Library, load
from tests.waiting import HANG_S

BYTECODE = MIDDLEWARE.parent / "policy-bytecode"
LIMITS = Limits(size=800, cells=40)
TOPICS = ("Heat", "Smoke", "Light", "Door", "Alarm", "R", "Vector", *INTEGERS)
OFFERED = ("draw", "drawBool", "drawLong", "drawUnsigned")


def make_library(folder: Path) -> Library:
    (folder / "policy-extension.yaml").write_text(LIBRARY)
    return load([folder / "policy-extension.yaml"])


def make_firmware(library: Library) -> Firmware:
    return Firmware(TOPICS, tuple(library.functions[name][0] for name in OFFERED))


def machine(folder: Path, firmware: Firmware) -> Path:
    """The machine for a firmware, with the driver."""
    compiler = os.environ.get("CC") or shutil.which("gcc")
    if not compiler:
        pytest.skip("no C compiler")
    table = "\n".join(bytecode_place.lines(firmware, 0))
    count = len(firmware.topics) + 1
    head = '#include "policy-bytecode.h"\n#include "drawn.h"\n'
    (folder / "machine.c").write_text(f"{head}{table}\nconst uint8_t policy_topic_count = {count};\n")
    (folder / "drawn.h").write_text(DRAWN)
    (folder / "contiki.h").write_text(CLOCK)
    (folder / "pubsub-routing.h").write_text("typedef uint64_t pubsub_subject_t;\n")
    sources = [folder / "machine.c", *MIDDLEWARE.glob("policy-[av]*.c")]
    sources += [path for path in BYTECODE.glob("*.c") if "spread" not in path.name]
    defines = [f"-DPOLICY_BYTECODE_CONF_SIZE={LIMITS.size}", f"-DPOLICY_BYTECODE_CONF_CELLS={LIMITS.cells}"]
    defines += ["-DPOLICY_BYTECODE_CONF_STEP=count_step", "-include", folder / "step.h"]
    (folder / "step.h").write_text("void count_step(void);\n")
    here = Path(__file__).parent
    includes = [
        f"-I{one}"
        for one in (folder, here, MIDDLEWARE, MIDDLEWARE.parent, BYTECODE, MIDDLEWARE.parent / "pubsub")
    ]
    made = folder / "machine"
    flags = [flag for flag in STRICT if flag != "-Wconversion"]
    command = [
        compiler,
        *flags,
        "-g",
        "-O1",
        *SANITIZE,
        *defines,
        *includes,
        *sources,
        here / "bytecode.c",
        "-o",
        made,
    ]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, done.stderr
    return made


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bytecode")
    library = make_library(folder)
    return machine(folder, make_firmware(library)), library, folder


def program_of(text: str, library: Library) -> tuple:
    """The application, and its only policy in bytecode."""
    bound = replace(application(text, library), topics=TOPICS)
    return bound, compiled(bound.policies[0], make_firmware(library), library, LIMITS)


def same(bound, data: bytes, run: Path, library: Library, seed: int, count: int) -> None:
    """The machine and the reference, on events by chance."""
    given = events(bound, seed, count)
    path = run.parent / f"{run.name}-{seed}.bytecode"
    path.write_bytes(data)
    text = "".join(f"{entry} {' '.join(map(shown, arguments))}\n" for entry, arguments in given)
    done = subprocess.run([run, "run", path], input=text, capture_output=True, text=True, timeout=HANG_S)
    assert done.returncode == 0, f"seed {seed}: {done.stderr[:2000]}"
    wanted = interpreted(bound, library, given)
    for number, (one, other) in enumerate(zip(wanted, done.stdout.splitlines(), strict=True)):
        assert other == one, f"seed {seed}, event {number} {given[number]}"


def programs(first: int, last: int, library: Library):
    """Policies by chance that fit a mote: seed, application and program."""
    for seed in range(first, last):
        text = Maker(random.Random(seed), "Policy", {}, whole=True).text()
        try:
            yield seed, *program_of(text, library)
        except FaultyInput as error:
            assert all("spans" in one.what or "takes" in one.what for one in error.faults), error.faults


def test_bytecode_does_what_the_reference_does(built):
    run, library, _ = built
    found = list(programs(0, 24, library))
    assert len(found) >= 12
    for seed, bound, data in found:
        same(bound, data, run, library, seed, 300)


VECTORS = """Vector
  int many[3] = {5, 6, 7}; uint8 b[4];
  on C-B notify Vector(int a, int c)
    0-0: true ->
      many[7] = a; many[a] = c; many[-2] += 1; b[a] = c; b[-1]++;
      notify R(many[0], many[1], many[2], many[c]);
      accept (b[0], b[1], b[9], b[a]);
"""


def test_every_operator_gives_the_same_for_every_type(built):
    run, library, _ = built
    parts = [f"All{part}" for part in every_operator().split("All") if part]
    whole = [part for part in parts if not part.startswith(("AllFloat", "AllVectors"))]
    assert len(whole) == len(INTEGERS)
    for number, text in enumerate([*whole, VECTORS]):
        bound, data = program_of(text, library)
        same(bound, data, run, library, 1000 + number, 1500)


def damaged(run: Path, library: Library, folder: Path, seed: int, count: int) -> list[int]:
    """Damage programs by chance; how many got each verdict."""
    paths = []
    for one, _, data in programs(100, 130, library):
        if len(data) < 400 and len(paths) < 16:
            paths.append(folder / f"good-{one}")
            paths[-1].write_bytes(data)
    command = [run, "fuzz", str(seed), str(count), *paths]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=10 * HANG_S)
    assert done.returncode == 0, done.stderr[-3000:]
    return [int(word) for word in done.stdout.split()]


def test_damaged_programs_are_refused_or_end_in_time(built):
    run, library, folder = built
    verdicts = damaged(run, library, folder, 1, 20_000)
    assert sum(verdicts) == 20_000
    good, form, firmware, *others = verdicts
    assert good > 500 and firmware == 0 and all(others), verdicts


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        known = make_library(place)
        made = machine(place, make_firmware(known))
        for number, whole, data in programs(int(sys.argv[1]), int(sys.argv[2]), known):
            same(whole, data, made, known, number, 2000)
        print("agree; damaged:", damaged(made, known, place, int(sys.argv[1]), 500_000))
