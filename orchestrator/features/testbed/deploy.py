# SPDX-License-Identifier: Apache-2.0
"""Deploys firmware to motes.

Files go to all gateways at once, and motes are flashed in two waves, so that firmware which no mote takes
stops at the first ones. Where flashing fails, the last good firmware is put back. A record says who did what.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from orchestrate_testbed.client import Refused
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.flashing import TOOLS
from orchestrate_testbed.gateway.flashing.tool import Job, by_serial
from orchestrate_testbed.model import Gateway, Lab, Mote
from orchestrate_testbed.ssh import Network, together
from orchestrate_testbed.transfer import Blob, Kept
from orchestrate_testbed.untrusted import shown

from orchestrator.errors import RunFailed
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.pool import FAILED, failed_again, why_out
from orchestrator.features.testbed.reservation import me

TRIES = 2  # flashing a mote sometimes fails once for no lasting reason
# The usual tool of a platform; an inventory may name another.
USUAL_TOOL = {
    "cooja": "stand-in",
    "sky": "tos-bsl",
    "telosb": "tos-bsl",
    "z1": "tos-bsl",
    "zoul": "cc2538-bsl",
    "cc2538dk": "cc2538-bsl",
    "openmote": "cc2538-bsl",
    "nrf52840": "nrfutil",
    "nrf": "nrfutil",
    "nrf52dk": "jlink",
    "avr-rfa1": "avrdude",
}


SERIAL_LINE = "serial line"  # what brings images to motes whose tool can't


@dataclass(frozen=True)
class Wanted:
    """The firmware that a mote is to run.

    `image`: its EEPROM's; None for none. `number`: its id in the run, which a virtual mote gets as it is
    loaded; a real one reads it from its image.
    """

    mote: Mote
    firmware: Blob
    image: Blob | None = None
    number: int | None = None

    def record(self, tool: str, version: str) -> dict[str, Any]:
        """Return the record that the gateway keeps once the mote runs it."""
        return {
            "firmware": self.firmware.name,
            "image": self.image.name if self.image else "",
            "image-by": SERIAL_LINE if self.image and image_by_serial(self.mote) else tool,
            "platform": self.mote.platform,
            "tool": tool,
            "version": version,
            "id": self.number or 0,
            "who": me(),
            "when": int(time.time()),
        }

    def runs_already(self, record: Mapping[str, Any] | None) -> bool:
        """Return whether the last flashing put exactly this into the mote."""
        wanted = (self.firmware.name, self.image.name if self.image else "", self.number or 0)
        return (
            record is not None
            and (record.get("firmware"), record.get("image"), record.get("id", 0)) == wanted
        )


@dataclass
class Loaded:
    """The result for one mote.

    `state`: "kept" (it runs this already), "flashed", "put back" (flashing failed, and the last good firmware
    is back), "failed", "out" (of the pool), or "gateway silent".
    """

    mote: Mote
    state: str
    why: str = ""
    at_us: int = 0  # when it was flashed, by the controller's monotonic clock
    tool: str = ""  # the tool that flashed it, with its version

    @property
    def good(self) -> bool:
        return self.state in ("kept", "flashed")


@dataclass
class Deployed:
    """The result of `deploy`: the bytes sent to gateways, and each mote's result, in the order wanted."""

    sent: int = 0
    motes: dict[str, Loaded] = field(default_factory=dict)

    def failures(self) -> list[Loaded]:
        return [mote for mote in self.motes.values() if not mote.good]


def tool_of(mote: Mote) -> str | None:
    """Return the tool that flashes a mote; None if nobody knows one."""
    tool = mote.tool or USUAL_TOOL.get(mote.platform)
    return tool if tool in TOOLS else None


def image_by_serial(mote: Mote) -> bool:
    """Return whether the mote's tool can't write an image, so that the daemon sends it."""
    tool = tool_of(mote)
    options = {**dict(mote.options), "command": list(mote.flash)}
    return tool is not None and by_serial(TOOLS[tool], Job("", mote.device, "image", options))


def deploy(
    lab: Lab,
    places: Mapping[str, AtGateway],
    wanted: Sequence[Wanted],
    again: bool = False,
    stage: Callable[[str, int, int], None] = lambda what, done, total: None,
    allowed: Callable[[Gateway, Kept], None] = lambda gateway, kept: None,
) -> Deployed:
    """Bring each mote what it is to run.

    `places`: the gateways that are needed, by name. `again`: also flash motes that run it already. `allowed`:
    raises a LabError if a gateway may not be used.

    Never raises for one mote or gateway: `Deployed` says what became of each. Raises RunFailed if the first
    mote of every gateway failed; the others are left as they were.
    """
    by_gateway: dict[str, list[Wanted]] = {}
    for wish in wanted:
        by_gateway.setdefault(wish.mote.gateway, []).append(wish)
    done = Deployed(motes={wish.mote.name: Loaded(wish.mote, "failed", "not tried") for wish in wanted})
    stage("sending files", 0, len(by_gateway))
    delivered = together(by_gateway.items(), lambda item: _delivered(places[item[0]], item[1], allowed))
    for (_, mine), sent in zip(by_gateway.items(), delivered, strict=True):
        if isinstance(sent, LabError):
            for each in mine:
                done.motes[each.mote.name] = Loaded(each.mote, "gateway silent", str(sent))
        else:
            done.sent += sent
    todo = {name: _todo(lab, places[name], mine, done, again) for name, mine in by_gateway.items()}
    first = {name: mine[:1] for name, mine in todo.items() if mine}
    rest = {name: mine[1:] for name, mine in todo.items() if mine[1:]}
    for wave in (first, rest):
        stage("flashing", sum(map(len, first.values())) if wave is rest else 0, sum(map(len, todo.values())))
        together(wave.items(), lambda item: _flash_all(places[item[0]], item[1], done))
        if (
            wave is first
            and rest
            and not any(done.motes[wish.mote.name].good for mine in first.values() for wish in mine)
        ):
            raise RunFailed(
                "no gateway could flash its first mote, so the others were left as they were:\n"
                + "\n".join(
                    f"{failure.mote.name}: {failure.why}"
                    for failure in done.failures()
                    if failure.why != "not tried"
                )
            )
    return done


