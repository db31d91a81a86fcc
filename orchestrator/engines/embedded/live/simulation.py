# SPDX-License-Identifier: Apache-2.0
"""A simulation that Python drives step by step, so that other software takes part in it.

One process of the kernel, which stands still between two calls (kernel/run/door.h). The same calls give the
same bytes in the log, and the steps in which a time is reached change nothing.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path

from orchestrator.build import kernel
from orchestrator.csc import sky
from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import (
    DirectedGraph,
    EndScript,
    Medium,
    Mote,
    MoteType,
    Simulation,
)
from orchestrator.csc.mote_type import MspType
from orchestrator.engines.embedded.described import type_lines
from orchestrator.engines.embedded.description import Driven, edge_line, mote_words, signal_line
from orchestrator.engines.embedded.live import variables
from orchestrator.engines.embedded.live.operations import Operations, finite
from orchestrator.engines.embedded.live.values import LiveMote, Stage
from orchestrator.engines.model import Outside
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.words import counted, first_of

MOST_ADDED = 4000  # motes that may be added to one simulation; address space is reserved for them
MOST_TYPES = 400  # different libraries


class Live(Operations):
    """A simulation under way; a context manager, at whose end it is over. Not thread-safe.

    Its process ends with the thread that made it. Times are simulated, in us from the start.
    """

    def __init__(self, stage: Stage, motes: Iterable[LiveMote] = (), executable: Path | None = None) -> None:
        """Load all firmware and create the motes; nothing happens yet.

        `executable`: a kernel from another build.
        """
        motes = tuple(motes)
        for mote in motes:
            if mote.known_as != mote.id:
                raise ValueError(f"mote {mote.id} is there from the start, and so known by its id")
        libraries = tuple(dict.fromkeys(mote.library for mote in motes))
        self._made_of(stage, _simulation(stage, motes, libraries), libraries, motes, executable)

    @classmethod
    def of(
        cls,
        stage: Stage,
        simulation: Simulation,
        firmware: Mapping[str, Path],
        executable: Path | None = None,
        held: object = None,
        outside: Outside | None = None,
    ) -> Live:
        """Begin with the motes of a simulation, whose script doesn't run.

        `stage`: its medium and start delay are those of the simulation. `firmware`: by mote type identifier.
        `held`: is kept for as long as this object, such as a temporary folder of the firmware.
        `outside`: how it meets the world outside, such as by the serial sockets of a .csc; None: not at all.
        Raises Unsupported for motes that share an id, and what World raises.
        """
        made = cls.__new__(cls)
        made._held = held
        libraries = tuple(firmware[one.identifier] for one in simulation.mote_types)
        motes = tuple(
            LiveMote(
                firmware[one.type_identifier],
                one.id,
                one.x,
                one.y,
                one.z,
                one.eeprom or b"",
                bit_rate=one.bit_rate,
                deviation=one.deviation,
            )
            for one in simulation.motes
        )
        _refuse_repeated(motes)
        made._made_of(stage, simulation, libraries, motes, executable, outside)
        return made

    def _made_of(
        self,
        stage: Stage,
        simulation: Simulation,
        libraries: tuple[Path, ...],
        motes: tuple[LiveMote, ...],
        executable: Path | None,
        outside: Outside | None = None,
    ) -> None:
        self._medium = stage.medium  # as it is now; edges may name motes that are not there
        self._types: dict[Path, int] = {}
        for number, library in enumerate(libraries):  # several types may have the same
            self._types.setdefault(library, number)
        self._type_count = len(libraries)
        self._emulated = {  # the interfaces of emulated motes, by firmware
            library: one.interfaces
            for one, library in zip(simulation.mote_types, libraries)
            if isinstance(one, MspType)
        }
        self._described = {mote.known_as: mote for mote in motes}  # all that ever were there
        self._out: dict[int, int] = {}  # motes that a script would call removed, with the kernel's number
        self._begin(
            stage,
            simulation,
            {one.identifier: library for one, library in zip(simulation.mote_types, libraries)},
            tuple(mote.known_as for mote in motes),
            executable or kernel.executable(),
            Driven(MOST_ADDED, MOST_TYPES),
            outside,
        )

    @property
    def libraries(self) -> tuple[Path, ...]:
        """The firmware's libraries, in the order of the mote types; add() takes them."""
        return tuple(self._types)

    def fork(self, seed: int | None = None, log: str | os.PathLike | None = None) -> Live:
        """Return a copy of the simulation as it is now; both go on by themselves, and share nothing.

        `seed`: the copy draws other random numbers from now on; None: the same ones. A seed holds for the
        medium, for motes that are added, and for the libc generator of the firmware; what motes have drawn
        already stays, and so does a generator of the firmware's own. `log`: the file for the copy's log,
        which appears as soon as it has all of the past; None: one without a name. Output that nobody has
        got yet is in both.

        Raises Unsupported if something outside takes part that can't be copied, such as an open socket, and
        StorageFailed.
        """
        if seed is not None and not -(1 << 63) <= seed < 1 << 63:
            raise ValueError(f"{seed} is no seed: it has 64 bits")
        path = None if log is None else Path(log)
        if path is not None and path.resolve() == self.log.resolve():
            raise WrongUsage(f"{path} is the log of what is copied; give the copy another one")
        self._there()
        self._answered()
        if self._holds:
            raise Unsupported(_no_copy(self._holds[0]))
        self._send()  # all that was said before holds for both
        forked = self._kernel.fork(f"fork {'same' if seed is None else seed}".encode(), path, self._await)
        if isinstance(forked, str):
            raise Unsupported(_no_copy(forked))
        made = copy(self)
        made._kernel, made._log = forked
        made._stage = replace(self._stage, seed=self.seed if seed is None else seed, log=made._log.path)
        for name in (
            "fallen",
            "_types",
            "_emulated",
            "_index",
            "_made",
            "_outputs",
            "_frames",
            "_described",
            "_out",
        ):
            setattr(made, name, copy(getattr(self, name)))
        made._unsaid, made._holds = [], []
        made._started = time.monotonic()
        if seed is not None:
            made.note(0, f"a copy with the random seed {seed}")
        return made

    @contextmanager
    def hold(self, what: str) -> Iterator[None]:
        """Refuse forks in this block, in which something takes part that can't be copied; `what` names it."""
        self._holds.append(what)
        try:
            yield
        finally:
            self._holds.remove(what)

    def __repr__(self) -> str:
        state = "ended" if self._result else "closed" if self._kernel.closed else f"{self.now_us / 1e6:.6f} s"
        return f"<Live: {counted(len(self._index), 'mote')}, {state}>"

    def add(self, mote: LiveMote) -> None:
        """Give a new mote power, now: a new board, or one with new firmware after remove()."""
        if len(self._made) >= MOST_ADDED:
            raise Unsupported(
                f"{MOST_ADDED} motes were added to this simulation, which is the most\n    begin another one"
            )
        described = _as_csc(mote)
        number = self._types.get(mote.library)
        if number is None:
            if self._type_count >= MOST_TYPES:
                raise Unsupported(
                    f"{MOST_TYPES} different libraries were loaded into this simulation, which is the most"
                    "\n    begin another one"
                )
            number = self._types[mote.library] = self._type_count
            self._type_count += 1
            emulated = variables.is_msp430(mote.library)
            if emulated:
                self._emulated[mote.library] = sky.USUAL
            for line in type_lines(mote.library, *(sky.USUAL, "sky") if emulated else (STANDARD_INTERFACES,)):
                self._say(line)
        index = self._count(mote.known_as)
        self._described[mote.known_as] = mote
        self._say(b"add " + mote_words(described, number))
        for signal in getattr(self._medium, "own_signals", ()):
            if signal.mote == mote.known_as:
                self._say(signal_line(signal, index))
        for edge in getattr(self._medium, "edges", ()):
            ends = (edge.source, edge.destination)
            if mote.known_as in ends and self._index.keys() >= {*ends}:
                self._say(edge_line(edge, self._index[edge.source], self._index[edge.destination]))

    def remove(self, mote: int) -> None:
        """Pull the mote's plug, now: its code doesn't run again, a frame that it is sending is lost."""
        self._say(f"remove {self._of(mote)}")
        del self._index[mote]

    def switch_off(self, mote: int) -> None:
        """Take the mote's power away, as remove(); switch_on() gives it back."""
        self.remove(mote)

    def switch_on(self, mote: int) -> None:
        """Boot a mote that was switched off or removed, or fell: with new memory, its EEPROM as at first."""
        if mote not in self._described:
            raise NoSuchThing(f"no mote {mote!r} was ever in the simulation; add() takes new ones")
        self.add(self._described[mote])

    def take_out(self, mote: int) -> None:
        """Remove the mote as a script's sim.removeMote() does: it keeps its memory (put_back)."""
        index = self._of(mote)
        self._say(f"take-out {index}")
        self._out[mote] = index
        del self._index[mote]

    def put_back(self, mote: int) -> None:
        """Add a mote that was taken out, as a script's sim.addMote(): with its memory, and a new clock."""
        if mote not in self._out or mote in self._index:
            raise NoSuchThing(f"no mote {mote!r} was taken out of the simulation")
        if self._described[mote].library in self._emulated:
            raise Unsupported(
                f"mote {mote} is an emulated Tmote Sky, which Cooja can't add again: it stops there\n"
                "    give it power with switch_on(), where it boots anew"
            )
        self._index[mote] = self._out.pop(mote)
        self._say(f"put-back {self._index[mote]}")

    def move(self, mote: int, x: float, y: float, z: float | None = None) -> None:
        """Move the mote, now; the effect on signals comes with the next event of the medium, as in Cooja."""
        index, known = self._of(mote), self._described[mote]
        place = [finite(value, "m") for value in (x, y, known.z if z is None else z)]
        self._say(f"move {index} {place[0]!r} {place[1]!r} {place[2]!r}")
        self._described[mote] = replace(known, x=place[0], y=place[1], z=place[2])

    def set_id(self, mote: int, id: int) -> None:
        """Give the mote another id, which its firmware sees; calls know the mote by its number as before."""
        if not -(1 << 31) <= id < 1 << 31:
            raise ValueError(f"{id} is no id: it has 32 bits")
        self._say(f"rename {self._of(mote)} {id}")


