# SPDX-License-Identifier: Apache-2.0
"""A digest of the traced log of each application and MAC, on one shape. It shows any change of the embedded
Contiki, the middleware or an application that a mote could notice; tests/contract compares the other shapes.

    python -m tests.apps.log_digests            check, exit 1 if any differs
    python -m tests.apps.log_digests --write    renew log-digests.txt, after a change that is meant to show
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from functools import cache
from pathlib import Path

from orchestrator.applications import descriptor
from orchestrator.build import host
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.runs.model import Outcome
from tests.placed import simulation as simulation_of
from tools.contract import cases as contract
from tools.contract.cases import Case

KEPT = Path(__file__).with_name("log-digests.txt")
SECONDS = 30
# Each MAC is tried with two applications, one with the middleware and one without; the others have their
# default's.
EVERY_MAC = ("aggregation", "hello-nullnet")


def kinds() -> list[tuple[str, str]]:
    """Every application with its MACs."""
    return list(contract.kinds(_wanted))


@cache
def by_kind() -> dict[tuple[str, str], Case]:
    """The first case of each application and MAC."""
    found: dict[tuple[str, str], Case] = {}
    with tempfile.TemporaryDirectory() as folder:
        for case in contract.cases(Path(folder), SECONDS, [], _wanted, "trace: true\n"):
            found.setdefault((case.application, case.mac), case)
    return found


def _wanted(application: str, mac: str) -> bool:
    declared = descriptor.load(application).parameters.get("mac")
    return application in EVERY_MAC or declared is None or mac == declared.default


def line(case: Case, folder: Path) -> str:
    """The case, its log's number of lines and their digest."""
    application = descriptor.load(case.application)
    library = host.firmware(application, application.variant(case.cell.application.parameters)).path
    simulation, log = simulation_of(case.cell, 1), folder / "COOJA.testlog"
    result = run_one(
        engine("embedded"),
        Job(simulation, 1, {one.identifier: library for one in simulation.mote_types}, log),
    )
    assert result.outcome is Outcome.OK, f"{case.name} on {case.shape}: {result.evidence}"
    written = log.read_bytes()
    return (
        f"{case.name} on {case.shape}: {len(written.splitlines())} lines, "
        f"{hashlib.sha256(written).hexdigest()[:32]}"
    )


def kept() -> list[str]:
    return KEPT.read_text(encoding="utf-8").splitlines()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        found = [line(case, Path(folder)) for case in by_kind().values()]
    if "--write" in sys.argv[1:]:
        KEPT.write_text("\n".join(found) + "\n", encoding="utf-8")
    differing = sorted(set(found) ^ set(kept()))
    print(
        "\n".join(differing)
        or f"{len(found)} logs, {'recorded' if '--write' in sys.argv[1:] else 'all as they were'}"
    )
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
