# SPDX-License-Identifier: Apache-2.0
"""What a user reads of the paper on policies, of made-up runs and measurements (tests/recorded.py)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from orchestrator.build.machines import MACHINES
from orchestrator.papers import policies
from orchestrator.papers.check import FAILS, HOLDS
from orchestrator.papers.policies import (
    case_study,
    figure_23,
    figure_26,
    figure_27,
    figure_28,
    figures_24_25,
    requirements,
)
from orchestrator.papers.policies.measured import EXPERIMENT, measured
from orchestrator.report.data import Results
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests import page_in_words, recorded
from tests.manifests import manifest

RECORDED = Path(__file__).with_name("recorded_output")
COUNTERS = (
    "packets_sent",
    "pulls_sent",
    "pulls_originated",
    "cpc_repeated",
    "queue_dropped",
    "mac_sent",
    "overheard_in_clear",
    "overheard_sealed",
    "group_not_ours",
    "group_replayed",
    "pulls_refused",
    "events_delivered",
)
# Topic -> its subject in logs: eight characters, of which the last two are a checksum of a longer name's.
TOPICS = {
    "TempForFireAlarm": "TempFo51",
    "FireAlarm": "FireAl9c",
    "Smoke": "Smoke",
    "GetSmokeReading": "GetSmoed",
    "ACSTemp": "ACSTemp",
}


def told(part) -> str:
    return recorded.rounded(page_in_words.told(part, page_in_words.in_brief))


def stored(folder: Path, cells: Iterable[str], unlike: str = "") -> Results:
    """Runs with everything drawn by chance; `unlike`: another chance."""
    tables = {
        "text": [("run", 0, 0, "")],
        "counters": [("run", 0, "", 0)],
        "events": [("run", 0, "", "")],
        "policy_events": [("run", 0, "", "", "")],
        "nodes": [("run", 0)],
    }
    runs = []
    for cell in cells:
        for seed in (1, 2, 3):
            draw = random.Random(f"{cell} {seed} {unlike}")
            run, motes = f"{cell}/{seed}", range(1, 8 + seed)
            runs.append(manifest(run, cell=cell, seed=seed))
            tables["nodes"] += [(run, mote) for mote in motes]
            for line in ("sprinkler opened", "alarm sent: package", "something else"):
                for mote in draw.sample(motes, draw.randrange(3)):
                    said = (run, draw.randrange(10**7, 4 * 10**7), mote, line)
                    tables["text"] += [said, (run, said[1] + 5, mote, line)]
            tables["counters"] += [
                (run, mote, name, draw.randrange(300)) for name in COUNTERS for mote in draw.sample(motes, 5)
            ]
            for name, subject in TOPICS.items():
                sent = draw.sample(motes, draw.randrange(2, 9)) * 2
                tables["events"] += [(run, mote, "snd", subject) for mote in sent]
                published = draw.choices(motes, k=draw.randrange(3))
                tables["events"] += [(run, mote, "pub", subject) for mote in published]
                tables["events"] += [(run, mote, "dlv", subject) for mote in draw.sample(motes, 2)]
                tables["policy_events"] += [
                    (run, draw.choice(motes), point, operation, name)
                    for point in ("B-C", "C-B")
                    for operation in ("notify", "subscribe")
                ]
    runs.append(manifest("failed", cell="fire", seed=9, outcome=Outcome.CRASH.value))
    columns = {
        "text": ("run_id", "time_us", "mote", "text"),
        "counters": ("run_id", "mote", "name", "value"),
        "events": ("run_id", "mote", "kind", "subject"),
        "policy_events": ("run_id", "mote", "point", "operation", "topic"),
        "nodes": ("run_id", "mote"),
    }
    for name, rows in tables.items():
        (folder / "tables" / name).mkdir(parents=True)
        frame = pd.DataFrame(
            [("failed", *row[1:]) if row[0] == "run" else row for row in rows], columns=columns[name]
        )
        parquet.write_table(pa.Table.from_pandas(frame), folder / "tables" / name / "x.parquet")
    return Results(EXPERIMENT, folder, pd.DataFrame(), tuple(runs), "", tuple(cells))


def cells() -> list[str]:
    return [cell.name for cell in loads(policies.data.text("case-study.yaml"), "case-study.yaml").cells]


@pytest.fixture(scope="module")
def found(tmp_path_factory) -> dict[str, Results]:
    return {EXPERIMENT: stored(tmp_path_factory.mktemp("store"), cells())}


@pytest.mark.parametrize("name", ["requirements", "case-study", "figures-24-25"])
def test_the_case_study(found, name):
    (result,) = (one for one in policies.results() if one.name == name)
    said = told(result.sections(found))
    recorded.same(said, RECORDED / f"policies-{name}.txt")
    assert [check for check in result.checks(found) if check.evidence not in said] == []
    assert [table for table in result.tables(found) if table.title not in said] == []


def test_the_case_study_of_some_cells_that_ran(tmp_path):
    found = {EXPERIMENT: stored(tmp_path, ("sun", "opened", "calm"), "otherwise")}
    sections = [
        *requirements.sections(found),
        *case_study.sections(found),
        *figures_24_25.sections(found),
    ]
    recorded.same(told(sections), RECORDED / "policies-some-cells.txt")


def test_without_runs_each_section_says_so():
    sections = [
        section
        for one in policies.results()
        if one.scenarios and one.sections is not None
        for section in one.sections({})
    ]
    recorded.same(told(sections), RECORDED / "policies-without-runs.txt")


def test_a_cell_counts_what_its_own_runs_did(tmp_path):
    """Each number is one for a run, in the runs' order; a run that failed and other cells have no part."""
    tables = {
        "text": [
            {"run_id": run, "time_us": time, "mote": mote, "text": text}
            for run, time, mote, text in (
                ("b", 2_500_000, 1, "opened"),
                ("b", 1_500_000, 2, "opened"),
                ("b", 1_000_000, 2, "closed"),
                ("b", 3_000_000, 2, "opened"),
                ("a", 500_000, 3, "opened"),
                ("x", 1, 4, "opened"),
            )
        ],
        "counters": [
            {"run_id": run, "mote": mote, "name": name, "value": value}
            for run, mote, name, value in (
                ("a", 1, "n", 2),
                ("a", 2, "n", 3),
                ("a", 1, "m", 9),
                ("x", 1, "n", 7),
            )
        ],
        "events": [
            {"run_id": run, "mote": mote, "kind": kind, "subject": subject}
            for run, mote, kind, subject in (
                ("a", 1, "snd", "TempFo51"),
                ("a", 2, "snd", "TempFo51"),
                ("a", 2, "pub", "TempFo51"),
                ("b", 2, "snd", "Smoke"),
                ("b", 2, "dlv", "TempFo51"),
                ("b", 3, "dlv", "TempFo51"),
                ("b", 3, "dlv", "TempFo51"),
                ("b", 4, "snd", "TempFo51"),
                ("x", 2, "snd", "TempFo51"),
            )
        ],
        "policy_events": [
            {"run_id": run, "mote": mote, "point": point, "operation": operation, "topic": topic}
            for run, mote, point, operation, topic in (
                ("b", 3, "B-C", "notify", "TempForFireAlarm"),
                ("b", 5, "B-C", "notify", "TempForFireAlarm"),
                ("b", 6, "C-B", "notify", "TempForFireAlarm"),
                ("b", 7, "B-C", "subscribe", "TempForFireAlarm"),
                ("a", 8, "B-C", "notify", "Smoke"),
            )
        ],
        "nodes": [
            {"run_id": run, "mote": mote}
            for run, count in (("a", 3), ("b", 5), ("x", 9))
            for mote in range(count)
        ],
    }
    for name, rows in tables.items():
        (tmp_path / "tables" / name).mkdir(parents=True)
        parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "tables" / name / "x.parquet")
    runs = (
        manifest("b", cell="c", seed=1),
        manifest("a", cell="c", seed=2),
        manifest("f", cell="c", seed=3, outcome=Outcome.CRASH.value),
        manifest("f2", cell="none", seed=3, outcome=Outcome.CRASH.value),
        manifest("x", cell="other", seed=1),
    )
    found = measured(Results("e", tmp_path, pd.DataFrame(), runs, "", ("c", "none", "other")))
    cell = found.cell("c")
    assert cell.runs == ("b", "a") and found.cell("none") is None and found.cell("nowhere") is None
    assert cell.motes_that_did("opened") == [2, 1] and cell.motes_that_did("never") == [0, 0]
    assert cell.first_s("opened") == [0.5, 1.5] and cell.first_s("closed") == [1.0]
    assert cell.counted("n") == [0, 5] and found.cell("other").counted("n") == [7]
    assert cell.events_of("snd", "TempForFireAlarm") == [1, 2]
    assert cell.events_of("pub", "TempForFireAlarm") == [0, 1]
    assert cell.subscribers("TempForFireAlarm") == [3, 0] and cell.subscribers("Smoke") == [0, 1]
    assert cell.motes() == [5, 3]


