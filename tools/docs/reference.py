# SPDX-License-Identifier: Apache-2.0
"""Reference pages that are made of the program: commands, keys of a scenario, Python and C interfaces."""

from __future__ import annotations

import argparse
import os
import re
from importlib import import_module
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
_PYTHON = (
    ("Results of a run in Python", ("orchestrate_spark.load",)),
    (
        "Simulations that Python drives",
        (
            "orchestrator.live.opening",
            "orchestrator.engines.embedded.live.simulation",
            "orchestrator.engines.embedded.live.operations",
            "orchestrator.engines.embedded.live.driver",
            "orchestrator.engines.embedded.live.values",
            "orchestrator.features.gymnasium.environment",
            "orchestrator.features.virtual_time.session",
            "orchestrator.features.cosimulation.attributes",
            "orchestrator.features.cosimulation.sources",
            "orchestrator.features.cosimulation.mosaik",
        ),
    ),
    (
        "Features",
        ("orchestrator.feature", "orchestrator.applications.extension", "orchestrator.inspect.views"),
    ),
    ("Engines", ("orchestrator.engines.protocol", "orchestrator.engines.model")),
    ("Topologies", ("orchestrator.topology.shape", "orchestrator.topology.model")),
    ("Metrics", ("orchestrate_spark.metrics.model",)),
)


def pages() -> dict[str, str]:
    """Return the pages by their paths."""
    return {
        "reference/commands.md": commands(),
        "reference/scenario.md": scenario(),
        "reference/python.md": python(),
        "reference/headers.md": headers(),
    }


def commands() -> str:
    """Return the help of every command and action, as a terminal of 80 columns shows it."""
    from orchestrator.cli.app import every_command
    from orchestrator.cli.usage import Help, Parser

    lines = ["# Commands", "", "The help of each command, as `orchestrate COMMAND --help` prints it.", ""]
    with mock.patch.dict(os.environ, {"COLUMNS": "80"}):
        for name, command in every_command().items():
            module = import_module(command.module)
            parser = Parser(
                prog=f"orchestrate {name}",
                description=getattr(module, "DESCRIPTION", command.help),
                formatter_class=Help,
            )
            module.add_arguments(parser)
            lines += [f"## {name}", "", command.help[0].upper() + command.help[1:] + ".", ""]
            for one in _parsers(parser):
                lines += ["```text", one.format_help().rstrip(), "```", ""]
    return "\n".join(lines)


def _parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """Return a parser and those of its actions."""
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += action.choices.values()
    return found


def scenario() -> str:
    """Return the keys of a scenario with their types and meanings, from its JSON Schema."""
    from orchestrator.scenario.schema import schema

    whole = schema()
    lines = [
        "# Keys of a scenario",
        "",
        "Made of the JSON Schema that `orchestrate schema` prints. [The scenario file](../docs/scenario.md)",
        "explains them.",
        "",
        "| key | values | meaning |",
        "|---|---|---|",
    ]
    for key, described in whole["properties"].items():
        lines += _rows(key, described, whole)
    return "\n".join(lines) + "\n"


def _rows(key: str, described: dict, whole: dict, depth: int = 0) -> list[str]:
    while "$ref" in described and not described.get("properties"):
        named = described["$ref"].rpartition("/")[2]
        described = {
            **whole.get("$defs", {}).get(named, {}),
            **{k: v for k, v in described.items() if k != "$ref"},
        }
    values = described.get("enum") or described.get("examples") or described.get("type", "")
    shown = ", ".join(f"`{one}`" for one in values) if isinstance(values, list) else f"{values}"
    meaning = str(described.get("description", "")).replace("|", "\\|").replace("\n", " ")
    rows = [f"| `{key}` | {shown.replace('|', ' or ')} | {meaning} |"]
    if depth < 2:
        for name, inner in described.get("properties", {}).items():
            rows += _rows(f"{key}.{name}", inner, whole, depth + 1)
    return rows


def python() -> str:
    """Return the page of the Python interface; mkdocstrings fills it."""
    lines = ["# Python", ""]
    for title, modules in _PYTHON:
        lines += [f"# {title}", ""]
        for module in modules:
            lines += [f"::: {module}", ""]
    return "\n".join(lines)


def headers() -> str:
    """Return the C headers of the middleware: each with its introduction and declarations."""
    lines = [
        "# C headers of the middleware",
        "",
        "An application names the modules in `MODULES` of its Makefile and includes these headers.",
        "",
    ]
    folder = ROOT / "contiki-apps" / "middleware"
    for path in sorted(folder.rglob("*.h")):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"\A/\*\s*SPDX[^*]*\*/\s*|\A//\s*SPDX.*\n", "", text)
        lines += [f"## {path.relative_to(folder)}", "", "```c", text.strip(), "```", ""]
    return "\n".join(lines)
