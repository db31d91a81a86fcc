# SPDX-License-Identifier: Apache-2.0
"""Runs a deployment whose motes have gateways: the simulation and the gateways' code in lock-step."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from orchestrator import feature
from orchestrator.engines.embedded.live import Live, LiveMote, SimulationEnded, Stage
from orchestrator.engines.log import SCRIPT_TIMEOUT
from orchestrator.engines.model import Job
from orchestrator.errors import Unsupported
from orchestrator.runs.model import Outcome, RunResult


def run(job: Job, kernel: Path, running: set[subprocess.Popen]) -> RunResult:
    """Run the job. `running` keeps its process for as long as it runs."""
    if job.radio is not None:
        raise Unsupported(
            "no record of radios is kept of a run with gateways\n    its trace (`trace: true`) has each hop"
        )
    deployment = job.deployment
    firmware = job.firmware[deployment.firmware.identifier]
    stage = Stage(
        deployment.medium,
        job.seed,
        job.log,
        deployment.start_delay_us,
        job.ruleset,
        step_limit_s=job.wall_limit_s,
    )
    motes = [LiveMote(firmware, mote.id, mote.x, mote.y, image=mote.image) for mote in deployment.motes]
    with Live(stage, motes, kernel) as live:
        running.add(live.process)
        try:
            beside = feature.resolve(deployment.partners.simulated_by)
            ended = beside(live, deployment.partners, job.seed).run()
            result = live.end(ended)
        except SimulationEnded as end:
            result = end.result
        finally:
            running.discard(live.process)
    if result.outcome is Outcome.FAILED:
        result = replace(result, outcome=Outcome.NO_VERDICT, evidence=SCRIPT_TIMEOUT)
    return result
