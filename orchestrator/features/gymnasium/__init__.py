# SPDX-License-Identifier: Apache-2.0
"""A Gymnasium environment: a learner acts on a simulated network (docs/gymnasium.md)."""

from __future__ import annotations

from typing import Any

from orchestrator.feature import Feature

FEATURE = Feature("gymnasium", "environments for reinforcement learning")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class, which needs the library when it is used
    if name != "Environment":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        from orchestrator.features.gymnasium.environment import Environment
    except ModuleNotFoundError as error:
        from orchestrator.errors import MissingTool

        raise MissingTool(
            f"this environment needs {error.name}, which is not installed\n"
            "    pip install 'cooja-orchestrate[gymnasium]'"
        ) from error
    return Environment
