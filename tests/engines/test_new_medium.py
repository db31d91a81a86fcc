# SPDX-License-Identifier: Apache-2.0
"""A new radio medium is two files: a module in orchestrator/media and a file in the kernel's radio/."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULE = """
from dataclasses import dataclass

from orchestrator.csc.model import DeclaredMedium, OwnSignal
from orchestrator.scenario.model import DeclaredRadioSpec
from orchestrator.vocabulary.parameters import Parameter


@dataclass(frozen=True)
class SharpDiskRadioSpec(DeclaredRadioSpec):
    medium: str = "sharp-disk"
    radius_m: float = 30.0


@dataclass(frozen=True)
class SharpDisk(DeclaredMedium):
    name = "sharp-disk"
    csc_class = "orchestrate.radiomediums.SharpDisk"
    summary = "a disk in which every frame arrives"
    line = "disk"
    radio_spec = SharpDiskRadioSpec
    settings = (Parameter("radius", "number", 30.0, 0.0, 1000.0, help="of sharp-disk: m"),)

    radius_m: float = 30.0
    own_signals: tuple[OwnSignal, ...] = ()

    def reach(self) -> float:
        return self.radius_m

    @property
    def horizon(self) -> float:
        return self.radius_m


MEDIUM = SharpDisk
"""
KERNEL = """
#include "radio/unit_disk.h"

static double
always(const struct medium *medium, double distance, double range)
{
  return (void)medium, (void)distance, (void)range, 1;
}

static void
connect(struct simulation *simulation, struct mote *source, struct packet *packet)
{
  unit_disk_connect(simulation, source, packet, always);
}

static void
read(struct reader *reader, struct medium *medium)
{
  next_line(reader), expect(reader, "disk");
  if(real_number(reader, 0, 1000) != medium->transmission_range) {
    wrong(reader, "another radius than the range");
  }
  done(reader);
}

static const struct medium_rules sharp_disk = {
  .name = "sharp-disk", .placed = true, .read = read, .init = unit_disk_init, .connect = connect,
  .update = unit_disk_update, .join = unit_disk_join, .leave = unit_disk_leave,
  .work_out = unit_disk_work_out};
MEDIUM(sharp_disk)
"""
SCENARIO = """
experiment: disk
topology: {shape: chain, publishers: 2, spacing: 5 m}
radio: {medium: sharp-disk, radius: RADIUS}
application: {name: pubsub-hello, interval: 2 s}
duration: 20 s
seeds: 1
"""


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy to which the two files were added: (call(words) -> what a command prints, its folder)."""
    copy = tmp_path_factory.mktemp("copy")
    for name in ("orchestrator", "contiki-apps", "csc-templates"):
        shutil.copytree(
            ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.o", "*.cooja")
        )
    (copy / "orchestrator" / "media" / "sharp_disk.py").write_text(MODULE)
    (copy / "orchestrator" / "engines" / "embedded" / "kernel" / "radio" / "sharp_disk.c").write_text(KERNEL)
    path = os.pathsep.join(map(str, (copy, ROOT / "spark", ROOT / "testbed")))

    def call(*words: str, radius: str = "20") -> str:
        (copy / "disk.yaml").write_text(SCENARIO.replace("RADIUS", radius))
        command = [sys.executable, "-m", "orchestrator.cli.app", *words]
        done = subprocess.run(
            command,
            env={**os.environ, "PYTHONPATH": path},
            cwd=copy,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout if done.returncode == 0 else f"{done.returncode}: {done.stderr}"

    return call, copy


def test_scenarios_and_their_schema_have_it(extended):
    orchestrate, _ = extended
    shown = orchestrate("validate", "disk.yaml")
    assert "sharp-disk" in shown and "radio.radius" in shown
    assert '"sharp-disk"' in orchestrate("schema")
    too_far = orchestrate("validate", "disk.yaml", radius="4")
    assert too_far.startswith("3: ") and "the range is 4 m" in too_far
    assert "disk.yaml:4" in orchestrate("validate", "disk.yaml", radius="-1")


@pytest.mark.full(instead="the scenario with that medium, which is checked and not run")
def test_runs_stored_files_and_repetitions_have_it(extended):
    orchestrate, place = extended
    made = orchestrate("run", "disk.yaml", "--no-report", "--json")
    assert '"failures": []' in made, made
    assert "same" in orchestrate("reproduce", "disk")
    (stored,) = (place / "orchestrate-store" / "disk" / "runs").iterdir()
    assert orchestrate("simulate", str(stored / "simulation.csc"), "--logdir", "again") == ""
    assert (place / "again" / "COOJA.testlog").read_bytes() == (stored / "COOJA.testlog").read_bytes()
