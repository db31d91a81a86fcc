# SPDX-License-Identifier: Apache-2.0
"""Firmware of a few lines for tests of the engine, and simulations to run it in."""

from __future__ import annotations

import subprocess
from pathlib import Path

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm

LOSSLESS = Udgm(50.0, 70.0, 1.0, 1.0)
HEAD = r"""
#include <stdint.h>
#include <stdio.h>
#include <string.h>
int64_t simCurrentTime, simRtimerCurrentTicks, simRtimerNextExpirationTime, simEtimerNextExpirationTime;
int simRtimerPending, simEtimerPending, simProcessRunValue;
char simRadioHWOn = 1, simReceiving, simPower = 100;
int simRadioChannel = 26, simInSize, simOutSize, simSignalStrength, simLastSignalStrength, simLQI, simLastLQI;
int64_t simLastPacketTimestamp;
char simInDataBuffer[256], simOutDataBuffer[256];
int simMoteID, simRandomSeed;
char simMoteIDChanged, simLoggedFlag, simLoggedData[40000];
int simLoggedLength;
char simLedsValue, simBeeped, simEEPROMChanged, simEEPROMData[1024], simCFSChanged;
int simEEPROMRead, simEEPROMWritten, simCFSRead, simCFSWritten;
static int booted;
static void print(const char *bytes, int count) {
  memcpy(simLoggedData + simLoggedLength, bytes, count);
  simLoggedLength += count;
  simLoggedFlag = 1;
}
#define SAY(...) do { char said[400]; print(said, snprintf(said, sizeof(said), __VA_ARGS__)); } while(0)
static void etimer(int64_t ms) { simEtimerNextExpirationTime = simCurrentTime + ms; simEtimerPending = 1; }
static int due(void) {
  if(!simEtimerPending || simEtimerNextExpirationTime > simCurrentTime) return 0;
  simEtimerPending = 0;
  return 1;
}
static int first(void) { int was = booted; booted = 1; return !was; }
void cooja_init(void) { }
"""


def compile_firmware(
    folder: Path, name: str, body: str, flags: tuple[str, ...] = (), head: str = HEAD, compiler: str = "gcc"
) -> Path:
    """A shared object of HEAD and `body`, which defines at least cooja_tick()."""
    source = folder / f"{name}.c"
    library = folder / f"{name}.cooja"
    source.write_text(head + body)
    subprocess.run(
        [compiler, "-O1", "-fPIC", "-fno-common", "-shared", "-w", *flags, str(source), "-o", str(library)],
        check=True,
    )
    return library


def simulation(
    places,
    seconds: float = 1,
    *,
    medium: Udgm = LOSSLESS,
    motedelay_us: int = 0,
    success: str | None = None,
    fail: str | None = None,
    verdict: bool = True,
    at_once: bool = False,
    interfaces: tuple[str, ...] = STANDARD_INTERFACES,
    eeprom: bytes | None = None,
) -> Simulation:
    """Motes 1, 2, ... of the type "t" at these places (x, y in m)."""
    motes = tuple(
        Mote("t", number, float(x), float(y), 0.0, eeprom) for number, (x, y) in enumerate(places, 1)
    )
    script = EndScript(int(seconds * 1_000_000), success, fail, verdict, at_once)
    return Simulation(
        "test", 1, motedelay_us, medium, (MoteType("t", "t", "t.c", "", interfaces),), motes, script
    )


class JavaRandom:
    """java.util.Random as its documentation defines it, written independently of the kernel's."""

    def __init__(self, seed: int):
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def next(self, bits: int) -> int:
        self.state = (self.state * 0x5DEECE66D + 0xB) % 2**48
        value = self.state >> (48 - bits)
        return value - 2**bits if bits == 32 and value >= 2**31 else value

    def next_int(self, bound: int) -> int:
        if bound & -bound == bound:
            return bound * self.next(31) >> 31
        while True:
            bits = self.next(31)
            value = bits % bound
            if bits - value + bound - 1 < 2**31:
                return value

    def next_double(self) -> float:
        return ((self.next(26) << 27) + self.next(27)) * 2.0**-53
