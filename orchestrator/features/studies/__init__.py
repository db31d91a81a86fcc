# SPDX-License-Identifier: Apache-2.0
"""Experiments with firmware of a Contiki-NG tree: a .csc, or mote types that a scenario names."""

from orchestrator.feature import Feature, Scaffold

_RESOLVER = "orchestrator.features.studies.resolver"
FEATURE = Feature(
    "studies",
    "experiments with .csc files and Contiki-NG projects",
    scaffolds={
        "study": Scaffold(
            "orchestrator.features.studies.examples",
            "an experiment with one of Contiki-NG's networking examples: rpl-udp, 6tisch, coap, ...",
        )
    },
    subjects={"simulation": _RESOLVER, "motes": _RESOLVER, "script": _RESOLVER},
)
