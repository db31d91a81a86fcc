# SPDX-License-Identifier: Apache-2.0
"""Ticks that can't do anything are skipped, and the log has the same bytes as with every tick."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from engine_firmware import HEAD, simulation

from orchestrator.applications import descriptor
from orchestrator.build import host, kernel
from orchestrator.csc.model import DirectedGraph, Edge, Udgm, UdgmConstantLoss
from orchestrator.engines.embedded.description import describe
from orchestrator.features.aggregation import paper as aggregation
from orchestrator.scenario.load import loads
from tests.placed import simulation as simulation_of

DECLARED = HEAD + "const char mote_ticks_can_be_skipped = 1;\n"
# Sends at random times by etimer and rtimer (some in the past), switches its radio, leaves frames unread,
# stays awake.
BODY = r"""
static unsigned state;
static int below(int n) { state = state * 1103515245u + 12345u; return (int)((state >> 8) % (unsigned)n); }
static int sending, count;
static void plan(void) {
  if(below(3)) etimer(below(40)); else { simRtimerNextExpirationTime = simRtimerCurrentTicks + below(9000) - 500; simRtimerPending = 1; }
}
static void act(const char *why) {
  SAY("%s %d at %lld %lld s %d %d q %d\n", why, ++count, (long long)simCurrentTime, (long long)simRtimerCurrentTicks,
      simSignalStrength, simLastSignalStrength, simLastLQI);
  switch(below(6)) {
    case 0: simRadioHWOn = !simRadioHWOn; break;
    case 1: simPower = (char)(50 + 50 * below(2)); break;
    case 2: simProcessRunValue = 1; break;
    default: if(simOutSize == 0 && simRadioHWOn) { simOutSize = 5 + below(90); simOutDataBuffer[0] = (char)simMoteID; sending = 1; }
  }
  plan();
}
void cooja_tick(void) {
  int awake = simProcessRunValue;
  simProcessRunValue = 0;
  if(first()) { state = (unsigned)simRandomSeed; plan(); return; }
  if(!simRadioHWOn) simInSize = 0;
  else if(simReceiving) { simLastSignalStrength = simSignalStrength; simLastLQI = simLQI; }
  else if(simInSize > 0) {
    if(below(4)) { SAY("in %d of %d s %d\n", simInSize, simInDataBuffer[0], simLastSignalStrength); simInSize = 0; }
    else simProcessRunValue = 1;
  }
  if(sending && simOutSize == 0) { sending = 0; SAY("sent\n"); }
  if(awake) SAY("awake\n");
  if(due()) act("etimer");
  if(simRtimerPending && simRtimerNextExpirationTime <= simRtimerCurrentTicks) { simRtimerPending = 0; act("rtimer"); }
}
"""  # noqa: E501


def random_simulation(number: int):
    draw = random.Random(number)
    count = draw.choice([2, 5, 9, 16])
    places = [(draw.uniform(0, 25 * count**0.5), draw.uniform(0, 25 * count**0.5)) for _ in range(count)]
    udgm = Udgm(draw.choice([30.0, 50.0]), draw.choice([20.0, 50.0, 100.0]), 1.0, draw.choice([1.0, 0.7]))
    edges = tuple(
        Edge(
            a,
            b,
            draw.choice([1.0, 0.8]),
            draw.uniform(-99, -20),
            draw.randrange(256),
            draw.choice([0, 0, 320]),
            -1,
        )
        for a in range(1, count + 1)
        for b in range(1, count + 1)
        if a != b and draw.random() < 0.5
    )
    medium = [udgm, UdgmConstantLoss(**vars(udgm)), DirectedGraph(edges)][number % 3]
    return replace(
        simulation(places, draw.choice([2, 4]), motedelay_us=draw.choice([0, 1000, 1_000_000])),
        medium=medium,
        seed=number,
    )


def logs(library: Path, simulated, folder: Path, rules: str = "5.0") -> tuple[dict, bytes, dict, bytes]:
    return logs_of({"t": library}, simulated, folder, rules)


def logs_of(
    libraries: dict[str, Path], simulated, folder: Path, rules: str = "5.0"
) -> tuple[dict, bytes, dict, bytes]:
    """The end's report and the log, with skipping and without."""
    text = describe(simulated, simulated.seed, libraries, rules)
    found = []
    for name, options in (("skipping", []), ("every", ["--every-tick", "1"])):
        log = folder / f"{name}.testlog"
        done = subprocess.run(
            [kernel.executable(), "--log", log, *options], input=text, capture_output=True, check=False
        )
        found += [json.loads(done.stdout), log.read_bytes()]
    return tuple(found)


def assert_same(skipping: dict, log: bytes, every: dict, expected: bytes) -> None:
    assert skipping["report"] == every["report"] == "end", (skipping, every)
    assert every["skipped"] == 0
    assert log == expected
    assert (skipping["ticks"], skipping["events"]) == (every["ticks"], every["events"])


@pytest.mark.parametrize("number", range(30))
def test_declared_firmware_writes_the_same(number, tmp_path_factory, tmp_path, firmware):
    found = logs(
        firmware(BODY, head=DECLARED), random_simulation(number), tmp_path, "5.0" if number % 2 else "2026.07"
    )
    assert_same(*found)
    assert found[1].count(b"\n") > 20


