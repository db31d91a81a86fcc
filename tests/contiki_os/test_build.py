# SPDX-License-Identifier: Apache-2.0
"""The object that Makefile.embedded makes: Cooja's build contract and the mote ABI."""

import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from os_builds import APPS, BUILDS, make

HELLO = APPS / "apps" / "hello-nullnet"

# Sizes in bytes; by the interface of Cooja that reads or writes them.
ABI = {
    "simCurrentTime": 8,
    "simRtimerCurrentTicks": 8,
    "simRtimerNextExpirationTime": 8,
    "simRtimerPending": 4,
    "simEtimerNextExpirationTime": 8,
    "simEtimerPending": 4,
    "simProcessRunValue": 4,  # clock
    "simMoteID": 4,
    "simMoteIDChanged": 1,
    "simRandomSeed": 4,  # mote id
    "simRadioHWOn": 1,
    "simReceiving": 1,
    "simPower": 1,
    "simRadioChannel": 4,
    "simInSize": 4,
    "simOutSize": 4,
    "simInDataBuffer": 128,
    "simOutDataBuffer": 128,
    "simSignalStrength": 4,
    "simLastSignalStrength": 4,
    "simLQI": 4,
    "simLastLQI": 4,
    "simLastPacketTimestamp": 8,  # radio
    "simLoggedFlag": 1,
    "simLoggedLength": 4,
    "simLoggedData": 2048,
    "simSerialReceivingFlag": 1,
    "simSerialReceivingLength": 4,
    "simSerialReceivingData": 2048,  # serial line
    "simLedsValue": 1,
    "simBeeped": 1,
    "simDontFallAsleep": 1,
    "simButtonChanged": 1,
    "simButtonIsActive": 1,
    "simButtonIsDown": 1,
    "simPirChanged": 1,
    "simPirIsActive": 1,
    "simVibChanged": 1,
    "simVibIsActive": 1,
    "simEEPROMChanged": 1,
    "simEEPROMData": 1024,
    "simEEPROMRead": 4,
    "simEEPROMWritten": 4,
    "simCFSChanged": 1,
    "simCFSData": 4000,
    "simCFSRead": 4,
    "simCFSWritten": 4,
    "simCFSSize": 4,
    "referenceVar": 8,
}
HOST_FUNCTIONS = {
    "getcontext",
    "makecontext",
    "swapcontext",
    "abort",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "strlen",
    "strcmp",
    "strncmp",
}


def symbols(library):
    text = subprocess.run(
        ["readelf", "-W", "--dyn-syms", str(library)], check=True, capture_output=True, text=True
    ).stdout
    found = {}
    for line in text.splitlines():
        match = re.match(r"\s+\d+: ([0-9a-f]+)\s+(\d+|0x[0-9a-f]+) (\w+)\s+\w+\s+\w+\s+(\w+) (\w+)", line)
        if match:
            value, size, kind, section, name = match.groups()
            found[name] = (int(value, 16), int(size, 0), kind, section)
    return found


@pytest.fixture
def tree(tmp_path):
    """A copy of contiki-apps without what was built there. Builds of it don't optimise: that is faster."""
    shutil.copytree(APPS, tmp_path / "contiki-apps", ignore=shutil.ignore_patterns("build"))
    return tmp_path / "contiki-apps" / "apps" / "hello-nullnet"


@pytest.mark.parametrize(("compiler", "flags"), BUILDS)
def test_every_variable_of_the_abi(firmware, compiler, flags):
    found = symbols(firmware("data", compiler, flags))
    for name, size in ABI.items():
        assert found[name][1:3] == (size, "OBJECT"), name
    for name in ("cooja_init", "cooja_tick"):
        assert found[name][2] == "FUNC"


@pytest.mark.parametrize(("compiler", "flags"), BUILDS)
def test_data_and_bss_hold_everything_that_a_mote_changes(firmware, compiler, flags):
    found = symbols(firmware("data", compiler, flags))
    sections = [(found[f"cooja_{part}Start"][0], found[f"cooja_{part}Size"][0]) for part in ("data", "bss")]
    for name in ABI:
        value = found[name][0]
        assert any(start <= value < start + size for start, size in sections), name


def test_memory_of_a_mote(firmware):
    found = symbols(firmware("data"))
    stack = 8192
    assert found["cooja_dataSize"][0] + found["cooja_bssSize"][0] - stack < 16 * 1024


@pytest.mark.parametrize(("compiler", "flags"), BUILDS)
def test_nothing_of_the_host_but_these_functions(firmware, compiler, flags):
    wanted = {
        name for name, symbol in symbols(firmware("board", compiler, flags)).items() if symbol[3] == "UND"
    }
    assert {name.split("@")[0] for name in wanted} <= HOST_FUNCTIONS


