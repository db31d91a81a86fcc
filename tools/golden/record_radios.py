#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Record what a real Cooja's PowerTracker and medium say of the golden cases, or check it.

    record_radios.py --rules 5.0 COOJA            check: exit 1 if any time or number differs
    record_radios.py --rules 5.0 --write COOJA    replace those of this rule set

COOJA as for record.py. A copy of each case's simulation.csc starts the plugin and logs at the time-out its
statistics and how many transmissions, receptions and interferences the medium has counted.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from golden_cases import RULES, TRACKED, frames, radios_for, simulation, store_frames
from record import command, run_cooja

SAY = (
    "var plugins = sim.getCooja().getStartedPlugins(); for(var i = 0; i &lt; plugins.length; i++) "
    '{ if(plugins[i].getClass().getSimpleName().equals("PowerTracker")) '
    "{ log.log(plugins[i].radioStatistics(true, true, false)); } } var medium = sim.getRadioMedium(); "
    'log.log("FRAMES " + medium.COUNTER_TX + " " + medium.COUNTER_RX + " " + medium.COUNTER_INTERFERED + '
    '"\\n"); log.testOK()'
)
PLUGIN = (
    '<plugin>\n    org.contikios.cooja.plugins.PowerTracker\n    <bounds x="0" y="0" height="9" width="9" '
    "/>\n  </plugin>\n  "
)
ROW = re.compile(rb"^\S+_(\d+) (MONITORED|ON|TX|RX|INT) (\d+) us", re.MULTILINE)
FRAMES = re.compile(rb"^FRAMES (\d+) (\d+) (\d+)$", re.MULTILINE)


def times(log: bytes) -> str:
    """mote,until_us,on_us,transmitting_us,receiving_us,interfered_us, by mote. The plugin counts up to a
    radio's last event, `until_us`.
    """
    found: dict[int, dict[str, int]] = {}
    for mote, state, time in ROW.findall(log):
        found.setdefault(int(mote), {})[state.decode()] = int(time)
    rows = [
        ",".join(map(str, (mote, *(found[mote][state] for state in ("MONITORED", "ON", "TX", "RX", "INT")))))
        for mote in sorted(found)
    ]
    return "\n".join(["mote,until_us,on_us,transmitting_us,receiving_us,interfered_us", *rows]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rules", required=True, choices=RULES)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--java", default="java")
    parser.add_argument("cooja", type=Path)
    options = parser.parse_args()
    copies = [simulation(case).with_name(f"radios-{options.rules}.csc") for case in TRACKED]
    try:
        for case, copy in zip(TRACKED, copies):
            text = simulation(case).read_text()
            head, tail = text.split("<plugin>", 1)
            copy.write_text(head + PLUGIN + "<plugin>" + tail.replace("log.testOK()", SAY))
        with tempfile.TemporaryDirectory() as scratch:
            logs = run_cooja(command(options.cooja, options.rules, options.java), copies, Path(scratch))
    finally:
        for copy in copies:
            copy.unlink(missing_ok=True)
    different = 0
    counted = {case: tuple(map(int, FRAMES.findall(log)[-1])) for case, log in zip(TRACKED, logs)}
    known = frames(options.rules)
    for case, log in zip(TRACKED, logs):
        path = radios_for(case, options.rules)
        if options.write:
            path.write_text(times(log))
            known[case] = counted[case]
        same = path.exists() and path.read_text() == times(log) and known.get(case) == counted[case]
        different += not same
        print(f"{case}: {'the same' if same else 'differs'}, {times(log).count(chr(10)) - 1} motes")
    if options.write:
        store_frames(options.rules, known)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
