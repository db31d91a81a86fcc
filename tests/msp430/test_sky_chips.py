# SPDX-License-Identifier: Apache-2.0
"""No firmware and no medium makes a Tmote Sky's chips do what C leaves undefined."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msp430_programs
import pytest

from orchestrator.build import compiler
from orchestrator.build.kernel import KERNEL, KERNEL_CFLAGS
from tests import needs, tier

HERE = Path(__file__).resolve().parent
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
CHIPS = ("board", "cc2420", "cc2420_receive", "cc2420_spi", "ds2411", "m25p80", "sht11")
AWAY_FROM_OTHERS = 7000  # seeds that no other test has

needs.a_compiler()


@pytest.fixture(scope="module")
def chips(tmp_path_factory):
    program = tmp_path_factory.mktemp("chips") / "chips"
    units = [*KERNEL.glob("msp430/*.c"), *KERNEL.glob("base/*.c"), KERNEL / "radio/fcs.c"]
    units += [KERNEL / "sky" / f"{name}.c" for name in CHIPS]
    flags = [*KERNEL_CFLAGS, "-O1", "-Werror", *SANITIZERS, f"-I{KERNEL}"]
    command = [*compiler.find().command, *flags, *sorted(map(str, units)), HERE / "chips.c", "-lm"]
    subprocess.run([*command, "-o", program], check=True)
    return program


def ran(chips: Path, *words: object) -> str:
    done = subprocess.run([chips, *map(str, words)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_commands_and_bytes_in_any_order_do_no_harm(chips):
    """The SPI, all wires, the air, resets and lost power, each at any moment."""
    said = [ran(chips, "noise", AWAY_FROM_OTHERS + seed, 3000) for seed in range(tier.examples(100))]
    sent = [int(line.split(", ")[1].split()[0]) for line in said]
    assert sum(count > 0 for count in sent) > len(sent) / 2, "most of them bring the radio to send"


def test_wild_firmware_does_them_no_harm(chips, tmp_path):
    paths = []
    for seed in range(AWAY_FROM_OTHERS, AWAY_FROM_OTHERS + tier.examples(60)):
        for kind in msp430_programs.KINDS:
            paths.append(tmp_path / f"{kind}-{seed}.raw")
            paths[-1].write_bytes(msp430_programs.program(kind, seed))
    assert len(ran(chips, "program", 5000, *paths).splitlines()) == len(paths)
