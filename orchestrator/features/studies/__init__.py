# SPDX-License-Identifier: Apache-2.0
"""Experiments with firmware of a Contiki-NG tree: a .csc, or mote types that a scenario names."""

from orchestrator.feature import Feature

_RESOLVER = "orchestrator.features.studies.resolver"
FEATURE = Feature(
    "studies",
    "experiments with .csc files and Contiki-NG projects",
    subjects={"simulation": _RESOLVER, "motes": _RESOLVER, "script": _RESOLVER},
)
