# SPDX-License-Identifier: Apache-2.0
"""The dissector on frames whose fields are known, from standards and from tshark, and on hostile bytes."""

from __future__ import annotations

import os
import random
import struct
from pathlib import Path

import pytest
from captured import TAP, WITH_FCS, WITHOUT_FCS, data, fcs, pcap, pcapng
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from orchestrate_spark.sources import Damaged
from orchestrate_spark.sources.air import TABLES, program, read
from orchestrate_spark.sources.air.dissect import Settings, dissect

from tests import needs
from tests.features.air.network import Network

needs.a_compiler()

KEY = bytes(range(16))
# A datagram to port 5683: IPHC with both addresses from the link layer, UDP compressed, CoAP GET /a/b.
COAP = bytes.fromhex("7e33 f3 3344 c0de".replace(" ", ""))


def rows(path: Path, table: str = "frames", **options) -> list[dict]:
    return dissect(path, Settings(**options)).tables[table].to_pylist()


def one(tmp_path: Path, frame: bytes, **options) -> dict:
    (row,) = rows(pcap(tmp_path / "one.pcap", [frame]), **options)
    return row


def udp(payload: bytes) -> bytes:
    """A compressed datagram between link-local addresses, from port 0xf0b1 to 0xf0b2."""
    return bytes.fromhex("7e33f312") + b"\0\0" + payload


def test_tables_have_the_columns_that_are_declared(tmp_path):
    made = dissect(pcap(tmp_path / "x.pcap", [data(b"")])).tables
    assert {name: tuple(table.column_names) for name, table in made.items()} == {
        name: tuple(column for column, _ in columns)
        for name, columns in TABLES.items()
        if name not in ("platforms", "tsch_motes", "tsch_cells")  # made of settings and of other tables
    }


def test_a_datagram_between_neighbours(tmp_path):
    row = one(tmp_path, data(udp(b"hello"), seq=7))
    expected = {
        "type": "data",
        "seq": 7,
        "pan": 0xABCD,
        "src": "00:00:00:00:00:00:00:01",
        "dst": "00:00:00:00:00:00:00:02",
        "ack_request": True,
        "network": "ipv6",
        "ip_src": "fe80::200:0:0:1",
        "ip_dst": "fe80::200:0:0:2",
        "hop_limit": 64,
        "transport": 17,
        "src_port": 0xF0B1,
        "dst_port": 0xF0B2,
        "payload_length": 5,
        "length": 21 + 6 + 5 + 2,
        "flaw": None,
    }
    assert {name: row[name] for name in expected} == expected


@pytest.mark.parametrize("link", [WITH_FCS, WITHOUT_FCS])
@pytest.mark.parametrize("order", "<>")
def test_link_types_and_byte_orders_give_the_same(link, order, tmp_path):
    frames = [data(udp(b"one")), data(udp(b"two"), seq=2)]
    made = rows(pcap(tmp_path / "a.pcap", frames, link, order))
    assert [row["t_us"] for row in made] == [0, 1000]
    assert made == rows(pcapng(tmp_path / "b.pcapng", frames))


def test_a_tap_header_gives_strength_and_channel(tmp_path):
    frame = data(udp(b"x"))
    tags = (
        struct.pack("<HHB3x", 0, 1, 1) + struct.pack("<HHf", 1, 4, -71.5) + struct.pack("<HHHBx", 3, 3, 15, 0)
    )
    packet = struct.pack("<BBH", 0, 0, 4 + len(tags)) + tags + frame + fcs(frame)
    (row,) = rows(pcap(tmp_path / "t.pcap", [packet], TAP))
    assert (row["rssi_dbm"], row["channel"], row["length"], row["flaw"]) == (-71.5, 15, len(frame) + 2, None)