def test_a_frame_that_reaches_behind_the_buffer_is_seen_by_the_next_tick(tmp_path, firmware):
    """Such a frame may change any variable, so nothing that was known of the mote's next tick holds: here it
    says that the frame was taken already, and asks for a line."""
    head = DECLARED.replace(
        "char simInDataBuffer[256],",
        'struct { char bytes[10]; short pad; int size, asked; } in __asm__("simInDataBuffer");\nchar',
    )
    head = head.replace("simInSize,", "").replace(
        "int simMoteID,",
        '__asm__(".globl simInSize\\n.type simInSize, %object\\n.size simInSize, 4\\n'
        '.set simInSize, simInDataBuffer + 12\\n.size simInDataBuffer, 10");\nint simMoteID,',
    )
    body = r"""
static int sent;
void cooja_tick(void) {
  if(first()) { if(simMoteID == 1) etimer(50); return; }
  if(in.asked) { SAY("asked %d at %lld\n", in.asked, (long long)simRtimerCurrentTicks); in.asked = 0; }
  if(due() && !sent++) { simOutDataBuffer[16] = 77; simOutSize = 20; }
}
"""
    found = logs(firmware(body, head=head), simulation([(0, 0), (10, 0)], 1, motedelay_us=0), tmp_path)
    assert_same(*found)
    assert b"asked 77 at" in found[1]


# Throws frames of some motes away, which the engine may ask about in place of a tick.
IGNORES = (
    "_Bool mote_ignores(const uint8_t *frame, int size) { ignored += frame[0] % 3 == size % 2; return "
    "frame[0] % 3 == size % 2; }\n"
)
IGNORING = DECLARED + "static int ignored;\n" + IGNORES
IGNORING_BODY = (
    BODY.replace(
        "else if(simInSize > 0) {",
        "else if(simInSize > 0 && mote_ignores((uint8_t *)simInDataBuffer, simInSize)) simInSize = 0;"
        "\n  else if(simInSize > 0) {",
    )
    .replace("q %d\\n", "q %d i %d\\n")
    .replace("simLastLQI);", "simLastLQI, ignored);")
)


def test_frames_that_are_ignored_cost_no_tick(tmp_path, firmware):
    asked = firmware(IGNORING_BODY, head=IGNORING)
    unasked = firmware(
        IGNORING_BODY.replace("mote_ignores", "ignores"), head=IGNORING.replace("mote_ignores", "ignores")
    )
    spared = 0
    for number in range(30):
        simulated, rules = random_simulation(number), "5.0" if number % 2 else "2026.07"
        found = logs(asked, simulated, tmp_path, rules)
        assert_same(*found)
        running, log, *_ = logs(unasked, simulated, tmp_path, rules)
        assert log == found[1]
        spared += found[0]["skipped"] - running["skipped"]
    assert spared > 500


@pytest.mark.parametrize(
    ("asked", "skipped"),
    [
        ({}, 0.6),
        pytest.param(
            {"mac": "radio-csma", "clock": "128", "clock-phase": "drawn"},
            0.2,
            marks=pytest.mark.full(instead="the usual MAC; hello-nullnet has this one and the coarse clock"),
        ),
    ],
)
def test_what_only_passes_by_costs_no_tick(tmp_path, asked, skipped):
    """The aggregation paper's chain, where every mote hears every other: counters and all are as with every
    tick, also of what passes by a radio that began to hear too late."""
    name, text = aggregation.scenarios()[0]
    cell = next(cell for cell in loads(text, name).cells if cell.name == "H10")
    cell = replace(
        cell,
        application=replace(
            cell.application, parameters={**cell.application.parameters, "begin": 20_000_000, **asked}
        ),
        duration_us=40_000_000,
        drain_us=1_000_000,
    )
    app = descriptor.load("aggregation")
    simulated = simulation_of(cell, 1, source="aggregation.c")
    simulated = replace(simulated, script=replace(simulated.script, timeout_us=90_000_000))
    library = host.firmware(app, app.variant(cell.application.parameters)).path
    found = logs_of({t.identifier: library for t in simulated.mote_types}, simulated, tmp_path)
    assert_same(*found)
    assert b"!cnt,packets_off_topology," in found[1]
    assert found[0]["skipped"] > skipped * found[0]["ticks"]


def test_firmware_that_declares_nothing_gets_every_tick(tmp_path, firmware):
    skipping, *_ = logs(firmware(BODY), random_simulation(1), tmp_path)
    assert (skipping["report"], skipping["skipped"]) == ("end", 0)


@pytest.mark.parametrize(
    "variant",
    [{"MAC": "csma"}, {"MAC": "nullmac"}, {"MAC": "radio-csma", "CLOCK": "128", "PHASE": "drawn"}],
    ids=lambda variant: variant["MAC"],
)
@pytest.mark.parametrize(
    "number",
    [0, 1, 2, *(pytest.param(n, marks=pytest.mark.full(instead="one of each medium")) for n in (3, 4, 5))],
)
def test_our_contiki_writes_the_same_and_most_ticks_are_skipped(number, variant, tmp_path):
    library = host.firmware("hello-nullnet", {"DEFINES": "PERIOD_S=1", **variant}).path
    found = logs(library, random_simulation(number), tmp_path)
    assert_same(*found)
    assert found[0]["skipped"] > 0