# --- what is measured without a scenario
# ------------------------------------------------------------------------------------------------
def sizes(more: int) -> dict[str, int]:
    names = (
        "broker",
        "PushDPC",
        "PullDPC",
        "ReliableCPC",
        "sampling buffer",
        "secure group",
        *figure_23.POLICIES,
    )
    printed = {
        "manager": 1000,
        "manager with PushDPC": 2530,
        "manager, wide reading": 2999,
        "manager with PushDPC, wide reading": 4500,
    }
    return {
        name: size + more for name, size in (printed | {name: 1234 + 7 * len(name) for name in names}).items()
    }


def test_what_is_measured_by_compilers_emulator_engine_and_profiler(monkeypatch):
    monkeypatch.setattr(
        figure_23,
        "measured",
        lambda: tuple(
            figure_23.Measured(MACHINES[name], sizes(more))
            for name, more in (("msp430", 0), ("cortex-m3", 1))
        ),
    )
    costs = {figure_26.PUSHED: figure_26.Cost(1000, 1080), figure_26.PULLED: figure_26.Cost(1003, 1999)}
    monkeypatch.setattr(figure_26, "measured", lambda: costs)
    many = {(1, 1): 1100, **{(on_it, 32): 1150 + 37 * on_it for on_it in figure_26.OF_32}, (1, 128): 1250}
    monkeypatch.setattr(figure_26, "on_one_event", lambda: many)
    drains = {
        ("fire-8-25%", "policies"): figure_27.Drain(1234.5, 2345.6),
        ("fire-8-25%", "coded"): figure_27.Drain(2234.5, 2045.6),
        ("fire-118-5%", "policies"): figure_27.Drain(10.0, 20.0),
        ("fire-118-5%", "coded"): figure_27.Drain(0.0, 0.0),
        ("air-5", "policies"): figure_27.Drain(500.0, 900.0),
        ("air-5", "coded"): figure_27.Drain(5000.0, 9000.0),
        ("air-30", "policies"): figure_27.Drain(7.0, 7.0),  # the other failed
        ("air-60", "coded"): figure_27.Drain(7.0, 7.0),
    }
    monkeypatch.setattr(figure_27, "measured", lambda: drains)
    profiles = {
        (hot, sensors): figure_28.Profile(
            {
                layer: 12_345 * sensors * (place + 1 + busy)
                for place, layer in enumerate(figure_28.LAYERS)
                if place != 4 - busy
            },
            sensors + 2,
            12.5,
        )
        for busy, hot in enumerate(("0%", "1%"))
        for sensors in (5, 118)
    }
    monkeypatch.setattr(figure_28, "measured", lambda: profiles)
    sections = [
        section for figure in (figure_23, figure_26, figure_27, figure_28) for section in figure.sections({})
    ]
    recorded.same(told(sections), RECORDED / "policies-measured.txt")


