# SPDX-License-Identifier: Apache-2.0
"""Random operations on running motes: actions of a script, and moves of the Mobility plugin."""

from __future__ import annotations

import json
import random
from pathlib import Path
from xml.sax.saxutils import escape

NEEDED = {"ContikiButton", "ContikiRS232", "ContikiRadio", "ContikiPIR", "ContikiVib"}  # of every mote type
_TEXTS = ("x", "two words", "caf\u00e9", "0123456789" * 30)
# One deed a line of a mote at most, and never two at one time: Cooja ends with an exception if a button is
# pressed while the press before is still to come, as it is for ever if the mote was removed meanwhile. A
# click may not meet another event of that button either.
_SCRIPT = """TIMEOUT({duration}, log.testOK());
deeds = {deeds};
next = 0;
last = -1;
busy = -1;
fresh = 1000;
gone = [];
was_gone = [];
while(true) {{
  log.log(time + "\\tID:" + id + "\\t" + msg + "\\n");
  if(next < deeds.length && time >= deeds[next][0] && time > last) {{
    deed = deeds[next];
    next = next + 1;
    last = time;
    all = sim.getMotes();
    other = all[deed[2] % all.length];
    button = other.getInterfaces().getButton();
    log.log("deed " + deed[1] + " " + other.getID() + "\\n");
    if(deed[1] == "move") {{
      other.getInterfaces().getPosition().setCoordinates(deed[3], deed[4], 0);
    }}
    if(deed[1] == "rename") {{
      other.getInterfaces().getMoteID().setMoteID(deed[3]);
    }}
    if(deed[1] == "write") {{
      write(other, deed[3]);
    }}
    if(was_gone.indexOf(other) >= 0 && ["press", "release", "click"].indexOf(deed[1]) >= 0) {{
      deed[1] = "nothing";
    }}
    if(deed[1] == "press" && time > busy) {{
      button.pressButton();
    }}
    if(deed[1] == "release" && time > busy) {{
      button.releaseButton();
    }}
    if(deed[1] == "click" && time > busy) {{
      busy = time + 260000;
      button.clickButton();
    }}
    if(deed[1] == "pir") {{
      other.getInterfaces().getPIR().triggerChange();
    }}
    if(deed[1] == "vib") {{
      other.getInterfaces().get("ContikiVib").triggerChange();
    }}
    if(deed[1] == "remove" && all.length > 2) {{
      sim.removeMote(other);
      gone.push(other);
      was_gone.push(other);
    }}
    if(deed[1] == "return" && gone.length > 0) {{
      sim.addMote(gone.shift());
    }}
    if(deed[1] == "add") {{
      mote = sim.getMoteTypes()[deed[3]].generateMote(sim);
      fresh = fresh + 1;
      mote.getInterfaces().getMoteID().setMoteID(fresh);
      mote.getInterfaces().getPosition().setCoordinates(deed[4], deed[5], 0);
      sim.addMote(mote);
    }}
  }}
  YIELD();
}}
"""
_MOBILITY = """  <plugin>
    org.contikios.cooja.plugins.Mobility
    <plugin_config>
      <positions>[CONFIG_DIR]/{name}</positions>
    </plugin_config>
    <bounds x="0" y="0" height="200" width="500" />
  </plugin>
"""


def _place(draw: random.Random) -> list[float]:
    """In m; some on a place where another may be."""
    return draw.choice(
        [
            [10.0 * draw.randrange(8), 10.0 * draw.randrange(8)],
            [round(draw.uniform(0, 80), 3), round(draw.uniform(0, 80), 3)],
        ]
    )


def _deeds(draw: random.Random, duration_ms: int, types: int) -> list[list]:
    kinds = draw.choice(
        [
            ["move"],
            ["write", "press", "release", "click", "pir", "vib"],
            ["remove", "add"],
            ["remove", "return"],
            ["rename", "move"],
            ["move", "rename", "write", "press", "release", "click", "pir", "vib", "remove", "add", "return"],
        ]
    )
    time, deeds, gap_us = 0, [], draw.choice([3000, 20_000, 100_000])
    while time < 1000 * duration_ms and len(deeds) < 300:
        time += draw.randrange(gap_us)
        kind = draw.choice(kinds)
        rest = {
            "move": lambda: _place(draw),
            "rename": lambda: [draw.randrange(1, 3000)],
            "write": lambda: [draw.choice(_TEXTS)],
            "add": lambda: [draw.randrange(types), *_place(draw)],
        }
        deeds.append([time, kind, draw.randrange(1000), *rest.get(kind, list)()])
    few = {"remove": 12, "add": 12, "return": 12}  # so that motes are left, and the run stays short
    kept = []
    for deed in deeds:
        few[deed[1]] = few.get(deed[1], 1000) - 1
        if few[deed[1]] >= 0:
            kept.append(deed)
    return kept


def _moves(draw: random.Random, motes: int) -> str:
    time, lines = 0.0, []
    for _ in range(draw.choice([1, 5, 60])):
        time += draw.choice([0.0, 0.001, round(draw.uniform(0, 0.1), 5), -0.02])
        x, y = _place(draw)
        lines.append(f"{draw.randrange(motes + 1)} {max(time, 0.0):.5f} {x} {y}\n")
    return "".join(lines) + f"0 {max(time, 0.0) + 0.05:.5f} 0 0\n"  # after it the file begins again, later


def operate(csc: bytes, draw: random.Random, duration_ms: int, moves: Path) -> bytes:
    """The .csc with a script that does something, or with a file `moves` beside it for the Mobility
    plugin."""
    text = csc.decode()
    if draw.random() < 0.25:
        moves.write_text(_moves(draw, text.count("<mote>")))
        return text.replace("</simconf>", _MOBILITY.format(name=moves.name) + "</simconf>").encode()
    before, _, rest = text.partition("<script>")
    _, _, after = rest.partition("</script>")
    deeds = json.dumps(_deeds(draw, duration_ms, text.count("<motetype>")))
    script = escape(_SCRIPT.format(duration=duration_ms, deeds=deeds))
    return f"{before}<script>{script}</script>{after}".encode()
