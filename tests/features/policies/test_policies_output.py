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

from orchestrator.features.policies import paper as policies
from orchestrator.features.policies.paper import requirements
from orchestrator.features.policies.paper.measured import EXPERIMENT, measured
from orchestrator.report.data import Results
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from tests import page_in_words, recorded
from tests.manifests import manifest

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
    assert [check for check in result.checks(found) if check.evidence not in said] == []
    assert [table for table in result.tables(found) if table.title not in said] == []


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
