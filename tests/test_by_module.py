# SPDX-License-Identifier: Apache-2.0
"""A module's tests stay together, under the pytest and the pytest-xdist that are here: groups once did nothing, unseen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests import by_module

HERE = Path(__file__).resolve().parent
MODULE = """
import os, pathlib, time, pytest
@pytest.mark.parametrize("number", range(5))
def test_it(number):
    time.sleep(0.05)
    with open(pathlib.Path(__file__).with_suffix(".workers"), "a") as said:
        print(os.environ["PYTEST_XDIST_WORKER"], time.time(), file=said)
"""


def test_a_module_and_what_shares_have_one_worker_each_and_the_longest_are_first(tmp_path):
    pytest.importorskip("xdist")
    modules = ("csc/test_a", "csc/test_b", "csc/test_c", "report/test_x", "spark/test_y")
    for module in modules:
        path = tmp_path / "tests" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(MODULE)
    for name in ("conftest.py", "by_module.py"):
        shutil.copy(HERE / name, tmp_path / "tests")
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "tests"], cwd=tmp_path,
                          capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    workers, began = defaultdict(set), {}
    for module in modules:
        lines = [line.split() for line in (tmp_path / "tests" / f"{module}.workers").read_text().splitlines()]
        assert len(lines) == 5
        workers[by_module.piece(f"tests/{module}.py::test_it")] |= {worker for worker, _ in lines}
        began[module] = min(float(when) for _, when in lines)
    assert len(workers) == 4 and all(len(one) == 1 for one in workers.values())
    assert set.union(*workers.values()) == {"gw0", "gw1"}
    assert began["report/test_x"] < min(began["csc/test_b"], began["csc/test_c"])


@pytest.mark.parametrize("named", (*by_module.SHARING, *by_module.FIRST))
def test_what_is_named_is_there(named):
    assert (HERE.parent / named).exists()
