# SPDX-License-Identifier: Apache-2.0
"""A store with rounds of a campaign and the metrics of their runs, made without a simulation: the verdict
reads no log."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from orchestrator.features.campaigns import baseline as baselines
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.judging import files as verdict_files
from orchestrator.features.campaigns.judging import verdict
from orchestrator.features.campaigns.model import CellPlan, End, PartPlan, RoundPlan, RoundRun, Shard, State
from orchestrator.features.campaigns.written import USUAL
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed
from tests.manifests import content

NAME = "nights"
ENGINE = EngineUsed("embedded", "0123456789ab", "5.0")
AT = datetime(2026, 3, 1, 2, 0, tzinfo=UTC)


class Nights:
    """Every round has the cells `plain` and `merged` of the experiment `chain`, with seeds of its own."""

    def __init__(self, store: Path, seeds: int = 12):
        self.store, self.count = store, seeds
        self.draw = np.random.default_rng(1)

    def night(
        self,
        code: str = "a",
        loss: float = 0.10,
        delay: float = 80.0,
        cells=("plain", "merged"),
        digest: str = "d",
        seeds=None,
        ran=lambda run: True,
        outcome=lambda run: Outcome.OK,
        measured=lambda run: True,
        state: State = State.COMPLETE,
        shards: int = 1,
        came: int | None = None,
        manifest_code: str | None = None,
        **plan,
    ):
        """One round. `loss` and `delay` are of the cell `merged`; `code` is the firmware's."""
        number = record.next_number(self.store, NAME)
        first = 1 + (number - 1) * self.count
        seeds = tuple(range(first, first + self.count)) if seeds is None else tuple(seeds)
        sha256 = hashlib.sha256(code.encode()).hexdigest()
        plans = tuple(
            CellPlan(cell, f"{digest}-{cell}", f"{code}-{digest}-{cell}", {"mtype1": sha256}, ENGINE, seeds)
            for cell in cells
        )
        values = {
            "at": AT + timedelta(days=number),
            "file": "campaign: nights\n",
            "file_sha256": "0" * 64,
            "version": "0.1.0",
            "host": "here",
            "shards": shards,
        } | plan
        one = record.begin(
            self.store,
            RoundPlan(
                NAME,
                number,
                parts=(PartPlan("chain", "chain.yaml", "experiment: chain\n", {}, plans),),
                **values,
            ),
        )
        rows = []
        for shard in one.shards[: shards if came is None else came]:
            with one.writing(shard) as journal:
                for key in one.plan.of_shard(shard):
                    if one.plan.why_left_out(key) is None and ran(key):
                        run_id = hashlib.sha256(f"{code}{key}".encode()).hexdigest()[:20]
                        journal.add(RoundRun(*key, run_id, f"t{key.seed}", outcome(key), True, 0.25))
                        self._manifest(key, run_id, manifest_code or code)
                        if outcome(key) is Outcome.OK and measured(key):
                            rows += self._metrics(key, run_id, loss, delay)
            one.end(End(shard, state, values["at"] + timedelta(hours=1), "here", 3600.0))
        self._table(rows)
        return one

    def _manifest(self, key, run_id: str, code: str) -> None:
        folder = self.store / key.experiment / "runs" / run_id
        folder.mkdir(parents=True, exist_ok=True)
        told = content(
            run_id,
            experiment=key.experiment,
            cell=key.cell,
            seed=key.seed,
            firmware={"mtype1": hashlib.sha256(code.encode()).hexdigest()},
        )
        (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")

    def _metrics(self, key, run_id: str, loss: float, delay: float) -> list[dict]:
        mine = key.cell == "merged"
        values = {
            ("event_loss_rate", "total"): (loss if mine else 0.10) + self.draw.normal(0, 0.01),
            ("delay_ms", "p50"): (delay if mine else 40.0) + self.draw.normal(0, 1.0),
            ("events_published", "total"): 160.0,
            ("events_published", "P1"): 160.0,
        }
        return [
            {
                "experiment": key.experiment,
                "cell": key.cell,
                "seed": key.seed,
                "run_id": run_id,
                "metric": metric,
                "key": name,
                "value": float(value),
            }
            for (metric, name), value in values.items()
        ]

    def _table(self, rows: list[dict]) -> None:
        """As `campaign run` leaves it: of the last round alone."""
        folder = self.store / "chain" / "metrics" / "per_run"
        folder.mkdir(parents=True, exist_ok=True)
        if rows:
            parquet.write_table(pa.Table.from_pylist(rows), folder / "part-0.parquet")

    def verdict(self, judging=USUAL, write: bool = True, round_id=None):
        found = verdict.give(self.store, NAME, judging, round_id)
        if write:
            verdict_files.write(self.store, found)
        return found

    def promote(self, reason: str = "it is good"):
        made, frame = baselines.proposed(
            self.store, NAME, record.latest(self.store, NAME), reason, "a person", AT + timedelta(days=50)
        )
        return baselines.promote(self.store, NAME, made, frame)


def shard(number: int, of: int) -> Shard:
    return Shard(number, of)
