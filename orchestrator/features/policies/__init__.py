# SPDX-License-Identifier: Apache-2.0
"""ESCAPE policies (Russello, Mostarda and Dulay 2011): the language, its compilers, the paper."""

from orchestrator.feature import Command, Feature, Paper

FEATURE = Feature(
    "policies",
    "ESCAPE policies",
    commands={
        "policy": Command(
            "begin",
            "check, draw, compile and run ESCAPE policies",
            "orchestrator.features.policies.commands.policy",
        ),
    },
    papers={
        "policies": Paper(
            "orchestrator.features.policies.paper",
            "Russello, Mostarda and Dulay 2011: policies for sense-and-react applications, their case study",
        )
    },
    shapes=("orchestrator.features.policies.lorry",),
    parameter_types={
        "policies": "orchestrator.features.policies.parameter_types:POLICIES",
        "bytecode": "orchestrator.features.policies.parameter_types:BYTECODE",
    },
    applications="orchestrator.features.policies.applications:EXTENSION",
    sections=("orchestrator.features.policies.section",),
    module_tables=("orchestrator.features.policies.paper.module_sizes:table",),
)
