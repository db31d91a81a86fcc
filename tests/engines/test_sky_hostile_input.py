# SPDX-License-Identifier: Apache-2.0
"""A sanitized kernel with emulated Tmote Skys: no ELF file and no debugger makes it do anything but run, or
say what is wrong. A golden case runs in it, too.
"""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from engine_harness import SANITIZED, build_kernel

from orchestrator.csc.read import read_bytes
from orchestrator.engines.embedded.description import describe
from tests import needs, tier
from tests.waiting import HANG_S

sys.path.append(str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import RULES

needs.a_compiler()

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "sky"
CASE = GOLDEN / "constant-loss"
HEADERS, SECTION_TABLE = 0x100, 16 * 40  # bytes at an ELF file's begin and, of sections, at its end
PACKETS = ("g", "?", "m1100,20", "mfff0,40", "m100,2", "M1100,2:abcd", "M4000,2:ff3f", "P0=0040", "P1=0001")
PACKETS += (
    "Z0,4000,2",
    "z0,4000,2",
    "Z2,1100,2",
    "Z2,0,ffffffff",
    "s",
    "c4000",
    "qRcmd,73696d",
    "qSupported",
)
PACKETS += (
    "qSupported:swbreak+",
    "QStartNoAckMode",
    "p3",
    "pff",
    "vCont?",
    "H",
    "",
    "m",
    "M",
    "P",
    "Z",
    "Z0,",
)


@pytest.fixture(scope="module")
def sanitized():
    return build_kernel(SANITIZED)


def described(firmware: Path, seconds: int) -> bytes:
    """Describe the golden case, whose script has 12 s."""
    text = (CASE / "simulation.csc").read_bytes()
    assert text.count(b"TIMEOUT(12000") == 1
    run = read_bytes(text.replace(b"TIMEOUT(12000", b"TIMEOUT(%d000" % seconds))
    return describe(run, run.seed, {"mtype1": firmware}, RULES[-1])


def check(done: subprocess.CompletedProcess) -> dict:
    """No sanitizer has found anything; return the last report."""
    assert b"Sanitizer" not in done.stderr, done.stderr.decode()[:3000]
    assert b"runtime error" not in done.stderr, done.stderr.decode()[:3000]
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize("every_slice", ["0", "1"])
def test_a_golden_case_is_clean(sanitized, every_slice, tmp_path):
    log = tmp_path / "log"
    command = [sanitized, "--log", log, "--every-slice", every_slice]
    done = subprocess.run(
        command, input=described(GOLDEN / "probe.sky", 12), capture_output=True, check=False
    )
    assert check(done)["report"] == "end"
    own = CASE / f"COOJA-{RULES[-1]}.testlog"
    assert log.read_bytes() == (own if own.exists() else CASE / "COOJA.testlog").read_bytes()


def damaged(chosen: random.Random, good: bytes) -> bytes:
    """Return a file with some bytes changed, mostly in headers, symbols and code, or cut short."""
    data = bytearray(good)
    for _ in range(chosen.randrange(1, 6)):
        at = chosen.choice(
            (chosen.randrange(HEADERS), -1 - chosen.randrange(SECTION_TABLE), chosen.randrange(len(data)))
        )
        data[at] = chosen.choice((0, 1, 0x7F, 0x80, 0xFF, chosen.getrandbits(8)))
    return bytes(data[: chosen.choice((len(data),) * 4 + (chosen.randrange(len(data)),))])


def test_a_damaged_file_is_run_or_named(sanitized, tmp_path):
    chosen, good = random.Random(3500), (GOLDEN / "probe.sky").read_bytes()
    ended = set()
    for _ in range(tier.examples(160)):
        (tmp_path / "damaged.sky").write_bytes(damaged(chosen, good))
        command = [sanitized, "--log", tmp_path / "log", "--limit", "5"]
        done = subprocess.run(
            command,
            input=described(tmp_path / "damaged.sky", 1),
            capture_output=True,
            timeout=HANG_S,
            check=False,
        )
        report = check(done)
        assert report["report"] in ("end", "error", "crash", "time"), report
        assert report.get("kind") != "kernel", report
        ended.add(report["report"])
    assert {"end", "error"} <= ended, "damage that matters, and some that does not"


def packet(content: str) -> bytes:
    return f"${content}#{sum(content.encode('latin-1')) & 0xFF:02x}".encode("latin-1")


def test_a_debugger_can_say_what_it_likes(sanitized, tmp_path):
    chosen = random.Random(3501)
    for number in range(tier.examples(40)):
        path = tmp_path / f"socket{number}"
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen(1)
            command = [sanitized, "--log", tmp_path / "log", "--debugger", str(server.fileno())]
            (tmp_path / "description").write_bytes(described(GOLDEN / "probe.sky", 2))
            with (
                (tmp_path / "description").open("rb") as description,
                subprocess.Popen(
                    [*command, "--stop-mote", "1", "--stop-at", str(chosen.randrange(10**6))],
                    stdin=description,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[server.fileno()],
                ) as process,
            ):
                begun = process.stdout.readline()
                assert json.loads(begun)["report"] == "stopped"
                with socket.socket(socket.AF_UNIX) as client:
                    client.connect(str(path))
                    client.sendall(b"".join(said(chosen) for _ in range(chosen.randrange(1, 60))))
                    client.shutdown(socket.SHUT_WR)
                    with suppress(ConnectionResetError):  # it hung up before it had read everything
                        while client.recv(4096):
                            pass
                output, errors = process.communicate(timeout=HANG_S)
            report = check(subprocess.CompletedProcess(command, process.returncode, begun + output, errors))
            assert report["report"] in ("stopped", "end", "crash", "error"), report


def said(chosen: random.Random) -> bytes:
    """Return a packet, or what looks a little like one."""
    kind = chosen.randrange(10)
    if kind < 7:
        return packet(chosen.choice(PACKETS))
    if kind == 7:
        return packet(
            "".join(chr(chosen.randrange(32, 127)) for _ in range(chosen.randrange(40))).replace("#", "")
        )
    if kind == 8:
        return packet("m" + "0" * chosen.randrange(5000))
    return chosen.randbytes(chosen.randrange(20))
