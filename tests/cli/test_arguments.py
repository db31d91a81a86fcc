# SPDX-License-Identifier: Apache-2.0
"""What every command and action takes, and what its help says of it (tests/recorded.py)."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

import pytest

from orchestrator.cli.app import GROUPS, every_command
from orchestrator.cli.usage import Help, Parser
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_arguments")


def parser_of(name: str) -> argparse.ArgumentParser:
    module = import_module(f"orchestrator.cli.{every_command()[name][0]}")
    parser = Parser(prog=f"orchestrate {name}", description=module.DESCRIPTION, formatter_class=Help)
    module.add_arguments(parser)
    return parser


def told(parser: argparse.ArgumentParser) -> list[str]:
    """The description, each argument, and the same of each action; as help is laid out, Pythons differ."""
    lines = [*filter(None, (parser.description, parser.epilog)), ""]
    actions = []
    for one in parser._actions:
        if isinstance(one, argparse._HelpAction):
            continue
        if isinstance(one, argparse._SubParsersAction):
            actions = list(one.choices.values())
            lines += [f"{each.dest}: {each.help}" for each in one._choices_actions]
        name = " ".join(one.option_strings) or one.dest
        said = {
            "default": one.default,
            "const": one.const,
            "nargs": one.nargs,
            "type": getattr(one.type, "__name__", None),
            "choices": None if one.choices is None else list(one.choices),
            "required": one.required,
            "metavar": one.metavar,
        }
        kind = type(one).__name__.strip("_").removesuffix("Action")
        lines.append(
            f"{name}: {kind} "
            + " ".join(f"{key}={value!r}" for key, value in said.items() if value is not None)
        )
        lines.append(f"    {one.help}")
    for group in parser._mutually_exclusive_groups:
        names = [" ".join(one.option_strings) or one.dest for one in group._group_actions]
        lines.append(f"{'one' if group.required else 'at most one'} of {', '.join(names)}")
    for one in actions:
        lines += ["", f"--- {one.prog}", *told(one)]
    return lines


@pytest.mark.parametrize("name", every_command())
def test_what_a_command_takes(name):
    recorded.same("\n".join(told(parser_of(name))) + "\n", RECORDED / f"{name}.txt")


def test_each_command_is_told_of_once_in_a_line():
    names = [name for group in GROUPS.values() for name in group]
    assert len(set(names)) == len(names) == len(every_command())
    assert all(text and len(text) < 66 for _, text in every_command().values())
