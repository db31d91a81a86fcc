# SPDX-License-Identifier: Apache-2.0
"""Turns a scenario into runs: firmware is built once for each variant, a .csc made for each cell and seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from orchestrator import feature
from orchestrator.applications import descriptor, place
from orchestrator.applications.extension import generated_from, with_generated
from orchestrator.applications.model import Application
from orchestrator.applications.simulated import PlacedSimulation
from orchestrator.build import firmware, stage
from orchestrator.build.cache import Built
from orchestrator.build.contiki_ng import Tree
from orchestrator.build.target import COOJA
from orchestrator.csc import deployed
from orchestrator.csc.model import Simulation
from orchestrator.csc.seeded import Seeded
from orchestrator.engines.deployment import Deployment
from orchestrator.engines.model import on_platform
from orchestrator.engines.protocol import Engine, engine
from orchestrator.execution import simulated
from orchestrator.execution.simulated import SimulationRuns
from orchestrator.runs import identity
from orchestrator.runs.spec import Built as RunBuilt
from orchestrator.runs.spec import RunSpec
from orchestrator.runs.store import FIRMWARE
from orchestrator.scenario.model import Cell, FirmwareOptions, Scenario, SimulationCell

_MOST_BUILDS = 64  # at the same time; most of them wait for a processor
_Variant = tuple[FirmwareOptions, tuple[str, ...], tuple[tuple[str, str], ...], str]


@dataclass(frozen=True)
class Plan:
    """Everything that the runs of a scenario need and share.

    An application is named by its folder, or name, and by what features generate its files from.

    `built`: firmware by (options, application, variant, target), the platforms of a testbed's motes among the
    targets. `staged`: application -> the key of its sources in the store. `descriptions`: application -> the
    digest of its application.yaml. `rules`: (engine, rule set as written) -> the rule set that the runs
    follow. `cflags`: compiler flags beyond the usual ones. `libraries`: the firmware of cells that are whole
    simulations. `home`: where the store keeps sources.
    """

    scenario: Scenario
    engines: dict[str, Engine]
    versions: dict[str, str]
    built: dict[_Variant, Built]
    staged: dict[tuple[str, ...], str]
    descriptions: dict[tuple[str, ...], str]
    builders: dict[FirmwareOptions, firmware.Builder]
    rules: dict[tuple[str, str | None], str]
    home: Path
    cflags: str = ""
    libraries: dict[simulated.Type, simulated.Library] = field(default_factory=dict)

    @property
    def tree(self) -> Tree | None:
        """The Contiki-NG tree that firmware was built from, if any was."""
        return next((one.tree for one in self.builders.values() if one.tree is not None), None)

    @property
    def total(self) -> int:
        """The number of runs."""
        return len(self.scenario.cells) * len(self.scenario.seeds)

    def specs(self) -> Iterator[RunSpec]:
        """Give the runs: cells in the matrix's order, and within each its seeds."""
        for cell in self.scenario.cells:
            runs = self.runs(cell)
            for seed in self.scenario.seeds:
                yield runs.spec(seed)

    def runs(self, cell: Cell) -> CellRuns | SimulationRuns:
        """Return a cell's runs: placed, under the rule set of its engine."""
        placed = place.place(replace(cell, ruleset=self.rules[cell.engine, cell.ruleset]))
        if isinstance(placed, PlacedSimulation):
            return self._simulation_runs(placed)
        return CellRuns(self, placed)

    def _simulation_runs(self, placed: PlacedSimulation) -> SimulationRuns:
        cell = placed.cell
        making = simulated.Making(
            self.scenario.experiment,
            self.engines[cell.engine],
            self.versions[cell.engine],
            self.builders[self.scenario.firmware_of(cell)],
            self.cflags,
            self.home,
        )
        types = simulated.types(self.scenario, cell, self.cflags)
        return SimulationRuns(making, placed, [self.libraries[one] for one in types])


