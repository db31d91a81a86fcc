# SPDX-License-Identifier: Apache-2.0
"""The emulated MSP430F1611 does what Cooja's MSPSim does, and has an answer to every firmware."""

from __future__ import annotations

import json
import random
import struct
import subprocess
from hashlib import sha256
from pathlib import Path

import msp430_cases
import msp430_programs
import pytest
import record_msp430

from orchestrator.build import compiler
from orchestrator.build.kernel import KERNEL, KERNEL_CFLAGS
from tests import needs, tier

HERE = Path(__file__).resolve().parent
RECORDED = json.loads((HERE / "mspsim.json").read_text())
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
EXIT_LOAD = 3
MSP430, X86_64 = 105, 62

needs.a_compiler()


def compiled(folder: Path, *flags: str) -> Path:
    program = folder / "driver"
    units = sorted(map(str, [*KERNEL.glob("msp430/*.c"), *KERNEL.glob("base/*.c")]))
    command = [
        *compiler.find().command,
        *KERNEL_CFLAGS,
        "-O1",
        "-Werror",
        *flags,
        f"-I{KERNEL}",
        *units,
        HERE / "driver.c",
        "-lm",
    ]
    subprocess.run([*command, "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("driver"))


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory):
    return compiled(tmp_path_factory.mktemp("sanitized"), *SANITIZERS)


def ran(driver: Path, mode: str, steps: int, *paths: object) -> str:
    done = subprocess.run(
        [driver, mode, str(steps), *map(str, paths)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-300:] + done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("mode", record_msp430.MODES)
def test_it_has_mspsim_s_states(driver, mode, tmp_path):
    """Cycles, registers and memory, what reached the board and when, after each 1,000 steps."""
    paths = record_msp430.write(tmp_path)
    found = record_msp430.parsed(ran(driver, mode, RECORDED["steps"], *paths))
    assert found.keys() == RECORDED["programs"].keys()
    for program, (end, hashes) in found.items():
        recorded = RECORDED["programs"][program]
        assert sha256((tmp_path / f"{program}.raw").read_bytes()).hexdigest() == recorded["sha256"], (
            "the generator makes another program than the recorded one"
        )
        recorded_end, recorded_hashes = recorded[mode]
        if end.startswith("refused"):  # MSPSim has the MSP430X's instructions in an MSP430F1611, too
            assert recorded_hashes.split()[: len(hashes)] == hashes
        else:
            assert (end, hashes) == (recorded_end, recorded_hashes.split()), program


def test_time_can_be_cut_anywhere(driver, tmp_path):
    """Runs of many us leave the states, and reach the board when, as slices of 1 us do."""
    ends = ran(driver, "raw-runs", 2000, *record_msp430.write(tmp_path)).splitlines()[1::2]
    assert [end for end in ends if not end.startswith("done")] == []
    assert len(ends) == len(RECORDED["programs"])


def test_loops_that_wait_take_their_time(driver, tmp_path):
    """Long runs skip rounds, slices of 1 us don't; the states are the same."""
    path = tmp_path / "waiting.raw"
    path.write_bytes(msp430_cases.case(msp430_cases.waiting))
    assert ran(driver, "raw-runs", 20000, path).splitlines()[1] == "done 20000"


def test_no_program_makes_it_do_what_c_leaves_undefined(sanitized, tmp_path):
    seeds = range(1000, 1000 + tier.examples(200))
    paths = [tmp_path / f"{kind}-{seed}.raw" for seed in seeds for kind in msp430_programs.KINDS]
    for path in paths:
        kind, _, seed = path.stem.partition("-")
        path.write_bytes(msp430_programs.program(kind, int(seed)))
    for seed in seeds:  # not one instruction that was meant
        paths.append(tmp_path / f"noise-{seed}.raw")
        paths[-1].write_bytes(random.Random(seed).randbytes(msp430_programs.MEMORY))
    for mode in record_msp430.MODES:
        ends = record_msp430.parsed(ran(sanitized, mode, 3000, *paths))
        assert len(ends) == len(paths)


# ---- ELF files ----


def elf(
    *, machine: int = MSP430, symbols: bool = True, address: int = 0x4000, code: bytes = b"\xff\x3f"
) -> bytes:
    """A program at an address and its reset vector, with a function and a variable."""
    vector = struct.pack("<H", 0x4000)
    names = b"\0main\0node_id\0"
    table = bytes(16) + struct.pack("<IIIBBHIIIBBH", 1, 0x4000, 2, 2, 0, 1, 6, 0x1100, 2, 1, 0, 1)
    programs = [(0x200, address, code), (0x300, 0xFFFE, vector)]
    sections = [(0, 0, 0, 0, 0), (2, 0x400, len(table), 2, 16), (3, 0x480, len(names), 0, 0)]
    data = bytearray(0x600)
    data[:52] = struct.pack(
        "<4sBBBB8xHHIIIIIHHHHHH", b"\x7fELF", 1, 1, 1, 0, 2, machine, 1, 0x4000, 52, 0x500, 0, 52, 32,
        len(programs), 40, len(sections) if symbols else 0, 0,
    )  # fmt: skip
    for n, (offset, place, part) in enumerate(programs):
        header = struct.pack("<8I", 1, offset, place, place, len(part), len(part), 5, 2)
        data[52 + 32 * n : 84 + 32 * n] = header
        data[offset : offset + len(part)] = part
    for n, (kind, offset, size, link, entry) in enumerate(sections):
        data[0x500 + 40 * n : 0x528 + 40 * n] = struct.pack(
            "<10I", 0, kind, 0, 0, offset, size, link, 0, 1, entry
        )
    data[0x400 : 0x400 + len(table)] = table
    data[0x480 : 0x480 + len(names)] = names
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "wrong"),
    [
        (b"", "no ELF file"),
        (b"\x7fELF\x01\x01", "no ELF file"),
        (elf()[:40], "cut short"),
        (elf()[:0x150], "cut short"),
        (elf()[:0x480], "cut short"),
        (elf(machine=X86_64), "another processor"),
        (elf(symbols=False), "without symbols"),
        (elf(address=0x12000), "too large"),
    ],
)
def test_a_file_that_is_no_firmware_is_named(driver, tmp_path, data, wrong):
    path = tmp_path / "bad.sky"
    path.write_bytes(data)
    done = subprocess.run([driver, "elf", "10", path], capture_output=True, text=True, check=False)
    assert done.returncode == EXIT_LOAD
    report = json.loads(done.stdout)["message"]
    assert wrong in report
    assert "bad.sky" in report


def test_a_firmware_is_run(driver, tmp_path):
    path = tmp_path / "good.sky"
    path.write_bytes(elf())
    assert ran(driver, "elf", 100, path).splitlines()[-1].startswith("done 100")


def test_a_damaged_file_is_named_or_run(sanitized, tmp_path):
    good, chosen, path = elf(), random.Random(35), tmp_path / "damaged.sky"
    for _ in range(tier.examples(150)):
        data = bytearray(good)
        for _ in range(chosen.randrange(1, 5)):
            at = chosen.choice((chosen.randrange(0x80), chosen.randrange(0x400, 0x600)))
            data[at] = chosen.choice((0, 1, 0xFF, 0x80, chosen.getrandbits(8)))
        path.write_bytes(data[: chosen.choice((len(data), chosen.randrange(len(data))))])
        done = subprocess.run([sanitized, "elf", "50", path], capture_output=True, text=True, check=False)
        assert done.returncode in (0, EXIT_LOAD), done.stderr[-3000:]
