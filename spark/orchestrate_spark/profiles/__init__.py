# SPDX-License-Identifier: Apache-2.0
"""Platforms by name: supply voltage and currents by state, each with its source (profiles.yaml)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

STATES = ("cpu", "lpm", "deep_lpm", "transmit", "listen")  # the last two are the transceiver's


@dataclass(frozen=True)
class Profile:
    """A platform: supply in V, currents in mA by state (of STATES), and where the numbers are from."""

    name: str
    title: str
    volts: float
    currents_ma: dict[str, float]
    source: str


@cache
def profiles() -> dict[str, Profile]:
    """Return the platforms that are known, by name."""
    import yaml

    text = resources.files(__name__).joinpath("profiles.yaml").read_text(encoding="utf-8")
    return {
        name: Profile(name, one["title"], float(one["volts"]), one["currents-ma"], one["source"])
        for name, one in yaml.safe_load(text).items()
    }
