# SPDX-License-Identifier: Apache-2.0
"""Requests to the mote host over its socket: one line of JSON each, and one as the answer.

{"flash": MOTE, "library": PATH, "image": HEX, "id": N}   the last two may be missing
{"reset": MOTE}, {"erase": MOTE}, {"identify": MOTE}, {"on": MOTE}, {"off": MOTE}
{"crash": MOTE}, {"unplug": MOTE}, {"plug": MOTE}, {"power": BOARD}: all of its motes reboot
{"status": true}, {"end": true}

The answer is {"ok": true, ...} or {"error": TEXT}; it comes when the effect is there.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from orchestrator.engines.embedded.mote_host.firmware import Unfit
from orchestrator.engines.embedded.mote_host.motes import Motes, NoSuchMote, Plugged
from orchestrator.errors import Unsupported

LONGEST = 1 << 16  # bytes of a request


class Malformed(Exception):
    """No request has this form."""


def act(line: bytes, motes: Motes, status: Callable[[], dict]) -> dict:
    """Do what a request asks for, but for "end"; return the answer."""
    try:
        asked = json.loads(line)
        if not isinstance(asked, dict):
            raise Malformed("a request is an object")
        return {"ok": True, **_done(asked, motes, status)}
    except (Malformed, NoSuchMote, Unfit, Unsupported) as error:
        return {"error": str(error)}
    except ValueError:
        return {"error": "a request is one line of JSON"}


def _done(asked: dict, motes: Motes, status: Callable[[], dict]) -> dict:
    simple: dict[str, Callable[[Plugged], None]] = {
        "reset": motes.reset,
        "erase": motes.erase,
        "on": motes.power_on,
        "off": motes.power_off,
        "unplug": motes.unplug,
        "plug": motes.plug,
        "crash": lambda mote: motes.crash(mote, "crashed on request"),
    }
    for name, action in simple.items():
        if name in asked:
            action(motes.named(_text(asked, name)))
            return {}
    if "flash" in asked:
        _flash(asked, motes)
        return {}
    if "identify" in asked:
        mote = motes.named(_text(asked, "identify")).mote
        return {"platform": mote.platform, "eui64": mote.eui64, "mote": mote.name}
    if "power" in asked:
        for each in motes.on_board(_text(asked, "power")):
            motes.reset(each)
        return {}
    if "status" in asked:
        return status()
    raise Malformed("an unknown request")


def _flash(asked: dict, motes: Motes) -> None:
    mote = motes.named(_text(asked, "flash"))
    try:
        image = bytes.fromhex(_text(asked, "image", ""))
    except ValueError:
        raise Malformed("an image is in hexadecimal") from None
    mote_id = asked.get("id")
    if mote_id is not None and not (isinstance(mote_id, int) and 0 < mote_id < 1 << 16):
        raise Malformed("an id is a number from 1 to 65535")
    motes.flash(mote, Path(_text(asked, "library")), image, mote_id)


def _text(asked: dict, name: str, default: str | None = None) -> str:
    value = asked.get(name, default)
    if not isinstance(value, str):
        raise Malformed(f"{name!r} must be a string")
    return value
