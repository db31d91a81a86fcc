# SPDX-License-Identifier: Apache-2.0
"""The `orchestrate` command: a table of commands, modules that are loaded only when called."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from orchestrator import feature
from orchestrator.cli.guard import guarded
from orchestrator.core import FEATURE
from orchestrator.feature import Command

if TYPE_CHECKING:  # a short command's time is mostly that of its imports
    import argparse

# The order of groups in `orchestrate --help`; groups that only a feature has come last.
_GROUPS = ("begin", "run", "results of an experiment", "inside one run", "Cooja's files, this machine")
# How many more objects may be made than freed before Python looks for cycles. Imports make thousands that
# stay; with the default of 700, looking for cycles took a seventh of the time of a short run.
_COLLECT_AFTER = 50_000

EPILOG = """exit codes:
  0 done (verdict OK)      1 verdict failed          2 wrong usage
  3 faulty input file      4 unsupported input       5 missing tool
  6 build failed           7 run failed              8 storage failed
  9 no such thing (file, experiment, run, cell, application)
  130 interrupted          70 a bug in orchestrate
"""


def every_command() -> dict[str, Command]:
    """Return all commands by name, the core's first."""
    return feature.named("commands")


def _listing() -> str:
    groups: dict[str, list[str]] = {group: [] for group in _GROUPS}
    for name, command in every_command().items():
        groups.setdefault(command.group, []).append(f"  {name:<12} {command.help}")
    return "\n\n".join(f"{group}:\n" + "\n".join(lines) for group, lines in groups.items() if lines)


def _overview() -> argparse.ArgumentParser:
    import argparse

    from orchestrator import __version__
    from orchestrator.cli.usage import Help, Parser

    parser = Parser(
        prog="orchestrate",
        usage="orchestrate COMMAND [OPTION...]",
        formatter_class=Help,
        description=f"Simulate publish/subscribe middleware on Contiki motes.\n\n{_listing()}",
        epilog=EPILOG + "\n`orchestrate COMMAND --help` explains a command.",
    )
    parser.add_argument("--version", action="version", version=f"orchestrate {__version__}")
    parser.add_argument("command", choices=every_command(), metavar="COMMAND", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    if "_ARGCOMPLETE" in os.environ:  # a shell asks at Tab
        from orchestrator.cli.completion import complete

        complete(every_command())
    gc.set_threshold(_COLLECT_AFTER)
    atexit.register(gc.freeze)  # or it looks through all objects for cycles once more before it ends
    argv = sys.argv[1:] if argv is None else argv
    if not argv:
        _overview().print_help()
        return 2
    return guarded(lambda: _run(argv[0], _found(argv[0]), argv[1:]))


def _found(word: str) -> Command:
    """Return the command of that name. Raises WrongUsage; --help and --version end here."""
    if word in FEATURE.commands:  # of the core, which spares a short command the import of every feature
        return FEATURE.commands[word]
    for candidate in feature.built_in():
        if word in candidate.commands:
            return candidate.commands[word]
    commands = every_command()
    for candidate in feature.refused():
        from orchestrator.console import say

        say(f"the feature {candidate.name} is not loaded: {candidate.reason}")
    if word in commands:
        return commands[word]
    overview = _overview()
    if word.startswith("-"):
        overview.parse_args([word, "doctor"])  # --help and --version end here, other options are refused
    from orchestrator.words import nearest

    meant = nearest(word, commands)
    overview.error(f"no command {word!r}" + (f"; did you mean {meant!r}?" if meant else ""))


def _run(name: str, command: Command, arguments: list[str]) -> int:
    from orchestrator.cli.usage import Help, Parser

    module = import_module(command.module)
    parser = Parser(
        prog=f"orchestrate {name}",
        description=getattr(module, "DESCRIPTION", command.help),
        formatter_class=Help,
    )
    module.add_arguments(parser)
    return module.run(parser.parse_args(arguments))


if __name__ == "__main__":
    sys.exit(main())