def test_where_no_tool_is_nothing_is_claimed(monkeypatch):
    for figure, nothing in ((figure_23, tuple), (figure_26, dict), (figure_27, dict), (figure_28, dict)):
        monkeypatch.setattr(figure, "measured", nothing)
    monkeypatch.setattr(figure_26, "on_one_event", dict)
    sections = [
        section for figure in (figure_23, figure_26, figure_27, figure_28) for section in figure.sections({})
    ]
    recorded.same(told(sections), RECORDED / "policies-without-tools.txt")


@pytest.mark.parametrize(
    ("few", "many", "each", "verdict"),
    [(309, 617, 20, HOLDS), (310, 619, 20, FAILS), (309, 618, 20, FAILS), (308, 615, 20, HOLDS)],
)
def test_policies_on_other_events_cost_less_than_half_and_grow_less_than_twice(
    monkeypatch, few, many, each, verdict
):
    cost = {(1, 1): 1000, (1, 32): 1000 + few, (32, 32): 1000 + few + 31 * each, (1, 128): 1000 + many}
    monkeypatch.setattr(figure_26, "on_one_event", lambda: cost)
    check = figure_26._grows()
    assert check.verdict == verdict
    assert check.evidence == (
        f"31 policies on the event add {each} instructions each, 31 on other events {few} in all, 127 {many}"
    )


