# SPDX-License-Identifier: Apache-2.0
"""The motes: what each runs, whether it has power, and what users and tools do with it."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from orchestrator.engines.embedded.live import Live, LiveMote, Output
from orchestrator.engines.embedded.mote_host.firmware import LARGEST_IMAGE, Firmware, Unfit
from orchestrator.engines.embedded.mote_host.plan import Plan, VirtualMote
from orchestrator.engines.embedded.mote_host.port import Port

_LINE_END = re.compile(rb"[\r\n]")
LONGEST_LINE = 127  # bytes that Contiki's serial line has room for


def _line_end(content: bytes) -> int:
    """How many bytes the first line has with its end; 0 if none has ended."""
    found = _LINE_END.search(content)
    return found.end() if found else 0


class NoSuchMote(Exception):
    """Nothing has this name or device."""


@dataclass
class Plugged:
    """A mote and its state. `library` None: it is blank, and prints nothing.

    `incoming`: what its line has brought, and it hasn't been given yet.
    """

    mote: VirtualMote
    port: Port
    library: Path | None = None
    image: bytes = b""
    id: int = 0
    runs: bool = False
    hears: bool = False
    incoming: bytes = b""
    fault: str = ""  # why its firmware stopped


def eeprom(mote: Plugged) -> bytes:
    """Return its EEPROM at boot: the image, and at the end its EUI-64, where AVR boards have theirs.

    An image that reaches so far covers it, so that the firmware can't tell it (middleware/identity).
    """
    eui64 = bytes.fromhex(mote.mote.eui64)
    room = LARGEST_IMAGE - len(eui64)
    return mote.image if len(mote.image) > room else mote.image.ljust(room, b"\0") + eui64


class Motes:
    """All motes of the lab, in one simulation."""

    def __init__(self, plan: Plan, live: Live):
        self._live = live
        self._firmware = Firmware(plan.folder / "firmware")
        self.all = {
            mote.number: Plugged(mote, Port(mote.link, mote.baud), id=mote.number) for mote in plan.motes
        }
        for each in self.all.values():
            each.port.plug()

    def named(self, name: str) -> Plugged:
        """Find a mote by its name, its device's link, the terminal behind that, or the link's own name."""
        for is_it in (
            lambda each: name in (each.mote.name, str(each.mote.link)),
            lambda each: each.port.plugged and os.path.realpath(each.mote.link) == os.path.realpath(name),
            lambda each: each.mote.link.name == os.path.basename(name),
        ):
            found = [each for each in self.all.values() if is_it(each)]
            if len(found) == 1:
                return found[0]
        raise NoSuchMote(f"no mote is {name!r}")

    def on_board(self, board: str) -> list[Plugged]:
        """Return the motes of a board. Raises NoSuchMote."""
        found = [each for each in self.all.values() if each.mote.board == board]
        if not found:
            raise NoSuchMote(f"no mote is on a board {board!r}")
        return found

    def flash(self, mote: Plugged, library: Path, image: bytes, mote_id: int | None) -> None:
        """Load firmware, and let it boot. Raises Unfit; then the old one still runs."""
        if not mote.port.plugged:
            raise Unfit(f"{mote.mote.name} is not plugged in")
        copy = self._firmware.kept(library, image)
        mote.library, mote.image, mote.id = copy, image, mote_id or mote.mote.number
        mote.hears = self._firmware.hears(copy)
        self.reset(mote)

    def erase(self, mote: Plugged) -> None:
        """Make it blank."""
        self.power_off(mote)
        mote.library = None

    def reset(self, mote: Plugged) -> None:
        """Boot anew; as after a flashing, its EEPROM has the image's content."""
        self.power_off(mote)
        self.power_on(mote)

    def power_on(self, mote: Plugged) -> None:
        """Boot, if it isn't blank, unplugged or running."""
        if mote.runs or mote.library is None or not mote.port.plugged:
            return
        at = mote.mote
        self._live.add(LiveMote(mote.library, mote.id, at.x, at.y, image=eeprom(mote), number=at.number))
        self._live.listen(at.number, "bytes")
        mote.incoming = b""
        mote.runs, mote.fault = True, ""

    def power_off(self, mote: Plugged) -> None:
        """Stop what it runs."""
        if mote.runs:
            self._live.remove(mote.mote.number)
            mote.runs = False

    def unplug(self, mote: Plugged) -> None:
        """Unplug it; it loses its power, which comes from the port."""
        self.power_off(mote)
        mote.port.unplug()

    def plug(self, mote: Plugged) -> None:
        """Plug it in again."""
        if not mote.port.plugged:
            mote.port.plug()
            self.power_on(mote)

    def crash(self, mote: Plugged, why: str) -> None:
        """Its firmware stops; the device stays."""
        self.power_off(mote)
        mote.fault = why

    def fell(self) -> None:
        """Take note of motes that crashed or hung."""
        for number, evidence in self._live.fallen.items():
            self.all[number].runs = False
            self.all[number].fault = evidence[0]
        self._live.fallen.clear()

    def said(self, outputs: list[Output]) -> None:
        """Pass on what motes printed."""
        for output in outputs:
            self.all[output.mote].port.say(output.time_us, output.text)

    def sent_to(self) -> bool:
        """Say whether a mote has bytes to come."""
        return any(each.port.for_the_mote or _line_end(each.incoming) for each in self.all.values())

    def heard(self, mote: Plugged, content: bytes) -> None:
        """Take what a line brought, and give the mote its next whole line.

        As Cooja, the firmware ends a line where what it is given at once ends, and has room for one.
        """
        if not mote.runs or not mote.hears:
            mote.incoming = b""
            return
        mote.incoming += content
        end = _line_end(mote.incoming)
        if end:
            line, mote.incoming = mote.incoming[: end - 1], mote.incoming[end:]
        elif len(mote.incoming) >= LONGEST_LINE:
            line, mote.incoming = mote.incoming, b""
        else:
            return
        if line:
            self._live.write(mote.mote.number, line)

    def status(self) -> dict[str, dict]:
        """Say what each does."""
        return {
            each.mote.name: {
                "plugged": each.port.plugged,
                "runs": each.runs,
                "firmware": each.library.stem if each.library else "",
                "id": each.id,
                "fault": each.fault,
                "on_the_line": each.port.on_the_line,
                "heard": each.port.heard,
                "unheard": each.port.unheard,
                "overrun": each.port.overrun,
            }
            for each in self.all.values()
        }
