# SPDX-License-Identifier: Apache-2.0
"""Begins simulations that Python drives with what users have: a .csc, a scenario's cell, a stored run."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from orchestrator.build.cache_folder import cache_folder
from orchestrator.csc import driven
from orchestrator.csc.deployed import simulation as as_simulation
from orchestrator.engines.embedded.live import Live, Stage
from orchestrator.engines.model import Outside
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.execution.library import BuildOptions, library
from orchestrator.vocabulary.simulators import DEFAULT_RULES
from orchestrator.words import did_you_mean

if TYPE_CHECKING:
    from orchestrator.csc.model import Simulation

_ENGINE = "embedded"
CSC_ENDINGS, SCENARIO_ENDINGS = (".csc", ".csc.gz"), (".yaml", ".yml")


@dataclass(frozen=True)
class _Found:
    """What is simulated: `held` keeps its firmware's files there."""

    simulation: Simulation
    firmware: dict[str, Path]
    seed: int | None
    rules: str
    held: object = None


def open(
    what: str | os.PathLike,
    *,
    cell: str | None = None,
    seed: int | None = None,
    contiki_ng: str | os.PathLike | None = None,
    cooja: str | os.PathLike | None = None,
    fast: bool = False,
    rules: str | None = None,
    log: str | os.PathLike | None = None,
    store: str | os.PathLike | None = None,
    listen: str = "lines",
    step_limit_s: float | None = None,
    contain: bool = False,
    sockets: bool = False,
    say: Callable[[str], None] = lambda _: None,
) -> Live:
    """Build the firmware of a simulation and return it at time 0; nothing has happened in it yet.

    `what`: a .csc or .csc.gz; a scenario file, of which `cell` names a cell (needless if it has only one); or
    a stored run, named as for `orchestrate show`: EXPERIMENT/CELL/SEED, the start of a run's id or the path
    of its folder (`store`: where runs are, by default as for all commands). The script of a .csc doesn't run,
    its time-out doesn't count; its Mobility plugin moves motes. Sockets of its plugins stay closed, unless
    `sockets` opens them (docs/serial.md; needs a `log` with a name): then steps are paced as the .csc says,
    commands of its plugins don't run, and forks are refused.

    `seed`: by default the file's, the scenario's first or the run's; a .csc that says "generated" gets one by
    chance (Live.seed has it). `contiki_ng`, `cooja`: the folders that a .csc calls [CONTIKI_DIR] and
    [COOJA_DIR], by default of the former $CONTIKI_NG. `fast`: compile a .csc's own firmware with flags of
    ours. `rules`: the rule set of Cooja, by default 5.0's or the run's. `log`: the file for the log, by
    default one without a name (Live.log reads it). `listen`: what the motes' output is returned as, see
    Live.listen. `step_limit_s` and `contain` are as in Stage. `say` gets each message, such as a build
    command before it runs.

    Raises FaultyInput, Unsupported, NoSuchThing, BuildFailed and MissingTool as `orchestrate simulate` and
    `orchestrate run` report them.
    """
    name = os.fspath(what)
    folders = (_folder(contiki_ng or os.environ.get("CONTIKI_NG")), _folder(cooja))
    if name.endswith(CSC_ENDINGS):
        if cell is not None:
            raise WrongUsage(f"{name}: a .csc has no cells; leave `cell` out")
        found = _of_csc(Path(name), BuildOptions(*folders, fast=fast), say)
    elif name.endswith(SCENARIO_ENDINGS):
        found = _of_cell(Path(name), cell, seed, folders[0], say)
    else:
        found = _of_run(name, store, say)
    if seed is None:
        seed = secrets.randbits(64) - 2**63 if found.seed is None else found.seed
    stage = Stage(
        found.simulation.medium,
        seed,
        None if log is None else Path(log),
        found.simulation.motedelay_us,
        rules or found.rules,
        step_limit_s,
        contain,
    )
    outside = None
    if sockets:
        if log is None or not name.endswith(CSC_ENDINGS):
            raise WrongUsage(
                f"{name}: sockets are those of a .csc, and what comes in is recorded beside a log\n"
                "    name a .csc, and a file with `log`"
            )
        outside = Outside(file=Path(name), contiki=folders[0], cooja=folders[1], commands=False, say=say)
    live = Live.of(stage, found.simulation, found.firmware, held=found.held, outside=outside)
    for mote in sorted(live.motes):
        live.listen(mote, listen)
    return live


def _folder(named: str | os.PathLike | None) -> Path | None:
    return Path(named) if named else None


def _of_csc(file: Path, options: BuildOptions, say: Callable[[str], None]) -> _Found:
    simulation = driven.read(file, options.contiki, options.cooja)
    for note in simulation.notes:
        say(f"note: {note}")
    firmware = {}
    with ExitStack() as held:
        for one in simulation.mote_types:
            built = library(one, simulation.config_dir, options, say)
            if not built.is_relative_to(cache_folder()):  # beside a .csc without build commands
                built = Path(shutil.copy(built, held.enter_context(TemporaryDirectory())))
            firmware[one.identifier] = built
        return _Found(simulation, firmware, simulation.seed, DEFAULT_RULES, held.pop_all())


def _of_cell(
    file: Path, cell: str | None, seed: int | None, tree: Path | None, say: Callable[[str], None]
) -> _Found:
    from orchestrator.execution import plan
    from orchestrator.scenario.load import load

    scenario = load(file, tree=None if tree is None else str(tree))
    names = [one.name for one in scenario.cells]
    if cell is None and len(names) > 1:
        raise WrongUsage(f"{file} has {len(names)} cells; name one with `cell`: {', '.join(names[:20])}")
    chosen = next((one for one in scenario.cells if cell in (None, one.name)), None)
    if chosen is None:
        raise NoSuchThing(f"no cell {cell!r} in {file}; {did_you_mean(cell, names)}")
    alone = replace(
        scenario,
        cells=(replace(chosen, engine=_ENGINE),),
        seeds=(scenario.seeds[0] if seed is None else seed,),
    )
    with TemporaryDirectory(prefix="orchestrate-live-") as sources:
        (spec,) = plan.prepare(alone, Path(sources), say=say).specs()
    if (beside := getattr(spec.deployment, "partners", None)) is not None:
        what, _ = beside.why_not
        raise Unsupported(
            f"{file}: the cell {chosen.name} has {what}, and only its motes would be simulated here\n"
            "    choose a cell without them"
        )
    return _Found(as_simulation(spec.deployment), spec.firmware, spec.seed, spec.cell.ruleset)


def _of_run(name: str, store: str | os.PathLike | None, say: Callable[[str], None]) -> _Found:
    from orchestrator.execution import again
    from orchestrator.inspect.find import find
    from orchestrator.runs.store import Store, default_store

    found = find(Store(default_store(store)), [name])
    if found.manifest is None:
        raise NoSuchThing(
            f"{found.where} is only a log and not a stored run, so it can't be simulated again\n"
            "    name a run of a store"
        )
    run = again.again(found.where, found.manifest, say=say)
    used = found.manifest.engine
    return _Found(as_simulation(run.simulation), run.firmware, found.manifest.seed, used.rules)
