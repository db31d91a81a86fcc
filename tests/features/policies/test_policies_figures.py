# SPDX-License-Identifier: Apache-2.0
"""Figures 23 to 26 of the paper on policies: measured where the tools are, and judged as measured."""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
import pytest

from orchestrator.build.machines import MACHINES
from orchestrator.features.policies.paper import (
    case_study,
    figure_23,
    figure_26,
    figure_26_sky,
    figure_27,
    figures_24_25,
    requirements,
)
from orchestrator.features.policies.paper.figure_26_program import PULLED, PUSHED, Cost
from orchestrator.features.policies.paper.measured import Cell
from orchestrator.papers.check import FAILS, HOLDS, MISSING
from tests import needs


def test_the_overhead_is_judged_in_both_readings(monkeypatch):
    monkeypatch.setattr(figure_26, "measured", lambda: {PUSHED: Cost(1000, 1100), PULLED: Cost(1000, 2000)})
    monkeypatch.setattr(
        figure_26, "on_one_event", lambda: {(1, 1): 100, (1, 32): 110, (32, 32): 730, (1, 128): 119}
    )
    executed = {PUSHED: Cost(3000, 3100), PULLED: Cost(3000, 6000)}
    monkeypatch.setattr(figure_26_sky, "measured", lambda: executed)
    told = {check.id: (check.verdict, check.evidence) for check in figure_26.checks({})}
    assert told["TempForFireAlarm-executed"] == (HOLDS, "1.1 %")
    assert told["ACSTemp-executed"][0] == FAILS
    assert told["TempForFireAlarm-overhead"] == (FAILS, "10.0 %")
    assert told["TempForFireAlarm-whole"] == (HOLDS, "1.4 %")
    assert told["ACSTemp-overhead"] == (FAILS, "100.0 %")
    assert told["ACSTemp-whole"] == (FAILS, "14.0 %")
    assert told["grows"][0] == HOLDS and "20 instructions each, 31 on other events 10" in told["grows"][1]
    monkeypatch.setattr(
        figure_26, "on_one_event", lambda: {(1, 1): 100, (1, 32): 600, (32, 32): 730, (1, 128): 620}
    )
    assert figure_26.checks({})[-1].verdict == FAILS
    linear = {(1, 1): 100, (1, 32): 130, (32, 32): 730, (1, 128): 220}
    monkeypatch.setattr(figure_26, "on_one_event", lambda: linear)
    assert figure_26.checks({})[-1].verdict == FAILS
    rows = figure_26.tables({})[0].rows
    assert {tuple(entry.number for entry in row) for row in rows} == {(False, False, True, True, True, True)}
    assert [entry.text for entry in rows[0]][1:] == [
        "2.5 ms, 2.7 ms: +8 %",
        "1,000",
        "1,100",
        "+10 %",
        "+1.4 %",
    ]


def test_without_an_emulator_nothing_is_claimed(monkeypatch):
    monkeypatch.setattr(figure_26, "measured", dict)
    monkeypatch.setattr(figure_26_sky, "measured", dict)
    monkeypatch.setattr(figure_26, "on_one_event", dict)
    assert {check.verdict for check in figure_26.checks({})} == {MISSING}
    assert figure_26.tables({}) == []


def test_sizes_are_judged_on_the_papers_processor_in_both_readings(monkeypatch):
    rows = {
        "manager": 1000,
        "manager, wide reading": 3000,
        "manager with PushDPC": 2530,
        "manager with PushDPC, wide reading": 2531,
    }
    both = [figure_23.Measured(MACHINES["msp430"], rows), figure_23.Measured(MACHINES["cortex-m3"], rows)]
    monkeypatch.setattr(figure_23, "measured", lambda: tuple(both))
    assert [check.verdict for check in figure_23.checks({})] == [HOLDS, FAILS, HOLDS, FAILS]
    (table,) = figure_23.tables({})
    assert table.columns == ("Part", "Paper, MSP430", "MSP430", "ARM Cortex-M3")
    assert [entry.text for entry in table.rows[0]] == ["manager", "1,120", "1,000", "1,000"]
    monkeypatch.setattr(figure_23, "measured", lambda: tuple(both[1:]))
    assert {check.verdict for check in figure_23.checks({})} == {MISSING}


