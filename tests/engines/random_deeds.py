# SPDX-License-Identifier: Apache-2.0
"""A script that does something at random with motes that say each input that they get."""

from __future__ import annotations

import random
from dataclasses import replace

from engine_firmware import simulation
from script_messages import Kind
from script_player import Message

from orchestrator.csc.model import JavaScript, MoteType, Simulation
from orchestrator.engines.embedded.description import describe

INPUTS = """
char simButtonChanged, simButtonIsActive = ACTIVE, simButtonIsDown, simPirChanged, simPirIsActive = ACTIVE;
char simVibChanged, simVibIsActive = ACTIVE, simSerialReceivingFlag, simSerialReceivingData[20000];
int simSerialReceivingLength;
const char mote_ticks_can_be_skipped = 1;
"""
# Says each input that it gets; it sends now and then, and is asleep for most of the time.
TELLING = (
    INPUTS.replace("ACTIVE", "1")
    + r"""
static unsigned state;
static int below(int n) { state = state * 1103515245u + 12345u; return (int)((state >> 8) % (unsigned)n); }
static int sending, heard;
void cooja_tick(void) {
  simProcessRunValue = 0;
  if(first()) { state = (unsigned)simRandomSeed; simMoteIDChanged = 0; SAY("up %d\n", simMoteID); etimer(1 + below(30)); }
  if(simMoteIDChanged) { simMoteIDChanged = 0; SAY("named %d %d\n", simMoteID, simRandomSeed); }
  if(simButtonChanged) { simButtonChanged = 0; SAY("button %d\n", simButtonIsDown); }
  if(simPirChanged) { simPirChanged = 0; SAY("pir\n"); }
  if(simVibChanged) { simVibChanged = 0; SAY("vib\n"); }
  if(simSerialReceivingFlag) {
    SAY("got %d ", simSerialReceivingLength); print(simSerialReceivingData, simSerialReceivingLength); print("\n", 1);
    simSerialReceivingFlag = 0; simSerialReceivingLength = 0;
  }
  if(!simRadioHWOn) simInSize = 0;
  else if(simReceiving) { simLastSignalStrength = simSignalStrength; simLastLQI = simLQI; }
  else if(simInSize > 0) { heard++; SAY("in %d of %d s %d\n", simInSize, simInDataBuffer[0], simLastSignalStrength); simInSize = 0; }
  if(sending && simOutSize == 0) { sending = 0; SAY("sent\n"); }
  if(due()) {
    SAY("on at %lld heard %d s %d\n", (long long)simCurrentTime, heard, simSignalStrength);
    simRadioHWOn = below(6) > 0;
    if(simRadioHWOn && simOutSize == 0) { simOutSize = 5 + below(90); simOutDataBuffer[0] = (char)simMoteID; sending = 1; }
    etimer(5 + below(60));
  }
}
"""  # noqa: E501
)


def scripted(library, places, seconds: float, *, spare: bool = True, seed: int = 3, types=("t",), **options):
    base = simulation(places, seconds, **options)
    kinds = tuple(MoteType(name, name, "", "", base.mote_types[0].interfaces) for name in types)
    script = JavaScript("", "", int(seconds * 1_000_000), "", (), adds_motes=spare)
    made: Simulation = replace(base, script=script, mote_types=kinds)
    return describe(made, seed, dict.fromkeys(types, library), "2026.07" if seed % 2 else "5.0")


class Deeds:
    """A script that logs each line and does something at some of them, at most once at a time."""

    def __init__(self, number: int, motes: int):
        self.draw = random.Random(number)
        self.present, self.gone, self.last = list(range(motes)), [], -1
        self.unclicked = set(self.present)  # whose buttons have nothing to come
        self.fresh = 100

    def __call__(self, heard: Message):
        if heard.kind != Kind.LINE:
            return
        text = f"{heard.number}\tID:{int(heard.place[0])}\t{heard.text.decode('utf-8')}\n"
        yield Message(Kind.LOG, text=text.encode())
        if heard.number <= self.last or self.draw.random() > 0.3:
            return
        self.last = heard.number
        there = yield Message(Kind.MOTES)
        assert [int.from_bytes(there.text[at : at + 4], "little") for at in range(0, len(there.text), 8)] == (
            self.present
        ), "in the order in which they were added"
        yield from self.deed(self.draw.choice(self.present))

    def deed(self, mote: int):
        draw = self.draw
        kind = draw.choice(
            [
                Kind.MOVE,
                Kind.SET_ID,
                Kind.WRITE,
                Kind.PRESS,
                Kind.RELEASE,
                Kind.CLICK,
                Kind.SIGNAL_PIR,
                Kind.VIBRATE,
                Kind.REMOVE,
                Kind.ADD,
                Kind.GENERATE_MOTE,
                Kind.GENERATE,
            ]
        )
        place = (draw.uniform(0, 60), draw.uniform(0, 60), draw.choice([0.0, 5.0]))
        if kind == Kind.MOVE:
            yield Message(Kind.MOVE, mote, place=place)
        elif kind == Kind.SET_ID:
            yield Message(Kind.SET_ID, mote, draw.randrange(1, 99))
        elif kind == Kind.WRITE:
            for _ in range(draw.choice([1, 1, 3])):
                yield Message(
                    Kind.WRITE, mote, text=bytes(draw.choices(range(97, 123), k=draw.choice([0, 1, 5, 300])))
                )
        elif kind in (Kind.PRESS, Kind.RELEASE) and mote in self.unclicked:
            yield Message(kind, mote)
        elif kind == Kind.CLICK and mote in self.unclicked:
            self.unclicked.discard(mote)
            yield Message(Kind.CLICK, mote)
        elif kind in (Kind.SIGNAL_PIR, Kind.VIBRATE):
            yield Message(kind, mote)
        elif kind == Kind.GENERATE:
            yield Message(
                Kind.GENERATE,
                mote,
                draw.choice([0, 1, 700, 20_000]),
                text=draw.choice([b"", b"x", b"some text"]),
            )
        elif kind == Kind.REMOVE and len(self.present) > 2:
            self.present.remove(mote)
            self.unclicked.discard(mote)
            self.gone.append(mote)
            yield Message(Kind.REMOVE, mote)
        elif kind == Kind.ADD and self.gone:
            back = self.gone.pop(0)
            self.present.append(back)
            yield Message(Kind.ADD, back)
        elif kind == Kind.GENERATE_MOTE and self.fresh < 104:
            self.fresh += 1
            made = yield Message(Kind.GENERATE_MOTE)
            yield Message(Kind.SET_ID, made.mote, self.fresh)
            yield Message(Kind.MOVE, made.mote, place=place)
            yield Message(Kind.ADD, made.mote)
            self.present.append(made.mote)
            self.unclicked.add(made.mote)
