# SPDX-License-Identifier: Apache-2.0
"""The golden cases: recorded again by a Cooja, and run by the embedded engine; both must be the committed
bytes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from orchestrator.csc.read import read
from orchestrator.engines.log import ending
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import Unsupported
from tools.compare.coojas import LOG_FILE, Cooja
from tools.compare.table import DIFFERENT, EQUAL, NONE, Row

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "golden"))
from golden_cases import ALL, first_difference, log_for, simulation
from probes import firmware

PART = "Golden cases"


@cache
def _folder(scratch: Path, name: str) -> Path:
    folder = scratch / name
    folder.mkdir()
    return folder


def rows(cooja: Cooja, scratch: Path, chosen: str) -> Iterator[Row]:
    embedded = engine("embedded")
    embedded.prepare()
    for case in (case for case in ALL if chosen in case):
        theirs, cooja_s = cooja.run_file(simulation(case), _folder(scratch, f"cooja-{cooja.rules}"))
        verdict = ending(_folder(scratch, f"cooja-{cooja.rules}") / LOG_FILE).verdict or NONE
        golden = log_for(case, cooja.rules).read_bytes()
        if theirs != golden:
            print(f"{case}: Cooja's log isn't the committed one: {first_difference(golden, theirs)}")
        log = _folder(scratch, "embedded") / LOG_FILE
        try:
            run = read(simulation(case))
            libraries = firmware(run, _folder(scratch, "probes"))
            started = time.monotonic()
            run_one(embedded, Job(run, run.seed, libraries, log, ruleset=cooja.rules))
            took = time.monotonic() - started
        except Unsupported as unsupported:
            print(f"{case}: {unsupported}")
            yield Row(case, "probes", cooja.rules, verdict, NONE, NONE, cooja_s)
            continue
        ours = log.read_bytes()
        if ours != theirs:
            print(f"{case}: {first_difference(theirs, ours)}")
        same = EQUAL if ours == theirs == golden else DIFFERENT
        yield Row(case, "probes", cooja.rules, verdict, ending(log).verdict or NONE, same, cooja_s, took)
