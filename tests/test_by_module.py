# SPDX-License-Identifier: Apache-2.0
"""A module's tests stay together, under the pytest and the pytest-xdist that are here: groups once did
nothing, unseen.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from tests import by_module
from tests.waiting import HANG_S

HERE = Path(__file__).resolve().parent
MODULE = """
import os, pathlib, time, pytest
@pytest.mark.parametrize("number", range(5))
def test_it(number):
    time.sleep(0.05)
    with open(pathlib.Path(__file__).with_suffix(".workers"), "a") as said:
        print(os.environ["PYTEST_XDIST_WORKER"], time.time(), file=said)
"""


# gw0 is lost in its first test, gw1 while gw2, in the place of gw0, collects, which it does until gw3 is in
# the place of gw1.
LOST = """
import os, pathlib, time
here, worker = pathlib.Path(__file__).parent, os.environ["PYTEST_XDIST_WORKER"]
(here / worker).touch()
def wait_for(other):
    while not (here / other).exists():
        time.sleep(0.01)
if worker == "gw2":
    wait_for("gw3")
def test_it():
    if worker == "gw1":
        wait_for("gw2")
    if worker in ("gw0", "gw1"):
        os._exit(1)
"""


FULL = """
import pytest
@pytest.mark.full(instead="test_it")
def test_at_full_size():
    pass
"""


def in_a_project(folder: Path, modules: dict[str, str], how_much: str = "") -> subprocess.CompletedProcess:
    """The tests of these modules, on two workers, with the order and the marks of this project."""
    for module, text in modules.items():
        path = folder / "tests" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name in ("conftest.py", "by_module.py", "tier.py"):
        shutil.copy(HERE / name, folder / "tests")
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\nmarkers = full: as here\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "-n", "2", "tests"],
        cwd=folder,
        env=os.environ | {"ORCHESTRATE_TESTS": how_much},
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )


def test_a_module_and_what_shares_have_one_worker_each_and_the_longest_are_first(tmp_path):
    pytest.importorskip("xdist")
    modules = ("csc/test_a", "csc/test_b", "csc/test_c", "report/test_x", "spark/test_y")
    done = in_a_project(tmp_path, dict.fromkeys(modules, MODULE) | {"csc/test_c": MODULE + FULL})
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ORCHESTRATE_TESTS=all runs it, as CI does; here test_it" in done.stdout
    workers, began = defaultdict(set), defaultdict(list)
    for module in modules:
        lines = [line.split() for line in (tmp_path / "tests" / f"{module}.workers").read_text().splitlines()]
        assert len(lines) == 5
        workers[by_module.piece(f"tests/{module}.py::test_it")] |= {worker for worker, _ in lines}
        began[lines[0][0]].append((min(float(when) for _, when in lines), module))
    assert len(workers) == 4 and all(len(one) == 1 for one in workers.values())
    assert set.union(*workers.values()) == {"gw0", "gw1"}
    assert {min(each)[1] for each in began.values()} == {"report/test_x", "csc/test_a"}, (
        "on each worker the first"
    )


def test_the_rest_is_run_when_a_worker_is_lost_while_another_is_replaced(tmp_path):
    """pytest-xdist 3.8 itself ends with a KeyError: it wants to give work to the replacement, which has not
    collected yet.
    """
    pytest.importorskip("xdist")
    done = in_a_project(
        tmp_path,
        dict.fromkeys(("test_a", "test_b"), LOST)
        | dict.fromkeys(("test_c", "test_d", "test_e"), MODULE + FULL),
        "all",
    )
    assert "2 failed, 20 passed" in done.stdout and "KeyError" not in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("named", (*by_module.SHARING, *by_module.FIRST))
def test_what_is_named_is_there(named):
    assert (HERE.parent / named).exists()
