# SPDX-License-Identifier: Apache-2.0
"""A slower version of a system, for nodes or networks that can't be as quick as it says."""

from __future__ import annotations

from dataclasses import astuple, replace

from orchestrator.features.distribution.model import System, Timing


def scaled(system: System, factor: int) -> System:
    """Return the system with all its times multiplied by the factor, except its networks' delays."""

    def timing(times: Timing) -> Timing:
        return Timing(*(time * factor for time in astuple(times)))

    return replace(
        system,
        objects={name: validity * factor for name, validity in system.objects.items()},
        sources={
            name: replace(source, timing=timing(source.timing)) for name, source in system.sources.items()
        },
        targets={
            name: replace(target, timing=timing(target.timing)) for name, target in system.targets.items()
        },
        steps={
            name: replace(step, execution=step.execution * factor, printed=None)
            for name, step in system.steps.items()
        },
        loads={name: replace(load, timing=timing(load.timing)) for name, load in system.loads.items()},
    )
