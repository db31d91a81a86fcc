# SPDX-License-Identifier: Apache-2.0
"""Makes the calibration's runs and their metrics: a few large experiments, of whose runs nights are made."""

from __future__ import annotations

from pathlib import Path

from orchestrator.execution import pipeline
from orchestrator.execution.execute import Effort
from orchestrator.scenario.load import load
from tools.calibration.cases import FAULTS, FAULTY_SEEDS, UNCHANGED, unchanged_seeds


def measure(store: Path, workers: int) -> None:
    """What is in the store already is not done again."""
    for case, seeds in ((UNCHANGED, unchanged_seeds()), *((fault, FAULTY_SEEDS) for fault in FAULTS)):
        for part, path in case.write(store / "cases", seeds).items():
            result = pipeline.run(load(path), store / "runs", Effort(workers=workers), page=False)
            took = ", ".join(f"{step} {seconds:.0f} s" for step, seconds in result.seconds.items())
            print(f"{case.name} {part}: {len(result.summary.run_ids)} runs; {took}", flush=True)
