# SPDX-License-Identifier: Apache-2.0
"""A slower version of a system, for nodes or networks that can't be as quick as it says."""

from __future__ import annotations

from dataclasses import astuple, replace

from orchestrator.features.distribution.model import System, Timing


def scaled(system: System, factor: int) -> System:
    """Return the system with all its times that many times as long, but for its networks' delays."""

    def timing(one: Timing) -> Timing:
        return Timing(*(time * factor for time in astuple(one)))

    return replace(
        system,
        objects={name: validity * factor for name, validity in system.objects.items()},
        sources={name: replace(one, timing=timing(one.timing)) for name, one in system.sources.items()},
        targets={name: replace(one, timing=timing(one.timing)) for name, one in system.targets.items()},
        steps={
            name: replace(one, execution=one.execution * factor, printed=None)
            for name, one in system.steps.items()
        },
        loads={name: replace(one, timing=timing(one.timing)) for name, one in system.loads.items()},
    )