def cell(forwarding: int, pulls: int = 8, others: int = 0) -> Cell:
    """One run of four motes: two pushes of Smoke that some motes send, a pulled ACSTemp, two pulls."""
    sent = [("snd", mote, "Smoke") for mote in range(1, forwarding + 1)] * 2
    kinds = [*sent, ("pub", 2, "Smoke"), ("pub", 2, "Smoke"), ("dlv", 4, "Smoke")]
    kinds += [("pub", 3, "ACSTemp"), ("snd", 3, "ACSTemp"), ("dlv", 4, "ACSTemp")]
    events = pd.DataFrame(kinds, columns=["kind", "mote", "subject"]).assign(run_id="run")
    values = {"packets_sent": len(sent) + 1 + pulls + others, "pulls_sent": pulls, "pulls_originated": 2}
    values |= {"cpc_repeated": 7, "queue_dropped": 5, "mac_sent": 9}
    counters = pd.DataFrame({"run_id": "run", "name": list(values), "value": list(values.values())})
    asked = [(1, "B-C", "notify", "Smoke"), (1, "B-C", "notify", "Smoke")]
    asked += [
        (2, "C-B", "notify", "Smoke"),
        (3, "B-C", "notify", "ACSTemp"),
        (3, "B-C", "subscribe", "Smoke"),
    ]
    policy_events = pd.DataFrame(asked, columns=["mote", "point", "operation", "topic"]).assign(run_id="run")
    nodes = pd.DataFrame({"run_id": "run", "mote": [1, 2, 3, 4]})
    return Cell(("run",), pd.DataFrame(), counters, events, policy_events, nodes)


def test_without_runs_no_message_is_counted():
    assert {check.verdict for check in figures_24_25.checks({})} == {MISSING}
    assert figures_24_25.tables({}) == []
    assert "There are no runs" in str(figures_24_25.sections({}))


def test_a_bit_costs_as_the_paper_and_as_its_source_say():
    """A millisecond is 250 bits; the source's amplifier adds 40 nJ for 20 m."""
    drain = figure_27.Drain(sent_us=1000, received_us=2000)
    assert drain.microjoules(figure_27.PRINTED) == 250 * 5e-3 + 500 * 5e-3
    assert drain.microjoules(figure_27.SOURCE) == pytest.approx(250 * 90e-3 + 500 * 50e-3)


def test_the_drain_is_judged_in_both_readings(monkeypatch):
    """By the source's figure sending costs more than receiving, so that one may hold without the other."""

    def verdict(mine, other):
        cells = {("fire-8-5%", "policies"): mine, ("fire-8-5%", "coded"): other}
        monkeypatch.setattr(figure_27, "measured", lambda: cells)
        (check,) = figure_27.checks({})
        return check.verdict

    assert verdict(figure_27.Drain(1, 1), figure_27.Drain(1, 1)) == HOLDS
    assert verdict(figure_27.Drain(2, 0), figure_27.Drain(0, 2)) == FAILS
    (row,) = figure_27.tables({})[0].rows
    assert [entry.text for entry in row][0] == "fire alarm, 8 sensors, 5 % hot"
    assert row[3].text == "100 %" and row[6].text == "180 %"
    monkeypatch.setattr(figure_27, "measured", dict)
    assert figure_27.checks({})[0].verdict == MISSING and figure_27.tables({}) == []