def test_fragments_become_one_payload(tmp_path):
    """The first frame has the hash of the whole, which is that of the datagram in one frame."""
    payload = bytes(range(100))
    header = udp(b"")
    whole = one(tmp_path, data(header + payload))
    size, cut = 48 + len(payload), 40  # IPv6 and UDP headers, and a multiple of 8 with the cut
    first = struct.pack(">HH", 0xC000 | size, 9) + header + payload[:cut]
    rest = [
        struct.pack(">HHB", 0xE000 | size, 9, (48 + at) // 8) + payload[at : at + 32]
        for at in range(cut, len(payload), 32)
    ]
    made = rows(pcap(tmp_path / "f.pcap", [data(first), *(data(part) for part in rest)]))
    assert made[0]["network"] == "6lo-frag1" and made[0]["frag_size"] == size
    assert (made[0]["payload_hash"], made[0]["payload_length"]) == (whole["payload_hash"], len(payload))
    assert [row["first_frame"] for row in made] == [None, 0, 0]
    incomplete = rows(pcap(tmp_path / "g.pcap", [data(first), data(rest[0])]))
    assert incomplete[0]["payload_hash"] is None, "a fragment is missing"
    other = rest[0][:5] + bytes(byte ^ 1 for byte in rest[0][5:])
    overlapping = rows(pcap(tmp_path / "h.pcap", [data(first), data(rest[0]), data(other), data(rest[1])]))
    assert "overlaps" in overlapping[2]["flaw"] and overlapping[0]["payload_hash"] == whole["payload_hash"]
    beyond = rows(pcap(tmp_path / "i.pcap", [data(first), data(rest[1] + bytes(80))]))
    assert "reaches beyond" in beyond[1]["flaw"]


def test_headers_behind_the_first_fragment_are_its_own(tmp_path):
    """The first frame ends with IPv6's header; what UDP says is known when the second one has come."""
    datagram = struct.pack(">HHHH", 1000, 2000, 8 + 24, 0) + bytes(24)
    first = struct.pack(">HH", 0xC000 | 40 + len(datagram), 5) + bytes.fromhex("7a3311")
    second = struct.pack(">HHB", 0xE000 | 40 + len(datagram), 5, 5) + datagram
    made = rows(pcap(tmp_path / "x.pcap", [data(first), data(second)]))
    assert (made[0]["transport"], made[0]["src_port"], made[0]["dst_port"]) == (17, 1000, 2000)
    assert (made[0]["payload_length"], made[0]["flaw"], made[1]["src_port"]) == (24, None, None)


def secured(payload: bytes, level: int, key: bytes = KEY) -> bytes:
    """A frame of IEEE 802.15.4-2006 with security and key index 1, by another implementation of CCM*."""
    aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
    counter = 0x01020304
    plain = data(b"")
    head = struct.pack("<H", struct.unpack("<H", plain[:2])[0] | 8 | 1 << 12) + plain[2:]
    head += struct.pack("<BIB", level | 1 << 3, counter, 1)
    nonce = (1).to_bytes(8, "big") + struct.pack(">IB", counter, level)
    mic = {1: 4, 2: 8, 3: 16, 5: 4, 6: 8, 7: 16}[level]
    cipher = aead.AESCCM(key, tag_length=mic)
    if level < 4:
        return head + payload + cipher.encrypt(nonce, b"", head + payload)
    return head + cipher.encrypt(nonce, payload, head)


@pytest.mark.parametrize("level", [1, 2, 3, 5, 6, 7])
def test_a_key_opens_frames(level, tmp_path):
    frame = secured(udp(b"secret of forty bytes or a little more ..."), level)
    known, plain = (
        one(tmp_path, frame, keys={1: KEY}),
        one(tmp_path, data(udp(b"secret of forty bytes or a little more ..."))),
    )
    assert (known["flaw"], known["security_level"], known["key_index"]) == (None, level, 1)
    assert known["payload_hash"] == plain["payload_hash"] and known["dst_port"] == 0xF0B2
    without = one(tmp_path, frame)
    wrong = one(tmp_path, frame, keys={1: bytes(16)})
    assert "doesn't fit" in wrong["flaw"]
    if level < 4:
        assert without["payload_hash"] == plain["payload_hash"], "it is only authenticated"
    else:
        for row in (without, wrong):
            assert row["network"] == "secured" and row["ip_src"] is None and row["dst_port"] is None
        assert without["flaw"].startswith("no key")


def test_a_prefix_is_only_used_if_somebody_gave_it(tmp_path):
    frame = data(bytes.fromhex("7e77f31200 00".replace(" ", "")) + b"x")  # both addresses by context 0
    assert one(tmp_path, frame)["ip_dst"] == "fd00::200:0:0:2"
    assert (
        one(tmp_path, frame, prefixes={0: bytes.fromhex("aaaa000000000000")})["ip_dst"] == "aaaa::200:0:0:2"
    )
    unknown = one(tmp_path, frame, prefixes={})
    assert unknown["network"] == "opaque" and unknown["ip_dst"] is None and "context" in unknown["flaw"]


def test_nullnet_stays_opaque_whatever_it_looks_like(tmp_path):
    row = one(tmp_path, data(udp(b"x")), nullnet=True)
    assert (row["network"], row["ip_src"], row["payload_length"]) == ("nullnet", None, len(udp(b"x")))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty"),
        (b"no capture at all, but text", "neither a record"),
        (struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1), "link type 1 is not IEEE 802.15.4"),
        (struct.pack("<IHH", 0xA1B2C3D4, 2, 4), "ends in its header"),
    ],
)
def test_a_foreign_file_is_refused(content, said, tmp_path):
    (tmp_path / "x").write_bytes(content)
    with pytest.raises(Damaged, match=said):
        dissect(tmp_path / "x")


def test_a_name_that_is_no_utf_8_is_named(tmp_path):
    path = pcap(tmp_path / os.fsdecode(b"\xff.pcap"), [data(b"x"), data(b"y")])
    path.write_bytes(path.read_bytes()[:-3])
    assert str(path) in dissect(path).warning
    path.write_bytes(b"text")
    with pytest.raises(Damaged, match="neither a record"):
        dissect(path)


