# SPDX-License-Identifier: Apache-2.0
"""The seam between the core and its features: what a feature may bring, and which features are installed.

A built-in feature is a folder in orchestrator/features whose `__init__.py` defines FEATURE. A feature of
another distribution is an entry point of the group `orchestrate.features` that names a Feature. Both load
by the same call. A feature's code is named by references, "package.module" or "package.module:name", and is
imported only when it is used, so that a command pays for no feature but its own.

Metric families, log records and tables are not here: they belong to orchestrate_spark, which runs on a Spark
executor without this package (entry-point group `orchestrate.metrics`). Services of a gateway's daemon belong
to orchestrate_testbed, which runs on a gateway with Python 3.7.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

API = 1  # raised when a feature written for the earlier number would no longer work
GROUP = "orchestrate.features"


class Command(NamedTuple):
    """A command: the group under which `orchestrate --help` lists it, its help, and its module.

    The module has DESCRIPTION, add_arguments(parser), and run(args), which returns the exit code.
    """

    group: str
    help: str
    module: str


class Scaffold(NamedTuple):
    """A kind of example that `orchestrate new` writes: its module, and one line about it.

    The module has named(given) for the name of what was asked for, files(name) -> {path in the new folder:
    content}, and NEXT, commands to try there; also FOLDER, the new folder's name with {name} in it, if it
    isn't the name.
    """

    module: str
    summary: str


class Paper(NamedTuple):
    """A paper: the package with its results(), and one line about it."""

    module: str
    summary: str


@dataclass(frozen=True)
class Feature:
    """The contributions of a feature. A key that another feature or the core has already is a clash.

    commands: by name.
    engines: engine's name -> module with engine(options) (engines/protocol.py).
    papers: by the name that `orchestrate paper` takes.
    shapes: modules with a SHAPE (topology/shape.py).
    scenario_keys: key of a scenario that concerns the whole experiment and no run's identity -> module with
        read(node, folder, faults), the key's value; schema(), its JSON Schema; keep(value, folder), which
        puts it into the experiment's folder before tables are made (None: the scenario lacks the key); and
        metrics(value), the declarations (Metric by name) of the metrics that it brings.
    experiment_files: names of files in an experiment's folder on which its tables depend, for exports.
    ingestion: modules with add_arguments(parser), further options of `orchestrate ingest`; given(args),
        whether they name runs; and prepared(args, folder, logs), a context manager that gives the logs to
        read, [(path, cell or None)], from those of --log.
    after_tables: references to functions that are called with (folder, run_ids or None) when an experiment's
        tables are up to date, and return what to tell the user, as sentences.
    parameter_types: type of a parameter -> module with convert(text) and schema() (vocabulary/parameters.py).
    applications: reference to an applications.extension.Extension: keys of application.yaml, undeclared
        parameters, EEPROM sources and generated C.
    sections: modules with section(results), which gives a section of every report, or None. If a module says
        LEADS = True, its section stands before the common ones, which don't repeat its figures.
    experiments: experiment's name -> module with title(results) and sections(results) for its own report.
    partners: value of `gateways:` in application.yaml -> module with partners(app, layout, cell, course),
        which returns what is simulated beside the motes or None, and version(), which names its code.
    subjects: key of a scenario that says what is simulated in place of an application -> module with
        resolver(root, base, faults, folder, tree), a scenario.resolve.Resolver that makes the cells, and
        of_csc(path), the text of a scenario that simulates this .csc, starter(path, experiment, folder,
        tree), that of one to start from, name_of(path), the experiment's name, and schema(), the JSON Schema
        of each of its keys.
    scaffolds: kind of example -> Scaffold.
    run_views: references to an inspect.views.View: tables of `orchestrate show`.
    traces: modules with what else `orchestrate trace` follows: add_arguments(parser), asked(args), run(args).
    replays: references to functions that take a run's folder and return rows of the table `events` from which
        its replay is made if it has no trace, or None.
    schemas: kind of file -> module with schema(), for `orchestrate schema`.
    offers: name -> reference to what other features may use of this one, by offered(name).
    module_tables: references to functions that `orchestrate sizes` calls with (machine, parts).
    around_paper_runs: references to context managers that may replace a paper's scenario while it runs.
    """

    name: str
    summary: str
    api: int = API
    commands: Mapping[str, Command] = field(default_factory=dict)
    engines: Mapping[str, str] = field(default_factory=dict)
    papers: Mapping[str, Paper] = field(default_factory=dict)
    shapes: tuple[str, ...] = ()
    scenario_keys: Mapping[str, str] = field(default_factory=dict)
    experiment_files: tuple[str, ...] = ()
    ingestion: tuple[str, ...] = ()
    after_tables: tuple[str, ...] = ()
    parameter_types: Mapping[str, str] = field(default_factory=dict)
    applications: str = ""
    partners: Mapping[str, str] = field(default_factory=dict)
    sections: tuple[str, ...] = ()
    experiments: Mapping[str, str] = field(default_factory=dict)
    subjects: Mapping[str, str] = field(default_factory=dict)
    scaffolds: Mapping[str, Scaffold] = field(default_factory=dict)
    run_views: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()
    replays: tuple[str, ...] = ()
    schemas: Mapping[str, str] = field(default_factory=dict)
    offers: Mapping[str, str] = field(default_factory=dict)
    module_tables: tuple[str, ...] = ()
    around_paper_runs: tuple[str, ...] = ()


class Refused(NamedTuple):
    """A feature that is installed but not loaded, and why."""

    name: str
    reason: str


@cache
def _loaded() -> tuple[tuple[Feature, ...], tuple[Refused, ...]]:
    features = list(built_in())
    refused: list[Refused] = []
    for point in _entry_points():
        try:
            candidate = point.load()
        except Exception as error:  # a foreign package may raise anything while it is imported
            reason = f"importing it failed: {type(error).__name__}: {error}"
        else:
            reason = _unfit(candidate, features)
        if reason:
            refused.append(Refused(point.name, reason))
        else:
            features.append(candidate)
    return tuple(features), tuple(refused)


def _entry_points() -> list[EntryPoint]:
    """Return the entry points of foreign features, by name.

    importlib.metadata takes 20 ms to import, a third of a short `simulate`; so the names of installed
    distributions' groups are looked at first.
    """
    for folder in sys.path:
        for described in Path(folder or ".").glob("*-info/entry_points.txt"):
            if GROUP.encode() in described.read_bytes():
                from importlib.metadata import entry_points

                return sorted(entry_points(group=GROUP), key=lambda point: point.name)
    return []


@cache
def built_in() -> tuple[Feature, ...]:
    """Return the core and the features of this distribution, by name.

    Foreign features are left out: finding them takes longer than a short command.
    """
    folder = Path(__file__).parent / "features"
    names = sorted(
        entry.name for entry in os.scandir(folder) if (folder / entry.name / "__init__.py").is_file()
    )
    modules = ("orchestrator.core", *(f"orchestrator.features.{name}" for name in names))
    return tuple(import_module(module).FEATURE for module in modules)


def _unfit(candidate: object, others: list[Feature]) -> str:
    """Return why a feature cannot be loaded beside others; "" if it can."""
    if not isinstance(candidate, Feature):
        return f"it is {type(candidate).__name__}, not a Feature of orchestrator.feature"
    if candidate.api != API:
        return f"it is written for version {candidate.api} of orchestrator.feature, this is version {API}"
    for other in others:
        if other.name == candidate.name:
            return f"there is a feature {other.name!r} already"
        for kind in (each.name for each in fields(Feature) if isinstance(getattr(other, each.name), Mapping)):
            if twice := sorted(getattr(other, kind).keys() & getattr(candidate, kind).keys()):
                return (
                    f"{kind.rstrip('s').replace('_', ' ')} {twice[0]!r} belongs to the feature {other.name!r}"
                )
    return ""


def features() -> tuple[Feature, ...]:
    """Return the core and the installed features: the built-in ones by name, then foreign ones."""
    return _loaded()[0]


def refused() -> tuple[Refused, ...]:
    """Return the features that are installed and could not be loaded."""
    return _loaded()[1]


def named(kind: str) -> dict[str, Any]:
    """Return what all features bring of a kind that has names, such as "engines"."""
    return {name: value for feature in features() for name, value in getattr(feature, kind).items()}


def find(kind: str, name: str) -> Any:
    """Return the contribution of this kind and name, or None; built-in features come first."""
    for feature in built_in():
        if name in (brought := getattr(feature, kind)):
            return brought[name]
    return named(kind).get(name)


def listed(kind: str) -> list[Any]:
    """Return what all features bring of a kind that is a list of references, imported."""
    return [resolve(reference) for feature in features() for reference in getattr(feature, kind)]


def offered(name: str) -> Any:
    """Return a feature's offer to others. Raises Unsupported if no installed feature offers it."""
    offers = named("offers")
    if name not in offers:
        from orchestrator.errors import Unsupported

        raise Unsupported(f"no installed feature offers {name!r}\n    install the feature that does")
    return resolve(offers[name])


def resolve(reference: str) -> Any:
    """Return the object of a reference: a module, or an object in a module."""
    module, _, name = reference.partition(":")
    loaded = import_module(module)
    return getattr(loaded, name) if name else loaded