@pytest.mark.parametrize(
    ("given", "without", "verdict", "evidence"),
    [
        ([2, 2], [0, 1], HOLDS, "2.0 of 2 in 2 runs, 0.5 in 2 without SprinklerPolicy (Figure 15)"),
        ([2, 1], [0, 0], FAILS, "1.5 of 2 in 2 runs, 0.0 in 2 without SprinklerPolicy (Figure 15)"),
        ([2], [0, 2], FAILS, "2.0 of 2 in 1 run, 1.0 in 2 without SprinklerPolicy (Figure 15)"),
        ([], [0], MISSING, "no run ended well"),
        ([2], [], MISSING, "no run ended well"),
        ([2], None, MISSING, "no run ended well"),
    ],
)
def test_a_requirement_holds_if_all_runs_with_its_policy_meet_it_and_none_without(
    monkeypatch, given, without, verdict, evidence
):
    cells = {
        name: SimpleNamespace(motes_that_did=lambda line, values=values: values)
        for name, values in (("fire", given), ("fire-without-15", without))
        if values is not None
    }
    monkeypatch.setattr(requirements, "measured", lambda results: SimpleNamespace(cell=cells.get))
    told = {check.id: check for check in requirements.checks({})}
    assert told["R3"].verdict == verdict and told["R3"].evidence.endswith(evidence)
    assert {told[other].verdict for other in ("R1", "R2", "R4")} == {MISSING}
    rows = [row for table in requirements.tables({}) for row in table.rows]
    assert [row[0].text for row in rows] == (["R3"] if without is not None else [])
    assert all(row[2].tone == ("good" if set(given) <= {2} else "bad") for row in rows)


def _cell(**of) -> SimpleNamespace:
    """A run that counts what is named, and 0 of all else."""

    def counts(name: str) -> list[int]:
        return [of.get(name, 0)]

    return SimpleNamespace(
        events_of=lambda kind, topic: counts(f"{kind}_{topic}"),
        asked_policies=lambda point, operation, topic: counts(f"asked_{topic}"),
        counted=counts,
        motes_that_did=lambda line: [0],
    )


@pytest.mark.parametrize(
    ("taken", "unasked", "verdict"), [(8, 0, HOLDS), (9, 0, FAILS), (0, 0, FAILS), (8, 1, FAILS)]
)
def test_r5_asks_for_a_reading_for_each_request_and_none_without(monkeypatch, taken, unasked, verdict):
    """Opened sprinklers show that somebody answered, and not that readings are taken on request only."""
    cells = {
        "fire": _cell(asked_GetSmokeReading=8, pub_GetSmokeReading=2, pub_Smoke=taken),
        "fire-without-16": _cell(pub_GetSmokeReading=42),
        "calm": _cell(pub_Smoke=unasked),
    }
    monkeypatch.setattr(requirements, "measured", lambda results: SimpleNamespace(cell=cells.get))
    assert {check.id: check.verdict for check in requirements.checks({})}["R5"] == verdict


def test_r1_and_r2_are_tested_by_what_the_policy_does_and_say_what_is_not_tested(monkeypatch):
    """The component hands over as many readings in both cases, and encrypts in neither."""
    cells = {
        "calm": _cell(asked_TempForFireAlarm=400),
        "calm-without-14": _cell(pub_TempForFireAlarm=400),
        "opened-injected": _cell(overheard_sealed=13),
        "opened-injected-without-20": _cell(overheard_in_clear=2),
    }
    monkeypatch.setattr(requirements, "measured", lambda results: SimpleNamespace(cell=cells.get))
    told = {check.id: check for check in requirements.checks({})}
    assert told["R1"].verdict == told["R2"].verdict == HOLDS
    assert "0.0 % in 1 run, 100.0 in 1 without" in told["R1"].evidence
    assert all("Not tested: " in told[name].evidence for name in ("R1", "R2"))
    cells["calm"] = _cell()  # a component that keeps readings back itself shows nothing
    assert {check.id: check.verdict for check in requirements.checks({})}["R1"] == MISSING


def test_the_cipher_that_runs_is_named_beside_the_papers():
    notes = [note for *_, note in case_study.TABLES]
    assert any("AES-128" in note and "Skipjack" in note for note in notes)


def test_policies_save_broadcasts_of_the_air_conditioning_and_none_of_the_fire_alarm(monkeypatch):
    needs.a_compiler()
    loaded = figure_27.loads

    def small(text, name):
        cells = loaded(text, name).cells
        return SimpleNamespace(cells=[one for one in cells if one.name.startswith(("air-8", "fire-5"))])

    monkeypatch.setattr(figure_27, "loads", small)
    found = figure_27.measured.__wrapped__()
    air, fire = ([found[case, how] for how in ("policies", "coded")] for case in ("air-8", "fire-5-5%"))
    assert 0 < 3 * air[0].received_us < air[1].received_us
    assert 0 < fire[0].sent_us == fire[1].sent_us
