# SPDX-License-Identifier: Apache-2.0
"""Reads a scenario file: checks every setting in every cell, and reports all faults with their lines."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from orchestrator import feature
from orchestrator.errors import NoSuchThing, Unsupported
from orchestrator.scenario import recorded, seeds, settings
from orchestrator.scenario.matrix import Draft, MatrixReader
from orchestrator.scenario.model import Scenario
from orchestrator.scenario.resolve import Resolver
from orchestrator.vocabulary import document
from orchestrator.vocabulary.document import KINDS, Mapping, Node, Scalar, Sequence, wrong_kind
from orchestrator.vocabulary.faults import Faults
from orchestrator.vocabulary.fields import own_name
from orchestrator.vocabulary.units import short
from orchestrator.words import counted, did_you_mean, nearest

CSC_ENDINGS = (".csc", ".csc.gz")
_NESTED = ("topology", "application", "radio", "engine", "firmware")


# Replaces values in a file's root and notes what is wrong with them.
Change = Callable[[Mapping, Faults], Mapping]


def load(path: Path, change: Change | None = None, tree: str | None = None) -> Scenario:
    """Return the scenario in a file, with a change if one is asked for.

    A .csc stands for a scenario that simulates it. `tree`: the Contiki-NG tree, in place of the file's.

    Raises NoSuchThing if there is no such file, FaultyInput with all faults of it.
    """
    path = Path(path)
    if path.name.endswith(CSC_ENDINGS):
        return _load(for_csc(path).of_csc(path), Faults(str(path)), path.parent, change, tree)
    try:
        data = document.content(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NoSuchThing(
            f"no scenario {str(path)!r}: {reason}; `orchestrate init` writes one to start from"
        ) from None
    faults = Faults(str(path))
    text = document.decode(data, faults)
    faults.raise_any()
    return _load(text, faults, path.parent, change, tree)


def for_csc(path: Path) -> ModuleType:
    """Return the module that makes scenarios of .csc files (Feature.subjects).

    Raises Unsupported if no feature brings it.
    """
    module = feature.find("subjects", "simulation")
    if module is None:
        raise Unsupported(
            f"{path} is a Cooja simulation, and no installed feature runs one as an experiment\n"
            f"    run it with `orchestrate simulate {path}`"
        )
    return feature.resolve(module)


def loads(text: str, name: str, folder: Path | None = None, change: Change | None = None) -> Scenario:
    """Return the scenario in a text that messages call `name`, and whose files are in `folder`.

    Raises FaultyInput with all faults.
    """
    return _load(text, Faults(name), folder, change)


def _load(
    text: str, faults: Faults, folder: Path | None, change: Change | None, tree: str | None = None
) -> Scenario:
    root = document.mapping(
        text, faults, "the file holds no scenario", "`orchestrate init` writes one to start from"
    )
    if change is not None:
        changed = change(root, faults)
        root, text = changed, text if changed is root else document.written(changed)
    base = _base(root, faults)
    experiment = _experiment(root, faults)
    resolver = _resolver(root, base, faults, folder, tree)
    matrix = root.get("matrix")
    misspelt = {
        nearest(key.text, settings.sections()) for key, _ in root if key.text not in settings.sections()
    }
    before = len(faults)
    drafts = MatrixReader(faults, resolver.paths()).drafts(matrix)
    if len(faults) > before:
        resolver.base.doubtful = set(document.names(matrix))
    resolver.base.doubtful |= {f"{word}{path}" for word in misspelt for path in ("", ".shape", ".name")}
    if matrix is not None:
        resolver.check_base()
    drafts = drafts or [Draft()]
    cells = resolver.cells(drafts)
    seed_node = root.get("seeds")
    listed = seeds.read(seed_node, faults) if seed_node is not None else ()
    if seed_node is None and "seeds" not in misspelt:
        faults.add(root.line, "no seeds", "add `seeds: 1..30`")
    elif seed_node is not None and len(listed) * len(drafts) > settings.MOST_RUNS:
        what = (
            f"{counted(len(drafts), 'cell')} with {counted(len(listed), 'seed')} are "
            f"{counted(len(listed) * len(drafts), 'run')}"
        )
        faults.add(seed_node.line, what, f"at most {settings.MOST_RUNS} can be planned at once")
    metrics = _metrics(root.get("metrics"), folder or Path(), faults)
    extra = {
        key: feature.resolve(module).read(root.get(key), folder or Path(), faults)
        for key, module in feature.named("scenario_keys").items()
        if root.get(key) is not None
    }
    spark = master(root, faults)
    record = recorded.kinds(root.get("record"), faults)
    options, firmware = resolver.engine_options(), resolver.firmware_options(drafts)
    faults.raise_any()
    given = root.get("record") is not None  # otherwise a cell's own default holds
    kept = tuple(replace(cell, record=record) for cell in cells) if given else tuple(cells)
    return Scenario(experiment, kept, listed, text, metrics, options, firmware, spark, extra)


def _resolver(
    root: Mapping,
    base: dict[str, tuple[int, Node]],
    faults: Faults,
    folder: Path | None,
    tree: str | None,
) -> Resolver:
    """Return what makes the cells: of an application, or of what a feature simulates in its place."""
    for key, module in feature.named("subjects").items():
        if root.get(key) is not None:
            return feature.resolve(module).resolver(root, base, faults, folder, tree)
    return Resolver(base, faults, folder, root.line)


def master(root: Mapping, faults: Faults) -> str | None:
    """Return the value of the key `spark` of a scenario or campaign; None if there is none."""
    node = root.get("spark")
    if node is None:
        return None
    if not isinstance(node, Scalar) or not re.fullmatch(settings.MASTER, node.text):
        text = short(node.text) if isinstance(node, Scalar) else KINDS[type(node)]
        faults.add(node.line, f"spark: {text} is neither an engine nor a master URL", settings.MASTER_REMEDY)
        return None
    return node.text


def _metrics(node: Node | None, folder: Path, faults: Faults) -> tuple[str, ...]:
    """Find and read the user's own metrics without running them; computing metrics runs them."""
    if node is None:
        return ()
    from orchestrate_spark.errors import FaultyCode
    from orchestrate_spark.metrics import own
    from orchestrate_spark.own_code import is_path

    found: dict[str, None] = {}
    for item in [node] if not isinstance(node, Sequence) else node.items:
        if not isinstance(item, Scalar) or not item.text:
            faults.add(
                item.line,
                "metrics: not a metric",
                "write `metrics: [./mine.py]`, a file beside the scenario, or the name of an entry point",
            )
            continue
        given = os.path.normpath(folder / item.text) if is_path(item.text) else item.text
        given = given if os.path.dirname(given) or not is_path(item.text) else f"./{given}"
        if given in found:
            faults.add(item.line, f"metrics: {short(item.text)} appears twice", "keep one of them")
        found[given] = None
        try:
            own.check([given], Path())
        except FaultyCode as faulty:
            for flaw in faulty.faults:
                what = flaw.what if flaw.line else f"metrics: {flaw.file}: {flaw.what}"
                faults.add(flaw.line or item.line, what, flaw.remedy, file=flaw.file if flaw.line else None)
    return tuple(found)