def test_a_record_cut_short_is_named_once_and_its_rows_stay(tmp_path):
    """Whoever reads a source's file names it, so the message that comes with it doesn't."""
    (tmp_path / "air").write_bytes(Network(1).run()[:-3] + b"\xff")
    tables = {}
    with pytest.raises(Damaged) as raised:
        for name, rows in read(tmp_path / "air", b"\n{}"):
            tables[name] = rows
    assert tables["frames"].num_rows > 50
    assert str(raised.value).startswith("damaged or cut short at byte")


@pytest.mark.parametrize("cut", [1, 10, 20, 40])
def test_a_capture_cut_short_is_read_up_to_there(cut, tmp_path):
    path = pcap(tmp_path / "x.pcap", [data(udp(b"one")), data(udp(b"two"))])
    path.write_bytes(path.read_bytes()[:-cut])
    made = dissect(path)
    assert made.tables["frames"].num_rows == 1 and "packet 2" in made.warning and str(path) in made.warning


def test_what_is_wrong_with_a_frame_is_said_and_nothing_beyond_counts(tmp_path):
    bad = bytearray(data(udp(b"x")) + fcs(data(udp(b"x"))))
    bad[-1] ^= 1
    path = tmp_path / "x.pcap"
    pcap(path, [bytes(bad)], WITHOUT_FCS)
    path.write_bytes(path.read_bytes()[:20] + struct.pack("<I", WITH_FCS) + path.read_bytes()[24:])
    (row,) = rows(path)
    assert row["flaw"] == "the FCS is wrong" and row["src"] is None and row["network"] is None
    short = one(tmp_path, data(b"")[:12])
    assert "MAC header" in short["flaw"] and short["dst"] is None
    lies = data(bytes.fromhex("41") + struct.pack(">IHBB", 6 << 28, 500, 17, 64) + bytes(40))
    row = one(tmp_path, lies)
    assert "payload length" in row["flaw"]


FORMS = [
    data(udp(b"hello")),
    data(
        bytes.fromhex("7a33 3a 9b01 0000 00f00080 08f00000".replace(" ", ""))
        + bytes(16)
        + bytes.fromhex("040e0008 0c00 0400 0080 0001 001e 003c".replace(" ", ""))
    ),
    data(struct.pack(">HH", 0xC0C8, 1) + udp(bytes(80))),
    data(struct.pack(">HHB", 0xE0C8, 1, 16) + bytes(60)),
    data(
        bytes.fromhex("41")
        + struct.pack(">IHBB", 6 << 28, 20, 6, 64)
        + bytes(32)
        + bytes(12)
        + b"\x50"
        + bytes(7)
    ),
    data(bytes.fromhex("7a33e33a0406030800000000") + bytes(30)),
    bytes.fromhex(
        "40eb cdab ffff 0100000000000000 3f11 8800061a 0e0000000000 01 1c00 011b0000 0000f8".replace(" ", "")
    ),
]


@pytest.fixture(scope="module")
def hardened():
    """The dissector with checks of every access."""
    return program.executable(("-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32))
def test_no_bytes_are_read_that_are_not_there(seed, hardened, tmp_path):
    """Frames that are cut, changed and made up; a capture and a record that are."""
    draw = random.Random(seed)

    def spoilt(content: bytes) -> bytes:
        changed = bytearray(content[: draw.randrange(len(content) + 1)] if draw.random() < 0.5 else content)
        for _ in range(draw.randrange(4)):
            if changed:
                changed[draw.randrange(len(changed))] = draw.choice(
                    (0, 1, 0x7F, 0x80, 0xFF, draw.randrange(256))
                )
        return bytes(changed)

    frames = [spoilt(draw.choice(FORMS)) for _ in range(300)] + [
        draw.randbytes(draw.randrange(128)) for _ in range(100)
    ]
    options = Settings(keys={1: KEY, -1: KEY})
    path = pcap(tmp_path / "x.pcap", frames)
    made = dissect(path, options, hardened)
    assert made.tables["frames"].num_rows == len(frames)
    path.write_bytes(spoilt(path.read_bytes()))
    files = [path, pcapng(tmp_path / "y.pcapng", frames[:50])]
    files[1].write_bytes(spoilt(files[1].read_bytes()))
    record = tmp_path / "air"
    record.write_bytes(b"AIR\n\1\0\0\0" + draw.randbytes(2000))
    for file in (*files, record):
        try:
            dissect(file, options, hardened)
        except Damaged:
            pass


def test_every_field_is_tshark_s(tmp_path):
    needs.a_program("tshark")
    from tools.compare.dissection import differences

    count, found = differences(pcap(tmp_path / "x.pcap", FORMS, WITH_FCS), Settings())
    assert count == len(FORMS) and not found
