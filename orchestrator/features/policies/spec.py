# SPDX-License-Identifier: Apache-2.0
"""The part of a scenario's application that its policies add."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.scenario.model import ApplicationSpec


@dataclass(frozen=True)
class PolicySpec(ApplicationSpec):
    """An application with the policies that its parameters of type policies name: file -> text.

    They are in the order in which the firmware numbers them. A run needs none of their files.
    """

    policies: Mapping[str, str] = field(default_factory=dict)
