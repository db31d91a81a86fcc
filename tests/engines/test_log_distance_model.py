# SPDX-License-Identifier: Apache-2.0
"""The medium log-distance beside a model of it: random frames on two channels, with radios that are switched
and hop in the middle of them.
"""

from __future__ import annotations

import heapq
import math
import random
import struct
from dataclasses import dataclass, field, replace

import pytest
from engine_firmware import JavaRandom, simulation
from test_log_distance import shadow

from orchestrator.media.log_distance import LogDistance

# A mote's plan is in its EEPROM: a millisecond (0 ends the plan), a deed and its value.
BODY = """
enum { SEND, HOP, SWITCH };
struct deed { uint16_t ms; uint8_t what, value; };
static unsigned next;
static struct deed deed(void) { return ((struct deed *)simEEPROMData)[next]; }
static void wait(void) { if(deed().ms) etimer(deed().ms - simCurrentTime); }
void cooja_tick(void) {
  if(first()) { simOutDataBuffer[0] = simMoteID; wait(); return; }
  if(simInSize > 0) { SAY("from %d\\n", simInDataBuffer[0]); simInSize = 0; }
  if(due()) {
    SAY("hears %d\\n", simSignalStrength);
    if(deed().what == HOP && simRadioHWOn) simRadioChannel = deed().value;
    if(deed().what == SWITCH) simRadioHWOn = !simRadioHWOn;
    if(deed().what == SEND && simRadioHWOn) simOutSize = deed().value;
    next++;
    wait();
  }
}
"""
SEND, HOP, SWITCH = range(3)
MOTES, LONGEST_MS = 7, 4  # of a frame


@dataclass(eq=False)
class Radio:
    number: int
    channel: int = 26
    on: bool = True
    sending: bool = False
    receiving: bool = False
    interfered: bool = False
    hears: list[Frame] = field(default_factory=list)  # that are on the air, also on other channels


@dataclass(eq=False)
class Frame:
    source: Radio
    signals: dict[int, float]  # dBm, by radio
    chosen: set[int] = field(default_factory=set)  # radios that are to receive it
    disturbed: set[int] = field(default_factory=set)


class Model:
    """The medium as its header describes it, each frame with all that hear it."""

    def __init__(self, medium: LogDistance, places: list[tuple[float, float]], seed: int):
        self.medium, self.places, self.seed = medium, places, seed
        self.random = JavaRandom(seed)
        self.radios = [Radio(number) for number in range(1, len(places) + 1)]
        self.said: list[tuple[int, str]] = []

    def signal(self, a: int, b: int) -> float:
        away = max(math.dist(self.places[a - 1], self.places[b - 1]), 0.01)
        signal = self.medium.reference_dbm - 10 * self.medium.path_loss_exponent * math.log10(away)
        signal += self.medium.shadowing_db * shadow(self.seed, min(a, b), max(a, b), False)
        return signal + self.medium.asymmetry_db * shadow(self.seed, a, b, True)

    def chance(self, signal: float) -> float:
        above = signal - self.medium.sensitivity_dbm
        if self.medium.width_db > 0:
            return 1 / (1 + math.exp(-above / self.medium.width_db))
        return above >= 0

    def strength(self, radio: Radio) -> int:
        heard = [int(f.signals[radio.number]) for f in radio.hears if f.source.channel == radio.channel]
        return max([-100, *heard] + [-10] * radio.sending)

    def disturb(self, frame: Frame, radio: Radio) -> None:
        if radio.number in frame.chosen:
            frame.disturbed.add(radio.number)

    def start(self, source: Radio) -> Frame:
        frame = Frame(
            source, {r.number: self.signal(source.number, r.number) for r in self.radios if r is not source}
        )
        source.sending = True
        if source.receiving:
            source.interfered = True
            for other in source.hears:
                self.disturb(other, source)
        for radio in self.radios:
            if radio is not source:
                if self.takes(radio, frame):
                    frame.chosen.add(radio.number)
                radio.hears.append(frame)
        for number in frame.chosen:
            radio = self.radios[number - 1]
            radio.interfered |= radio.receiving
            radio.receiving = radio.receiving or not radio.interfered
        return frame

    def takes(self, radio: Radio, frame: Frame) -> bool:
        signal = frame.signals[radio.number]
        gets_through = self.random.next_double() < self.chance(signal)
        if radio.channel != frame.source.channel or not radio.on or radio.sending:
            return False
        others = [f.signals[radio.number] for f in radio.hears if f.source.channel == radio.channel]
        for other in radio.hears:
            if radio.number in other.chosen - other.disturbed:
                if other.signals[radio.number] - signal < self.medium.capture_db:
                    self.disturb(other, radio)
                    radio.interfered = True
        if not gets_through or signal - max(others, default=-math.inf) < self.medium.capture_db:
            return False
        for other in radio.hears:
            other.chosen.discard(radio.number)
            other.disturbed.discard(radio.number)
        radio.receiving = radio.interfered = False
        return True

    def end(self, frame: Frame) -> None:
        frame.source.sending = False
        for radio in self.radios:
            if radio is not frame.source:
                radio.hears.remove(frame)
        for number in sorted(frame.chosen):
            radio = self.radios[number - 1]
            if not radio.interfered:
                self.said.append((number, f"from {frame.source.number}"))
            radio.receiving = radio.interfered = False

    def switch(self, radio: Radio) -> None:
        radio.on = not radio.on
        if not radio.on:
            radio.receiving = False
            for frame in radio.hears:
                if radio.number in frame.chosen - frame.disturbed:
                    self.disturb(frame, radio)
                    radio.interfered = True

    def play(self, plan: list[tuple[int, int, int, int]]) -> None:
        events = [(one[1] * 1000, 0, order, one) for order, one in enumerate(plan)]
        heapq.heapify(events)
        while events:
            time, _, order, what = heapq.heappop(events)
            if isinstance(what, Frame):
                self.end(what)
                continue
            number, _, deed, value = what
            radio = self.radios[number - 1]
            self.said.append((number, f"hears {self.strength(radio)}"))
            if deed == SWITCH:
                self.switch(radio)
            elif radio.on and deed == HOP:  # else strengths would wait for another radio's event, as in Cooja
                radio.channel = value
            elif radio.on:
                heapq.heappush(events, (time + 32 * value, 1, order, self.start(radio)))


