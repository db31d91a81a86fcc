# SPDX-License-Identifier: Apache-2.0
"""`orchestrate show` and the metrics count the same events as owed and delivered (two modules: owed)."""

from __future__ import annotations

import random
from collections import Counter

import pyarrow as pa
import pytest
from orchestrate_spark.metrics.owed import owed
from orchestrate_spark.tables import schema

from orchestrator.inspect.owed import delivery
from orchestrator.inspect.tables import having

pytestmark = pytest.mark.spark
RUNS, EVENTS = 150, 40
MOTES, SUBJECTS = (1, 2, 3), ("a", "b")


def some_run(number: int) -> list[dict]:
    """Records of motes that subscribe, die, subscribe again, publish and get events, many at one time."""
    chance, sequences, published, rows = random.Random(number), Counter(), [], []
    for _ in range(EVENTS):
        mote, subject, time = chance.choice(MOTES), chance.choice(SUBJECTS), chance.randrange(12)
        kind = chance.choice(("sub", "die", "pub", "pub", "dlv", "dlv"))
        row = {"run_id": str(number), "time_us": time, "mote": mote, "kind": kind}
        if kind != "die":
            row["subject"] = subject
        if kind == "pub":
            sequences[mote] += 1
            row |= {"publisher": mote, "sequence": sequences[mote]}
            published.append((subject, mote, sequences[mote]))
        if kind == "dlv":
            of_it = [one for one in published if one[0] == subject]
            if not of_it:
                continue
            few = chance.sample(of_it, min(len(of_it), 2))
            row["events"] = [{"publisher": publisher, "sequence": at} for _, publisher, at in few]
        rows.append(row)
    return rows


def test_random_runs(spark):
    runs = {str(number): some_run(number) for number in range(RUNS)}
    events = pa.Table.from_pylist([row for rows in runs.values() for row in rows], schema("events"))
    motes = pa.Table.from_pylist(
        [{"run_id": run, "mote": mote, "name": f"M{mote}"} for run in runs for mote in MOTES]
    )
    session = spark()
    rows = owed(session.createDataFrame(events), session.createDataFrame(motes)).toArrow().to_pylist()
    of_metrics: dict[str, dict[tuple[str, str], list[int]]] = {run: {} for run in runs}
    for row in rows:
        counted = of_metrics[row["run_id"]].setdefault((row["node"], row["source"]), [0, 0, 0])
        arrivals = row["arrivals"] or 0
        for place, more in enumerate((1, arrivals > 0, max(0, arrivals - 1))):
            counted[place] += more
    names = {mote: f"M{mote}" for mote in MOTES}
    of_show = {
        run: {
            (row["subscriber"], row["publisher"]): [row["published"], row["delivered"], row["duplicates"]]
            for row in delivery(having(events, run_id=run), names)
        }
        for run in runs
    }
    assert of_show == of_metrics
    assert sum(lost for run in of_show.values() for _, _, lost in run.values()) > 0, "some come twice"
