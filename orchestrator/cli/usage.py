# SPDX-License-Identifier: Apache-2.0
"""An argument parser whose errors are one line: what is wrong, and a likely correction."""

from __future__ import annotations

import argparse
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn


class Parser(argparse.ArgumentParser):
    """Raises WrongUsage instead of printing the whole usage."""

    def error(self, message: str) -> NoReturn:
        from orchestrator.errors import WrongUsage

        raise WrongUsage(f"{message}\n    `{self.prog} --help` lists what it accepts")

    def parse_args(
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        parsed, strange = self.parse_known_args(args, namespace)
        if strange:
            self._strange(strange)
        return parsed

    def _strange(self, words: Sequence[str]):
        from orchestrator.words import nearest

        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        accepted = {
            option.lstrip("-"): option
            for parser in self._parsers()
            for option in parser._option_string_actions
        }
        meant = nearest(options[0].lstrip("-"), accepted) if options else None
        self.error(
            f"unrecognized arguments: {' '.join(words)}"
            + (f"; did you mean {accepted[meant]}?" if meant else "")
        )

    def _parsers(self):
        """Yield this parser and those of its actions."""
        yield self
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.values()

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is not None and value not in action.choices:
            from orchestrator.words import did_you_mean

            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}; {did_you_mean(str(value), map(str, action.choices))}"
            )


class Help(argparse.RawDescriptionHelpFormatter):
    """A description as it is written where the terminal is wide enough, else with its paragraphs wrapped."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        import textwrap

        lines: list[str] = []
        for indented, part in itertools.groupby(
            text.splitlines(), lambda line: line[:1].isspace() or not line
        ):
            part = list(part)
            if not indented and max(map(len, part)) > width:
                part = [
                    " ".join(part)
                ]  # one paragraph: its own line ends would stand between those of the terminal
            for line in part:
                hang = re.match(r" *(\S+( \S+)*   *)?", line).end() if indented else 0
                hang = hang if hang <= width // 2 else len(line) - len(line.lstrip()) + 4
                lines += (
                    textwrap.wrap(
                        line,
                        width,
                        initial_indent=indent,
                        subsequent_indent=indent + " " * hang,
                        break_long_words=False,
                        break_on_hyphens=False,
                    )
                    if len(line) > width
                    else [indent + line]
                )
        return "\n".join(lines)


def add_actions(
    parser: argparse.ArgumentParser, command: str, actions: Mapping[str, str]
) -> Iterator[tuple[str, argparse.ArgumentParser, ModuleType]]:
    """Add a command's actions, each with a line of help; yield each name, its parser and its module.

    `command`: the name of the command's module; an action's module is beside it, with _NAME behind. What is
    parsed has its function `run` as `act`.
    """
    adding = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name, text in actions.items():
        module = import_module(f"{command}_{name}")
        action = adding.add_parser(name, help=text, description=module.DESCRIPTION, formatter_class=Help)
        action.set_defaults(act=module.run)
        yield name, action, module