def _simulation(stage: Stage, motes: tuple[LiveMote, ...], libraries: tuple[Path, ...]) -> Simulation:
    """Return the simulation of these motes, each with Cooja's standard interfaces."""
    numbers = {library: number for number, library in enumerate(libraries)}
    types = [
        sky.usual_type(str(number), library.name, "", "")
        if variables.is_msp430(library)
        else MoteType(str(number), library.name, "", "", STANDARD_INTERFACES)
        for library, number in numbers.items()
    ]
    return Simulation(
        title="live",
        seed=stage.seed,
        motedelay_us=stage.start_delay_us,
        medium=_among(stage.medium, {mote.id for mote in motes}),
        mote_types=tuple(types),
        motes=tuple(_as_csc(mote, numbers[mote.library]) for mote in motes),
        script=EndScript(1),
    )


def _no_copy(why: str) -> str:
    return f"this simulation can't be copied: {why}\n    fork it before that is there, or after its end"


def _refuse_repeated(motes: tuple[LiveMote, ...]) -> None:
    repeated = sorted(id for id, count in Counter(mote.id for mote in motes).items() if count > 1)
    if repeated:
        raise Unsupported(
            f"several motes have the id {first_of(repeated)}, and calls know a mote by its id\n"
            "    give each mote an id of its own"
        )


def _as_csc(mote: LiveMote, mote_type: int = 0) -> Mote:
    if mote.image and variables.is_msp430(mote.library):
        raise Unsupported(
            f"mote {mote.known_as} is a Tmote Sky, which has no EEPROM for an image\n"
            "    leave the image out; a scenario's cell, or its stored run, has it in the firmware"
        )
    return Mote(
        *(str(mote_type), mote.id, mote.x, mote.y, mote.z, mote.image or None, mote.bit_rate),
        deviation=mote.deviation,
    )


def _among(medium: Medium, motes: set[int]) -> Medium:
    """Return the medium without its settings for other motes."""
    if isinstance(medium, DirectedGraph):
        edges = tuple(edge for edge in medium.edges if {edge.source, edge.destination} <= motes)
        medium = replace(medium, edges=edges)
    if not hasattr(medium, "own_signals"):
        return medium
    signals = tuple(signal for signal in medium.own_signals if signal.mote in motes)
    return replace(medium, own_signals=signals)
