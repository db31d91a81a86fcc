# SPDX-License-Identifier: Apache-2.0
"""Fragments, answers and captures: a datagram counts as delivered only when all of it has arrived."""

import struct

import pytest
from captured import WITHOUT_FCS, pcap
from orchestrate_spark.sources.air.dissect import Settings, dissect

from tests.features.air.network import ACK, DATA, Record, ipv6, link

UDP, ICMP = 17, 58
RECEIVED, BY_CHANCE = 0, 6
ASKS = 0x20  # of the frame control: for an acknowledgement


class Air:
    """Frames from one mote to the other, 10 ms apart, each with an acknowledgement if it is received."""

    def __init__(self):
        self.record, self.now, self.seq, self.frames = Record(), 0, 0, []

    def send(
        self,
        source: int,
        target: int,
        body: bytes,
        fate: int = RECEIVED,
        control: int = DATA,
        after_us: int = 10_000,
        acks: bool = True,
    ) -> None:
        self.now += after_us
        self.seq += 1
        mac = struct.pack("<HBH", control, self.seq, 0xABCD) + link(target)[::-1] + link(source)[::-1]
        self.record.frame(source, self.now, mac + body, {target: fate}, 3000)
        self.frames.append(mac + body)
        if fate == RECEIVED and acks:
            ack = struct.pack("<HB", ACK, self.seq)
            self.record.frame(target, self.now + 3192, ack, {source: RECEIVED}, 400)
            self.frames.append(ack)

    def datagrams(self, path):
        path.write_bytes(self.record.end(self.now + 60_000_000))
        return dissect(path, Settings()).tables["datagrams"].to_pylist()


def packet(source: int, target: int, protocol: int, body: bytes) -> bytes:
    return struct.pack(">IHBB", 6 << 28, len(body), protocol, 64) + ipv6(source) + ipv6(target) + body


def udp(source: int, target: int, ports: tuple[int, int], body: bytes) -> bytes:
    return b"\x41" + packet(source, target, UDP, struct.pack(">HHHH", *ports, 8 + len(body), 0) + body)