def _experiment(root: Mapping, faults: Faults) -> str:
    node = root.get("experiment")
    if node is None and any(nearest(key.text, settings.sections()) == "experiment" for key, _ in root):
        return ""  # misspelt, and said so
    form, remedy = settings.EXPERIMENT, settings.EXPERIMENT_REMEDY
    return own_name(root, "experiment", form, remedy, faults, "results are stored under it")


def _base(root: Mapping, faults: Faults) -> dict[str, tuple[int, Node]]:
    """Return (the line of its name, its node) by path for everything outside the matrix.

    Sections are listed under their own names, too.
    """
    base: dict[str, tuple[int, Node]] = {}
    for key, value in root:
        if key.text not in settings.sections():
            faults.add(key.line, f"{short(key.text)} is unknown", did_you_mean(key.text, settings.sections()))
        elif key.text not in _NESTED:
            base[key.text] = (key.line, value)
        elif isinstance(value, Mapping):
            base[key.text] = (key.line, value)
            base |= {f"{key.text}.{inner.text}": (inner.line, node) for inner, node in value}
        elif key.text == "engine" and isinstance(value, Scalar):
            base["engine.name"] = (key.line, value)
        else:
            first = {
                "topology": "shape: chain",
                "application": "name: aggregation",
                "radio": "range: 50 m",
                "firmware": "builder: docker",
            }
            remedy = f"write {{{first.get(key.text, 'name: embedded')}, ...}}"
            wrong_kind(value, key.text, remedy, faults)
            base[key.text] = (key.line, value)
    return base