class CellRuns:
    """The runs of one cell.

    What all its seeds share is made once; a run's ids need no more than its seed's .csc.
    """

    def __init__(self, plan: Plan, placed: place.PlacedCell):
        self._plan, self._placed = plan, placed
        self.cell = cell = placed.cell
        where = _which(cell)
        self._options = plan.scenario.firmware_of(cell)
        self._source = stage.source(plan.staged[where], placed.application.name)
        self._description = plan.descriptions[where]
        self.engine = plan.engines[cell.engine]
        identifier, key = placed.application.identifier, (self._options, where, _key(placed.variant))
        built = {
            identifier if target == COOJA else on_platform(identifier, target): plan.built[*key, target]
            for target in _targets(self.engine)
        }
        self._paths = {name: one.path for name, one in built.items()}
        self.firmware = {name: one.sha256 for name, one in built.items()}
        version = plan.versions[cell.engine]
        if kind := placed.application.gateways:
            version += f"+gateways-{feature.resolve(feature.named('partners')[kind]).version()}"
        self._version = version
        self._named = identity.Named(cell, self.firmware, cell.engine, version)

    @cached_property
    def _csc(self) -> Seeded:
        def simulation(seed: int) -> Simulation:
            return deployed.simulation(self._deployment(seed))

        return Seeded(simulation, self._placed.images, 1)

    def _deployment(self, seed: int) -> Deployment:
        return self._placed.deployment(seed, source=self._source)

    @property
    def made_of(self) -> str:
        """A digest of everything that determines these runs but the seed: that of a run with seed 0."""
        return self._named.run_id(0, self._csc.sha256(0))

    def ids(self, seed: int) -> tuple[str, str]:
        """Return a run's id and trend id."""
        return self._named.run_id(seed, self._csc.sha256(seed)), self._named.trend_id(seed)

    def spec(self, seed: int) -> RunSpec:
        """All of a run."""
        text, cell, plan = self._csc.text(seed), self.cell, self._plan
        deployment = self._deployment(seed)
        return RunSpec(
            run_id=self._named.run_id(seed, hashlib.sha256(text).hexdigest()),
            trend_id=self._named.trend_id(seed),
            experiment=plan.scenario.experiment,
            cell=cell,
            seed=seed,
            deployment=deployment,
            csc_text=text,
            firmware=self._paths,
            firmware_sha256=self.firmware,
            engine=cell.engine,
            engine_version=self._version,
            motes=self._placed.acting.nodes,
            built=RunBuilt(
                **plan.builders[self._options].described(),
                **self.engine.described(),
                flags=plan.cflags,
                description=self._description,
            ),
        )


def prepare(
    scenario: Scenario,
    store: Path,
    *,
    cc: str | None = None,
    cflags: str = "",
    say: Callable[[str], None] = lambda _: None,
    show: Callable[[str], None] = lambda _: None,
) -> Plan:
    """Build what the scenario's runs need, in parallel. Raises what the builds raise.

    `say` gets a message before each step that takes long, `show` each line of a build in a container.
    """
    whole = [cell for cell in scenario.cells if isinstance(cell, SimulationCell)]
    of_whole = {scenario.firmware_of(cell) for cell in whole}
    builders = {
        options: simulated.builder(options)
        if options in of_whole
        else firmware.builder(options, say=say, show=show)
        for options in dict.fromkeys(map(scenario.firmware_of, scenario.cells))
    }
    asked = {
        _which(cell): cell.application for cell in scenario.cells if not isinstance(cell, SimulationCell)
    }
    applications = {
        which: with_generated(descriptor.load(asked[which].where), asked[which]) for which in sorted(asked)
    }
    engines = {
        name: engine(name, scenario.engine) for name in sorted({cell.engine for cell in scenario.cells})
    }
    variants = _variants(scenario, applications, engines)
    for note in dict.fromkeys(note for cell in whole for note in cell.simulation.notes):
        say(f"note: {note}")
    types = dict.fromkeys(one for cell in whole for one in simulated.types(scenario, cell, cflags))
    home = store / FIRMWARE
    with ThreadPoolExecutor(max(1, min(len(variants) + len(types) + len(engines), _MOST_BUILDS))) as pool:
        preparing = [pool.submit(one.prepare, say) for one in engines.values()]
        building = {
            (options, which, variant, target): pool.submit(
                builders[options].firmware,
                applications[which],
                dict(variant),
                target=target,
                cc=cc,
                cflags=cflags,
            )
            for options, which, variant, target in variants
        }
        libraries = {
            one: pool.submit(simulated.build, one, builders[one.options], home, say) for one in types
        }
        staged = {name: stage.stage(app, home) for name, app in applications.items()}
        descriptions = {name: stage.describe(app, home) for name, app in applications.items()}
        for future in preparing:
            future.result()
        built = {key: future.result() for key, future in building.items()}
        made = {one: future.result() for one, future in libraries.items()}
    versions = {name: one.version() for name, one in engines.items()}
    rules = {(cell.engine, cell.ruleset): engines[cell.engine].rules(cell.ruleset) for cell in scenario.cells}
    return Plan(scenario, engines, versions, built, staged, descriptions, builders, rules, home, cflags, made)


def _variants(
    scenario: Scenario,
    applications: Mapping[tuple[str, ...], Application],
    engines: Mapping[str, Engine],
) -> dict[_Variant, None]:
    """Return the keys of Plan.built: each firmware that a cell needs, once."""
    return dict.fromkeys(
        (
            scenario.firmware_of(cell),
            where,
            _key(applications[where].variant(cell.application.parameters)),
            target,
        )
        for cell in scenario.cells
        if not isinstance(cell, SimulationCell)
        for where in [_which(cell)]
        for target in _targets(engines[cell.engine])
    )


def _targets(chosen: Engine) -> tuple[str, ...]:
    """Return the targets for which firmware is built: Cooja's, and the platforms of a testbed's motes."""
    return (COOJA, *getattr(chosen, "targets", ()))


def plan(scenario: Scenario, store: Path) -> list[RunSpec]:
    """Return all runs of a scenario."""
    return list(prepare(scenario, store).specs())


def _which(cell: Cell) -> tuple[str, ...]:
    """Return the key that distinguishes the sources of a cell's firmware from other cells'."""
    spec = cell.application
    return (spec.where, *generated_from(descriptor.load(spec.where), spec))


def _key(variant: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(variant.items()))
