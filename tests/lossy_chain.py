# SPDX-License-Identifier: Apache-2.0
"""The small scenario that tests of looking into runs share: a chain whose motes hear only their neighbours,
and lose frames.
"""

CHAIN = """\
topology: {shape: chain, publishers: 3, spacing: 40 m}
radio: {medium: udgm, range: 50 m, interference: 60 m, tx: 100 %, rx: 90 %}
application: {name: aggregation, rate: high}
"""


def scenario(experiment: str, rest: str) -> str:
    """The scenario's text; `rest`: its duration, seeds and what else it has."""
    return f"experiment: {experiment}\n{CHAIN}{rest}"
