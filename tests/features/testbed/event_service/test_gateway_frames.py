# SPDX-License-Identifier: Apache-2.0
"""The gateways' reader and writer say of every frame what the middleware's description says."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from orchestrate_testbed.gateway.event_service import frames
from orchestrate_testbed.gateway.event_service.frames import NotAFrame
from orchestrate_testbed.gateway.event_service.messages import Delivery, Push, Registration

from orchestrator.frames import codec, description
from tests.tier import examples

MINE = {"registration", "push", "delivery"}
VECTORS = description.load().vectors
names = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters=","), min_size=1, max_size=8
)
motes = st.integers(1, 65533)
TERMS = (b"", bytes.fromhex("0202cdab"), bytes.fromhex("0304640000000705625a1e0003"))
pushes = st.builds(Push, names, st.integers(1, 255), st.integers(0, 65535), st.binary(max_size=32))
bridged = st.builds(
    Push, names, st.integers(1, 255), st.integers(0, 65535), st.binary(max_size=32), bridged=st.just(True)
)
messages = (
    st.builds(Registration, st.integers(1, 4), motes, names, st.sampled_from(TERMS))
    | pushes
    | bridged
    | st.builds(Delivery, pushes, st.lists(motes, min_size=1, max_size=16).map(tuple))
)


def described(message, number: int) -> dict:
    """The frame as the description's codec has it."""
    head = {"sender": 0, "next_hop": 0, "number": number}
    if isinstance(message, Registration):
        body = {"what": message.what, "origin": message.mote, "subject": frames.subject(message.event)}
        said, at = [], 0
        while at < len(message.terms):
            kind, length = message.terms[at : at + 2]
            said.append({"kind": kind, "data": message.terms[at + 2 : at + 2 + length]})
            at += 2 + length
        return {"frame": "registration", **head, **body, "terms": said}
    push = message if isinstance(message, Push) else message.push
    event = {
        "subject": frames.subject(push.event),
        "flags": 0,
        "data": push.data,
        "contributor": [{"publisher": push.supplier, "sequence": push.number}],
    }
    if isinstance(message, Push):
        return {"frame": "event" if message.bridged else "push", **head, "event": event}
    return {"frame": "delivery", **head, "consumer": list(message.consumers), "event": event}


@settings(max_examples=examples(100), deadline=None)
@given(messages, st.integers(0, 65535))
def test_written_and_read_as_described(message, number):
    line = frames.line(message, number)
    assert line[:1] == b"#"
    assert codec.decode(bytes.fromhex(line[1:].decode())) == described(message, number)
    assert frames.read(line + b"\n") == message


@pytest.mark.parametrize("vector", VECTORS, ids=lambda one: one.refused or one.fields["frame"])
def test_the_description_s_own_frames(vector):
    line = b"#" + vector.frame.hex().encode()
    bridged = vector.fields and vector.fields["frame"] == "event"
    if bridged and len(vector.fields["event"]["contributor"]) > 1:
        with pytest.raises(NotAFrame, match="an aggregate of 2 events"):
            frames.read(line)
    elif bridged or (vector.fields and vector.fields["frame"] in MINE):
        assert frames.read(line) is not None
    else:
        with pytest.raises(NotAFrame):
            frames.read(line)


@settings(max_examples=examples(200), deadline=None)
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


def test_a_delivery_to_a_bridge_is_an_event_of_the_middleware():
    line = frames.line(Delivery(Push("temp", 2, 7, b"\x05"), (8,), bridged=True), 3)
    assert codec.decode(bytes.fromhex(line[1:].decode())) == {
        "frame": "event",
        "sender": 0,
        "next_hop": 0,
        "number": 3,
        "event": {
            "subject": frames.subject("temp"),
            "flags": 0,
            "data": b"\x05",
            "contributor": [{"publisher": 2, "sequence": 7}],
        },
    }
