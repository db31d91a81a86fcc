# SPDX-License-Identifier: Apache-2.0
"""The event service's mote and the bridge by themselves: limits of tables, times and every kind of nonsense.

Runs of whole boards are in tests/features/event_service/gateways.
"""

from __future__ import annotations

from pathlib import Path

import c_tests
import pytest

MAIN = Path(__file__).parent / "unit" / "event_service_main.c"
MODULES = ("event-service", "event-terms", "pubsub-bridge")
# Tables of few entries have an end that a test can reach.
LIMITS = {"REQUESTS": 5, "BELOW": 20, "SUBSCRIPTIONS": 18, "TERMS": 32, "BINDINGS": 4, "RENEWAL": 1}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    sources = [path for module in MODULES for path in sorted((c_tests.MIDDLEWARE / module).glob("*.c"))]
    return c_tests.build(
        c_tests.library(tmp_path_factory.mktemp("event-service")),
        MAIN,
        *sources,
        folders=tuple(c_tests.MIDDLEWARE / module for module in MODULES),
        flags=(*c_tests.SANITIZE, *(f"-DEVENT_SERVICE_CONF_{name}={most}" for name, most in LIMITS.items())),
    )


@pytest.mark.parametrize("case", c_tests.cases(MAIN))
def test_a_mote(program, case):
    c_tests.run(program, case)
