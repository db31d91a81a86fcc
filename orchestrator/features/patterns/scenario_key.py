# SPDX-License-Identifier: Apache-2.0
"""The key `log` of a scenario: by which patterns its runs' logs are read. It is part of no run's identity."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from orchestrator.vocabulary.document import Mapping, Node, Scalar, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import known_keys, named

if TYPE_CHECKING:
    from orchestrate_spark.metrics.model import Metric

    from orchestrator.features.patterns.load import Patterns

KEYS = ("use", "profile")
_HELP = "write `log: patterns.yaml`, `log: [rpl-udp, energest]` or `log: {use: [energest], profile: cc2538}`"


def read(node: Node, folder: Path, faults: Faults) -> Patterns | None:
    """Return the patterns that a scenario names; None after noting what is wrong with them."""
    from orchestrator.features.patterns.load import gather

    before = len(faults)
    given, profile, line = node, None, node.line
    if isinstance(node, Mapping):
        known_keys(node, "log: ", KEYS, faults)
        given = node.get("use")
        chosen = node.get("profile")
        if isinstance(chosen, Scalar) and chosen.text:
            profile, line = chosen.text, chosen.line
        elif chosen is not None:
            wrong_kind(chosen, "log: profile", "name a platform, such as cc2538", faults)
    if given is None or (isinstance(given, Scalar) and not given.text):
        faults.add(node.line, "log names no patterns", _HELP)
        return None
    names = [given] if isinstance(given, Scalar) else named(given, "log", faults)
    found = gather(names, folder, faults, profile, line)
    return None if len(faults) > before else found


def keep(patterns: Patterns | None, folder: Path) -> None:
    """Make these the patterns of an experiment; None leaves those that `orchestrate ingest` has set."""
    from orchestrator.features.patterns import stored

    stored.keep(patterns, folder, stored.SCENARIO)


def metrics(patterns: Patterns) -> dict[str, Metric]:
    """Return the declarations of the metrics of the patterns, by name."""
    from orchestrate_spark.sources.log_patterns.family import declared

    return declared(patterns.spec)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of the key."""
    from orchestrate_spark.profiles import profiles

    from orchestrator.features.patterns.load import sets

    listed = "; ".join(f"{name}: {title}" for name, title in sets().items())
    one = {"type": "string", "minLength": 1}
    names = {"anyOf": [one, {"type": "array", "items": one, "minItems": 1}]}
    profile = {
        "type": "string",
        "examples": list(profiles()),
        "description": "the platform whose currents count",
    }
    return {
        "anyOf": [
            *names["anyOf"],
            {
                "type": "object",
                "properties": {"use": names, "profile": profile},
                "required": ["use"],
                "additionalProperties": False,
            },
        ],
        "examples": [list(sets())[:1]],
        "description": f"pattern files, and ready-made sets, by which the logs are read - {listed}",
    }
