# SPDX-License-Identifier: Apache-2.0
"""The command of an installed wheel: in an empty folder, with an empty home, out of the checkout's reach."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import subprocess
from pathlib import Path

import pytest

SCENARIO = """
experiment: small
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation}
duration: 20 s
seeds: 1
"""


def state(folder: Path) -> dict[str, str]:
    """Every file of the installed packages and its hash: nothing may be built or written there."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for package in ("orchestrator", "orchestrate_spark")
        for path in sorted((folder / package).rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def small(installed):
    """A scenario that was run by the installed command, without a report."""
    (installed.work / "small.yaml").write_text(SCENARIO)
    before = state(installed.packages)
    done = installed.call("run", "small.yaml", "--no-report", "--json")
    assert done.returncode == 0, done.stderr
    assert state(installed.packages) == before
    return json.loads(done.stdout)


def test_nothing_leads_to_the_checkout(installed, root):
    asked = (
        "import json, sys, orchestrator, orchestrate_spark; from orchestrator import resources; "
        "print(json.dumps("
        "[sys.path, orchestrator.__file__, orchestrate_spark.__file__, str(resources.contiki_apps())]))"
    )
    done = subprocess.run(
        [installed.environment / "bin" / "python", "-I", "-c", asked],
        cwd=installed.work,
        capture_output=True,
        text=True,
        check=True,
    )
    path, *places = json.loads(done.stdout)
    assert all(place.startswith(str(installed.packages)) for place in places)
    assert str(root) not in path and str(root / "spark") not in path


def test_commands_that_need_no_engine(installed):
    for arguments in (
        ["doctor"],
        ["init", "first"],
        ["validate", "first.yaml"],
        ["paper", "list"],
        ["topology", "tree", "--out", "t.svg", "--csc", "t.csc", "--application", "aggregation"],
        ["schema", "--out", "s.json"],
        ["completion", "bash"],
    ):
        done = installed.call(*arguments)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
    assert "<simconf" in (installed.work / "t.csc").read_text()
    assert (installed.work / "t.svg").read_text().startswith("<")


def test_every_command_can_be_loaded(installed):
    listed = installed.call("--help")
    assert listed.returncode == 0
    asked = (
        "from importlib import import_module; from orchestrator.cli.app import every_command;"
        "[import_module(one.module).add_arguments for one in every_command().values()]"
    )
    subprocess.run(
        [installed.environment / "bin" / "python", "-I", "-c", asked], cwd=installed.work, check=True
    )


def test_a_scenario_runs(small):
    assert small["runs"] == small["made"] == 1 and small["failures"] == []


def test_a_run_of_the_store_is_simulated_to_the_same_bytes(installed, small):
    (folder,) = (installed.work / "orchestrate-store" / "small" / "runs").iterdir()
    seed = json.loads((folder / "manifest.json").read_text())["seed"]
    done = installed.call(
        "simulate", str(folder / "simulation.csc"), "--seed", str(seed), "--logdir", "again"
    )
    assert done.returncode == 0, done.stderr
    assert (installed.work / "again" / "COOJA.testlog").read_bytes() == (
        folder / "COOJA.testlog"
    ).read_bytes()


@pytest.mark.parametrize(
    "kind", ["app", pytest.param("merge-function", marks=pytest.mark.full(instead="it is done with an app"))]
)
def test_an_application_of_ones_own(installed, kind):
    """Outside of any checkout it finds the middleware and the embedded Contiki in the wheel, by make and by
    orchestrate.
    """
    before = state(installed.packages)
    name = f"own-{kind}"
    assert installed.call("new", kind, name).returncode == 0
    done = installed.call("run", f"{name}/scenario.yaml", "--no-report", "--seeds", "1", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["failures"] == []
    where = installed.call("build", "--sources").stdout.strip()
    assert Path(where).is_relative_to(installed.packages)
    path = f"{installed.environment / 'bin'}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["make", "-C", installed.work / name, "TARGET=cooja", f"{name}.cooja"],
        check=True,
        capture_output=True,
        env={"PATH": path, "HOME": str(installed.home), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert (installed.work / name / "build" / "cooja" / f"{name}.cooja").is_file()
    assert state(installed.packages) == before


@pytest.mark.spark
@pytest.mark.full(
    instead="test_a_scenario_runs shows it without Spark, test_pipeline.py a report of the checkout"
)
def test_its_report(installed, small):
    pyspark = Path(importlib.util.find_spec("pyspark").origin).parent
    before = state(installed.packages)
    java = {"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {}
    done = installed.call("run", "small.yaml", SPARK_HOME=str(pyspark), **java)
    assert done.returncode == 0, done.stderr
    experiment = installed.work / "orchestrate-store" / "small"
    page = (experiment / "report" / "index.html").read_text()
    assert "<style" in page and "small" in page and page.rstrip().endswith("</html>")
    assert list((experiment / "metrics" / "summary").glob("*.parquet"))
    assert state(installed.packages) == before
