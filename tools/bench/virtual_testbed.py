# SPDX-License-Identifier: Apache-2.0
"""A virtual testbed of 12 gateways and 96 motes in real time: is every line collected that motes printed?

    python -m tools.bench.virtual_testbed [--seconds 120] [--full-rate] [--boards 12]

The motes' own log (LAB.virtual/motes/motes.log) is the truth that the collected lines are compared with.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path

from orchestrate_testbed.collect import collect
from orchestrate_testbed.merge import MoteLines, lines
from orchestrate_testbed.ssh import Network, together
from orchestrate_testbed.transfer import blob
from orchestrate_testbed.virtual import processes, testbed

from orchestrator.csc.model import Udgm
from orchestrator.features.testbed import virtual_testbed
from orchestrator.features.testbed.deploy import Wanted, deploy
from orchestrator.features.testbed.gateways import AtGateway
from orchestrator.features.testbed.starter import starter
from tests.engines.engine_firmware import compile_firmware
from tools.bench.row import Row

RUN = "bench"
BODY = """
static int count;
void cooja_tick(void) {
  if(first()) { SAY("boot %d\\n", simMoteID); etimer(PERIOD); return; }
  if(!simReceiving && simInSize > 0) simInSize = 0;
  if(due()) {
    etimer(PERIOD);
    SAY("line %07d of mote %03d: 0123456789 abcdefghijklmnopqr\\n", ++count, simMoteID);
    if(count % 20 == 0) { simOutSize = 30; simOutDataBuffer[0] = simMoteID; }
  }
}"""
FULL_MS = 5  # a line of 54 bytes: 10,800 of the 11,520 bytes/s that 115,200 baud carry
USUAL_MS = 100


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--boards", type=int, default=12)
    parser.add_argument("--full-rate", action="store_true", help="motes print all that 115,200 baud carry")
    options = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "lab.yaml").write_text(starter("lab", options.boards, "sky"))
        body = BODY.replace("PERIOD", str(FULL_MS if options.full_rate else USUAL_MS))
        library = compile_firmware(place, "bench", body)
        begun = time.monotonic()
        twin = virtual_testbed.up(place / "lab.yaml", Udgm(0.3, 0.6), "all", 1)
        rows.append(Row("up", time.monotonic() - begun, "s"))
        try:
            measure(twin, library, place, options.seconds, rows)
        finally:
            begun = time.monotonic()
            testbed.down(twin.testbed.folder)
            rows.append(Row("down", time.monotonic() - begun, "s"))
    print("\n".join(map(str, rows)))
    return 0 if all(row.kept for row in rows) else 1


def measure(twin: virtual_testbed.Twin, library: Path, place: Path, seconds: float, rows: list[Row]) -> None:
    lab = twin.lab
    with Network(lab.known_hosts) as network, ExitStack() as stack:
        places = {each.name: stack.enter_context(AtGateway(each, network)) for each in lab.gateways}
        wanted = [Wanted(mote, blob(library)) for mote in lab.motes]
        for what in ("deploy", "deploy again"):
            begun = time.monotonic()
            done = deploy(lab, places, wanted)
            assert not done.failures(), done.failures()[0]
            rows.append(Row(what, time.monotonic() - begun, "s"))
            rows.append(Row(f"{what}: sent", done.sent, "bytes", 0 if what == "deploy again" else None))
        begun = time.monotonic()
        together(lab.gateways, lambda gateway: begin(lab, gateway.name, places[gateway.name]))
        rows.append(Row("logs opened, motes reset", time.monotonic() - begun, "s"))
        busy = processor_s(twin)
        before = twin.testbed.ask(status=True)
        begun = time.monotonic()
        time.sleep(seconds)
        after = twin.testbed.ask(status=True)
        took = time.monotonic() - begun
        busy = processor_s(twin) - busy
        for mote in lab.motes:
            twin.testbed.ask(off=mote.name)
        time.sleep(2)  # for what their lines and the daemons still hold
        begun = time.monotonic()
        found = together(lab.gateways, lambda gateway: fetched(gateway.name, places[gateway.name], place))
        rows.append(Row("collect", time.monotonic() - begun, "s"))
        simulated = (after["now_us"] - before["now_us"]) / 1e6
        rows += [
            Row("simulated / real time", simulated / took, "", 0.999, at_least=True),
            Row("most behind real time", after["most_behind_us"] / 1e3, "ms"),
            Row("steps more than 100 ms late", after["late_steps"] - before["late_steps"], ""),
            Row("kernel", 100 * (after["kernel_cpu_s"] - before["kernel_cpu_s"]) / took, "% of a core"),
            Row("mote host", 100 * (after["cpu_s"] - before["cpu_s"]) / took, "% of a core"),
            Row("all of the testbed's processes", 100 * busy / took, "% of a core"),
        ]
        compare(twin, dict(zip([gateway.name for gateway in lab.gateways], found, strict=True)), rows)


def begin(lab, name: str, at: AtGateway) -> None:
    for mote in lab.behind(name):
        at.daemon.open(RUN, mote.name, at.device(mote), mote.baud)
    for mote in lab.behind(name):
        assert at.host.run(mote.command(mote.reset, at.device(mote))).code == 0


def fetched(name: str, at: AtGateway, place: Path) -> dict[str, tuple[Path, ...]]:
    return collect(at.daemon, RUN, place / name).segments


def compare(twin: virtual_testbed.Twin, found: dict, rows: list[Row]) -> None:
    said: dict[int, list[str]] = defaultdict(list)
    times: dict[int, list[int]] = defaultdict(list)
    for line in (twin.testbed.folder / "motes" / "motes.log").read_text().splitlines():
        time_us, _, rest = line.partition("\tID:")
        number, _, text = rest.partition("\t")
        if text.startswith("boot"):
            said[int(number)], times[int(number)] = [], []
        if text:
            said[int(number)].append(text)
            times[int(number)].append(int(time_us))
    printed = lost = bytes_ = wrong = 0
    for number, mote in enumerate(twin.lab.motes, 1):
        segments = found[mote.gateway][mote.name]
        came = [text.decode() for _, _, text in lines(segments, MoteLines(number))]
        came = came[max(at for at, text in enumerate(came) if text.startswith("boot")) :]
        printed += len(said[number])
        lost += len(said[number]) - len(came)
        wrong += came != said[number]
        bytes_ += sum(len(text) + 1 for text in came)
    rows += [
        Row("lines printed", printed, ""),
        Row("lines lost", lost, "", 0),
        Row("motes whose collected lines differ", wrong, "", 0),
        Row(
            "bytes a second and mote",
            1e6 * bytes_ / sum(each[-1] - each[0] for each in times.values()),
            "B/s",
        ),
    ]


def processor_s(twin: virtual_testbed.Twin) -> float:
    """Of all processes that live now."""
    ticks = 0
    for pid in processes.of_part(twin.testbed.folder):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    raise SystemExit(main())
