# SPDX-License-Identifier: Apache-2.0
"""A script that does something at random with motes that say each input that they get."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from engine_firmware import simulation

from orchestrator.csc.model import JavaScript, MoteType, Simulation
from orchestrator.engines.embedded import interpreter
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


LOGGING = 'log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");\n'


def scripted(
    library, places, seconds: float, code: str, *, spare: bool = True, seed: int = 3, types=("t",), **options
):
    """A run's description with a script that begins at the first line, and passes at the time-out."""
    base = simulation(places, seconds, **options)
    kinds = tuple(MoteType(name, name, "", "", base.mote_types[0].interfaces) for name in types)
    script = JavaScript("", code, int(seconds * 1_000_000), "throw new TestOK();", (), adds_motes=spare)
    made: Simulation = replace(base, script=script, mote_types=kinds)
    return describe(made, seed, dict.fromkeys(types, library), "2026.07" if seed % 2 else "5.0")


@dataclass(frozen=True)
class Played:
    status: int
    report: dict
    log: list[str]
    errors: str


def play(kernel: Path, description: bytes, log: Path, *arguments: str) -> Played:
    """Run the kernel itself."""
    done = subprocess.run(
        [kernel, "--log", log, *interpreter.arguments(), *arguments],
        input=description,
        capture_output=True,
        check=False,
    )
    lines = log.read_text().splitlines() if log.exists() else []
    return Played(done.returncode, json.loads(done.stdout or b"{}"), lines, done.stderr.decode())


def deeds(number: int, motes: int) -> str:
    """A script that logs each line and does something at some of them, at most once at a time."""
    return f"var state = {number + 1}, motes = {motes};\n{_DEEDS}"


_DEEDS = (
    """
function below(n) { state = (state * 48271) % 2147483647; return Math.floor(state / 2147483647 * n); }
function choice(list) { return list[below(list.length)]; }
function tell(kind, mote, number, text) { tell_(kind_[kind], mote, number || 0, 0, 0, 0, text || ""); }
function move(mote) { tell_(kind_.MOVE, mote, 0, below(600) / 10, below(600) / 10, choice([0, 5]), ""); }
var present = [], gone = [], unclicked = {}, last = "", fresh = 100, there, deed, made;
for(var i = 0; i < motes; i++) { present.push(i); unclicked[i] = true; } // whose buttons have nothing to come
function without(list, one) { return list.filter(function(other) { return other !== one; }); }
function act(mote) {
  deed = choice(["MOVE", "SET_ID", "WRITE", "PRESS", "RELEASE", "CLICK", "SIGNAL_PIR", "VIBRATE", "REMOVE",
                 "ADD", "GENERATE_MOTE", "GENERATE"]);
  if(deed === "MOVE") {
    move(mote);
  } else if(deed === "SET_ID") {
    tell(deed, mote, 1 + below(98));
  } else if(deed === "WRITE") {
    for(var n = choice([1, 1, 3]); n > 0; n--) {
      tell(deed, mote, 0, new Array(choice([1, 2, 6, 301])).join("abc"[below(3)]));
    }
  } else if(deed === "PRESS" || deed === "RELEASE" || deed === "CLICK") {
    if(unclicked[mote]) { unclicked[mote] = deed !== "CLICK"; tell(deed, mote); }
  } else if(deed === "SIGNAL_PIR" || deed === "VIBRATE") {
    tell(deed, mote);
  } else if(deed === "GENERATE") {
    tell(deed, mote, choice([0, 1, 700, 20000]), choice(["", "x", "some text"]));
  } else if(deed === "REMOVE" && present.length > 2) {
    present = without(present, mote); unclicked[mote] = false; gone.push(mote); tell(deed, mote);
  } else if(deed === "ADD" && gone.length > 0) {
    made = gone.shift(); present.push(made); tell(deed, made);
  } else if(deed === "GENERATE_MOTE" && fresh < 104) {
    fresh++;
    made = Number(ask_(kind_.GENERATE_MOTE, 0, 0));
    tell("SET_ID", made, fresh); move(made); tell("ADD", made);
    present.push(made); unclicked[made] = true;
  }
}
while(true) {
  """
    + LOGGING
    + """
  if(String(time) !== last && below(10) < 3) {
    last = String(time);
    there = ask_(kind_.MOTES, 0, 0).split(" ").filter(function(_, at) { return at % 2 === 0; });
    if(there.join() !== present.join()) { log.log("IN ANOTHER ORDER\\n"); throw new TestFailed(); }
    act(choice(present));
  }
  YIELD();
}
"""
)
