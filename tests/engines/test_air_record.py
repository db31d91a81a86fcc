# SPDX-License-Identifier: Apache-2.0
"""The record of the air: what became of each frame at each radio, and why."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict

import pytest
from engine_firmware import simulation
from orchestrate_spark.sources.air.dissect import dissect

from orchestrator.csc.model import Udgm
from orchestrator.inspect import pcap
from orchestrator.inspect.radio import events

# Each mote waits for its time to send, in ms (0: never); some have the radio off or on another channel.
SETTLED = """
static int sent;
static const int TIMES[] = {TIMES};
void cooja_tick(void) {
  if(first()) {
    simRadioHWOn = simMoteID != OFF;
    simRadioChannel = simMoteID == ELSEWHERE ? 11 : 26;
    if(TIMES[simMoteID]) etimer(TIMES[simMoteID]);
    return;
  }
  if(simInSize > 0) simInSize = 0;
  if(due() && !sent++) { simOutSize = 100; memset(simOutDataBuffer, simMoteID, 100); }
  if(simMoteID == SWITCHES && simReceiving) simRadioHWOn = 0;
}
"""
# Motes send frames of random lengths at random times, and switch off and on, and between two channels.
WILD = """
static unsigned state;
static unsigned drawn(unsigned below) { state = state * 1664525 + 1013904223; return (state >> 8) % below; }
void cooja_tick(void) {
  if(first()) { state = simMoteID * 7919; etimer(1 + drawn(20)); return; }
  if(simInSize > 0) simInSize = 0;
  if(due()) {
    simRadioChannel = 26;
    switch(simRadioHWOn ? drawn(20) : 1) {
    case 0: simRadioHWOn = 0; break;
    case 1: simRadioHWOn = 1; break;
    case 2: simRadioChannel = 11; break;
    default: if(!simOutSize) { simOutSize = 5 + drawn(100); simOutDataBuffer[0] = 1; }
    }
    etimer(10 + drawn(150));
  }
}
"""
NOBODY = 99


def outcomes(run, library, path, of) -> dict[tuple[int, int], str]:
    """(sender, other mote) -> what became of the sender's frame there."""
    run(of, library, air=path)
    tables = dissect(path).tables
    senders = tables["frames"]["mote"].to_pylist()
    return {(senders[row["frame"]], row["mote"]): row["outcome"] for row in tables["receptions"].to_pylist()}


def settled(firmware, times, off=NOBODY, elsewhere=NOBODY, switches=NOBODY):
    listed = ", ".join(map(str, (0, *times)))
    body = SETTLED.replace("{TIMES}", f"{{{listed}}}")
    for name, mote in (("OFF", off), ("ELSEWHERE", elsewhere), ("SWITCHES", switches)):
        body = body.replace(name, str(mote))
    return firmware(body)


def test_each_radio_has_its_reason(firmware, run, tmp_path):
    """Mote 2 receives, 3 is off, 4 is on another channel, 5 switches itself off, 6 can only be disturbed."""
    library = settled(firmware, (10, 0, 0, 0, 0, 0), off=3, elsewhere=4, switches=5)
    places = [(0, 0), (30, 0), (0, 30), (-30, 0), (0, -30), (60, 0)]
    path = tmp_path / "air"
    assert outcomes(run, library, path, simulation(places, 0.2)) == {
        (1, 2): "received",
        (1, 3): "radio-off",
        (1, 4): "wrong-channel",
        (1, 5): "radio-off",
    }
    (frame,) = dissect(path).tables["frames"].to_pylist()
    assert frame["beyond"] == 1 and (frame["t_us"], frame["end_us"]) == (10_000, 13_200)
    received = [row for row in dissect(path).tables["receptions"].to_pylist() if row["rssi_dbm"] is not None]
    assert [row["rssi_dbm"] for row in received] == [-61.0], "-10 - 85 * 30 / 50 dBm"


def test_who_sends_at_once_is_heard_by_nobody(firmware, run, tmp_path):
    """Motes 1 and 3 overlap at 2, and are busy for each other; in 4 ms they are done."""
    library = settled(firmware, (10, 0, 11))
    found = outcomes(run, library, tmp_path / "air", simulation([(0, 0), (20, 0), (40, 0)], 0.2))
    assert found == {
        (1, 2): "collided",
        (1, 3): "busy-sending",
        (3, 2): "collided",
        (3, 1): "busy-sending",
    }


@pytest.mark.parametrize("medium", [Udgm(50.0, 70.0, 0.0, 1.0), Udgm(50.0, 70.0, 1.0, 0.0)])
def test_what_the_medium_loses_is_lost_by_chance(medium, firmware, run, tmp_path):
    """At the range's end the second medium receives nothing."""
    library = settled(firmware, (10, 0, 0), off=3)
    found = outcomes(
        run, library, tmp_path / "air", simulation([(0, 0), (50, 0), (0, 30)], 0.2, medium=medium)
    )
    assert found == {(1, 2): "lost-by-chance", (1, 3): "radio-off"}


@pytest.mark.parametrize("medium", [Udgm(50.0, 100.0, 0.9, 0.8), Udgm(50.0, 50.0, 1.0, 1.0)])
def test_the_record_agrees_with_the_radios_events(medium, firmware, run, tmp_path):
    """Frames, their ends, who received them, and the times in states are those of the other files."""
    of = simulation([(20 * (i % 3), 20 * (i // 3)) for i in range(9)], 130, medium=medium)
    ended = run(of, firmware(WILD), radio=tmp_path, air=tmp_path / "air")
    assert ended.result.outcome.value == "ok"
    assert run(of, firmware(WILD)).log == ended.log, "a record changes nothing"
    made = dissect(tmp_path / "air")
    frames, receptions = made.tables["frames"].to_pylist(), made.tables["receptions"].to_pylist()
    assert not made.warning
    captured = list(pcap.read(tmp_path / "radio.pcap"))
    assert [(row["t_us"], row["length"]) for row in frames] == [
        (frame.time_us, len(frame.data)) for frame in captured
    ]
    ends, received, begun = {}, set(), {}
    for event in events(tmp_path):
        if event.event == "sent":
            ends[event.frame - 1] = event.time_us
        elif event.event == "received":
            received.add((event.frame - 1, event.mote, event.signal_dbm))
        elif event.event == "transmitting":
            begun[event.frame - 1] = event.mote
    assert len(received) > 500 and {row["frame"]: row["mote"] for row in frames} == begun
    whole = {row["frame"]: row["end_us"] for row in frames if row["end_us"] is not None}
    assert whole.items() <= ends.items() or whole == ends
    assert {
        (row["frame"], row["mote"], row["rssi_dbm"]) for row in receptions if row["outcome"] == "received"
    } == received
    counted = Counter(row["outcome"] for row in receptions)
    assert {"received", "collided", "radio-off", "busy-sending", "wrong-channel"} <= counted.keys()
    times: dict[int, Counter] = defaultdict(Counter)
    for row in made.tables["radio_states"].to_pylist():
        times[row["mote"]][row["state"]] += row["time_us"]
        assert row["to_us"] % 60_000_000 == 0 or row["to_us"] == ended.result.sim_us
    with (tmp_path / "states.csv").open(encoding="ascii") as stream:
        for row in csv.DictReader(stream):
            mote = int(row.pop("mote"))
            assert {
                name.removesuffix("_us"): int(value) for name, value in row.items() if int(value)
            } == times[mote]
