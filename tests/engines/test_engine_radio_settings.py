# SPDX-License-Identifier: Apache-2.0
"""Which changes of a radio's power and channel reach the medium: those since it last asked while the radio
was on; at first it knows of neither, for which Cooja has -1.
"""

from __future__ import annotations

import csv

from engine_firmware import simulation

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
