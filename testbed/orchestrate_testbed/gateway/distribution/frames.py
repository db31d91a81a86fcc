# SPDX-License-Identifier: Apache-2.0
"""The frames by which motes that are nodes of a system talk, as lines of a serial port: `#` and hexadecimal.

It has the one frame of the middleware's description (contiki-apps/middleware/frames/frames.yaml) that nodes
need, with the standard library alone; tests compare it with the description. A mote's times have 32 bits, and
jobs' numbers 16.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from orchestrate_testbed.gateway.distribution.channel import Value
from orchestrate_testbed.gateway.distribution.clock import Clock
from orchestrate_testbed.gateway.event_service.frames import VERSION, NotAFrame

DISTRIBUTED = 9
VALUE, QUESTION, ANSWER = 1, 2, 3
_FRAME = struct.Struct("<BHHHBBHII")  # version and type, sender, next hop, number; then the body
_LOW = 2**32 - 1


class Frame(NamedTuple):
    """A frame of the run time on motes: a value, a question for the time, or an answer.

    `task`: of a value, the one that gets it. `job`: of a value, the low 16 bits; else the node that asks.
    `stamp`: of a value, its update; else when the node asked. `other`: of a value, its stamp's error; of an
    answer, the reference time.
    """

    kind: int
    task: int
    job: int
    stamp: int
    other: int


def line(frame: Frame, sender: int, to: int, number: int) -> bytes:
    """Return a frame's line, without its end. `sender`, `to`: motes."""
    kind, task, job, stamp, other = frame
    head = (VERSION << 4 | DISTRIBUTED, sender, to, number & 0xFFFF)
    packed = _FRAME.pack(*head, kind, task, job & 0xFFFF, stamp & _LOW, min(other, _LOW))
    return b"#" + packed.hex().encode("ascii")


def read(text: bytes) -> Frame:
    """Return the frame in a line. Raises NotAFrame."""
    try:
        kept = bytes.fromhex(text.rstrip(b"\r\n")[1:].decode("ascii"))
        head, _, _, _, *body = _FRAME.unpack(kept)
    except (ValueError, struct.error):
        raise NotAFrame("it is no frame of a node") from None
    if head != VERSION << 4 | DISTRIBUTED or not VALUE <= body[0] <= ANSWER:
        raise NotAFrame("it is another frame")
    return Frame(*body)


def of_value(task: int, job: int, value: Value) -> Frame:
    """Return the frame of a value for a mote's task."""
    return Frame(VALUE, task, job, value.stamp, value.error)


def of_message(said: dict) -> Frame:
    """Return the frame of a question for the reference time, or of its answer."""
    if said["say"] == "clock":
        return Frame(QUESTION, 0, said["node"], said["asked"], 0)
    return Frame(ANSWER, 0, 0, said["asked"], said["now"] & _LOW)


def value(frame: Frame, clock: Clock, sent: int) -> Value:
    """Return the value in a frame. `sent`: when the network took it, reference time."""
    return Value(near(frame.stamp, clock.now()), frame.other, sent)


def message(frame: Frame, clock: Clock) -> dict[str, Any]:
    """Return the question or the answer in a frame, as nodes say it (member.py)."""
    if frame.kind == QUESTION:
        return {"say": "clock", "asked": frame.stamp, "node": frame.job}
    now = frame.other if clock.error is None else near(frame.other, clock.now())
    return {"say": "time", "asked": near(frame.stamp, clock.own()), "now": now}


def job(frame: Frame, due: int) -> int:
    """Return the job of the value in a frame. `due`: the path's job that is released at this time."""
    return near(frame.job, due, 16)


def near(low: int, about: int, bits: int = 32) -> int:
    """Return the number nearest to `about` that ends with these bits."""
    half = 1 << (bits - 1)
    return about + ((low - about + half) & (2 * half - 1)) - half
