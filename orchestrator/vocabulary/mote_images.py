# SPDX-License-Identifier: Apache-2.0
"""The EEPROM images of motes without an EEPROM, which their firmware holds (contiki-apps/os/sky/eeprom.c).

A table: two bytes, the size of an image, lower first, then the images of motes 1, 2, ... The build command of
the mote type passes it to make, IMAGES=BASE64.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping

SECTION = ".images"  # of the ELF file
ROOM = 4096  # bytes of a table, contiki-apps/os/sky/sky.ld
_GIVEN = re.compile(r" IMAGES=([A-Za-z0-9+/]+=*)(?= |$)")


def table(images: Mapping[int, bytes]) -> bytes:
    """Return the table of these images, by mote id from 1; empty without any. It may be larger than ROOM."""
    if not images:
        return b""
    each = max(map(len, images.values()))
    rows = (images.get(mote, b"").ljust(each, b"\0") for mote in range(1, max(images) + 1))
    return each.to_bytes(2, "little") + b"".join(rows)


def with_table(command: str, images: Mapping[int, bytes]) -> str:
    """Return a build command that passes the images on."""
    return f"{command} IMAGES={base64.b64encode(table(images)).decode()}"


def taken_out(command: str) -> tuple[str, dict[int, bytes]]:
    """Return a build command without images, and these by mote id; none if there is no sound table."""
    given = _GIVEN.search(command)
    if given is None:
        return command, {}
    try:
        content = base64.b64decode(given[1], validate=True)
    except binascii.Error:
        return command, {}
    each, rows = int.from_bytes(content[:2], "little"), content[2:]
    if each == 0 or len(rows) % each or len(content) > ROOM:
        return command, {}
    images = {mote + 1: rows[mote * each : (mote + 1) * each] for mote in range(len(rows) // each)}
    return command[: given.start()] + command[given.end() :], images
