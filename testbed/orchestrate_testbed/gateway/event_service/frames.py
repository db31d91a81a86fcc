# SPDX-License-Identifier: Apache-2.0
"""The frames between a base station and its gateway, as lines of a serial port: `#` and hexadecimal.

It has the frames of the middleware's description (contiki-apps/middleware/frames/frames.yaml) that gateways
need, with the standard library alone; tests compare it with the description.
"""

from __future__ import annotations

import struct
from typing import Union

from orchestrate_testbed.gateway.event_service import terms
from orchestrate_testbed.gateway.event_service.messages import WHAT, Delivery, Push, Registration

VERSION = 1
LARGEST = 100  # bytes
CONSUMERS = 16  # of a delivery
LONGEST_DATA = 32
LAST_MOTE = 65533
FLAGS = 3  # all flags of the publish/subscribe middleware's events
EVENT, REGISTRATION, PUSH, DELIVERY = 1, 8, 11, 12
GATEWAY = 0  # the sender and the next hop of frames on the serial line: no mote has this id

_HEADER = struct.Struct("<BHHH")  # version and type, sender, next hop, number
_REGISTRATION = struct.Struct("<BHQ")
_EVENT = struct.Struct("<QBBB")  # subject, flags, contributors, length
_CONTRIBUTOR = struct.Struct("<BH")

Message = Union[Registration, Push, Delivery]  # noqa: UP007 (for Python 3.7)


class NotAFrame(ValueError):
    """A line that came is none of these frames; the message says why."""


def subject(event: str) -> int:
    """Return the number of an event's name: up to eight characters, the first in the highest byte."""
    name = event.encode("ascii")
    if not 0 < len(name) <= 8 or b"\0" in name:
        raise NotAFrame(f"an event's name has 1 to 8 characters of ASCII, not {event!r}")
    return int.from_bytes(name.ljust(8, b"\0"), "big")


def name(number: int) -> str:
    """Return the event's name of a subject. Raises NotAFrame for a number that is no name."""
    text = number.to_bytes(8, "big").rstrip(b"\0")
    if not text or any(not 0x21 <= one <= 0x7E or one == 0x2C for one in text):
        raise NotAFrame(f"{number:016x} is no event's name")
    return text.decode("ascii")


def read(line: bytes) -> Message | None:
    """Return the message in a line; None for a line without a frame. Raises NotAFrame for a damaged frame."""
    line = line.rstrip(b"\r\n")
    if not line.startswith(b"#"):
        return None
    if len(line) > 1 + 2 * LARGEST:
        raise NotAFrame(f"it has more than {LARGEST} bytes")
    try:
        frame = bytes.fromhex(line[1:].decode("ascii"))
    except ValueError:
        raise NotAFrame("it is not hexadecimal") from None
    return _decoded(frame)


def line(message: Message, number: int, sender: int = GATEWAY) -> bytes:
    """Return the line of a message, without its end. Raises NotAFrame for one that doesn't fit a frame."""
    if isinstance(message, Registration):
        kind = REGISTRATION
        body = _REGISTRATION.pack(message.what, message.mote, subject(message.event)) + message.terms
    elif isinstance(message, Push):
        kind, body = EVENT if message.bridged else PUSH, _event(message)
    elif message.bridged:
        kind, body = EVENT, _event(message.push)
    else:
        if not 1 <= len(message.consumers) <= CONSUMERS:
            raise NotAFrame(f"a delivery is for 1 to {CONSUMERS} consumers, not {len(message.consumers)}")
        kind = DELIVERY
        body = struct.pack(f"<B{len(message.consumers)}H", len(message.consumers), *message.consumers)
        body += _event(message.push)
    frame = _HEADER.pack(VERSION << 4 | kind, sender, GATEWAY, number & 0xFFFF) + body
    if len(frame) > LARGEST:
        raise NotAFrame(f"it takes {len(frame)} bytes, {LARGEST} at most")
    return b"#" + frame.hex().encode("ascii")


def _event(push: Push) -> bytes:
    if len(push.data) > LONGEST_DATA or not 1 <= push.supplier <= 255:
        raise NotAFrame(f"an event has {LONGEST_DATA} bytes at most, and a supplier from 1 to 255")
    head = _EVENT.pack(subject(push.event), 0, 1, len(push.data))
    return head + push.data + _CONTRIBUTOR.pack(push.supplier, push.number & 0xFFFF)


def _decoded(frame: bytes) -> Message:
    if len(frame) < _HEADER.size:
        raise NotAFrame("it is cut short in the header")
    kind = frame[0] & 15
    if frame[0] >> 4 != VERSION:
        raise NotAFrame(f"its version is {frame[0] >> 4}, not {VERSION}")
    if kind not in _READERS:
        raise NotAFrame(f"a frame of type {kind} is none of a gateway's")
    return _READERS[kind](frame[_HEADER.size :])


def _registration(body: bytes) -> Registration:
    if len(body) < _REGISTRATION.size:
        raise NotAFrame("a registration cut short")
    what, mote, number = _REGISTRATION.unpack_from(body)
    if what not in WHAT:
        raise NotAFrame(f"a registration of kind {what}")
    _check_mote(mote)
    said = body[_REGISTRATION.size :]
    try:
        terms.read(said)
    except ValueError as error:
        raise NotAFrame(str(error)) from None
    return Registration(what, mote, name(number), said)


def _push(body: bytes) -> Push:
    if len(body) < _EVENT.size:
        raise NotAFrame("an event cut short")
    number, flags, contributors, length = _EVENT.unpack_from(body)
    if flags or contributors != 1 or length > LONGEST_DATA:
        raise NotAFrame("an event that is no single one")
    if len(body) != _EVENT.size + length + _CONTRIBUTOR.size:
        raise NotAFrame("an event of another length")
    supplier, sequence = _CONTRIBUTOR.unpack_from(body, _EVENT.size + length)
    if supplier == 0:
        raise NotAFrame("an event of supplier 0")
    return Push(name(number), supplier, sequence, body[_EVENT.size : _EVENT.size + length])


def _bridged(body: bytes) -> Push:
    """Return an event of the publish/subscribe middleware; its flags end at the bridge."""
    if len(body) > _EVENT.size and body[8] <= FLAGS and body[9] > 1:
        raise NotAFrame(f"an aggregate of {body[9]} events, which the event service can't carry")
    if len(body) > _EVENT.size and body[8] > FLAGS:
        raise NotAFrame("an event with unknown flags")
    push = _push(body[:8] + b"\0" + body[9:])
    return Push(push.event, push.supplier, push.number, push.data, bridged=True)


def _delivery(body: bytes) -> Delivery:
    many = body[0] if body else 0
    if not 1 <= many <= CONSUMERS or len(body) < 1 + 2 * many:
        raise NotAFrame("a delivery's consumers are cut short, none or too many")
    consumers = struct.unpack_from(f"<{many}H", body, 1)
    for mote in consumers:
        _check_mote(mote)
    return Delivery(_push(body[1 + 2 * many :]), tuple(consumers))


_READERS = {REGISTRATION: _registration, PUSH: _push, EVENT: _bridged, DELIVERY: _delivery}


def _check_mote(mote: int) -> None:
    if not 1 <= mote <= LAST_MOTE:
        raise NotAFrame(f"{mote} is no mote's id")
