# SPDX-License-Identifier: Apache-2.0
"""CoAP through a border router in virtual time: an unmodified aiocoap client gets a resource of each of 25
motes (Contiki-NG's coap-example-server) behind Contiki-NG's rpl-border-router, again and again.

    CONTIKI_NG=TREE python -m tools.bench.virtual_time

The tree is copied. Each run is a process of `orchestrate live`; its log and what it prints must be the same
bytes every time, or the row is missed. Latencies are in simulated time.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.csc.write import write
from tools.bench.row import Row, Skipped

MOTES = 25
ROUNDS = 40
RUNS = 20
LEAST = 50  # times real time
CLIENT = """\
import asyncio
import json
import sys

import aiocoap

ADDRESSES = sys.argv[2:]


async def get(context, address):
    loop = asyncio.get_running_loop()
    began = loop.time()
    request = aiocoap.Message(code=aiocoap.GET, uri=f"coap://[{address}]/test/hello")
    answer = await context.request(request).response
    assert answer.payload == b"Hello World!", answer
    return loop.time() - began


async def main():
    await asyncio.sleep(120)  # in which the network forms
    context = await aiocoap.Context.create_client_context()
    latencies = [await get(context, address) for _ in range(int(sys.argv[1])) for address in ADDRESSES]
    print(json.dumps(latencies))


asyncio.run(main())
"""


def network(tree: Path) -> Simulation:
    """A border router in the corner of a grid of 5 x 5 motes, 30 m apart, 50 m of range."""

    def kind(name: str, source: Path) -> MoteType:
        commands = f"$(MAKE) -j$(CPUS) {source.stem}.cooja TARGET=cooja"
        return MoteType(name, source.stem, str(source), commands, STANDARD_INTERFACES)

    examples = tree / "examples"
    return Simulation(
        "CoAP behind a border router",
        1,
        1_000_000,
        Udgm(50.0, 100.0, 1.0, 1.0),
        (
            kind("router", examples / "rpl-border-router" / "border-router.c"),
            kind("server", examples / "coap" / "coap-example-server" / "coap-example-server.c"),
        ),
        (
            Mote("router", 1, 0.0, 0.0),
            *(Mote("server", 2 + n, 20.0 + n % 5 * 30.0, n // 5 * 30.0) for n in range(MOTES)),
        ),
        EndScript(1_000_000),
    )


def processor_s() -> float:
    """Processor time of all processes that have ended: Python's and the simulator's."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rows(folder: Path, _seeds: str) -> Iterator[Row | Skipped]:
    """The rows, measured in `folder`."""
    if not (tree := os.environ.get("CONTIKI_NG")):
        yield Skipped("CoAP through a border router in virtual time", "set CONTIKI_NG")
        return
    from orchestrator.features.virtual_time import mote_address

    here = folder / "virtual-time"
    here.mkdir()
    os.environ.setdefault("RELSTR", "bench")  # the copy is no git checkout
    ignored = shutil.ignore_patterns(".git", "build", "tools")
    copy = Path(shutil.copytree(tree, here / "tree", ignore=ignored, symlinks=True))
    (here / "network.csc").write_bytes(write(network(copy)))
    (here / "client.py").write_text(CLIENT)
    addresses = [mote_address(2 + number) for number in range(MOTES)]
    command = [
        sys.executable,
        "-c",
        "from orchestrator.cli.app import main; raise SystemExit(main())",
        "live",
    ]
    command += ["--border-router", "1", "--logdir", str(here / "log"), str(here / "network.csc")]
    command += [str(here / "client.py"), str(ROUNDS), *addresses]
    seen, speeds, paces = set(), [], []
    for number in range(1 + RUNS):  # the first one builds
        began_s, used_s = time.monotonic(), processor_s()
        done = subprocess.run(command, capture_output=True, check=False)
        took_s, used_s = time.monotonic() - began_s, processor_s() - used_s
        if done.returncode:
            sys.exit(done.stderr.decode())
        log = (here / "log" / "COOJA.testlog").read_bytes()
        if number:
            seen.add((done.stdout, log))
            simulated_s = int(log.rsplit(b" ", 1)[1]) / 1e6
            speeds.append(simulated_s / used_s)
            paces.append(simulated_s / took_s)
    latencies = json.loads(done.stdout)
    what = f"{len(latencies)} CoAP GETs to {MOTES} motes, by processor time"
    yield Row(what, float(np.median(speeds)), "x real time", LEAST, at_least=True)
    yield Row("  by the clock, beside whatever else runs", float(np.median(paces)), "x real time")
    yield Row(f"  different outputs and logs of {RUNS} runs", len(seen), "", 1)
    for share in (50, 99, 100):
        yield Row(
            f"  latency, percentile {share}", 1000 * float(np.percentile(latencies, share)), "ms simulated"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="orchestrate-bench-") as name:
        for row in rows(Path(name), ""):
            print(row, flush=True)
