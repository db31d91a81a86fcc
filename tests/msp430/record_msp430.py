# SPDX-License-Identifier: Apache-2.0
"""Records what MSPSim makes of our random programs: record_msp430.py COOJA, a built contiki-ng/cooja.

Writes mspsim.json: for each program the hash of its memory, how it ended and after how many steps, and a hash
of the states at each 1,000th step. JAVA_HOME names a JDK as new as Cooja's classes.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import msp430_cases
import msp430_programs

HERE = Path(__file__).resolve().parent
STEPS = 20_000
SEEDS = {"instructions": range(12), "peripherals": range(16), "wild": range(60)}
MODES = ("raw", "raw-slices")


def programs() -> dict[str, bytes]:
    """Return the recorded programs by name."""
    random = {
        f"{kind}-{seed}": msp430_programs.program(kind, seed)
        for kind, seeds in SEEDS.items()
        for seed in seeds
    }
    return random | {build.__name__: msp430_cases.case(build) for build in msp430_cases.CASES}


def parsed(output: str) -> dict[str, tuple[str, list[str]]]:
    """Return each program's end and hashes, from a driver's output."""
    found: dict[str, tuple[str, list[str]]] = {}
    name, hashes = "", []
    for line in output.splitlines():
        words = line.split()
        if line.endswith(".raw"):
            name, hashes = line.removesuffix(".raw"), []
        elif words[0].isdigit():
            hashes.append(words[2])
        elif name:
            found[name] = line, hashes
    return found


def write(folder: Path) -> list[str]:
    """Write all programs into a folder, and return their paths."""
    paths = []
    for name, memory in programs().items():
        paths.append(folder / f"{name}.raw")
        paths[-1].write_bytes(memory)
    return [str(path) for path in paths]


def main(cooja: Path) -> None:
    java = Path(os.environ["JAVA_HOME"]) / "bin"
    classes = cooja / "build" / "libs" / "cooja-full.jar"
    commit = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=cooja, text=True).strip()
    recorded = {"cooja": commit, "steps": STEPS, "programs": {}}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([java / "javac", "-cp", classes, "-d", folder, HERE / "Driver.java"], check=True)
        paths = write(folder)
        for mode in MODES:
            command = [java / "java", "-cp", f"{classes}:{folder}", "Driver", mode, str(STEPS), *paths]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            for program, (end, hashes) in parsed(done.stdout).items():
                recorded["programs"].setdefault(program, {})[mode] = [end, " ".join(hashes)]
    for program, memory in programs().items():
        recorded["programs"][program]["sha256"] = hashlib.sha256(memory).hexdigest()
    (HERE / "mspsim.json").write_text(json.dumps(recorded, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