@pytest.mark.parametrize("lost", [None, 0, 1, 2])
def test_a_datagram_in_fragments_is_delivered_when_all_of_them_are(tmp_path, lost):
    air, whole = Air(), udp(1, 2, (5000, 5001), bytes(range(152)))[1:]
    parts = [(at, whole[at : at + 80]) for at in range(0, len(whole), 80)]
    for number, (at, part) in enumerate(parts):
        kind = 0xC0 if at == 0 else 0xE0
        head = struct.pack(">HH", kind << 8 | len(whole), 7) + (b"\x41" if at == 0 else bytes([at // 8]))
        air.send(1, 2, head + part, BY_CHANCE if number == lost else RECEIVED)
    (row,) = air.datagrams(tmp_path / "air")
    assert (row["protocol"], row["payload_length"], row["transmissions"]) == ("udp", 152, len(parts))
    end = ("delivered", None) if lost is None else ("lost", "lost-by-chance")
    assert (row["fate"], row["cause"]) == end


def test_an_origin_that_hears_its_forwarded_multicast_is_no_receiver(tmp_path):
    """Mote 1 sends to all MPL forwarders; mote 2 forwards it, and motes 1 and 3 hear that."""
    record, group = Record(), bytes.fromhex("ff0300000000000000000000000000fc")
    body = struct.pack(">HHHH", 5000, 5001, 12, 0) + b"text"
    for hops_left, sender, heard in (
        (64, 1, {2: RECEIVED, 3: BY_CHANCE}),
        (63, 2, {1: RECEIVED, 3: RECEIVED}),
    ):
        ip = struct.pack(">IHBB", 6 << 28, len(body), UDP, hops_left) + ipv6(1) + group + body
        mac = struct.pack("<HBHH", 0xD841, sender, 0xABCD, 0xFFFF) + link(sender)[::-1]
        record.frame(sender, 10_000 * sender, mac + b"\x41" + ip, heard, 3000)
    (tmp_path / "air").write_bytes(record.end(90_000_000))
    (row,) = dissect(tmp_path / "air", Settings()).tables["datagrams"].to_pylist()
    assert (row["fate"], row["origin"], row["delivered"], row["duplicates"]) == ("multicast", 1, 2, 0)


def test_a_mote_that_waits_for_an_acknowledgement_takes_no_other_frame(tmp_path):
    """Contiki's CSMA drops what comes in its place; its silence alone may mean that the channel was busy."""
    air = Air()
    air.send(2, 1, udp(2, 1, (5000, 5001), b"acknowledged"))  # both send acknowledgements
    air.send(1, 2, udp(1, 2, (5000, 5001), b"acknowledged"))
    air.send(1, 2, udp(1, 2, (5000, 5001), b"silent"), acks=False)
    air.send(2, 1, udp(2, 1, (5000, 5001), b"lost"), BY_CHANCE)
    air.send(1, 2, udp(1, 2, (5000, 5001), b"dropped"), after_us=3500, acks=False)
    air.send(1, 2, udp(1, 2, (5000, 5001), b"dropped again"), BY_CHANCE)
    ends = [(row["fate"], row["cause"]) for row in air.datagrams(tmp_path / "air")]
    assert ends == [
        *[("delivered", None)] * 3,
        ("lost", "lost-by-chance"),
        ("lost", "unacknowledged"),
        ("lost", "lost-by-chance"),
    ]


def test_a_mote_with_enhanced_acknowledgements_takes_what_it_acknowledges(tmp_path):
    """TSCH acknowledges without asking whether the channel is free, and scans without taking frames."""
    air = Air()
    air.send(1, 2, udp(1, 2, (5000, 5001), b"taken"), acks=False)
    air.record.frame(2, air.now + 3192, struct.pack("<HB", 0x2002, air.seq), {1: RECEIVED}, 400)
    air.send(1, 2, udp(1, 2, (5000, 5001), b"while it scans"), acks=False)
    ends = [(row["fate"], row["cause"]) for row in air.datagrams(tmp_path / "air")]
    assert ends == [("delivered", None), ("lost", "unacknowledged")]


def in_fragments(air: Air, hop: tuple[int, int], whole: bytes, parts: int = 2) -> None:
    tag = len(air.frames)
    for at in range(0, min(len(whole), 80 * parts), 80):
        kind, head = (0xC0, b"\x41") if at == 0 else (0xE0, bytes([at // 8]))
        air.send(*hop, struct.pack(">HH", kind << 8 | len(whole), tag) + head + whole[at : at + 80])


def with_checksum(whole: bytes) -> bytes:
    """A packet of IPv6 and UDP with the sum of RFC 768 in it."""
    words = [int.from_bytes(whole[at : at + 2], "big") for at in range(8, len(whole), 2)]
    total = sum(words) + len(whole) - 40 + UDP
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return whole[:46] + struct.pack(">H", total ^ 0xFFFF) + whole[48:]


def forwarded(whole: bytes) -> bytes:
    return whole[:7] + bytes([whole[7] - 1]) + whole[8:]


def test_a_datagram_stays_one_if_a_mote_sends_on_only_a_part_of_it(tmp_path):
    air, whole = Air(), with_checksum(udp(1, 3, (5000, 5001), bytes(range(96)))[1:])
    air.send(3, 2, udp(3, 2, (1, 1), b"mote 3 is there"))
    in_fragments(air, (1, 2), whole)
    in_fragments(air, (2, 3), forwarded(whole), 1)
    _, row = air.datagrams(tmp_path / "air")
    assert (row["origin"], row["transmissions"], row["fate"], row["cause"]) == (1, 3, "lost", "incomplete")


def test_a_datagram_whose_checksum_is_wrong_is_garbled_and_not_delivered(tmp_path):
    air, whole = Air(), with_checksum(udp(1, 3, (5000, 5001), bytes(range(96)))[1:])
    air.send(3, 2, udp(3, 2, (1, 1), b"mote 3 is there"))
    in_fragments(air, (1, 2), whole)
    in_fragments(air, (2, 3), forwarded(whole)[:-1] + b"x")
    in_fragments(air, (1, 2), whole)
    in_fragments(air, (2, 3), forwarded(whole))
    _, garbled, fine = air.datagrams(tmp_path / "air")
    assert (garbled["origin"], garbled["transmissions"]) == (1, 4)
    assert (garbled["fate"], garbled["cause"], garbled["delivered"]) == ("lost", "garbled", 0)
    assert (fine["fate"], fine["delivered"]) == ("delivered", 1)


def test_a_wrong_checksum_is_a_flaw_and_the_fields_are_there(tmp_path):
    """In one frame, it is garbled and not delivered either."""
    air, whole = Air(), with_checksum(udp(1, 2, (5000, 5001), b"text")[1:])
    air.send(1, 2, b"\x41" + whole)
    air.send(1, 2, b"\x41" + whole[:-1] + b"x")
    fine, garbled = air.datagrams(tmp_path / "air")
    assert (fine["fate"], garbled["fate"], garbled["cause"]) == ("delivered", "lost", "garbled")
    frames = dissect(tmp_path / "air", Settings()).tables["frames"].to_pylist()
    first, second = (row for row in frames if row["type"] == "data")
    assert first["flaw"] is None and second["flaw"] == "the UDP checksum is wrong"
    assert (second["dst_port"], second["payload_length"]) == (5001, 4)


def test_a_datagram_whose_last_fragments_were_never_sent_is_incomplete(tmp_path):
    air, whole = Air(), udp(1, 2, (5000, 5001), bytes(range(152)))[1:]
    air.send(1, 2, struct.pack(">HH", 0xC000 | len(whole), 7) + b"\x41" + whole[:80])
    (row,) = air.datagrams(tmp_path / "air")
    assert (row["fate"], row["cause"]) == ("lost", "incomplete")


def test_answers_are_paired_with_their_requests(tmp_path):
    air = Air()

    def coap(code: int, mid: int, token: bytes) -> bytes:
        return bytes([0x40 | len(token), code]) + struct.pack(">H", mid) + token

    def echo(kind: int, number: int) -> bytes:
        return struct.pack(">BBHHH", kind, 0, 0, 1, number)

    air.send(1, 2, udp(1, 2, (6000, 5683), coap(0x01, 10, b"a")))  # 0: GET
    air.send(1, 2, udp(1, 2, (6000, 5683), coap(0x01, 11, b"b")))  # 1: GET
    air.send(2, 1, udp(2, 1, (5683, 6000), coap(0x45, 90, b"b")))  # 2: Content for 1
    air.send(2, 1, udp(2, 1, (5683, 6000), coap(0x45, 91, b"a")))  # 3: Content for 0
    air.send(1, 2, b"\x41" + packet(1, 2, ICMP, echo(128, 1)), BY_CHANCE)  # 4: an echo request that is lost
    air.send(1, 2, b"\x41" + packet(1, 2, ICMP, echo(128, 2)))  # 5
    air.send(2, 1, b"\x41" + packet(2, 1, ICMP, echo(129, 2)))  # 6: the reply to 5
    air.send(1, 2, udp(1, 2, (8765, 5678), b"request"))  # 7
    air.send(2, 1, udp(2, 1, (5678, 8765), b"answer"))  # 8
    air.send(2, 1, udp(2, 1, (5678, 8765), b"one more"))  # 9: answers nothing
    rows = air.datagrams(tmp_path / "air")
    pairs = {row["datagram"]: row["answers"] for row in rows if row["answers"] is not None}
    assert pairs == {2: 1, 3: 0, 6: 5, 8: 7}


def test_answers_to_requests_that_wait_together_are_in_their_order(tmp_path):
    """An answer with its request's payload is that request's; one that is never answered shifts none."""
    air = Air()

    def ask(body: bytes) -> None:
        air.send(1, 2, udp(1, 2, (8765, 5678), body))

    def answer(body: bytes) -> None:
        air.send(2, 1, udp(2, 1, (5678, 8765), body))

    for body in (b"0", b"1"):
        ask(body)
    for body in (b"to 0", b"to 1"):  # 2, 3
        answer(body)
    ask(b"never answered")  # 4
    air.now += 5_000_000
    ask(b"5")
    answer(b"to 5")  # 6
    for body in (b"7", b"8", b"9"):
        ask(body)
    for body in (b"8", b"to 7", b"to 9"):  # 10, 11, 12
        answer(body)
    pairs = {row["datagram"]: row["answers"] for row in air.datagrams(tmp_path / "air")}
    answers = {2: 0, 3: 1, 6: 5, 10: 8, 11: 7, 12: 9}
    assert pairs == {number: answers.get(number) for number in range(13)}


def test_in_a_capture_acknowledgements_stand_for_receptions(tmp_path):
    air = Air()
    air.send(1, 2, udp(1, 2, (5000, 5001), b"first"))
    air.send(1, 2, udp(1, 2, (5000, 5001), b"second"), BY_CHANCE)
    air.send(1, 2, udp(1, 2, (5000, 5001), b"unasked"), BY_CHANCE, DATA & ~ASKS)
    tables = dissect(pcap(tmp_path / "air.pcap", air.frames, WITHOUT_FCS), Settings()).tables
    fates = tables["datagrams"].select(["payload_length", "fate"]).to_pylist()
    assert [(row["payload_length"], row["fate"]) for row in fates] == [
        (5, "delivered"),
        (6, "lost"),
        (7, None),  # nobody was asked to acknowledge it
    ]