@pytest.mark.parametrize("name", ["timers", "board"])
def test_same_log_from_every_compiler(firmware, run, name):
    options = ("--motes", "2", "--until", "4500", "--input", "1:4000:much", "--frames")
    logs = [
        run(firmware(name, compiler, flags), *options) for compiler, flags in BUILDS if shutil.which(compiler)
    ]
    assert len(logs[0]) > 5
    assert all(log == logs[0] for log in logs)


@pytest.mark.parametrize("mac", ["csma", "nullmac"])
def test_same_frames_from_every_compiler(firmware, run, mac):
    options = (
        "--motes",
        "4",
        "--until",
        "4500",
        "--input",
        "1:100:b 5",
        "--input",
        "3:101:u 5",
        "--input",
        "4:103:b 3l",
        "--frames",
    )
    logs = [
        run(firmware("mac", compiler, flags, mac), *options)
        for compiler, flags in BUILDS
        if shutil.which(compiler)
    ]
    assert sum(line.mote == 0 for line in logs[0]) >= 12
    assert all(log == logs[0] for log in logs)


def test_the_build_contract_of_cooja(tree):
    """As Cooja calls it: the library's name is a make reference, and nothing else is in the environment."""
    made = make(
        tree,
        "CFLAGS=-O0",
        "-j2",
        "hello-nullnet.cooja",
        "TARGET=cooja",
        env={
            "LIBNAME": "$(BUILD_DIR_BOARD)/mtype123.cooja",
            "COOJA_VERSION": "2023090701",
            "CC": "gcc",
            "EXTRA_CC_ARGS": "-DWHATEVER",
        },
    )
    assert made.returncode == 0, made.stdout
    assert [path.name for path in (tree / "build" / "cooja").glob("*.cooja")] == ["mtype123.cooja"]


def test_the_same_bytes_wherever_it_is_built(tree, work):
    one, other = work / "one", work / "other"
    before = sorted(tree.parents[1].rglob("*"))
    assert make(tree, f"BUILD_DIR={one}", "hello-nullnet.cooja").returncode == 0
    assert sorted(tree.parents[1].rglob("*")) == before, "a build elsewhere leaves the sources alone"
    assert make(HELLO, f"BUILD_DIR={other}", "-j2", "hello-nullnet.cooja").returncode == 0
    assert (one / "cooja/hello-nullnet.cooja").read_bytes() == (
        other / "cooja/hello-nullnet.cooja"
    ).read_bytes()
    assert str(APPS).encode() not in (other / "cooja/hello-nullnet.cooja").read_bytes()


def test_settings_that_change_make_another_library(tree):
    library = tree / "build/cooja/hello-nullnet.cooja"
    bytes_of = {}
    for mac in ("csma", "nullmac", "csma"):
        assert make(tree, "CFLAGS=-O0", "hello-nullnet.cooja", f"MAC={mac}").returncode == 0
        assert bytes_of.setdefault(mac, library.read_bytes()) == library.read_bytes()
    assert bytes_of["csma"] != bytes_of["nullmac"]


def test_a_header_that_changes_rebuilds(tree):
    library = tree / "build/cooja/hello-nullnet.cooja"
    assert make(tree, "CFLAGS=-O0", "hello-nullnet.cooja").returncode == 0
    before = library.read_bytes()
    header = tree.parents[1] / "os/net/mac/csma/csma.h"
    header.write_text(header.read_text().replace("CSMA_MIN_BE 3", "CSMA_MIN_BE 2"))
    assert make(tree, "CFLAGS=-O0", "hello-nullnet.cooja").returncode == 0
    assert library.read_bytes() != before


def test_two_builds_of_one_folder_at_once(tree):
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(lambda _: make(tree, "CFLAGS=-O0", "-j2", "hello-nullnet.cooja"), range(3)))
    assert [result.returncode for result in results] == [0, 0, 0], [result.stdout for result in results]
    leftovers = [
        path
        for path in (tree / "build").rglob("*")
        if path.is_file() and path.suffix not in {".o", ".d", ".cooja"}
    ]
    assert leftovers == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["MAC=tsch"], "MAC=tsch is not known: csma, nullmac or radio-csma"),
        (["TARGET=z1"], "TARGET=z1 needs a Contiki-NG tree: give CONTIKI=DIR"),
        (["MODULES=nosuch"], "no module nosuch"),
        (["TARGET=sky", "MAC=radio-csma"], "the CC2420 doesn't contend by itself"),
        (["TARGET=sky", "PHASE=drawn"], "a board has its own phase"),
        (["BUILD_DIR=/tmp/white space"], "white space in its name"),
    ],
)
def test_wrong_settings_say_what_is_wrong(tree, arguments, message):
    made = make(tree, "CFLAGS=-O0", "hello-nullnet.cooja", *arguments)
    assert made.returncode != 0 and message in made.stdout


def test_a_fault_in_the_source_leaves_no_library(tree):
    (tree / "hello-nullnet.c").write_text("#error broken\n")
    made = make(tree, "CFLAGS=-O0", "hello-nullnet.cooja")
    assert made.returncode != 0 and "broken" in made.stdout
    assert not list((tree / "build").rglob("*.cooja"))
