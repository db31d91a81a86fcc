# SPDX-License-Identifier: Apache-2.0
"""The policy manager and the components that need a build of their own, in C: with pubsub's enforcement
points, and with Skipjack.
"""

from __future__ import annotations

from pathlib import Path

import c_tests
import pytest

FOLDER = Path(__file__).parent / "policies"
MANAGED = ("-DPUBSUB_CONF_ENFORCEMENT=1", "-DPOLICY_CONF_SWITCHED_RULES=1")
SEALED = (*MANAGED, "-DPOLICY_UPDATE_CONF_SEALED=1")
BYTECODE = ("-DPUBSUB_CONF_ENFORCEMENT=1", "-DPOLICY_CONF_BYTECODE=1")
BUILDS = (
    ("test_policy_bytecode", BYTECODE),
    ("test_policy_bytecode_spread", BYTECODE),
    ("test_policy_manager", MANAGED),
    ("test_policy_operations", MANAGED),
    ("test_policy_update", MANAGED),
    ("test_policy_update", SEALED),
    ("test_policy_update_answers", MANAGED),
    ("test_policy_update_answers", SEALED),
    ("test_skipjack", ("-DSECURE_GROUP_CONF_SKIPJACK=1",)),
)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    folders: dict[tuple[str, ...], Path] = {}
    built: dict[tuple[str, tuple[str, ...]], Path] = {}

    def program(name: str, flags: tuple[str, ...]) -> Path:
        if (name, flags) not in built:
            folder = folders.get(flags) or tmp_path_factory.mktemp("policies")
            folders[flags] = folder
            every = (*c_tests.SANITIZE, *flags)
            library = c_tests.library(folder, every)
            built[name, flags] = c_tests.build(library, FOLDER / f"{name}.c", flags=every)
        return built[name, flags]

    return program


def test_every_file_is_built():
    assert {name for name, _ in BUILDS} == {path.stem for path in FOLDER.glob("test_*.c")}


@pytest.mark.parametrize(
    ("name", "flags", "case"),
    [(name, flags, case) for name, flags in BUILDS for case in c_tests.cases(FOLDER / f"{name}.c")],
    ids=lambda value: "sealed" if value == SEALED else value if isinstance(value, str) else "",
)
def test_policies(programs, name, flags, case):
    c_tests.run(programs(name, flags), case)
