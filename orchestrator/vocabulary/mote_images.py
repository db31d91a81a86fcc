# SPDX-License-Identifier: Apache-2.0
"""The EEPROM images of motes without an EEPROM, which their firmware holds (contiki-apps/os/sky/eeprom.c).

A table: two bytes, the size of an image, lower first; a bit for each byte of an image, from the lowest of the
first byte on, which is set if the motes' bytes differ; an image with the bytes that don't (0 in place of the
others); and of motes 1, 2, ... those that do. The build command of the mote type passes it to make,
IMAGES=BASE64.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from itertools import compress

SECTION = ".images"  # of the ELF file
ROOM = 4096  # bytes of a table, contiki-apps/os/sky/sky.ld
_GIVEN = re.compile(r" IMAGES=([A-Za-z0-9+/]+=*)(?= |$)")


def table(images: Mapping[int, bytes]) -> bytes:
    """Return the table of these images, by mote id from 1; empty without any. It may be larger than ROOM."""
    if not images:
        return b""
    each = max(map(len, images.values()))
    rows = [images.get(mote, b"").ljust(each, b"\0") for mote in range(1, max(images) + 1)]
    # The first byte is always a mote's own, so that a mote that has no row in the table has no image.
    differ = [at == 0 or len(set(values)) > 1 for at, values in enumerate(zip(*rows, strict=True))]
    bits = sum(1 << at for at, its in enumerate(differ) if its)
    common = bytes(0 if its else byte for byte, its in zip(rows[0], differ, strict=True))
    own = (bytes(compress(row, differ)) for row in rows)
    return b"".join((each.to_bytes(2, "little"), bits.to_bytes(-(-each // 8), "little"), common, *own))


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
    images = _images(content)
    return (command[: given.start()] + command[given.end() :], images) if images else (command, {})


def _images(content: bytes) -> dict[int, bytes]:
    """Return the images of a table, by mote id; none if it is not sound."""
    each = int.from_bytes(content[:2], "little")
    begin = 2 + -(-each // 8)
    bits = int.from_bytes(content[2:begin], "little")
    common, rows = content[begin : begin + each], content[begin + each :]
    differ = [at for at in range(each) if bits >> at & 1]
    if not differ or len(common) < each or len(content) > ROOM or len(rows) % len(differ):
        return {}
    images = {}
    for begin in range(0, len(rows), len(differ)):
        image = bytearray(common)
        for at, byte in zip(differ, rows[begin:], strict=False):
            image[at] = byte
        images[1 + begin // len(differ)] = bytes(image)
    return images
