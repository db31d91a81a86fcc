# SPDX-License-Identifier: Apache-2.0
"""Measures settings: their runs are made like those of any experiment, and the pipeline computes metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from orchestrator.applications import place
from orchestrator.engines.protocol import engine
from orchestrator.errors import FaultyInput
from orchestrator.execution import plan
from orchestrator.execution.execute import Effort, execute
from orchestrator.execution.fresh import renew
from orchestrator.execution.pipeline import keep_extra
from orchestrator.execution.progress import Listener
from orchestrator.features.search.model import Measure, Values, label
from orchestrator.features.search.scenarios import Scenarios
from orchestrator.runs import campaign as campaigns
from orchestrator.runs.campaign import Campaign
from orchestrator.runs.spec import RunSpec
from orchestrator.runs.store import Store

Asked = Sequence[tuple[Mapping[str, str], Sequence[int]]]  # settings, and their seeds


class Measurer:
    """Makes runs and reads what they measured. What the store has is not made again."""

    def __init__(self, scenarios: Scenarios, store: Path, effort: Effort, told: Listener):
        self._scenarios, self._store, self._effort, self._told = scenarios, store, effort, told
        self._tried: dict[str, Mapping[str, str]] = {}
        self._runs: dict[str, None] = {}

    @property
    def folder(self) -> Path:
        """The experiment's folder."""
        return Store(self._store).experiment(self._scenarios.experiment)

    def engine(self) -> str:
        """Name the engine of the runs, and its version. Raises MissingTool."""
        chosen = engine(self._scenarios.base.engine, self._scenarios.plain.engine)
        return f"{chosen.name} {chosen.version()}"

    def knows(self, settings: Mapping[str, str]) -> None:
        """Take settings that were tried before into the experiment's scenario."""
        self._tried[label(settings)] = settings

    def possible(self, settings: Mapping[str, str]) -> str:
        """Say why some settings can't be simulated; "" if they can."""
        try:
            scenario = self._scenarios.of([settings])
            place.place(scenario.cells[0])
        except FaultyInput as faulty:
            return faulty.faults[0].what
        return ""

    def measure(self, asked: Asked, measures: Sequence[Measure]) -> dict[str, Values]:
        """Return the values of each settings' runs that ended ok, by the label of its cell."""
        for settings, _ in asked:
            self.knows(settings)
        scenario = self._scenarios.of(self._tried.values())
        planned = plan.prepare(scenario, self._store, say=self._told.say, show=self._told.line)
        cells = {cell.name: cell for cell in scenario.cells}
        specs: list[RunSpec] = []
        for settings, seeds in asked:
            runs = planned.runs(cells[label(settings)])
            specs += [runs.spec(seed) for seed in seeds]
        store = Store(self._store)
        with store.working(scenario.experiment, self._told.say):
            summary = execute(
                specs, len(specs), planned.engines, store, scenario.experiment, self._effort, self._told.runs
            )
            before = campaigns.readable(self.folder).runs
            self._runs.update(dict.fromkeys((*before, *summary.run_ids)))
            own = {cell.application.name: cell.application.folder for cell in scenario.cells}
            tree = None if planned.tree is None else str(planned.tree.folder)
            kept = Campaign(
                scenario.experiment,
                tuple(self._runs),
                {name: where for name, where in own.items() if where},
                tree,
            )
            campaigns.keep(self.folder, kept, scenario.source)
            keep_extra(scenario, self.folder)
        if not summary.measured():
            return {}
        self._told.stage("computing metrics")
        renew(self.folder)
        return self._values({spec.run_id: (spec.cell.name, spec.seed) for spec in specs}, measures)

    def _values(self, runs: Mapping[str, tuple[str, int]], measures: Sequence[Measure]) -> dict[str, Values]:
        import pyarrow
        from pyarrow import compute, parquet

        names = [one.metric for one in measures]
        table = parquet.read_table(
            self.folder / "metrics" / "per_run", columns=["run_id", "metric", "key", "value"]
        )
        table = table.filter(compute.is_in(table["metric"], pyarrow.array(names)))
        wanted = {(one.metric, one.key): one.name for one in measures}
        found: dict[str, dict[str, dict[int, float]]] = {}
        for row in table.to_pylist():
            name = wanted.get((row["metric"], row["key"]))
            if name is None or row["run_id"] not in runs or row["value"] is None:
                continue
            cell, seed = runs[row["run_id"]]
            found.setdefault(cell, {}).setdefault(name, {})[seed] = row["value"]
        return found
