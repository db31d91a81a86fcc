# SPDX-License-Identifier: Apache-2.0
"""Prepares a run's folder for Cooja: the .csc that it loads, and each mote type's firmware.

Cooja gives a mote type a new random name at every load, runs the type's build commands in the source's folder
and then expects build/cooja/NAME.cooja there. Therefore the staged .csc names a source folder in the run's
folder, and its command copies the library that we built. So Cooja runs the same bytes as any other engine,
needs no compiler and writes nowhere else. The library is copied and not linked, because the loader takes two
names of one file for one library, and motes of two types would share memory.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

from orchestrator.build import elf
from orchestrator.build.lines import source_line
from orchestrator.csc import mobility
from orchestrator.csc.as_written import AsWritten
from orchestrator.csc.model import Simulation
from orchestrator.csc.mote_type import MspType
from orchestrator.csc.write import write
from orchestrator.durable import sha256, sweep
from orchestrator.vocabulary import mote_images as images

_LIBRARY = "firmware.cooja"
_PLACE = 'mkdir -p build/cooja && cp firmware.cooja "build/cooja/${LIBNAME##*/}"\n'
_FRAME = re.compile(r"\[(mtype\d+\.cooja)\+(0x[0-9a-f]{1,16})\]")  # in a JVM's crash report
SIMULATION, POSITIONS = "simulation.csc", "positions{}.dat"


class Stage:
    """The folder `.tmp-PID-cooja` in a run's folder; durable.sweep removes it if this process is killed."""

    def __init__(self, folder: Path, simulation: Simulation, seed: int, firmware: dict[str, Path]):
        self.folder = folder / f".tmp-{os.getpid()}-cooja"
        self._expected: dict[str, str] = {}  # folder of a mote type -> hash of its library
        sweep(folder)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        types = []
        places: dict[str, str] = {}  # of the firmware of other motes, by mote type
        for number, mote_type in enumerate(simulation.mote_types, 1):
            name = f"type{number}"
            (self.folder / name).mkdir()
            if isinstance(mote_type, MspType):
                file = f"{name}/firmware.{mote_type.target}"  # Cooja tells the platform by the ending
                (self.folder / file).write_bytes(_with_images(firmware[mote_type.identifier], mote_type))
                places[mote_type.identifier] = f"[CONFIG_DIR]/{file}"
                types.append(mote_type._replace(source="", commands="", firmware=f"[CONFIG_DIR]/{file}"))
                continue
            shutil.copyfile(firmware[mote_type.identifier], self.folder / name / _LIBRARY)
            self._expected[name] = sha256(firmware[mote_type.identifier])
            (self.folder / name / "place.sh").write_text(_PLACE, encoding="ascii")
            types.append(mote_type._replace(source=f"[CONFIG_DIR]/{name}/{name}.c", commands="sh place.sh"))
        if isinstance(simulation, AsWritten):
            sources = {
                kind.identifier: (kind.source, kind.commands)
                for kind in types
                if kind.identifier not in places
            }
            (self.folder / SIMULATION).write_bytes(simulation.staged(seed, sources, places))
            return
        staged = replace(simulation, seed=seed, mote_types=tuple(types))
        positions = tuple(POSITIONS.format(number) for number, _ in enumerate(simulation.mobility, 1))
        for name, moves in zip(positions, simulation.mobility):
            (self.folder / name).write_bytes(mobility.write(moves))
        (self.folder / SIMULATION).write_bytes(
            write(staged, tuple(f"[CONFIG_DIR]/{name}" for name in positions))
        )

    def other_firmware(self) -> list[str]:
        """Return, after the run, a line for each mote type whose firmware Cooja did not load."""
        wrong = []
        for name, expected in self._expected.items():
            loaded = list((self.folder / name / "build" / "cooja").glob("*.cooja"))
            if not loaded or any(sha256(path) != expected for path in loaded):
                wrong.append(f"mote {name}: what Cooja loaded is not the firmware that was given")
        return wrong

    def places(self, evidence: tuple[str, ...]) -> tuple[str, ...]:
        """Return the evidence with function and source line behind each offset in a mote type's library."""
        places_: list[str] = []
        for line in evidence:
            places_.append(line)
            if match := _FRAME.search(line):
                library = next(self.folder.glob(f"type*/build/cooja/{match[1]}"), None)
                places_ += [] if library is None else [f"in {source_line(library, int(match[2], 16))}"]
        return tuple(places_)

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _with_images(firmware: Path, mote_type: MspType) -> bytes:
    """Return firmware with the motes' images that the mote type's build command has."""
    content, table = bytearray(firmware.read_bytes()), images.table(images.taken_out(mote_type.commands)[1])
    if table:
        begin = elf.offset(firmware, images.SECTION)
        content[begin : begin + len(table)] = table
    return bytes(content)
