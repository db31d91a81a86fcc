# SPDX-License-Identifier: Apache-2.0
"""The threads' stories on the embedded engine, and the same bytes in a real Cooja, from either Contiki."""

import os

import pytest
from os_builds import HERE, make
from test_threads import MOTES, logs

from orchestrator.csc.interfaces import STANDARD_INTERFACES
from orchestrator.csc.model import EndScript, Mote, MoteType, Simulation, Udgm
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from orchestrator.scenario.model import EngineOptions

SIMULATION = Simulation(
    "threads",
    1,
    500_000,
    Udgm(),
    (MoteType("threads", "threads", "threads.c", "", STANDARD_INTERFACES),),
    tuple(Mote("threads", mote, 1000.0 * mote, 0.0) for mote in range(1, MOTES + 1)),  # none hears another
    EndScript(1_500_000),
)


def run_on(name, library, log, rules="5.0", options=None):
    log.parent.mkdir(exist_ok=True)
    result = run_one(engine(name, options), Job(SIMULATION, 1, {"threads": library}, log, ruleset=rules))
    assert result.outcome is Outcome.OK, result.evidence
    return log.read_bytes()


@pytest.fixture(scope="module")
def embedded_log(firmware, tmp_path_factory):
    return run_on("embedded", firmware("threads"), tmp_path_factory.mktemp("embedded") / "COOJA.testlog")


def by_mote(lines):
    """Mote -> [(us since its first line, text)]; (time, mote, text) the lines."""
    found = {}
    for time, mote, text in lines:
        found.setdefault(mote, []).append((time, text))
    return {mote: [(time - said[0][0], text) for time, text in said] for mote, said in sorted(found.items())}


def test_the_embedded_engine_does_what_the_driver_does(embedded_log, firmware, run):
    driven = logs(run(firmware("threads"), "--motes", str(MOTES), "--until", "400"))
    lines = (line.split("\t") for line in embedded_log.decode().splitlines() if "\tID:" in line)
    seen = by_mote((int(time), int(mote.removeprefix("ID:")), text) for time, mote, text in lines)
    assert seen == by_mote((time, mote, text) for mote, said in driven.items() for time, text in said)


@pytest.mark.cooja
@pytest.mark.skipif(not os.environ.get("COOJA"), reason="set COOJA to a Cooja, COOJA_RULES to its rule set")
@pytest.mark.parametrize("source", ["embedded", "contiki-ng"])
def test_the_same_bytes_in_cooja(firmware, work, tmp_path, source):
    if source == "embedded":
        library = firmware("threads")
    elif os.environ.get("CONTIKI_NG"):
        made = make(
            HERE / "firmware",
            f"CONTIKI={os.environ['CONTIKI_NG']}",
            "TARGET=cooja",
            "CONTIKI_PROJECT=threads",
            "RELSTR=0",
            f"BUILD_DIR={work / 'threads-contiki-ng'}",
            "threads.cooja",
            "-j2",
        )
        assert made.returncode == 0, made.stdout
        library = work / "threads-contiki-ng" / "cooja" / "threads.cooja"
    else:
        pytest.skip("CONTIKI_NG isn't set")
    options = EngineOptions(path=os.environ["COOJA"])
    rules = os.environ.get("COOJA_RULES", "5.0")
    real = run_on("cooja", library, tmp_path / "cooja" / "COOJA.testlog", rules, options)
    assert run_on("embedded", library, tmp_path / "embedded" / "COOJA.testlog", rules) == real
    assert real.count(b"!sch") > 50
