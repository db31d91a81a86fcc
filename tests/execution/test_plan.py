# SPDX-License-Identifier: Apache-2.0
"""The runs of a scenario as they are planned: each firmware once, cells in order, in each its seeds.
Stand-ins build and simulate.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.applications import place
from orchestrator.errors import BuildFailed, MissingTool
from orchestrator.execution import plan
from orchestrator.runs import identity
from orchestrator.runs.spec import Built
from orchestrator.scenario.load import loads

TEXT = """experiment: trial
topology: {shape: chain, publishers: 2, spacing: 5 m}
application: {name: aggregation}
duration: 5 s
seeds: 3..4
matrix:
  application.aggregate: [true, false]
  MORE
"""


def scenario(more: str = "application.rate: [high, low]"):
    return loads(TEXT.replace("MORE", more), "x.yaml")


class Engine:
    def __init__(self, name):
        self.name, self.heard = name, []

    def prepare(self, say):
        self.heard.append(say)
        say(f"preparing {self.name}")

    def version(self):
        return f"{self.name} v1"

    def rules(self, written):
        return f"{self.name} follows {written}"

    def described(self):
        return {"engine_image": f"of {self.name}"}


class Builder:
    tree = None

    def __init__(self, options):
        self.options, self.built = options, []

    def firmware(self, application, variant, *, target, cc, cflags):
        self.built.append((application.name, variant, target, cc, cflags))
        text = repr((application.identifier, sorted(variant.items()), target))
        return SimpleNamespace(path=Path(f"/{target}"), sha256=hashlib.sha256(text.encode()).hexdigest())

    def described(self):
        return {"source": self.options.source, "builder": self.options.builder}


@pytest.fixture
def made(monkeypatch, tmp_path):
    """A function that plans a scenario; the engines and builders that were made for it."""
    engines, builders = {}, {}

    def engine(name, options):
        engines[name] = Engine(name)
        return engines[name]

    def builder(options, *, say, show):
        show(f"a line of {options.source}")
        builders[options] = Builder(options)
        return builders[options]

    monkeypatch.setattr(plan, "engine", engine)
    monkeypatch.setattr(plan.firmware, "builder", builder)

    def prepared(scenario, **options):
        return plan.prepare(scenario, tmp_path, **options)

    return prepared, engines, builders


def test_runs_are_cells_in_the_matrix_s_order_and_in_each_its_seeds(made):
    found = scenario()
    planned = made[0](found)
    specs = list(planned.specs())
    assert planned.total == len(specs) == 8 and planned.tree is None
    assert [(one.cell.name, one.seed) for one in specs] == [
        (cell.name, seed) for cell in found.cells for seed in (3, 4)
    ]
    assert len({one.run_id for one in specs}) == len({one.trend_id for one in specs}) == 8
    assert {one.experiment for one in specs} == {"trial"}


def test_everything_of_a_run(made):
    found = scenario()
    planned = made[0](found, cflags="-O1")
    cell = replace(found.cells[0], ruleset="embedded follows 5.0")
    (run, *_) = planned.specs()
    placed = place.place(cell)
    assert (run.cell, run.engine, run.engine_version) == (cell, "embedded", "embedded v1")
    assert run.motes == placed.acting.nodes and run.firmware == {"aggregation": Path("/cooja")}
    digest = hashlib.sha256(run.csc_text).hexdigest()
    named = (cell, 3, digest, run.firmware_sha256, "embedded", "embedded v1")
    assert run.run_id == identity.run_id(*named) and run.trend_id == identity.trend_id(cell, 3)
    ((key, description),) = planned.descriptions.items()
    assert run.built == Built(
        "embedded", builder="host", engine_image="of embedded", flags="-O1", description=description
    )
    staged = f"[CONFIG_DIR]/../../../firmware/{planned.staged[key]}/apps/aggregation/aggregation.c"
    assert staged.encode() in run.csc_text and run.deployment == placed.deployment(3, source=staged)


def test_ids_are_known_before_a_run_is_described(made):
    planned = made[0](scenario())
    seen = set()
    for cell in planned.scenario.cells:
        runs = planned.runs(cell)
        assert runs.cell == replace(cell, ruleset="embedded follows 5.0")
        assert [runs.ids(seed) for seed in (3, 4)] == [
            (one.run_id, one.trend_id) for one in map(runs.spec, (3, 4))
        ]
        assert runs.made_of == runs.spec(0).run_id
        seen.add(runs.made_of)
    assert len(seen) == 4, "what runs are made of differs from cell to cell"


def test_each_firmware_is_built_once_with_what_was_asked_for(made):
    prepared, engines, builders = made
    said, shown = [], []
    prepared(scenario(), cc="clang", cflags="-O1", say=said.append, show=shown.append)
    (builder,) = builders.values()
    assert len(builder.built) == len({repr(one) for one in builder.built}) <= 2
    assert {one[0] for one in builder.built} == {"aggregation"}
    assert {one[2:] for one in builder.built} == {("cooja", "clang", "-O1")}
    assert said == ["preparing embedded"] and shown == ["a line of embedded"]
    assert list(engines) == ["embedded"]


def test_each_source_and_engine_of_the_cells_is_prepared(made):
    prepared, engines, builders = made
    text = "engine: [embedded, cooja]\n  firmware.builder: [host, docker]"
    planned = prepared(scenario(text))
    assert sorted(engines) == ["cooja", "embedded"] and all(one.heard for one in engines.values())
    assert [options.builder for options in builders] == ["host", "docker"]
    versions = {one.engine: one.engine_version for one in planned.specs()}
    assert versions == {"embedded": "embedded v1", "cooja": "cooja v1"}
    assert {one.built.builder for one in planned.specs()} == {"host", "docker"}
    assert {one.cell.ruleset for one in planned.specs()} == {"embedded follows 5.0", "cooja follows None"}
    tree = SimpleNamespace(folder=Path("/ng"))
    list(builders.values())[1].tree = tree
    assert planned.tree is tree


def test_the_motes_of_a_testbed_have_firmware_of_their_own_beside_cooja_s(made, monkeypatch):
    monkeypatch.setattr(Engine, "targets", ("sky", "zoul"), raising=False)
    (run, *_) = made[0](scenario()).specs()
    paths = {"aggregation": "/cooja", "aggregation@sky": "/sky", "aggregation@zoul": "/zoul"}
    assert run.firmware == {name: Path(path) for name, path in paths.items()}
    assert len(set(run.firmware_sha256.values())) == 3


def test_gateways_beside_the_motes_are_part_of_the_version(made):
    text = (
        "experiment: e\ntopology: {shape: chain, publishers: 2}\napplication: {name: distribution}\n"
        "duration: 5 s\nseeds: 1\n"
    )
    (run,) = made[0](loads(text, "x.yaml")).specs()
    assert re.fullmatch(r"embedded v1\+gateways-[0-9a-f]{16}", run.engine_version)


@pytest.mark.parametrize("who", ["engine", "builder"])
def test_what_a_build_raises_is_raised(made, monkeypatch, who):
    def fails(*_, **__):
        raise {"engine": MissingTool, "builder": BuildFailed}[who]("no")

    monkeypatch.setattr(*{"engine": (Engine, "prepare"), "builder": (Builder, "firmware")}[who], fails)
    with pytest.raises((MissingTool, BuildFailed), match="^no$"):
        made[0](scenario())


def test_all_runs_at_once(made, tmp_path):
    found = scenario()
    assert [one.run_id for one in plan.plan(found, tmp_path)] == [
        one.run_id for one in made[0](found).specs()
    ]
