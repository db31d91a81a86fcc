# SPDX-License-Identifier: Apache-2.0
"""How long the processor of a Tmote Sky is active and in each mode of low power, beside its radio's times."""

from __future__ import annotations

import csv
import subprocess
from pathlib import Path

import pytest
from orchestrate_spark.sources.air.dissect import dissect

from orchestrator.build import kernel
from orchestrator.csc.model import EndScript, Mote, Silent, Simulation
from orchestrator.csc.mote_type import MspType
from orchestrator.engines.embedded.description import describe
from tests import needs
from tests.programs_for_sky import compiled

needs.a_compiler()

# Mote N computes for N/2 s, counted by the crystal's 32,768 Hz, and sleeps in LPM(N - 1) for the rest.
PROGRAM = r"""
#include <msp430.h>
int node_id;
int main(void)
{
  static const unsigned MODES[] = {0x10, 0x50, 0x90, 0xd0, 0xf0};
  WDTCTL = WDTPW | WDTHOLD;
  for(int half = 0; half < node_id; half++) {
    TACTL = TASSEL_1 | MC_2 | TACLR;
    while(TAR < 16384);
  }
  TACTL = 0;
  __asm__ volatile("bis %0, r2" : : "r"(MODES[node_id - 1]) : "memory");
  for(;;);
}
"""
SECONDS, MODES = 10, ("active", "lpm0", "lpm1", "lpm2", "lpm3", "lpm4")
TYPE = MspType(
    "sky", "", "", "", "sky", "", interfaces=("Position", "MspClock", "MspMoteID", "Msp802154Radio")
)


@pytest.fixture(scope="module")
def records(tmp_path_factory) -> Path:
    """The records of five motes."""
    folder = tmp_path_factory.mktemp("processors")
    firmware = compiled(PROGRAM, folder, "-Os")
    motes = tuple(Mote("sky", number, 0.0, 0.0) for number in range(1, 6))
    simulation = Simulation("t", 1, 0, Silent(), (TYPE,), motes, EndScript(SECONDS * 1_000_000))
    text = describe(simulation, 1, {"sky": firmware}, "2026.07")
    (folder / "radio").mkdir()
    for records in (["--radio", folder / "radio"], ["--air", folder / "air"]):
        subprocess.run(
            [kernel.executable(), "--log", folder / "log", *records],
            input=text,
            check=True,
            capture_output=True,
        )
    return folder


def test_each_mode_has_its_time(records):
    with (records / "radio" / "cpu.csv").open(newline="") as stream:
        rows = [{name: int(value) for name, value in row.items()} for row in csv.DictReader(stream)]
    assert [row["mote"] for row in rows] == [1, 2, 3, 4, 5]
    for row in rows:
        number = row["mote"]
        asleep = f"lpm{number - 1}_us"
        assert row["active_us"] == pytest.approx(number * 500_000, abs=5_000)  # the start takes some ms
        assert sum(row[f"{mode}_us"] for mode in MODES) == SECONDS * 1_000_000
        assert row["active_us"] + row[asleep] == SECONDS * 1_000_000


def test_the_air_record_has_the_same_times(records):
    with (records / "radio" / "cpu.csv").open(newline="") as stream:
        expected = {
            (int(row["mote"]), mode): int(row[f"{mode}_us"])
            for row in csv.DictReader(stream)
            for mode in MODES
        }
    rows = dissect(records / "air").tables["processor_modes"].to_pylist()
    assert {(row["mote"], row["mode"]): row["time_us"] for row in rows} == expected
