# SPDX-License-Identifier: Apache-2.0
"""Which changes of a radio's power and channel reach the medium: those since it last asked while the radio
was on; at first it knows of neither, for which Cooja has -1.
"""

from __future__ import annotations

import csv

from engine_firmware import simulation

from orchestrator.csc.model import DirectedGraph, Edge, Silent

AT_FIRST = ((100, 26), (0, 0), (-1, -1), (-2, -2), (1, 1), (-1, 26), (100, -1))
BODY = """
static const int settings[][2] = { {0, 0}, SETTINGS };
static int step;
static void set(int power, int channel) { simPower = power; simRadioChannel = channel; }
void cooja_tick(void) {
  if(first()) set(settings[simMoteID][0], settings[simMoteID][1]);
  else if(!due()) return;
  else if(step == 1) set(50, 11);
  else if(step == 2) set(50, 11);
  else if(step == 3) { simRadioHWOn = 0; set(60, 12); }
  else if(step == 4) simRadioHWOn = 1;
  else if(step == 5) { set(70, 13); set(60, 12); }
  step++;
  etimer(100);
}
"""


def test_changes_are_told_once(firmware, run, tmp_path):
    settings = ", ".join(f"{{{power}, {channel}}}" for power, channel in AT_FIRST)
    run(
        simulation([(0, 0)] * len(AT_FIRST), 0.7),
        firmware(BODY.replace("SETTINGS", settings)),
        radio=tmp_path,
    )
    told: dict[int, list[tuple]] = {}
    with (tmp_path / "events.csv").open(newline="") as stream:
        for row in csv.DictReader(stream):
            if row["event"] in ("power", "channel"):
                event = (int(row["time_us"]) // 100_000, row["event"], int(row[row["event"]]))
                told.setdefault(int(row["mote"]), []).append(event)
    later = [(1, "power", 50), (1, "channel", 11), (4, "power", 60), (4, "channel", 12)]
    for mote, (power, channel) in enumerate(AT_FIRST, 1):
        boot = [(0, "power", power)] * (power != -1) + [(0, "channel", channel)] * (channel != -1)
        assert told[mote] == boot + later, (power, channel)


def test_a_radio_that_is_switched_off_has_nothing_left(firmware, run):
    """Not even what the firmware itself wrote, and not even where no medium does anything."""
    body = """
    static int step;
    void cooja_tick(void) {
      if(first()) { etimer(10); return; }
      if(!due()) return;
      SAY("%d %d %d\\n", simReceiving, simInSize, simOutSize);
      simReceiving = 1; simInSize = 7; simOutSize = 0;
      if(step++ == 1) { simRadioHWOn = 0; simOutSize = 9; }
      if(step < 4) etimer(10);
    }
    """
    ended = run(simulation([(0, 0)], 0.1, medium=Silent()), firmware(body))
    assert [text for _, _, text in ended.lines] == ["0 0 0", "1 7 0", "0 0 0", "1 7 0"]


def test_a_link_quality_that_the_firmware_changed_is_set_again(firmware, run):
    """At each update of a medium with link qualities, while the radio hears somebody: mote 3, which nobody
    hears, makes one between the ticks of mote 2.
    """
    body = """
    static int step;
    void cooja_tick(void) {
      if(first()) { etimer(simMoteID == 1 ? 100 : simMoteID == 2 ? 101 : 102); return; }
      if(!due() || step++ > 3) return;
      if(simMoteID == 1) { simOutSize = 120; return; }
      if(simMoteID == 2) { SAY("%d\\n", simLQI); simLQI = 33; etimer(2); return; }
      simPower = 50 + step;
      etimer(2);
    }
    """
    graph = DirectedGraph((Edge(1, 2, lqi=66), Edge(3, 1)))
    ended = run(simulation([(0, 0)] * 3, 0.2, medium=graph), firmware(body))
    assert [text for _, _, text in ended.lines] == ["66", "66", "33", "33"]
