# SPDX-License-Identifier: Apache-2.0
"""A small network that sends datagrams over several hops, and the kernel's record of its air.

There are losses, retransmissions, lost acknowledgements, drops in queues and loops. The network knows what
became of each datagram.
"""

import heapq
import random
import struct

PORT, ATTEMPTS, FRAME_US, ACK_US = 5678, 4, 3000, 400
DATA, ACK = (
    0xDC61,
    0x0002,
)  # frame control: data with extended addresses that asks for an acknowledgement; ack

OFF, LISTENING, TRANSMITTING = 0, 1, 4  # kinds of the record's items (kernel/observation/observer.h)


class Record:
    """Writes the kernel's record of the air (kernel/observation/observer.h)."""

    def __init__(self):
        self.bytes, self.now, self.frames = bytearray(b"AIR\n\1\0\0\0"), 0, 0

    def item(self, kind: int, t_us: int, *numbers: int, tail: bytes = b"") -> None:
        passed, self.now = t_us - self.now, t_us
        self.bytes.append(min(passed, 31) << 3 | kind)
        if passed >= 31:
            self.bytes += leb(passed - 31)
        for number in numbers:
            self.bytes += leb(number)
        self.bytes += tail

    def frame(self, mote: int, t_us: int, frame: bytes, fates: dict[int, int], took_us: int) -> None:
        self.item(5, t_us, zigzag(mote), zigzag(26), zigzag(31), len(frame) + 2, tail=frame + b"\0\0")
        tail, before = bytearray(), 0
        for other, fate in sorted(fates.items()):
            tail += leb(zigzag(other - before) << 3 | fate)
            tail += leb(zigzag(-60)) if fate == 0 else b""
            before = other
        self.item(6, t_us + took_us, zigzag(mote), 0, len(fates), tail=bytes(tail))
        self.frames += 1

    def end(self, t_us: int) -> bytes:
        self.item(7, t_us, 3, 0)
        return bytes(self.bytes)


def leb(number: int) -> bytes:
    out = bytearray()
    while number >= 128:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def zigzag(number: int) -> int:
    return 2 * number if number >= 0 else -2 * number - 1


def beacon(asn: int) -> bytes:
    """An enhanced beacon of Contiki-NG with TSCH's synchronization IE, without its FCS."""
    head, tail = "40eba581ffff0100010001000100003f1188061a", "00011c0001c800011b00"
    return bytes.fromhex(head + asn.to_bytes(5, "little").hex() + tail)


def link(mote: int) -> bytes:
    return bytes([0, 0, 0, 0, 0, 0, 0x10, mote])


def ipv6(mote: int) -> bytes:
    return bytes.fromhex("fd00000000000000") + bytes([2]) + link(mote)[1:]


class Network:
    """Sends `packets` datagrams to mote 1 over a random tree and keeps the truth of each, by number.

    `equal`: all payloads are equal, and each datagram has ended when the next one begins.
    """

    def __init__(self, seed: int, motes: int = 8, packets: int = 60, equal: bool = False):
        self.random, self.record, self.truth = random.Random(seed), Record(), {}
        self.parent = {mote: self.random.randint(max(1, mote - 3), mote - 1) for mote in range(2, motes + 1)}
        self.seq = dict.fromkeys(range(1, motes + 1), 0)
        self.free_us, self.queue = 0, []
        for number in range(packets):
            origin, payload = self.random.randint(2, motes), 0 if equal else number
            self.truth[number] = {
                "origin": origin,
                "delivered": False,
                "frames": 0,
                "hops": 0,
                "end_us": None,
            }
            self.later(
                number * (1_000_000 if equal else 40_000) + self.random.randrange(30_000),
                number,
                origin,
                64,
                1,
                payload,
            )

    def later(self, t_us: int, *packet: int) -> None:
        heapq.heappush(self.queue, (t_us, *packet))

    def run(self) -> bytes:
        while self.queue:
            t_us, number, mote, hops_left, hop, payload = heapq.heappop(self.queue)
            self.free_us = max(t_us, self.free_us) + 1000
            looped = hop == 2 and self.random.random() < 0.05  # sent back to where it came from
            target = self.truth[number]["origin"] if looped else self.parent[mote]
            if looped and target == mote:
                target = self.parent[mote]
            if self.send(number, mote, target, hops_left, payload):
                self.got(number, target, hops_left, hop, payload)
        return self.record.end(self.free_us + 60_000_000)

    def send(self, number: int, mote: int, target: int, hops_left: int, payload: int) -> bool:
        """Send with retransmissions; return whether the target has it."""
        body = b"equal %d" % payload
        udp = struct.pack(">HHHH", 8765, PORT, 8 + len(body), 0) + body
        header = (
            struct.pack(">IHBB", 6 << 28, len(udp), 17, hops_left)
            + ipv6(self.truth[number]["origin"])
            + ipv6(1)
        )
        self.seq[mote] = (self.seq[mote] + 1) % 256
        mac = struct.pack("<HBH", DATA, self.seq[mote], 0xABCD) + link(target)[::-1] + link(mote)[::-1]
        reached = False
        for _ in range(ATTEMPTS):
            lost = self.random.random() < 0.4
            fate = self.random.choice((1, 6)) if lost else 0
            start = self.free_us
            self.record.frame(mote, start, mac + b"\x41" + header + udp, {target: fate}, FRAME_US)
            self.truth[number]["frames"] += 1
            self.free_us += FRAME_US + 192
            if not lost:
                if not reached:
                    self.arrived_us = start + FRAME_US
                reached = True
                heard = self.random.random() < 0.7
                ack = struct.pack("<HB", ACK, self.seq[mote])
                self.record.frame(target, self.free_us, ack, {mote: 0 if heard else 6}, ACK_US)
                self.free_us += ACK_US + 1000
                if heard:
                    break
            self.free_us += self.random.randrange(500, 3000)
        return reached

    def got(self, number: int, mote: int, hops_left: int, hop: int, payload: int) -> None:
        truth = self.truth[number]
        if mote == 1:
            truth.update(delivered=True, hops=hop, end_us=self.arrived_us)
        elif self.random.random() < 0.9:  # otherwise its queue is full
            self.later(
                self.arrived_us + self.random.randrange(2000, 20_000),
                number,
                mote,
                hops_left - 1,
                hop + 1,
                payload,
            )
