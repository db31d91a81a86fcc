# SPDX-License-Identifier: Apache-2.0
"""Sources: tables beside those of the log (tables.COLUMNS), made from another file of a run or from `text`.

Each module or package here that defines SOURCE is a source. It is found by being there, as metric families
are, and its code reaches a cluster's executors with the rest of this package. A feature's commands and
scenario keys are in orchestrator/features; what turns a file into rows is here.

A source's tables lie in EXPERIMENT/tables beside the others, one file for each batch of runs, and change with
them by one rename. The index has for each batch and source the `version` and the sizes of the files that were
read. If the source's code, its settings or a file has changed, that source's rows are made anew and nothing
else. A run without the file has no rows; rows whose file is gone stay as long as the run's manifest is there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from orchestrate_spark.metrics.model import Family

Columns = tuple[tuple[str, pa.DataType], ...]


class Damaged(Exception):
    """What `read` raises for a file that is not what it should be: the message says what and where.

    Rows that were given before stay. The run is named after the ingestion.
    """


@dataclass(frozen=True)
class Source:
    """The declaration of a source.

    `tables`: name -> columns after KEYS (tables.py). A table has a name that no other source and no log has.

    `file`: the name of a file in a run folder. `read` refers ("module:function") to
    `read(path: Path, settings: bytes) -> Iterator[tuple[str, pa.Table]]`, which gives rows by table, without
    KEYS, in the order in which they are to be stored; large ones in parts.

    `of`: instead of `file`, the name of a table of logs, such as "text". `read(rows: pa.Table, settings)`
    then gets the rows of that table for a whole batch, KEYS included and sorted by run and line, and gives
    rows with KEYS, sorted in the same way.

    `settings`: refers to `settings(experiment: Path) -> bytes | None`, what the rows depend on besides: it is
    handed to `read`, and its digest is part of the version. None: the experiment has no rows of this source.
    `family`: refers to `family(settings: bytes) -> Family | None`, metrics that an experiment's settings
    declare (those that every experiment has are a module of orchestrate_spark.metrics).
    `encodings`: table -> column -> Parquet's encoding, of columns that a dictionary doesn't make smaller.
    `modules`: names, in orchestrate_spark, of modules outside this source's that its rows depend on.
    """

    name: str
    tables: Mapping[str, Columns]
    read: str
    file: str = ""
    of: str = ""
    settings: str = ""
    family: str = ""
    modules: tuple[str, ...] = ()
    encodings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if bool(self.file) == bool(self.of):
            raise ValueError(f"the source {self.name} is made from a file or from a table, one of them")

    def reader(self) -> Callable[[Any, bytes], Iterator[tuple[str, pa.Table]]]:
        """Return the function that makes its rows."""
        return _resolve(self.read)

    def settings_of(self, experiment: Path) -> bytes | None:
        """Return the settings that an experiment has for it; None if it is to have no rows there."""
        return _resolve(self.settings)(experiment) if self.settings else b""

    def family_of(self, settings: bytes) -> Family | None:
        """Return the metrics that an experiment's settings declare."""
        return _resolve(self.family)(settings) if self.family else None

    def version(self, settings: bytes) -> str:
        """Return the digest of everything that its rows depend on besides the files."""
        return hashlib.sha256(_code(self.name).encode() + settings).hexdigest()[:16]


def _resolve(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


@cache
def _by_module() -> dict[str, Source]:
    modules = sorted(module.name for module in iter_modules(__path__))
    made = {name: getattr(import_module(f"{__name__}.{name}"), "SOURCE", None) for name in modules}
    return {name: source for name, source in made.items() if source is not None}


@cache
def found() -> dict[str, Source]:
    """Return all sources by name, sorted."""
    return {source.name: source for source in sorted(_by_module().values(), key=lambda source: source.name)}


@cache
def columns() -> dict[str, Columns]:
    """Return the columns after KEYS of all tables of sources, by the table's name."""
    return {table: made for source in found().values() for table, made in source.tables.items()}


@cache
def encodings() -> dict[str, Mapping[str, str]]:
    """Return how columns of sources' tables are encoded that aren't dictionaries, by the table's name."""
    return {table: made for source in found().values() for table, made in source.encodings.items()}


@cache
def files() -> tuple[str, ...]:
    """Return the names of the files of a run folder that sources read."""
    return tuple(sorted({source.file for source in found().values() if source.file}))


@cache
def owner(table: str) -> Source:
    """Return the source that has a table. Raises KeyError."""
    return {name: source for source in found().values() for name in source.tables}[table]


@cache
def _code(name: str) -> str:
    """Return the digest of a source's modules, which may be in a zip."""
    from orchestrate_spark import code

    module = next(module for module, source in _by_module().items() if source.name == name)
    path = getattr(import_module(f"{__name__}.{module}"), "__path__", ())
    inside = sorted(one.name for one in walk_packages(path, f"sources.{module}."))
    return code.digest((f"sources.{module}", *inside, *found()[name].modules))


def in_effect(experiment: Path, only: Iterable[str] | None = None) -> dict[str, bytes]:
    """Return the settings of the sources that an experiment has, by the source's name."""
    wanted = found().values() if only is None else (found()[name] for name in only)
    settings = {source.name: source.settings_of(experiment) for source in wanted}
    return {name: value for name, value in settings.items() if value is not None}
