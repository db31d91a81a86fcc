# SPDX-License-Identifier: Apache-2.0
"""The kinds of things that `orchestrate new` writes; the files of each are in templates/KIND/.

A template's file name ends in `.template`. In names and contents @name@ stands for the name, @identifier@ for
the name as C and Python allow it (`my_app` for `my-app`), and @NAME@ for the identifier in capitals.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.resources import contiki_apps

TEMPLATES = Path(__file__).resolve().parent / "templates"


@dataclass(frozen=True)
class Kind:
    """A kind of thing that can be written.

    `summary`: what it writes, for help. `next`: commands to try in the new folder, with {name} and
    {identifier}. `taken()`: names that can't be given, each with what has it.
    """

    name: str
    summary: str
    next: tuple[str, ...]
    taken: Callable[[], dict[str, str]] = dict

    @property
    def templates(self) -> Path:
        return TEMPLATES / self.name


@cache
def firmware_names() -> dict[str, str]:
    """Return the names of files that firmware is built from; a new file of the same name would hide one.

    An application's name becomes a file's name, and so does NAME-merge for a merge function.
    """
    root = contiki_apps()
    names = {
        folder.name: f"an application of {root.name}"
        for folder in (root / "apps").iterdir()
        if folder.is_dir()
    }
    for part in ("os", "middleware"):
        for path in sorted((root / part).rglob("*.[ch]")):
            names.setdefault(path.stem, f"{root.name}/{path.relative_to(root).as_posix()}")
    return names


@cache
def metric_names() -> dict[str, str]:
    """Return the names of built-in metrics and of the families that compute them."""
    from orchestrate_spark.metrics import built_in, families

    names = {name.replace("_", "-"): "a built-in metric" for name in built_in()}
    return names | {family.name: "a family of built-in metrics" for family in families()}


def shape_names() -> dict[str, str]:
    """Return the names of the built-in topologies."""
    from orchestrator.topology.shapes import known_shapes

    return dict.fromkeys(known_shapes(), "a built-in topology")


_APPLICATION = ("orchestrate validate scenario.yaml", "orchestrate run scenario.yaml --no-report", "pytest")
KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "app",
            "a publish/subscribe application: its descriptor, Makefile, C file, scenario and test",
            _APPLICATION,
            firmware_names,
        ),
        Kind(
            "merge-function",
            "a merge function of aggregation, in an application that uses it, with scenario and test",
            _APPLICATION,
            firmware_names,
        ),
        Kind(
            "metric",
            "a metric: a function from Spark tables to a table, with scenario and test",
            ("orchestrate run scenario.yaml", "orchestrate metrics scenario.yaml", "pytest"),
            metric_names,
        ),
        Kind(
            "topology",
            "a topology: a function from parameters to nodes, with scenario and test",
            (
                "orchestrate validate scenario.yaml",
                "orchestrate topology ./{identifier}.py --out {name}.svg",
                "pytest",
            ),
            shape_names,
        ),
    )
}