@pytest.mark.parametrize(
    ("name", "meets", "misses"),
    [
        ("R1", [0], [1, 5]),
        ("R2", [100], [0, 99.9]),
        ("R3", [2], [1, 3, 0]),
        ("R4", [2.0, 1.0, 0.5], [2.01, 9.0]),
        ("R5", [1], [0.9, 1.1, 0]),
    ],
)
def test_what_meets_each_requirement(name, meets, misses):
    (one,) = (one for one in requirements.REQUIREMENTS if one.name == name)
    assert all(map(one.meets, meets)) and not any(map(one.meets, misses))
    assert {one.given, one.without} <= set(cells())


@pytest.mark.parametrize(
    ("frames", "verdict"), [(38.0, HOLDS), (37.9, FAILS), (42.0, HOLDS), (42.1, FAILS), (40.0, HOLDS)]
)
def test_a_flood_may_lack_or_have_five_percent_of_its_frames(frames, verdict):
    cost = figures_24_25.Cost(frames, 40.0, 40.0)
    for count in ("motes", "subscribers"):
        assert figures_24_25._push("x", "x", {"Smoke": cost}, count).verdict == verdict
    other = figures_24_25._push(
        "x", "x", {"Smoke": cost, "FireAlarm": figures_24_25.Cost(1.0, 40.0)}, "motes"
    )
    assert other.verdict == FAILS


@pytest.mark.parametrize(
    ("frames", "verdict"), [(0.951, HOLDS), (0.949, FAILS), (1.049, HOLDS), (1.051, FAILS)]
)
def test_one_message_is_one_within_five_percent(frames, verdict):
    in_all = figures_24_25._one("x", "x", figures_24_25.Cost(frames, 4.0))
    a_mote = figures_24_25._one("x", "x", figures_24_25.Cost(4 * frames, 4.0), True)
    assert (in_all.verdict, a_mote.verdict) == (verdict, verdict)


def test_the_results_say_what_they_are():
    said = [
        f"{one.name}: {one.summary} [{one.heading}] {one.asked} {[name for name, _ in one.scenarios]}\n"
        for one in policies.results()
    ]
    recorded.same("".join(said), RECORDED / "policies-results.txt")