def _delivered(place: AtGateway, wanted: Iterable[Wanted], allowed: Callable[[Gateway, Kept], None]) -> int:
    blobs = {}
    for wish in wanted:
        for each in (wish.firmware, wish.image):
            if each is not None:
                blobs[each.name] = each
    sent = place.deliver(blobs.values()).sent
    allowed(place.gateway, place.kept)
    return sent


def _todo(lab: Lab, place: AtGateway, wanted: Iterable[Wanted], done: Deployed, again: bool) -> list[Wanted]:
    """Return the motes behind one gateway that are to be flashed; the results of the others are noted."""
    left = []
    for wish in wanted:
        name = wish.mote.name
        if done.motes[name].state == "gateway silent":
            continue
        out = why_out(lab, place.kept.failed.get(name))
        tool = tool_of(wish.mote)
        if out is not None:
            done.motes[name] = Loaded(wish.mote, "out", out)
        elif tool is None:
            done.motes[name] = Loaded(
                wish.mote, "failed", f"no tool flashes a {wish.mote.platform}: add `tool:` to it"
            )
        elif wish.runs_already(place.kept.flashed.get(name)) and not again:
            done.motes[name] = Loaded(wish.mote, "kept")
        else:
            left.append(wish)
    return left


def _flash_all(place: AtGateway, wanted: Iterable[Wanted], done: Deployed) -> None:
    """Flash motes behind one gateway, one after the other, and keep records."""
    records: list[tuple[str, str, Mapping[str, Any] | None]] = []
    try:
        for wish in wanted:
            name, tool = wish.mote.name, tool_of(wish.mote) or ""
            why = version = ""
            for _ in range(TRIES):
                image = wish.image.name if wish.image else ""
                why, version = _flash(place, wish.mote, tool, wish.firmware.name, image, wish.number)
                if not why:
                    break
            if not why:
                now_us = time.monotonic_ns() // 1000
                done.motes[name] = Loaded(
                    wish.mote, "flashed", at_us=now_us, tool=f"{tool} {version}".strip()
                )
                records.append(("flashed", name, wish.record(tool, version)))
                if name in place.kept.failed:
                    records.append((FAILED, name, None))
                continue
            back = put_back(place, wish.mote)
            done.motes[name] = Loaded(wish.mote, "put back" if back else "failed", why)
            records.append((FAILED, name, failed_again(place.kept.failed.get(name), why)))
            if not back:
                records.append(("flashed", name, None))  # it is not known what the mote runs now
    except LabError as error:
        for wish in wanted:
            if done.motes[wish.mote.name].why == "not tried":
                done.motes[wish.mote.name] = Loaded(wish.mote, "gateway silent", str(error))
    finally:
        with suppress(LabError):  # a mote without a record is flashed again the next time
            place.record(records)


def _flash(
    place: AtGateway, mote: Mote, tool: str, firmware: str, image: str, number: int | None
) -> tuple[str, str]:
    """Flash one mote. Raises Lost and NoConnection.

    Return why it failed ("" if it didn't), and the tool's version ("" if it tells none).
    """
    options: dict[str, Any] = dict(mote.options)
    if mote.flash:
        options["command"] = mote.command(mote.flash, place.device(mote))
    if number and tool == "stand-in":
        options["id"] = number
    try:
        answer = place.flash(tool, mote, firmware, image, options)
    except Refused as refused:
        return refused.text, ""
    return str(answer["failure"]), shown(str(answer.get("version", ""))[:60])


def put_back(place: AtGateway, mote: Mote) -> bool:
    """Flash what the mote ran before; return whether that worked."""
    last = place.kept.flashed.get(mote.name)
    if not last or not isinstance(last.get("firmware"), str):
        return False
    firmware, tool, image = last["firmware"], str(last.get("tool", "")), str(last.get("image", ""))
    number = last["id"] if isinstance(last.get("id"), int) else None
    return not _flash(place, mote, tool, firmware, image, number)[0]


def places(lab: Lab, network: Network, motes: Iterable[Mote]) -> dict[str, AtGateway]:
    """Return the gateways of some motes."""
    names = dict.fromkeys(mote.gateway for mote in motes)
    return {name: AtGateway(lab.gateway(name), network) for name in names}
