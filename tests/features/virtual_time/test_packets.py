# SPDX-License-Identifier: Apache-2.0
"""SLIP and IPv6 from a mote may be anything; what we write ourselves, we read."""

from __future__ import annotations

from ipaddress import IPv6Address

from hypothesis import example, given
from hypothesis import strategies as st

from orchestrator.features.virtual_time import packets, slip
from tools.fuzz.targets import border_router

ADDRESSES = st.integers(0, 2**128 - 1).map(IPv6Address)
PORTS = st.integers(0, 65535)
SPECIAL = st.lists(st.sampled_from([b"\xc0", b"\xdb", b"\xdc", b"\xdd", b"a"]), min_size=1).map(b"".join)


@given(frames=st.lists(st.binary(min_size=1, max_size=100) | SPECIAL), cut=st.integers(1, 50))
def test_frames_arrive_in_whatever_pieces(frames, cut):
    line = b"".join(map(slip.encode, frames))
    decoder = slip.Decoder()
    pieces = [line[at : at + cut] for at in range(0, len(line), cut)]
    assert [frame for piece in pieces for frame in decoder.take(piece)] == frames


def test_a_frame_without_an_end_takes_no_memory():
    decoder = slip.Decoder()
    for _ in range(100):
        assert decoder.take(b"x" * 10_000) == []
    assert len(decoder.begun) <= slip.LONGEST + 1
    assert decoder.take(b"\xc0next\xc0") == [b"next"] and decoder.too_long == 1


@given(ADDRESSES, ADDRESSES, PORTS, PORTS, st.binary(max_size=packets.LONGEST_UDP))
def test_a_datagram_is_read_as_it_was_written(source, destination, one, other, data):
    written = packets.with_datagram(source, destination, packets.Datagram(one, other, data))
    read = packets.parse(packets.encode(written))
    assert read == written
    assert packets.datagram(read) == packets.Datagram(one, other, data)


@given(st.binary(max_size=60), st.integers(0, 400), st.integers(1, 255))
def test_no_changed_byte_of_the_payload_is_taken(data, at, change):
    sent = packets.with_datagram(IPv6Address(1), IPv6Address(2), packets.Datagram(5, 6, data))
    whole = bytearray(packets.encode(sent))
    at = packets.HEADER + at % (len(whole) - packets.HEADER)
    whole[at] ^= change
    read = packets.parse(bytes(whole))
    assert read is None or packets.datagram(read) is None


@given(
    st.binary(max_size=200)
    | st.builds(lambda rest: b"\x60\0\0\0\0\x20" + rest, st.binary(min_size=66, max_size=66))
)
def test_any_bytes_can_be_read(data):
    read = packets.parse(data)
    if read is not None and read.protocol == packets.UDP:
        packets.datagram(read)
    if read is not None and read.protocol == packets.ICMPV6:
        packets.message(read)
        packets.refused(read)


def test_extension_headers_are_skipped():
    bare = packets.with_datagram(IPv6Address(1), IPv6Address(2), packets.Datagram(5, 6, b"data"))
    whole = packets.encode(
        packets.Packet(bare.source, bare.destination, 0, bytes([17]) + bytes(7) + bare.payload)
    )
    assert packets.parse(whole) == bare


PACKETS = st.builds(
    lambda source, destination, kind, code, data: packets.encode(
        packets.with_message(source, destination, packets.Message(kind, code, data[:4].ljust(4), data[4:]))
    ),
    ADDRESSES,
    st.just(IPv6Address("fd00::1")),
    st.sampled_from([1, 2, 3, 4, 128, 129, 135]),
    st.integers(0, 7),
    st.binary(max_size=120),
)


LOOPBACK_PING = slip.encode(
    packets.encode(
        packets.with_message(
            IPv6Address("::1"),
            IPv6Address("fd00::1"),
            packets.Message(packets.ECHO_REQUEST, 0, bytes(4), b""),
        )
    )
)


@example(LOOPBACK_PING)
@given(
    st.binary(max_size=300) | SPECIAL | PACKETS | PACKETS.map(slip.encode) | st.just(b"?P\xc0!M\xc0\r\xc0")
)
def test_whatever_a_border_router_sends_the_host_lives(data):
    border_router(data)