def random_plan(draw: random.Random) -> list[tuple[int, int, int, int]]:
    """Deeds at milliseconds of their own. No frame ends at a whole one (125 bytes would), and no mote does
    anything while its frame is on the air.
    """
    free, plan = dict.fromkeys(range(1, MOTES + 1), 0), []
    for ms in range(5, 300):
        mote = draw.choice([mote for mote, from_ms in free.items() if from_ms <= ms] or [0])
        if mote == 0 or draw.random() < 0.2:
            continue
        deed = draw.choices((SEND, HOP, SWITCH), (8, 1.5, 1))[0]
        value = draw.choice((26, 26, 15)) if deed == HOP else draw.randrange(1, 125)
        plan.append((mote, ms, deed, value))
        free[mote] = ms + (LONGEST_MS + 1 if deed == SEND else 1)
    return plan


def deeds(plan: list[tuple[int, int, int, int]], mote: int) -> bytes:
    rows = [(ms, what, value) for number, ms, what, value in plan if number == mote]
    return b"".join(struct.pack("<HBB", *row) for row in rows) + bytes(4)


@pytest.mark.parametrize("width", [0.0, 0.5, 3.0])
@pytest.mark.parametrize("seed", range(6))
def test_what_is_heard_and_received_is_the_model_s(seed, width, firmware, run):
    draw = random.Random(f"{seed} {width}")
    places = [(round(draw.uniform(0, 60), 1), round(draw.uniform(0, 60), 1)) for _ in range(MOTES)]
    medium = LogDistance(
        -40.0,
        2.4,
        draw.choice((0.0, 0.5, 4.0)),
        draw.choice((0.0, 0.5, 2.0)),
        -82.0,
        width,
        draw.choice((0.0, 3.0)),
    )
    plan = random_plan(draw)
    model = Model(medium, places, seed)
    model.play(plan)
    flat = simulation(places, 0.31, medium=medium)
    motes = tuple(replace(mote, eeprom=deeds(plan, mote.id)) for mote in flat.motes)
    ended = run(replace(flat, motes=motes), firmware(BODY), seed=seed)
    for mote in range(1, MOTES + 1):
        said = [text for _, number, text in ended.lines if number == mote]
        assert said == [text for number, text in model.said if number == mote], mote
    assert sum("from" in text for _, text in model.said) > 20
