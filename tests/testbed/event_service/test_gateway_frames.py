# SPDX-License-Identifier: Apache-2.0
"""The gateways' reader and writer say of every frame what the middleware's description says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.frames import NotAFrame
from orchestrate_testbed.gateway.event_service.messages import Delivery, Push, Registration

from orchestrator.frames import codec, description

MINE = {"registration", "push", "delivery"}
VECTORS = description.load().vectors
names = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters=","), min_size=1, max_size=8
)
motes = st.integers(1, 65533)
pushes = st.builds(Push, names, st.integers(1, 255), st.integers(0, 65535), st.binary(max_size=32))
messages = (
    st.builds(Registration, st.integers(1, 4), motes, names)
    | pushes
    | st.builds(Delivery, pushes, st.lists(motes, min_size=1, max_size=16).map(tuple))
)


def described(message, number: int) -> dict:
    """The frame as the description's codec has it."""
    head = {"sender": 0, "next_hop": 0, "number": number}
    if isinstance(message, Registration):
        body = {"what": message.what, "origin": message.mote, "subject": frames.subject(message.event)}
        return {"frame": "registration", **head, **body}
    push = message if isinstance(message, Push) else message.push
    event = {
        "subject": frames.subject(push.event),
        "flags": 0,
        "data": push.data,
        "contributor": [{"publisher": push.supplier, "sequence": push.number}],
    }
    if isinstance(message, Push):
        return {"frame": "push", **head, "event": event}
    return {"frame": "delivery", **head, "consumer": list(message.consumers), "event": event}


@settings(max_examples=100, deadline=None)
@given(messages, st.integers(0, 65535))
def test_written_and_read_as_described(message, number):
    line = frames.line(message, number)
    assert line[:1] == b"#"
    assert codec.decode(bytes.fromhex(line[1:].decode())) == described(message, number)
    assert frames.read(line + b"\n") == message


@pytest.mark.parametrize("vector", VECTORS, ids=lambda one: one.refused or one.fields["frame"])
def test_the_description_s_own_frames(vector):
    line = b"#" + vector.frame.hex().encode()
    if vector.fields and vector.fields["frame"] in MINE:
        assert frames.read(line) is not None
    else:
        with pytest.raises(NotAFrame):
            frames.read(line)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=60))
def test_no_bytes_do_harm(data):
    for line in (data, b"#" + data, b"#" + data.hex().encode()):
        try:
            frames.read(line)
        except NotAFrame:
            pass


def test_what_is_no_frame_s_line_is_passed_over():
    assert frames.read(b"!node,relay,0,1,0") is None
    assert frames.read(b"") is None


@pytest.mark.parametrize("event", ["", "ninechars", "t\u00e9mp"])
def test_a_name_that_does_not_fit(event):
    with pytest.raises(ValueError):
        frames.line(Registration(1, 1, event), 0)


def test_too_many_consumers():
    with pytest.raises(NotAFrame, match="1 to 16 consumers, not 17"):
        frames.line(Delivery(Push("temp", 1, 1), tuple(range(1, 18))), 0)
