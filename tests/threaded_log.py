# SPDX-License-Identifier: Apache-2.0
"""The log of a mote with threads and a blackboard, by a plain model: the three threads of Stelte's (2010)
section 6.1.

A publisher publishes every 30 ms and then works on; at the end of its work or of the 20 ms slice the
blackboard's thread runs, then the two subscribers by their deadlines.
"""

from __future__ import annotations

from dataclasses import dataclass, field

PERIOD_US, SLICE_US, BOARD_US, SUBSCRIBER_US = 30_000, 20_000, 500, 1_000
EVENT = 3
DEADLINES_US = (10_000, 20_000)  # of subscriber1 and subscriber2
LOADS_US = (1_000, 5_000, 9_400, 9_600, 25_000)  # of the publisher after publishing, one after the other


@dataclass
class Mote:
    """`lines`: (time, text) in the log's order; what the mote dumps of itself is counted beside them."""

    lines: list[tuple[int, str]] = field(default_factory=list)
    cpu_us: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(
            ("publisher", "blackboard", "subscriber1", "subscriber2", "idle"), 0
        )
    )
    switches: dict[str, int] = field(default_factory=dict)
    delays_us: tuple[list[int], list[int]] = field(default_factory=lambda: ([], []))
    now: int = 0
    running: str = ""

    def switch(self, thread: str, why: str) -> None:
        self.lines.append((self.now, f"!sch,{thread},{why}"))
        self.switches[thread] = self.switches.get(thread, 0) + 1
        self.running = thread

    def use(self, time_us: int) -> None:
        self.cpu_us[self.running] += time_us
        self.now += time_us

    def notified(self, subscriber: int, published: int) -> None:
        delay = self.now - published
        self.delays_us[subscriber].append(delay)
        self.lines.append(
            (
                self.now,
                f"!ntf,{EVENT},{subscriber},subscriber{subscriber + 1},{delay},{DEADLINES_US[subscriber]}",
            )
        )

    def dumped(self) -> list[str]:
        records = [
            f"!thr,{name},{2 if name != 'idle' else 4},{us},{self.switches.get(name, 0)},{60 + len(name)},128"
            for name, us in self.cpu_us.items()
        ]
        for subscriber, delays in enumerate(self.delays_us):
            deadline = DEADLINES_US[subscriber]
            records.append(
                f"!nts,{EVENT},{subscriber},subscriber{subscriber + 1},{deadline},{len(delays)},"
                f"{sum(delay > deadline for delay in delays)},{sum(delays)},{max(delays, default=0)}"
            )
        busy = sum(us for name, us in self.cpu_us.items() if name != "idle")
        counters = {
            "context_switches": sum(self.switches.values()),
            "samples_taken": len(self.delays_us[0]),
            "blackboard_publications": len(self.delays_us[0]),
            "blackboard_words_used": 12,
            "blackboard_words": 64,
        }
        return [
            *records,
            *(f"!cnt,{name},{value}" for name, value in counters.items()),
            f"!nrg,cpu,{busy}",
            f"!nrg,lpm,{self.cpu_us['idle']}",
        ]


def mote(periods: int = 20, start_us: int = 1_000_000, shift: int = 0) -> Mote:
    """`shift`: the load that it begins with, as another seed would."""
    made = Mote(now=start_us)
    made.switch("idle", "start")
    for turn in range(periods):
        begin = start_us + PERIOD_US * (turn + 1)
        made.use(begin - made.now)
        made.switch("publisher", "ready")
        load, published = LOADS_US[(turn + shift) % len(LOADS_US)], made.now
        made.lines.append((made.now, f"!bpb,{EVENT},{turn}"))
        made.use(min(load, SLICE_US))
        made.switch("blackboard", "sleep" if load <= SLICE_US else "slice")
        made.use(BOARD_US)
        for subscriber in (0, 1):
            made.switch(f"subscriber{subscriber + 1}", "block")
            made.notified(subscriber, published)
            made.use(SUBSCRIBER_US)
        if load > SLICE_US:
            made.switch("publisher", "block")
            made.use(load - SLICE_US)
        made.switch("idle", "sleep" if load > SLICE_US else "block")
    made.use(PERIOD_US)
    return made


def log(motes: dict[int, Mote], trace: bool = True) -> bytes:
    """A whole log: the motes' traces by time, then what each dumps."""
    printed = (
        [(time, number, text) for number, one in motes.items() for time, text in one.lines] if trace else []
    )
    lines = sorted(printed, key=lambda line: line[:2])  # those of one time and mote stay as they were printed
    end = max(one.now for one in motes.values())
    lines += [(end, number, text) for number, one in motes.items() for text in one.dumped()]
    return (
        "".join(f"{time}\tID:{number}\t{text}\n" for time, number, text in lines)
        + f"TEST OK\nTest ended at simulation time: {end}\n"
    ).encode()
